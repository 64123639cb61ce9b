#!/usr/bin/env bash
# cluster.sh KUBECTL LWTEST [FLAGS]: what users do every day on `lwtest serve cluster`, with these flags, such as --scheduler and
# --controller-manager: run, a rolling update, undo, a Job, a CronJob, a StatefulSet with claims, the three cascades of delete, a drain; and
# helm, if there is one on the PATH. Each outcome is checked. It takes from ten seconds to a minute, since a CronJob is due each minute.
set -euo pipefail
say() { echo "cluster: $*" >&2; }
[ $# -ge 2 ] || { say "usage: cluster.sh KUBECTL LWTEST [FLAGS]"; exit 64; }
kubectl=$(realpath "$1") lwtest=$(realpath "$2")
shift 2
dir=$(mktemp -d)
finish() {
	local status=$?
	[ "$status" = 0 ] || { k get all,pvc,events 2>/dev/null | tail -n 60; cat "$dir/log"; } >&2
	kill "$cluster" 2>/dev/null && wait "$cluster" 2>/dev/null || true
	rm -rf "$dir"
	exit "$status"
}
export KUBECONFIG=$dir/kubeconfig HOME=$dir
k() { timeout 120 "$kubectl" "$@"; }
# is WANT GOT WHAT
is() { [ "$1" = "$2" ] || { say "$3: want '$1', got '$2'"; exit 1; }; }
# until WHAT WANT COMMAND: until COMMAND prints WANT
until_is() {
	local what=$1 want=$2 got=
	shift 2
	for _ in $(seq 300); do
		got=$("$@" 2>&1) || true
		[ "$got" != "$want" ] || return 0
		sleep 0.2
	done
	is "$want" "$got" "$what"
}
gone() { k wait --for=delete "$@" --timeout=60s >/dev/null; }

"$lwtest" serve cluster --nodes 2 --kubeconfig "$KUBECONFIG" "$@" 2>"$dir/log" &
cluster=$!
trap finish EXIT
trap 'exit 130' INT TERM
until [ -s "$KUBECONFIG" ]; do
	kill -0 "$cluster" 2>/dev/null || { say "the cluster has ended"; exit 1; }
	sleep 0.1
done

cat >"$dir/cron.yaml" <<'END'
apiVersion: batch/v1
kind: CronJob
metadata: {name: cron}
spec: {schedule: "* * * * *", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: busybox, command: ["true"]}]}}}}}
END
k apply -f "$dir/cron.yaml" >/dev/null # it is looked at last

k run one --image=busybox --restart=Never -- sh -c 'echo said' >/dev/null
k wait --for=jsonpath='{.status.phase}'=Succeeded pod/one --timeout=60s >/dev/null
is said "$(k logs one)" "the log of a pod"
k run asked --image=busybox --port=8080 -- sleep infinity >/dev/null
k wait --for=condition=Ready pod/asked --timeout=60s >/dev/null
k get --raw /api/v1/namespaces/default/pods/asked:8080/proxy/ | grep -q asked || { say "the proxy to a pod does not answer"; exit 1; }
k delete pod asked --now >/dev/null
say "run, logs, the proxy to a pod"

k create deployment web --image=nginx:1 --replicas=3 --port=80 >/dev/null
k rollout status deployment/web --timeout=60s >/dev/null
k set image deployment/web nginx=nginx:2 >/dev/null
k rollout status deployment/web --timeout=60s >/dev/null
until_is "the images after a rolling update" "nginx:2 nginx:2 nginx:2" k get pods -l app=web --field-selector=status.phase=Running -o 'jsonpath={.items[*].spec.containers[0].image}'
is 2 "$(k rollout history deployment/web | grep -c '^[0-9]')" "revisions"
k rollout undo deployment/web >/dev/null
k rollout status deployment/web --timeout=60s >/dev/null
is nginx:1 "$(k get deployment web -o jsonpath='{.spec.template.spec.containers[0].image}')" "the image after an undo"
k expose deployment web --port=80 >/dev/null
until_is "addresses of a service" 3 sh -c "'$kubectl' get endpointslices -l kubernetes.io/service-name=web -o jsonpath='{.items[*].endpoints[*].addresses[0]}' | wc -w | xargs"
say "rolling update, undo, service"

