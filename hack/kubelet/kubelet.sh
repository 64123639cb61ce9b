#!/usr/bin/env bash
# kubelet.sh KUBELET LWTEST [FAULTS.yaml]: a real kubelet without an API server runs static pods on `lwtest serve cri`, through
# `lwtest proxy cri`, and the recorded history is judged. Exits as `lwtest judge` does. It needs root and unshare. The kubelet has a
# /var/lib and a /var/log of its own, and nothing is left behind. GATES are feature gates, such as "EventedPLEG: true, PLEGOnDemandRelist: true",
# KEEP is a file for the history. With CRI_SOCKET and CRI_IMAGE, as hack/containerd/containerd.sh sets them, the runtime is that one.
set -euo pipefail
say() { echo "kubelet: $*" >&2; }
skip() { say "skipped: $*"; exit 75; } # EX_TEMPFAIL, as for a machine that cannot run it

[ $# -ge 2 ] || { say "usage: kubelet.sh KUBELET LWTEST [FAULTS.yaml]"; exit 64; }
kubelet=$(realpath "$1") lwtest=$(realpath "$2") faults=${3:+$(realpath "$3")}
[ "$(uname)" = Linux ] || skip "kubelets run on Linux"
[ "$(id -u)" = 0 ] || skip "it needs root"
for tool in unshare curl; do command -v $tool >/dev/null || skip "there is no $tool"; done
unshare -m true 2>/dev/null || skip "there are no mount namespaces"

dir=$(mktemp -d) pids=()
finish() {
  local status=$?
  [ "$status" = 0 ] || [ ! -s "$dir/kubelet.log" ] || [ -n "${judged:-}" ] || tail -n 15 "$dir/kubelet.log" >&2
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null || true; done
  rm -rf "$dir"
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM
mkdir "$dir/pods" "$dir/root" "$dir/logs" "$dir/work"
port=${PORT:-20255}
cat >"$dir/config.yaml" <<EOF
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
containerRuntimeEndpoint: unix://$dir/proxy.sock
staticPodPath: $dir/pods
podLogsDir: $dir/logs
address: 127.0.0.1
port: $((port - 5))
readOnlyPort: $port
healthzPort: 0
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
failCgroupV1: false
cgroupDriver: cgroupfs
cgroupsPerQOS: false
enforceNodeAllocatable: []
failSwapOn: false
oomScoreAdj: 0
makeIPTablesUtilChains: false
fileCheckFrequency: 1s
syncFrequency: 2s
imageMinimumGCAge: 1s
crashLoopBackOff: {maxContainerRestartPeriod: 2s}
evictionHard: {}
featureGates: {KubeletCrashLoopBackOffMax: true${GATES:+, $GATES}}
EOF
cat >"$dir/web.yaml" <<'EOF'
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default, labels: {app: web}}
spec:
  terminationGracePeriodSeconds: 5
  initContainers:
  - {name: first, image: IMAGE, imagePullPolicy: IfNotPresent, command: [sh, -c, "sleep 1; echo ready"]}
  containers:
  - name: main
    image: IMAGE
    imagePullPolicy: IfNotPresent
    command: [sh, -c, "trap 'exit 0' TERM; while true; do sleep 1 & wait; done"]
    env: [{name: TOKEN, value: not-for-the-history}]
    readinessProbe: {exec: {command: ["true"]}, periodSeconds: 1}
EOF
cat >"$dir/job.yaml" <<'EOF'
apiVersion: v1
kind: Pod
metadata: {name: job, namespace: default}
spec:
  restartPolicy: OnFailure
  terminationGracePeriodSeconds: 5
  containers:
  - {name: fails, image: IMAGE, imagePullPolicy: IfNotPresent, command: [sh, -c, "sleep 1; exit 3"]}
  - {name: ends, image: IMAGE, imagePullPolicy: IfNotPresent, command: [sh, -c, "sleep 1; exit 0"]}
EOF

# With this gate, a kubelet up to 1.37 at least starts init containers again and again (kubernetes#133371).
[[ ${GATES:-} != *EventedPLEG* ]] || sed -i '/initContainers/d; /name: first/d' "$dir/web.yaml"

# wait_for SECONDS WHAT COMMAND: until COMMAND succeeds
wait_for() {
  for _ in $(seq $(($1 * 5))); do
    eval "$3" && return
    for pid in "${pids[@]}"; do kill -0 "$pid" 2>/dev/null || { say "a process has ended while waiting for $2"; exit 1; }; done
    sleep 0.2
  done
  say "no $2 within $1 seconds"
  exit 1
}
pods() { curl -fsS "http://127.0.0.1:$port/pods" 2>/dev/null; }

sed -i "s,IMAGE,${CRI_IMAGE:-busybox}," "$dir/web.yaml" "$dir/job.yaml"
runtime=${CRI_SOCKET:-$dir/cri.sock}
if [ -z "${CRI_SOCKET:-}" ]; then
  "$lwtest" serve cri "$runtime" --cgroupfs 2>/dev/null &
  pids+=($!)
  wait_for 10 "runtime" '[ -S "$runtime" ]'
fi
"$lwtest" proxy cri "$runtime" --listen "$dir/proxy.sock" --out "$dir/history.jsonl" ${faults:+--faults "$faults"} >"$dir/summary" &
proxy=$!
pids+=($proxy)
wait_for 10 "proxy" '[ -S "$dir/proxy.sock" ]'
(cd "$dir/work" && exec unshare -m --propagation private sh -c 'mount -t tmpfs tmpfs /var/lib && mount -t tmpfs tmpfs /var/log && exec "$@"' sh \
  "$kubelet" --config "$dir/config.yaml" --root-dir "$dir/root" --cert-dir "$dir/certs" --hostname-override lwtest-node) >"$dir/kubelet.log" 2>&1 &
node=$!
pids+=($node)
wait_for 60 "kubelet" '[ -n "$(pods)" ]'
say "$("$kubelet" --version) runs"
cp "$dir/web.yaml" "$dir/job.yaml" "$dir/pods"
wait_for 60 "pod that is ready" 'pods | grep -q "\"type\":\"ContainersReady\"[^}]*\"status\":\"True\""'
wait_for 60 "second restart of a container" 'pods | grep -qE "\"restartCount\":([2-9]|[1-9][0-9])"'
sleep "${TIME:-12}" # an event may take ten seconds
rm "$dir/pods"/*
wait_for 60 "end of the pods" '! pods | grep -q "\"name\":\"\(web\|job\)"'
sleep 2
kill "$node" && wait "$node" 2>/dev/null || true
kill -INT "$proxy" && wait "$proxy" || true
cat "$dir/summary"
! grep -q "not-for-the-history\|bm90LWZvci10aGUtaGlzdG9yeQ" "$dir/history.jsonl" || { say "an environment variable is in the history"; exit 1; }
[ -z "${KEEP:-}" ] || cp "$dir/history.jsonl" "$KEEP"
judged=yes
"$lwtest" judge "$dir/history.jsonl" --color never
