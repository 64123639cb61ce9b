#!/usr/bin/env bash
# upstream.sh: runs k8s.io/apiserver's own tests of its storage, of its watch cache, and of the registry above them on our etcd in memory
# (interop/apiserver/memory), which keeps objects as the API server fake does. It is a copy of the module with another way to start an etcd.
set -euo pipefail
cd "$(dirname "$0")/.."
export GOWORK=off
root=$PWD
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd interop/apiserver
go mod download k8s.io/apiserver
cp -r "$(go list -m -f '{{.Dir}}' k8s.io/apiserver)" "$out/apiserver"
chmod -R u+w "$out/apiserver"
cp upstream/testserver.go.txt "$out/apiserver/pkg/storage/etcd3/testserver/test_server.go"
cp go.mod "$out/go.mod"
cp go.sum "$out/go.sum"
go mod edit -replace "k8s.io/apiserver=$out/apiserver" -replace "github.com/lwtest/lwtest=$root" -replace "github.com/lwtest/lwtest/plugins/adapter=$root/plugins/adapter" "$out/go.mod"
storage=k8s.io/apiserver/pkg/storage
status=0
go test -vet=off -modfile "$out/go.mod" -count=1 -json "$storage/etcd3" "$storage/cacher" k8s.io/apiserver/pkg/registry/generic/registry > "$out/tests.json" || status=$?
jq -rs '(map(select(.Test == null and (.Action == "pass" or .Action == "fail")))[] | "\(.Action)  \(.Package)  \(.Elapsed) s"),
  (map(select(.Test != null)) | group_by(.Action) | map(select(.[0].Action | IN("pass", "fail", "skip")) | "\(length) tests \(.[0].Action)") | join(", "))' "$out/tests.json"
[ "$status" = 0 ] || jq -r 'select(.Action == "fail" and .Test != null) | "FAIL \(.Package) \(.Test)"' "$out/tests.json"
[ "$status" = 0 ] || jq -r 'select(.Action == "build-output" or (.Test == null and .Action == "output")) | .Output' "$out/tests.json" | tail -n 40
exit "$status"
