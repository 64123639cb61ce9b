#!/usr/bin/env bash
# metrics.sh METRICS_SERVER KUBECTL CONTROLLER_MANAGER LWTEST: metrics-server is the API server behind an APIService of `lwtest serve
# cluster`, whose nodes tell what pods use. `kubectl top` shows that, and an autoscaler of the real kube-controller-manager scales by it.
# It listens on loopback alone; nothing is left behind. PORT is metrics-server's port.
set -euo pipefail
say() { echo "metrics: $*" >&2; }
skip() { say "skipped: $*"; exit 75; } # EX_TEMPFAIL, as for a machine that cannot run it

[ $# = 4 ] || { say "usage: metrics.sh METRICS_SERVER KUBECTL CONTROLLER_MANAGER LWTEST"; exit 64; }
metrics=$(realpath "$1") kubectl=$(realpath "$2") controllers=$(realpath "$3") lwtest=$(realpath "$4")
for tool in timeout grep sed; do command -v $tool >/dev/null || skip "there is no $tool"; done

dir=$(mktemp -d) pids=()
finish() {
  local status=$?
  for log in cluster metrics; do
    [ "$status" = 0 ] || [ ! -s "$dir/$log.log" ] || tail -n 15 "$dir/$log.log" >&2
  done
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null || true; done
  rm -rf "$dir"
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM
mkdir "$dir/home"
port=${PORT:-20443}

# wait_for SECONDS WHAT COMMAND: until COMMAND succeeds
wait_for() {
  local end=$((SECONDS + $1))
  while [ "$SECONDS" -lt "$end" ]; do
    eval "$3" && return
    for pid in "${pids[@]}"; do kill -0 "$pid" 2>/dev/null || { say "a process has ended while waiting for $2"; exit 1; }; done
    sleep 0.5
  done
  say "no $2 within $1 seconds"
  exit 1
}
k() { HOME="$dir/home" KUBECONFIG="$dir/kubeconfig" timeout 60 "$kubectl" "$@"; }

"$lwtest" serve cluster --nodes 2 --kubeconfig "$dir/kubeconfig" --controller-manager "$controllers" \
  --webhook-service "kube-system/metrics-server=127.0.0.1:$port" 2>"$dir/cluster.log" &
pids+=($!)
wait_for 120 "cluster" '[ -s "$dir/kubeconfig" ]'
say "the cluster is ready"

account=kube-system:metrics-server
wait_for 30 "ServiceAccount default" 'k get serviceaccount default >/dev/null 2>&1' # of the controller manager
k create serviceaccount metrics-server -n kube-system >/dev/null
k create clusterrole metrics-server --verb=get,list,watch --resource=nodes,pods >/dev/null
k create clusterrolebinding metrics-server --clusterrole=metrics-server --serviceaccount=$account >/dev/null
k create clusterrolebinding metrics-server-delegator --clusterrole=system:auth-delegator --serviceaccount=$account >/dev/null
k create rolebinding metrics-server -n kube-system --role=extension-apiserver-authentication-reader --serviceaccount=$account >/dev/null
cp "$dir/kubeconfig" "$dir/metrics.kubeconfig"
k config --kubeconfig "$dir/metrics.kubeconfig" set-credentials metrics-server --token="$(k create token metrics-server -n kube-system)" >/dev/null
k config --kubeconfig "$dir/metrics.kubeconfig" set-context --current --user=metrics-server >/dev/null
HOME="$dir/home" "$metrics" --kubeconfig "$dir/metrics.kubeconfig" --authentication-kubeconfig "$dir/metrics.kubeconfig" --authorization-kubeconfig "$dir/metrics.kubeconfig" \
  --bind-address 127.0.0.1 --secure-port "$port" --cert-dir "$dir/certs" --metric-resolution 10s --kubelet-request-timeout 5s \
  --kubelet-preferred-address-types InternalIP --kubelet-use-node-status-port --deprecated-kubelet-completely-insecure >"$dir/metrics.log" 2>&1 &
pids+=($!)
k create -f - >/dev/null <<'END'
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1beta1.metrics.k8s.io}
spec:
  service: {namespace: kube-system, name: metrics-server}
  group: metrics.k8s.io
  version: v1beta1
  insecureSkipTLSVerify: true
  groupPriorityMinimum: 100
  versionPriority: 100
END
k wait --for=condition=Available apiservice/v1beta1.metrics.k8s.io --timeout=50s >/dev/null
k get apiservice v1beta1.metrics.k8s.io | grep -q 'kube-system/metrics-server *True' || { say "kubectl get apiservice does not show it"; exit 1; }
k api-resources --api-group=metrics.k8s.io | grep -q PodMetrics || { say "discovery does not show its resources"; exit 1; }
say "metrics-server is available"

k create -f - >/dev/null <<'END'
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: main, image: web, resources: {requests: {cpu: 50m}}}]
END
k rollout status deployment/web --timeout=50s >/dev/null
wait_for 60 "figures of both nodes" '[ "$(k top nodes --no-headers 2>/dev/null | grep -c "^node-[12] *[1-9][0-9]*m")" = 2 ]'
wait_for 60 "figures of the pod" 'k top pods --no-headers 2>/dev/null | grep -q "^web-[^ ]* *[1-9][0-9]*m *[1-9]"'
k top nodes >&2
k top pods --containers >&2

# metrics-server asks the API server who may do what: jane may not at first
[ "$(k auth can-i list pods.metrics.k8s.io --as=jane 2>/dev/null)" = no ] || { say "jane may list metrics"; exit 1; }
k create role metrics --verb=get,list --resource=pods.metrics.k8s.io >/dev/null
k create rolebinding metrics --role=metrics --user=jane >/dev/null
k get pods.metrics.k8s.io --as=jane -o name | grep -q /web- || { say "jane sees no metrics"; exit 1; }
say "figures and roles are right"

k autoscale deployment web --cpu=50% --min=1 --max=3 >/dev/null # the fake's containers use a tenth of a core: twice what they request
wait_for 120 "3 replicas" '[ "$(k get deployment web -o "jsonpath={.status.readyReplicas}")" = 3 ]'
k get hpa web >&2
k describe hpa web | grep -q "AbleToScale *True" || { say "the autoscaler is not able to scale"; exit 1; }
say "the autoscaler has scaled the deployment"
