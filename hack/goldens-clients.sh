#!/bin/sh
# Records the checks of client-go's list and watch calls and of its informers
# into conformance/*/golden/testdata. Without an argument they run on lwtest's
# own server, with its faults: ten seconds. With a version they run without
# faults on a real kube-apiserver: six minutes. CHECKS='informer/sync/x …'
# records only these checks and leaves all other files alone. The script leaves
# out what leftout.txt names, and compresses large files.
set -eu
version=${1:-}
tab=$(printf '\t')
record() { # KIND WAY
	kind=$1 dir=conformance/$1/golden name=$2${version:+-$version} some=
	for check in ${CHECKS:-}; do
		case $check in "$1"/*) some="$some $check" ;; esac
	done
	[ -n "$some" ] || [ -z "${CHECKS:-}" ] || return 0
	new=$(mktemp -d)
	set -- --suite "$1" --target "go:client-go/$2" --out "$new" $some
	[ -z "$version" ] || set -- "$@" --server "kubeconfig:$KUBECONFIG" --span 10m
	bin/lwtest record "$@" >/dev/null 2>&1 || echo "$name: not all of it passed" >&2
	while IFS=$tab read -r what why; do # RECORDING CHECK, or CHECK alone: of all recordings
		case $what in "$name "*) what=${what#* } ;; *" "*) continue ;; esac
		rm -f "$new/$kind/$(echo "$what" | tr / .).jsonl"
	done <"$dir/leftout.txt"
	[ -n "$some" ] || rm -rf "$dir/testdata/$name"
	mkdir -p "$dir/testdata/$name/$kind"
	for file in "$new/$kind"/*.jsonl; do
		[ -e "$file" ] || break
		old=$dir/testdata/$name/$kind/$(basename "$file")
		rm -f "$old" "$old.gz"
		cp "$file" "$old"
		find "$old" -size +100k -exec gzip -n -9 {} +
		[ -z "$some" ] || echo "$name: recorded $(basename "$file" .jsonl)"
	done
	rm -rf "$new"
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