k create job done --image=busybox -- true >/dev/null
k wait --for=condition=Complete job/done --timeout=60s >/dev/null
say "a Job"

cat >"$dir/set.yaml" <<'END'
apiVersion: v1
kind: List
items:
- apiVersion: apps/v1
  kind: StatefulSet
  metadata: {name: db}
  spec:
    replicas: 2
    serviceName: db
    selector: {matchLabels: {app: db}}
    template:
      metadata: {labels: {app: db}}
      spec: {terminationGracePeriodSeconds: 1, containers: [{name: c, image: busybox, command: [sleep, infinity], volumeMounts: [{name: data, mountPath: /data}]}]}
    volumeClaimTemplates:
    - metadata: {name: data}
      spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
END
k apply -f "$dir/set.yaml" >/dev/null
k rollout status statefulset/db --timeout=60s >/dev/null
is "data-db-0=Bound data-db-1=Bound" "$(k get pvc -o jsonpath='{range .items[*]}{.metadata.name}={.status.phase} {end}' | xargs)" "claims"
is "standard standard" "$(k get pvc -o jsonpath='{.items[*].spec.storageClassName}')" "the class of claims that say none"
is "db-0 db-1" "$(k get pods -l app=db -o jsonpath='{.items[*].metadata.name}')" "the pods of a StatefulSet"
say "a StatefulSet with claims"

k delete deployment web --cascade=orphan >/dev/null
set=$(k get rs -l app=web -o jsonpath='{.items[?(@.spec.replicas==3)].metadata.name}')
is "" "$(k get rs "$set" -o jsonpath='{.metadata.ownerReferences}')" "the owner of an orphan"
k delete rs "$set" --cascade=foreground >/dev/null
is "" "$(k get pods -l app=web --field-selector=status.phase=Running -o name)" "pods after a foreground delete"
k delete statefulset db --cascade=background >/dev/null
gone pod/db-0 pod/db-1
k delete pvc --all >/dev/null
until_is "volumes of claims that are gone" "" k get pv -o name
say "delete: orphan, foreground, background"

k create deployment moved --image=nginx --replicas=4 >/dev/null
k rollout status deployment/moved --timeout=60s >/dev/null
k drain node-1 --ignore-daemonsets --delete-emptydir-data --force --timeout=60s >/dev/null 2>&1
until_is "nodes of pods after a drain" "node-2 node-2 node-2 node-2" k get pods -l app=moved --field-selector=status.phase=Running -o 'jsonpath={.items[*].spec.nodeName}'
k uncordon node-1 >/dev/null
say "a drain"

if helm=$(command -v helm); then
	(cd "$dir" && "$helm" create chart >/dev/null)
	"$helm" install web "$dir/chart" --wait --timeout 60s >/dev/null
	"$helm" upgrade web "$dir/chart" --set replicaCount=2 --wait --timeout 60s >/dev/null
	is 2 "$(k get deployment web-chart -o jsonpath='{.status.readyReplicas}')" "replicas after helm upgrade"
	"$helm" rollback web 1 --wait --timeout 60s >/dev/null
	is 1 "$(k get deployment web-chart -o jsonpath='{.spec.replicas}')" "replicas after helm rollback"
	"$helm" uninstall web --wait >/dev/null
	say "helm: install, upgrade, rollback, uninstall"
fi

for _ in $(seq 400); do
	[ -z "$(k get jobs -o jsonpath='{.items[?(@.metadata.ownerReferences[0].kind=="CronJob")].status.succeeded}')" ] || break
	sleep 0.2
done
is 1 "$(k get jobs -o jsonpath='{.items[?(@.metadata.ownerReferences[0].kind=="CronJob")].status.succeeded}' | cut -d' ' -f1)" "Jobs of a CronJob that succeeded"
say "a CronJob"
