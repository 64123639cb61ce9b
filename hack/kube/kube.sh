#!/bin/sh
# Builds the program of this folder and becomes it ("go run" would swallow signals and the exit status).
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
command -v go >/dev/null || { echo "kube: no go on the PATH: install Go, see go.mod for the version" >&2; exit 1; }
mkdir -p "${LWTEST_CACHE:-$root/.cache}/kube"
cache=$(cd "${LWTEST_CACHE:-$root/.cache}/kube" && pwd)
trap 'rm -f "$cache/kube.$$"' EXIT
trap 'exit 1' HUP INT TERM
go build -C "$root" -buildvcs=false -o "$cache/kube.$$" ./hack/kube
mv -f "$cache/kube.$$" "$cache/kube" # at once, for those who start at the same time
exec "$cache/kube" "$cache" "$@"
