#!/usr/bin/env bash
# Records the goldens of the watchcache suite from a real kube-apiserver. CHECKS='watchcache/x …' records these checks alone, from those servers
# of which all checks are recorded, and leaves all other files alone.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=${1:-v1.37.1}
out=$PWD/conformance/watchcache/golden/testdata
lwtest=$PWD/bin/lwtest

# record NAME RESOURCE SPAN "SERVER FLAGS" "LWTEST FLAGS"
record() {
	[ -n "${CHECKS:-}" ] || rm -rf "$out/$1"
	(cd "$(mktemp -d)" && "$OLDPWD/hack/kube/kube.sh" with --version "$version" $4 -- sh -c \
		"$lwtest record --target kubeconfig:\$KUBECONFIG --resource $2 --etcd \$ETCD --restart-cmd \"\$RESTART\" --span $3 --parallel 6 ${CHECKS:-} $5 --out $out/$1")
}

record "$version" configmaps 5m "" ""
record "$version-nocache" configmaps 2m "--watch-cache=false" "--feature=-bookmarks --feature=-window"
record "$version-events" events 2m "" ""
record "$version-things" things 5m "" ""
[ -z "${CHECKS:-}" ] || exit 0
record "$version-shards" configmaps 2m "--feature-gates=ShardedListAndWatch=true" "'watchcache/shard/*'"
record "$version-deployments" deployments 2m "" "'watchcache/write/status' 'watchcache/write/status/*' 'watchcache/write/conflict/status' 'watchcache/write/conflict/status/*'"
record "$version-pods" pods 2m "" "'watchcache/write/*'"
record "$version-leases" leases 2m "" "'watchcache/write/missing/create'"
