#!/usr/bin/env bash
# Runs the suites on every implementation that is here, the built-in ones and those of interop/, and makes
# docs/results.json of the reports. `go run ./hack/docs` makes docs/results.md of that.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-.cache/results}
rm -rf "$out"
mkdir -p "$out"
out=$(realpath --relative-to=. "$out") # for whatever is built elsewhere
go build -o "$out/lwtest" ./cmd/lwtest
(cd interop/kubestatemetrics && GOWORK=off go build -o "../../$out/" .)
(cd interop/ctrlruntime && GOWORK=off go build -o "../../$out/" .)
(cd interop/controllerruntime && GOWORK=off go build -o "../../$out/cr" ./exec)
for m in clientnode fluentclient godaddyclient k8sclient; do (cd "interop/$m" && npm install --no-package-lock --silent); done

# run NAME TARGET [FLAG...]: a failure is a result, too.
run() {
  local name=$1 target=$2 status=0
  shift 2
  "$out/lwtest" run --target "$target" --out "$out/$name" "$@" > "$out/$name.txt" 2>&1 || status=$?
  echo "$name: status $status, $(grep -m1 -E '^[0-9]+ checks:' "$out/$name.txt" || tail -n 1 "$out/$name.txt")"
  [ "$status" -lt 3 ]
}

run builtin all
run ksm-store "exec:$out/kubestatemetrics store" --known interop/kubestatemetrics/known.json
run ksm-informer "exec:$out/kubestatemetrics informer" --known interop/kubestatemetrics/known-informer.json
run ksm-informer-cached "exec:$out/kubestatemetrics informer-cached" --known interop/kubestatemetrics/known-cached.json
run cr-cache "exec:$out/cr cache" --known interop/controllerruntime/known-exec.json
run cr-fake-client "exec:$out/ctrlruntime fake-client" --known interop/ctrlruntime/known.json
(cd interop/clientgo && GOWORK=off go build -o "../../$out/" .)
for way in indexer delta-fifo shared-informer typed retry-watcher; do
  run "clientgo-$way" "exec:$out/clientgo $way" --known interop/clientgo/known.json
done
run clientgo-fake-clientset "exec:$out/clientgo fake-clientset" --known interop/clientgo/known-fake-clientset.json
for version in v0.20.15 v0.24.17 v0.27.16 v0.30.14 v0.33.4; do
  for way in indexer delta-fifo shared-informer; do
    run "clientgo-$version-$way" "exec:$way" --module "k8s.io/client-go@$version"
  done
done
# servers, each with a store of its own for each check
(cd interop/apiserver && GOWORK=off go build -o "../../$out/apiserver" .)
servers=(--suite watchcache --parallel 6 --timeout 2m)
for part in cacher 'memory cacher'; do # without cache/lag, in which each read waits for the lag, or three seconds: half an hour
  run "apiserver-${part// /-}" "exec:$out/apiserver $part" --known interop/apiserver/known.json "${servers[@]}"
done
servers+=(--span 2m)
run apiserver-etcd3 "exec:$out/apiserver etcd3" --known interop/apiserver/known.json "${servers[@]}"
while read -r folder module; do
  run "server-$folder-${module##*@}" exec --module "$module" --known "interop/$folder/known.json" "${servers[@]}"
done <<MODULES
apiserver go.etcd.io/etcd/server/v3@v3.5.21
t4 github.com/t4db/t4@v1.1.17
t4 github.com/t4db/t4@v1.0.5
kine github.com/k3s-io/kine@v0.17.5
MODULES
for part in istio cilium; do
  known=()
  [ ! -f "interop/$part/known.json" ] || known=(--known "interop/$part/known.json")
  (cd "interop/$part" && GOWORK=off go build -o "../../$out/$part" .)
  run "$part" "exec:$out/$part" --parallel 4 "${known[@]}"
done
(cd interop/kwok && GOWORK=off go build -o "../../$out/kwok" .)
run node-kwok "exec:$out/kwok" --known interop/kwok/known.json
(cd interop/virtualkubelet && GOWORK=off go build -o "../../$out/virtualkubelet" . && GOWORK=off go build -o "../../$out/vk" github.com/virtual-kubelet/virtual-kubelet/cmd/virtual-kubelet)
run node-virtualkubelet "exec:$out/virtualkubelet $out/vk" --known interop/virtualkubelet/known.json
if [ "$(id -u)" = 0 ]; then
  run node-kubelet "kubelet:$(hack/kube/kube.sh kubelet --version v1.37.1)" --suite node --parallel 4
  hack/containerd/containerd.sh with 2.4 -- sh -c '"$0/lwtest" run --target "cri:unix://$CRI_SOCKET?image=$CRI_IMAGE&parent=$CRI_PARENT&kill=$CRI_KILL&start=$CRI_START" --parallel 8 --known hack/containerd/known-2.4.json --out "$0/containerd-2.4"' "$out" > "$out/containerd-2.4.txt" 2>&1 || [ $? -lt 3 ]
fi
run clientnode "exec:interop/clientnode/node_modules/.bin/node interop/clientnode/adapter.mjs" --known interop/clientnode/known.json
for m in fluentclient godaddyclient k8sclient; do
  run "$m" "exec:node interop/$m/adapter.mjs" --known "interop/$m/known.json" --parallel 8
done
"$out/lwtest" results --format json "$out"/*/report.json > "$out/results.json"
# without the folders of this machine: of the tree, of the cache, of containerd's sockets
sed "s|$PWD/||g; s|${LWTEST_CACHE:-$PWD/.cache}/|.cache/|g; s|/tmp/tmp\.[A-Za-z0-9]*|/run/lwtest|g; s|/tmp\.[A-Za-z0-9]*|/lwtest|g" "$out/results.json" > docs/results.json
