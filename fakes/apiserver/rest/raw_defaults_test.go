package rest_test

// Paths of resources, in the namespace of the table where they have one.
const (
	pods         = "/api/v1/namespaces/{NAMESPACE}/pods"
	secrets      = "/api/v1/namespaces/{NAMESPACE}/secrets"
	services     = "/api/v1/namespaces/{NAMESPACE}/services"
	accounts     = "/api/v1/namespaces/{NAMESPACE}/serviceaccounts"
	events       = "/api/v1/namespaces/{NAMESPACE}/events"
	nodes        = "/api/v1/nodes"
	spaces       = "/api/v1/namespaces"
	leases       = "/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases"
	deployments  = "/apis/apps/v1/namespaces/{NAMESPACE}/deployments"
	replicasets  = "/apis/apps/v1/namespaces/{NAMESPACE}/replicasets"
	statefulsets = "/apis/apps/v1/namespaces/{NAMESPACE}/statefulsets"
	daemonsets   = "/apis/apps/v1/namespaces/{NAMESPACE}/daemonsets"
	revisions    = "/apis/apps/v1/namespaces/{NAMESPACE}/controllerrevisions"
	jobs         = "/apis/batch/v1/namespaces/{NAMESPACE}/jobs"
	priorities   = "/apis/scheduling.k8s.io/v1/priorityclasses"
	csinodes     = "/apis/storage.k8s.io/v1/csinodes"
	csidrivers   = "/apis/storage.k8s.io/v1/csidrivers"
	runtimes     = "/apis/node.k8s.io/v1/runtimeclasses"
)

// onePod is the least that a pod's spec can be, template of what makes such pods.
const (
	onePod   = `"containers":[{"name":"c","image":"i"}]`
	template = `"selector":{"matchLabels":{"app":"x"}},"template":{"metadata":{"labels":{"app":"x"}},"spec":{` + onePod + `}}`
	jobSpec  = `"template":{"spec":{` + onePod + `,"restartPolicy":"Never"}}`
)

func post(path, body string) ask { return ask{method: "POST", path: path, body: body} }
func put(path, body string) ask  { return ask{method: "PUT", path: path, body: body} }
func merge(path, body string) ask {
	return ask{method: "PATCH", path: path, headers: sendMerge, body: body}
}
func look(path string) ask           { return ask{method: "GET", path: path} }
func remove(path, body string) ask   { return ask{method: "DELETE", path: path, body: body} }
func named(name, rest string) string { return `{"metadata":{"name":"` + name + `"}` + rest + `}` }
func spec(name, rest string) string  { return named(name, `,"spec":{`+rest+`}`) }
func containers(rest string) string {
	return spec("x", `"containers":[{"name":"c","image":"i",`+rest+`}]`)
}
func volumes(source string) string     { return spec("x", onePod+`,"volumes":[{"name":"v"`+source+`}]`) }
func dry(path string, body string) ask { return post(path+"?dryRun=All", body) }
func dryPod(body string) ask           { return dry(pods, body) }
func withImage(image string) ask {
	return dryPod(spec("x", `"containers":[{"name":"c","image":"`+image+`"}]`))
}
func withPriority(class, rest string) ask {
	return dryPod(spec("x", onePod+`,"priorityClassName":"`+class+`"`+rest))
}

