K=${K:-kubectl}
p() { echo "\$ $*"; timeout 15 "$@" 2>&1 </dev/null | head -${N:-9}; echo "  rc=${PIPESTATUS[0]}"; }
$K create ns s2 >/dev/null; $K config set-context --current --namespace=s2 >/dev/null
p $K apply -f pod.yaml
p $K get pod p1
p $K logs p1
p $K exec p1 -- ls
p $K attach p1
p $K port-forward p1 8080:80
p $K cp p1:/etc/hosts "$SCRATCH"
p $K debug p1 --image=busybox --target=c
p $K get pod p1 -o jsonpath='{.spec.ephemeralContainers}'
p $K describe pod p1
sed 's/demo.io/nocrd.io/' cr.yaml > cr2.yaml
p $K create -f cr2.yaml
p $K apply -f cr2.yaml
p $K apply --server-side -f cr2.yaml
p $K auth can-i list pods --as=bob
p $K auth whoami --as=bob
p $K create sa sa1
p $K --token=$($K create token sa1) get pods
p $K --token=$($K create token sa1) auth whoami
p $K --token=bad get pods
p $K create token sa1 --duration=10s
p $K create token nope
p $K create -f node.yaml
p $K get node n1 -o jsonpath='{.spec.taints}'
p $K get --raw /api/v1/nodes/n1/proxy/healthz
p $K get --raw /api/v1/namespaces/default/services/kubernetes/proxy/
p $K create service clusterip x --tcp=80:80
p $K get --raw /api/v1/namespaces/s2/services/x/proxy/
p $K patch svc x -p '{"spec":{"clusterIP":"10.0.0.77"}}'
p $K patch pod p1 -p '{"spec":{"containers":[{"name":"c","image":"i2"}]}}'
p $K patch pod p1 -p '{"spec":{"nodeName":"n1"}}'
p $K patch pod p1 --type=merge -p '{"spec":{"restartPolicy":"Never"}}'
p $K create job jj --image=b
p $K patch job jj --type=merge -p '{"spec":{"template":{"spec":{"restartPolicy":"OnFailure"}}}}'
p $K create deployment dd --image=b
p $K patch deploy dd --type=merge -p '{"spec":{"selector":{"matchLabels":{"x":"y"}}}}'
p $K patch deploy dd --type=merge -p '{"spec":{"replicas":-1}}'
p $K apply -f - --dry-run=server
p $K create secret docker-registry rr --docker-server=a --docker-username=b --docker-password=c
p $K create secret tls tt --cert=nofile --key=nofile
p $K create cm big --from-file=$SCRATCH/big
p $K label ns s2 pod-security.kubernetes.io/enforce=restricted
p $K run priv --image=b --privileged
p $K run plain --image=b
p $K annotate pod p1 'bad key!=x'
p $K label pod p1 a=bad/value
p $K get events.events.k8s.io
p $K get pod p1 --show-managed-fields -o jsonpath='{.metadata.managedFields[*].manager}'
p $K get pods -l 'app in (p1),x notin (y)' -o name
p $K get pods --field-selector metadata.name!=p1 -o name
p $K get pods --field-selector spec.restartPolicy=Always,status.phase!=Running -o name
p $K get pods -A --field-selector metadata.namespace=s2 -o name
p $K delete pod p1 --grace-period=0
p $K get pod p1
p $K delete ns default
p $K delete ns kube-system
p $K create ns BAD_NAME
p $K get --raw '/api/v1/namespaces/s2/pods?labelSelector=((' 
p $K get --raw '/api/v1/namespaces/s2/pods?watch=1&timeoutSeconds=1'
p $K get --raw '/api/v1/watch/namespaces/s2/pods?timeoutSeconds=1'
p $K get --raw '/apis/apps/v1/namespaces/s2/deployments/dd/scale'
p $K get --raw '/api/v1/namespaces/s2/pods/p1/log'
p $K get --raw '/apis/apps'
p $K get --raw '/apis/nope'
p $K get --raw '/api/v2'
p $K get --raw '/api/v1/nosuch'
p $K get --raw '/livez/ping'
p $K get --raw '/version'
