#!/usr/bin/env bash
# Puts what others wrote to the suites, from processes of their own, each with what it is known to break: a known failure
# that no longer happens, or one that is not known, ends with status 1. Five run at once: most of it is waiting.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export GOWORK=off
go build -o "$out/lwtest" ./cmd/lwtest
(cd interop/kubestatemetrics && go build -o "$out/ksm" .)
(cd interop/ctrlruntime && go build -o "$out/ctrlruntime" .)
(cd interop/controllerruntime && go build -o "$out/cr" ./exec)
(cd interop/clientgo && go build -o "$out/clientgo" .)
# Node agents are large: those whose modules cannot be downloaded are left out, and the reason is printed.
agents=
if hack/downloads.sh interop/kwok; then
  (cd interop/kwok && go build -o "$out/kwok" .)
  agents+="node-kwok kwok/known.json $out/kwok"$'\n'"node-kwok-leases kwok/known.json $out/kwok leases"$'\n'
fi
if hack/downloads.sh interop/virtualkubelet; then
  (cd interop/virtualkubelet && go build -o "$out/virtualkubelet" . && go build -o "$out/vk" github.com/virtual-kubelet/virtual-kubelet/cmd/virtual-kubelet)
  agents+="node-virtualkubelet virtualkubelet/known.json $out/virtualkubelet $out/vk"$'\n'
fi
for m in clientnode fluentclient godaddyclient k8sclient; do (cd "interop/$m" && npm install --no-package-lock --no-audit --no-fund --silent); done
(cd examples/controller-js && npm install --no-package-lock --no-audit --no-fund --silent)

# smoke COMMAND: 2 is for an implementation that does not end what it is told to.
smoke() { "$out/lwtest" smoke --target "exec:$1" || [ $? = 2 ]; }

# judge NAME COMMAND KNOWN says how the adapter is, and what it adapts; all that was said only where that is not well.
judge() {
  local status=0 limit=50s
  [[ $1 != node-* ]] || limit=150s # they wait long for what does not come
  { smoke "$2" && "$out/lwtest" run --target "exec:$2" --known "interop/$3" --parallel 8 --timeout "$limit" --out "$out/run-$1"; } > "$out/$1.txt" 2>&1 || status=$?
  [ "$status" = 0 ] || cat "$out/$1.txt"
  echo "$1: status $status, $(grep -m1 -E '^[0-9,]+ passed, ' "$out/$1.txt" || tail -n 1 "$out/$1.txt")"
  return "$status"
}

failed=0
while read -r name known command; do
  while [ "$(jobs -rp | wc -l)" -ge 5 ]; do wait -n || failed=1; done
  judge "$name" "$command" "$known" &
done <<TARGETS
${agents}cr-cache controllerruntime/known-exec.json $out/cr cache
clientgo-shared-informer-context clientgo/known.json $out/clientgo shared-informer-context
clientgo-shared-informer-lists clientgo/known.json $out/clientgo shared-informer-lists
ksm-informer kubestatemetrics/known-informer.json $out/ksm informer
ksm-informer-cached kubestatemetrics/known-cached.json $out/ksm informer-cached
fluentclient fluentclient/known.json node interop/fluentclient/adapter.mjs
godaddyclient godaddyclient/known.json node interop/godaddyclient/adapter.mjs
k8sclient k8sclient/known.json node interop/k8sclient/adapter.mjs
clientnode clientnode/known.json interop/clientnode/node_modules/.bin/node interop/clientnode/adapter.mjs
clientgo-retry-watcher-context clientgo/known-context.json $out/clientgo retry-watcher-context
clientgo-typed clientgo/known.json $out/clientgo typed
clientgo-pager clientgo/known.json $out/clientgo pager
ctrlruntime ctrlruntime/known.json $out/ctrlruntime fake-client
ksm-store kubestatemetrics/known.json $out/ksm store
TARGETS
while [ "$(jobs -p | wc -l)" -gt 0 ]; do wait -n || failed=1; done
"$out/lwtest" run --target 'controller:examples/controller-js/node_modules/.bin/node examples/controller-js/operator.js' \
  --scenario examples/controller/scenario.yaml --quiet 5s --out "$out/run-controller-js" 'controller/quiet/*' 'controller/restart/*' controller/converge/same/answer-lost || failed=1
exit "$failed"
