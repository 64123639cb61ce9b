#!/bin/sh
# Records the checks of client-go's list and watch calls, and of its informers,
# anew, into conformance/*/golden/testdata: on lwtest's own server, with its
# faults, or, where a version is said, without any on a real kube-apiserver of
# that version. What leftout.txt names is not kept; what is large is
# compressed. Takes ten seconds, or six
# minutes.
set -eu
version=${1:-}
tab=$(printf '\t')
record() { # KIND WAY
	dir=conformance/$1/golden
	name=$2${version:+-$version}
	set -- "$1" "$2" --suite "$1" --target "go:client-go/$2" --out "$dir/testdata/$name"
	[ -z "$version" ] || set -- "$@" --server "kubeconfig:$KUBECONFIG" --span 10m
	kind=$1
	shift 2
	rm -rf "$dir/testdata/$name"
	bin/lwtest record "$@" >/dev/null 2>&1 || echo "$name: not all of it passed" >&2
	while IFS=$tab read -r what why; do # RECORDING CHECK, or CHECK alone: of all recordings
		case $what in "$name "*) what=${what#* } ;; *" "*) continue ;; esac
		rm -f "$dir/testdata/$name/$kind/$(echo "$what" | tr / .).jsonl"
	done <"$dir/leftout.txt"
	find "$dir/testdata/$name" -size +100k -exec gzip -n -9 {} +
}
if [ -z "$version" ]; then
	for way in shared-informer reflector-undelta; do record informer "$way"; done
	for way in typed retry-watcher until; do record listerwatcher "$way"; done
elif [ -z "${KUBECONFIG:-}" ] || [ -z "${2:-}" ]; then
	exec hack/kube/kube.sh with --version "$version" -- "$0" "$version" started
else
	for way in factory-typed shared-informer-lists; do record informer "$way" & done
	for way in typed metadata pager retry-watcher until; do record listerwatcher "$way"; done
	wait
fi