// defaultAsks create the least that each kind takes, and what brings out defaults further in.
var defaultAsks = []ask{
	post(pods, spec("d", onePod)),
	post(secrets, named("d", "")),
	post(services, spec("d", `"ports":[{"port":80}]`)),
	post(accounts, named("d", "")),
	post(events, named("d", `,"involvedObject":{"namespace":"{NAMESPACE}"}`)),
	post(nodes, named("d", "")),
	post(spaces, named("d", "")),
	post(leases, named("d", "")),
	post(deployments, spec("d", template)),
	post(replicasets, spec("d", template)),
	post(statefulsets, spec("d", template+`,"serviceName":"s"`)),
	post(daemonsets, spec("d", template)),
	post(revisions, named("d", `,"revision":1,"data":{"spec":{}}`)),
	post(jobs, spec("d", jobSpec)),
	post(priorities, named("d", `,"value":5`)),
	post(csinodes, spec("d", `"drivers":[]`)),
	post(csidrivers, spec("d", ``)),
	post(runtimes, named("d", `,"handler":"h"`)),

	withImage("i:latest"),
	withImage("i:1"),
	withImage("host:5000/a/i"),
	withImage("host:5000/a/i:1"),
	withImage("i@sha256:0123456789012345678901234567890123456789012345678901234567890123"),
	dryPod(containers(`"imagePullPolicy":"Never","terminationMessagePath":"/p","terminationMessagePolicy":"FallbackToLogsOnError"`)),
	dryPod(containers(`"ports":[{"containerPort":80},{"containerPort":81,"protocol":"UDP"}]`)),
	dryPod(spec("x", `"hostNetwork":true,"containers":[{"name":"c","image":"i","ports":[{"containerPort":80}]}]`)),
	dryPod(containers(`"resources":{"limits":{"cpu":"1","memory":"1Gi"}}`)),
	dryPod(containers(`"resources":{"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"500m"}}`)),
	dryPod(containers(`"resources":{"requests":{"memory":"100"}}`)),
	dryPod(containers(`"livenessProbe":{"httpGet":{"port":80}},"readinessProbe":{"tcpSocket":{"port":81}},"startupProbe":{"exec":{"command":["x"]},"periodSeconds":5}`)),
	dryPod(containers(`"livenessProbe":{"grpc":{"port":80}},"lifecycle":{"preStop":{"httpGet":{"port":80}}}`)),
	dryPod(containers(`"env":[{"name":"E","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}]`)),
	dryPod(spec("x", onePod+`,"initContainers":[{"name":"i","image":"i","resources":{"limits":{"cpu":"1"}}}]`)),
	dryPod(spec("x", onePod+`,"serviceAccountName":"sa","terminationGracePeriodSeconds":0`)),
	dryPod(spec("x", onePod+`,"serviceAccount":"sa","enableServiceLinks":false`)),
	dryPod(spec("x", onePod+`,"tolerations":[{"operator":"Exists"}]`)),
	dryPod(spec("x", onePod+`,"tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":5}]`)),
	dryPod(spec("x", onePod+`,"schedulingGates":[{"name":"g"}]`)),
	dryPod(volumes(``)),
	dryPod(volumes(`,"secret":{"secretName":"s"}`)),
	dryPod(volumes(`,"configMap":{"name":"c"}`)),
	dryPod(volumes(`,"hostPath":{"path":"/p"}`)),
	dryPod(volumes(`,"downwardAPI":{"items":[{"path":"p","fieldRef":{"fieldPath":"metadata.name"}}]}`)),
	dryPod(volumes(`,"projected":{"sources":[{"serviceAccountToken":{"path":"p"}}]}`)),
	withPriority("d", ``),
	withPriority("system-node-critical", ``),
	withPriority("nosuch", ``),
	dryPod(spec("x", onePod+`,"priority":7`)),
	dryPod(spec("x", onePod+`,"runtimeClassName":"d"`)),
	dryPod(spec("x", onePod+`,"nodeName":"n","hostname":"h"`)),

	dry(services, spec("x", `"type":"NodePort","ports":[{"port":80,"nodePort":30123,"targetPort":"web","protocol":"UDP"}]`)),
	dry(services, spec("x", `"clusterIP":"None"`)),
	dry(services, spec("x", `"type":"ExternalName","externalName":"a.example.com"`)),
	dry(services, spec("x", `"ports":[{"port":80}],"sessionAffinity":"ClientIP"`)),
	dry(services, spec("x", `"type":"LoadBalancer","ports":[{"port":80,"nodePort":30124}]`)),
	dry(secrets, named("x", `,"type":"example.com/t","stringData":{"a":"b"}`)),
	dry(accounts, named("x", `,"secrets":[{"name":"s","kind":"Secret","namespace":"n"}]`)),
	dry(nodes, named("x", `,"status":{"capacity":{"cpu":"4"}},"spec":{"podCIDR":"10.1.0.0/24"}`)),
	dry(spaces, named("x", `,"spec":{"finalizers":["example.com/f"]},"status":{"phase":"Terminating"}`)),
	{method: "POST", path: spaces + "?dryRun=All", body: `{"metadata":{"generateName":"x"}}`},
	dry(deployments, spec("x", template+`,"strategy":{"type":"Recreate"}`)),
	dry(deployments, spec("x", template+`,"strategy":{"rollingUpdate":{"maxSurge":1}},"replicas":0`)),
	dry(statefulsets, spec("x", template+`,"serviceName":"s","updateStrategy":{"type":"OnDelete"}`)),
	dry(statefulsets, spec("x", template+`,"serviceName":"s","volumeClaimTemplates":[{"metadata":{"name":"v"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}]`)),
	dry(daemonsets, spec("x", template+`,"updateStrategy":{"type":"OnDelete"}`)),
	dry(jobs, spec("x", jobSpec+`,"parallelism":3`)),
	dry(jobs, spec("x", jobSpec+`,"completions":3`)),
	dry(jobs, spec("x", jobSpec+`,"completions":3,"completionMode":"Indexed","backoffLimitPerIndex":1`)),
	dry(jobs, spec("x", `"template":{"metadata":{"labels":{"a":"b"}},"spec":{`+onePod+`,"restartPolicy":"OnFailure"}}`)),
	dry(jobs, spec("x", `"manualSelector":true,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{`+onePod+`,"restartPolicy":"Never"}}`)),
	dry(csidrivers, spec("x", `"attachRequired":false,"volumeLifecycleModes":["Ephemeral"]`)),
	dry(priorities, named("x", `,"value":1,"preemptionPolicy":"Never","globalDefault":true`)),
}
