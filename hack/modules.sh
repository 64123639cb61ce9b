#!/usr/bin/env bash
# modules.sh PART FOLDER...: vets and tests modules of their own, and then runs interop.sh. PART is K/N from 0/N, and 0/1 is all: the last
# part is interop.sh, and the others share the modules.
set -euo pipefail
cd "$(dirname "$0")/.."
[[ $1 =~ ^([0-9]+)/([0-9]+)$ ]] && k=${BASH_REMATCH[1]} n=${BASH_REMATCH[2]} && [ "$k" -lt "$n" ] ||
  { echo "modules.sh: the part is \"$1\": write K/N, from 0/N" >&2; exit 2; }
shift
export GOWORK=off GOTOOLCHAIN=auto # a module may want a newer Go
i=0
for m in "$@"; do
  i=$((i + 1))
  [ "$n" = 1 ] || [ $((i % (n - 1))) = "$k" ] || continue
  hack/downloads.sh "$m" || continue
  began=$SECONDS
  (cd "$m" && go vet ./... && go test ./...)
  echo "$m: $((SECONDS - began)) s"
done
[ "$k" -lt $((n - 1)) ] || hack/interop.sh
