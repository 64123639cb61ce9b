#!/usr/bin/env bash
# Records the goldens of the watchcache suite from a kind cluster that is made for it.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=${1:-v1.37.1}
out=$PWD/conformance/watchcache/golden/cluster/testdata/$version-kind
lwtest=$PWD/bin/lwtest
rm -rf "$out"
(cd "$(mktemp -d)" && "$lwtest" record --suite watchcache --target kind --kind-image "lwtest/kind-node:$version" --kind-etcd --span 5m --parallel 6 --out "$out")
gzip -n -9 "$out"/watchcache/*.jsonl
