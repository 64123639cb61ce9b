#!/usr/bin/env bash
# node.sh KUBELET KUBECTL LWTEST: a real kubelet is a node of `lwtest serve apiserver`, with `lwtest serve cri` as its runtime. It runs
# a pod with a ConfigMap and a token as volumes; kubectl's logs, exec, attach and port-forward go through the API server fake to the
# kubelet, over WebSockets and SPDY. It needs root and unshare. The kubelet has a /var/lib and a /var/log of its own and listens on
# loopback alone; nothing is left behind. PORT is the kubelet's port.
set -euo pipefail
say() { echo "node: $*" >&2; }
skip() { say "skipped: $*"; exit 75; } # EX_TEMPFAIL, as for a machine that cannot run it

[ $# = 3 ] || { say "usage: node.sh KUBELET KUBECTL LWTEST"; exit 64; }
kubelet=$(realpath "$1") kubectl=$(realpath "$2") lwtest=$(realpath "$3")
[ "$(uname)" = Linux ] || skip "kubelets run on Linux"
[ "$(id -u)" = 0 ] || skip "it needs root"
for tool in unshare timeout; do command -v $tool >/dev/null || skip "there is no $tool"; done
unshare -m true 2>/dev/null || skip "there are no mount namespaces"

dir=$(mktemp -d) pids=()
finish() {
  local status=$?
  [ "$status" = 0 ] || [ ! -s "$dir/kubelet.log" ] || tail -n 15 "$dir/kubelet.log" >&2
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null || true; done
  rm -rf "$dir"
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM
mkdir "$dir/root" "$dir/logs" "$dir/work" "$dir/plugins" "$dir/home"
port=${PORT:-20260}
cat >"$dir/config.yaml" <<END
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
containerRuntimeEndpoint: unix://$dir/cri.sock
podLogsDir: $dir/logs
volumePluginDir: $dir/plugins
address: 127.0.0.1
port: $port
readOnlyPort: 0
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
syncFrequency: 2s
nodeStatusUpdateFrequency: 2s
evictionHard: {}
END
cat >"$dir/pod.yaml" <<'END'
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  nodeName: 127.0.0.1
  serviceAccountName: default
  tolerations: [{operator: Exists}]
  terminationGracePeriodSeconds: 1
  restartPolicy: Never
  containers:
  - name: main
    image: busybox
    stdin: true
    stdinOnce: true
    ports: [{containerPort: 80}]
    command: [sh, -c, "echo started; cat"] # it ends with its input
    volumeMounts: [{name: settings, mountPath: /settings}, {name: token, mountPath: /token}]
  volumes:
  - {name: settings, configMap: {name: settings}}
  - {name: token, projected: {sources: [{serviceAccountToken: {path: token}}]}}
END

# wait_for SECONDS WHAT COMMAND: until COMMAND succeeds
wait_for() {
  for _ in $(seq $(($1 * 10))); do
    eval "$3" && return
    for pid in "${pids[@]}"; do kill -0 "$pid" 2>/dev/null || { say "a process has ended while waiting for $2"; exit 1; }; done
    sleep 0.1
  done
  say "no $2 within $1 seconds"
  exit 1
}
# is WANT GOT WHAT
is() { [ "$1" = "$2" ] || { say "$3: want '$1', got '$2'"; exit 1; }; }
k() { HOME="$dir/home" KUBECONFIG="$dir/kubeconfig" timeout 60 "$kubectl" "$@"; }

"$lwtest" serve cri "$dir/cri.sock" --cgroupfs 2>/dev/null &
pids+=($!)
"$lwtest" serve apiserver --kubeconfig "$dir/kubeconfig" 2>/dev/null &
pids+=($!)
wait_for 10 "runtime" '[ -S "$dir/cri.sock" ]'
wait_for 10 "API server" '[ -s "$dir/kubeconfig" ]'
(cd "$dir/work" && exec unshare -m --propagation private sh -c 'mount -t tmpfs tmpfs /var/lib && mount -t tmpfs tmpfs /var/log && exec "$@"' sh \
  "$kubelet" --config "$dir/config.yaml" --root-dir "$dir/root" --cert-dir "$dir/certs" --kubeconfig "$dir/kubeconfig" --hostname-override 127.0.0.1) \
  >"$dir/kubelet.log" 2>&1 &
node=$!
pids+=($node)
wait_for 60 "node that is ready" '[ "$(k get node 127.0.0.1 -o "jsonpath={.status.conditions[?(@.type==\"Ready\")].status}" 2>/dev/null)" = True ]'
say "the node is ready"

k create serviceaccount default >/dev/null
k create configmap settings --from-literal=colour=red >/dev/null
k create -f "$dir/pod.yaml" >/dev/null
k wait --for=condition=Ready pod/web --timeout=50s >/dev/null
volumes=$(echo "/proc/$node/root$dir"/root/pods/*/volumes) # as the kubelet sees them
is red "$(cat "$volumes"/kubernetes.io~configmap/settings/colour)" "the ConfigMap's volume"
grep -q '^[^.]*\.[^.]*\.[^.]*$' "$volumes"/kubernetes.io~projected/token/token || { say "there is no token in its volume"; exit 1; }
say "the pod is ready, with its volumes"

is started "$(k logs web)" "logs"
is started "$(k logs web --tail=1 --limit-bytes=100)" "logs with options"
for websockets in true false; do
  export KUBECTL_REMOTE_COMMAND_WEBSOCKETS=$websockets KUBECTL_PORT_FORWARD_WEBSOCKETS=$websockets
  is hi "$(k exec web -- echo hi)" "exec, WebSockets $websockets"
  is there "$(echo there | k exec -i web -- cat)" "exec -i, WebSockets $websockets"
  status=0
  k exec web -- sh -c 'exit 7' 2>/dev/null || status=$?
  is 7 "$status" "the exit status of exec, WebSockets $websockets"
  : >"$dir/forward"
  k port-forward pod/web :80 --address 127.0.0.1 >"$dir/forward" 2>&1 &
  forward=$!
  pids+=($forward)
  wait_for 10 "port that is forwarded" 'grep -q "^Forwarding from 127.0.0.1:" "$dir/forward"'
  at=$(sed -n 's/^Forwarding from 127.0.0.1:\([0-9]*\) .*/\1/p' "$dir/forward")
  exec 3<>"/dev/tcp/127.0.0.1/$at"
  printf 'GET / HTTP/1.0\r\n\r\n' >&3
  read -r -t 10 answer <&3
  exec 3>&-
  is 200 "$(cut -d' ' -f2 <<<"$answer")" "port-forward, WebSockets $websockets"
  kill "$forward" && wait "$forward" 2>/dev/null || true
  unset "pids[-1]"
done
unset KUBECTL_REMOTE_COMMAND_WEBSOCKETS KUBECTL_PORT_FORWARD_WEBSOCKETS
is ok "$(k get --raw /api/v1/nodes/127.0.0.1/proxy/healthz)" "the proxy to the node"
k get --raw /api/v1/nodes/127.0.0.1/proxy/pods | grep -q '"name":"web"' || { say "the kubelet shows no pods"; exit 1; }
is from-me "$(echo from-me | k attach -i web 2>/dev/null)" "attach"
is "started from-me" "$(k logs web | xargs)" "logs after attach"
wait_for 20 "end of the pod" '[ "$(k get pod web -o "jsonpath={.status.phase}")" = Succeeded ]'
say "logs, exec, attach, port-forward and the node's proxy work"

k delete pod web --timeout=30s >/dev/null
say "the pod is gone"
