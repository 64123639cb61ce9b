#!/usr/bin/env bash
# go test -race with these arguments. Where the race detector's own process has failed ("ThreadSanitizer: CHECK failed",
# seen once, with go1.26.8), and nothing else, the packages it ended are run once more.
set -uo pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT
go test -race "$@" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
[ "$status" -ne 0 ] || exit 0
if grep -qE '^ *--- FAIL|DATA RACE|^panic:|build failed|setup failed' "$log" || ! grep -q 'ThreadSanitizer: CHECK failed' "$log"; then
	exit "$status"
fi
mapfile -t ended < <(awk '$1 == "FAIL" && NF > 1 {print $2}' "$log" | sort -u)
[ "${#ended[@]}" -gt 0 ] || exit "$status"
echo "the race detector itself has failed, no test and no race: once more ${ended[*]}"
flags=()
for a in "$@"; do
	case $a in ./* | github.com/*) ;; *) flags+=("$a") ;; esac
done
go test -race "${flags[@]}" "${ended[@]}"
