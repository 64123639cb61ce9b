#!/bin/sh
# Records the checks of client-go's list and watch calls, and of its informers,
# on lwtest's own server anew, into conformance/*/golden/testdata. What
# leftout.txt names is not kept. Takes ten seconds.
set -eu
tab=$(printf '\t')
record() { # KIND WAY
	dir=conformance/$1/golden
	rm -rf "$dir/testdata/$2"
	bin/lwtest record --suite "$1" --target "go:client-go/$2" --out "$dir/testdata/$2" >/dev/null 2>&1
	while IFS=$tab read -r what why; do
		case $what in "$2 "*)
			check=$(echo "${what#* }" | tr / .)
			rm -f "$dir/testdata/$2/$1/$check.jsonl" ;;
		esac
	done <"$dir/leftout.txt"
}
record informer shared-informer
for way in typed retry-watcher until; do record listerwatcher "$way"; done
