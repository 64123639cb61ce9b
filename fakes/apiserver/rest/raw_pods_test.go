package rest_test

const onNode = onePod + `,"nodeName":"n"`

func binding(name, node string) string {
	return `{"metadata":{"name":"` + name + `"},"target":{"kind":"Node","name":"` + node + `"}}`
}

func eviction(name string) string {
	return `{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"` + name + `"}}`
}

// podAsks are about how pods go: grace periods, and what shortens them; and how they come to a node.
var podAsks = []ask{
	// Without a node there is no grace.
	post(pods, spec("free", onePod)),
	remove(pods+"/free?dryRun=All", ""),
	look(pods + "/free"),
	remove(pods+"/free", ""),
	look(pods + "/free"),
	post(pods, spec("free", onePod)),
	remove(pods+"/free", `{"gracePeriodSeconds":10}`),

	// With one there is.
	post(pods, spec("g", onNode)),
	remove(pods+"/g", `{"dryRun":["All"]}`),
	remove(pods+"/g", ""),
	look(pods + "/g"),
	remove(pods+"/g", ""),
	remove(pods+"/g", `{"gracePeriodSeconds":40}`),
	remove(pods+"/g?gracePeriodSeconds=5", ""),
	remove(pods+"/g", `{"gracePeriodSeconds":5}`),
	remove(pods+"/g", `{"gracePeriodSeconds":7}`),
	remove(pods+"/g", `{"gracePeriodSeconds":4,"dryRun":["All"]}`),
	merge(pods+"/g", `{"metadata":{"labels":{"a":"b"}}}`),
	merge(pods+"/g", `{"metadata":{"deletionGracePeriodSeconds":50}}`),
	merge(pods+"/g/status", `{"status":{"phase":"Running"}}`),
	remove(pods+"/g", `{"gracePeriodSeconds":0,"preconditions":{"uid":"abc"}}`),
	remove(pods+"/g", `{"gracePeriodSeconds":3,"preconditions":{"resourceVersion":"1"}}`),
	remove(pods+"/g", `{"gracePeriodSeconds":0}`),
	look(pods + "/g"),

	post(pods, spec("own", onNode+`,"terminationGracePeriodSeconds":7`)),
	remove(pods+"/own", ""),
	remove(pods+"/own", `{"gracePeriodSeconds":-1}`),
	remove(pods+"/own", `{"gracePeriodSeconds":0}`),
	post(pods, spec("negative", onNode+`,"terminationGracePeriodSeconds":-7`)),
	remove(pods+"/negative", `{"gracePeriodSeconds":-3}`),
	remove(pods+"/negative", `{"gracePeriodSeconds":0}`),
	post(pods, spec("at-once", onNode+`,"terminationGracePeriodSeconds":0`)),
	remove(pods+"/at-once", ""),
	post(pods, spec("done", onNode)),
	merge(pods+"/done/status", `{"status":{"phase":"Succeeded"}}`),
	remove(pods+"/done", ""),
	post(pods, spec("failed", onNode)),
	merge(pods+"/failed/status", `{"status":{"phase":"Failed"}}`),
	remove(pods+"/failed", `{"gracePeriodSeconds":9}`),
	post(pods, spec("then-done", onNode)),
	remove(pods+"/then-done", ""),
	merge(pods+"/then-done/status", `{"status":{"phase":"Failed"}}`),
	remove(pods+"/then-done", ""),
	look(pods + "/then-done"),

	// Finalizers hold what grace does not.
	post(pods, `{"metadata":{"name":"held","finalizers":["example.com/f"]},"spec":{`+onNode+`}}`),
	remove(pods+"/held", ""),
	merge(pods+"/held", `{"metadata":{"finalizers":null}}`),
	look(pods + "/held"),
	remove(pods+"/held", `{"gracePeriodSeconds":0}`),
	post(pods, `{"metadata":{"name":"kept","finalizers":["example.com/f"]},"spec":{`+onNode+`}}`),
	remove(pods+"/kept", `{"gracePeriodSeconds":0}`),
	remove(pods+"/kept", `{"gracePeriodSeconds":0}`),
	merge(pods+"/kept", `{"metadata":{"finalizers":["example.com/g"]}}`),
	merge(pods+"/kept", `{"metadata":{"finalizers":null}}`),
	look(pods + "/kept"),
	post(pods, `{"metadata":{"name":"kept","finalizers":["example.com/f"]},"spec":{`+onNode+`}}`),
	remove(pods+"/kept", ""),
	remove(pods+"/kept", `{"gracePeriodSeconds":0}`),
	merge(pods+"/kept", `{"metadata":{"finalizers":null}}`),
	post(pods, spec("orphans", onNode)),
	remove(pods+"/orphans", `{"propagationPolicy":"Foreground"}`),
	remove(pods+"/orphans", `{"propagationPolicy":"Background","gracePeriodSeconds":0}`),
	look(pods + "/orphans"),

	// A grace period is for pods only.
	post("{CM}", named("grace", "")),
	remove("{CM}/grace", `{"gracePeriodSeconds":10}`),

	// Collections.
	post(pods, `{"metadata":{"name":"c1","labels":{"c":"y"}},"spec":{`+onePod+`}}`),
	post(pods, `{"metadata":{"name":"c2","labels":{"c":"y"}},"spec":{`+onNode+`}}`),
	remove(pods+"?labelSelector=c=y&dryRun=All", ""),
	remove(pods+"?labelSelector=c=y", ""),
	look(pods + "?labelSelector=c=y"),
	remove(pods+"?labelSelector=c=y", `{"gracePeriodSeconds":0}`),
	look(pods + "?labelSelector=c=y"),

	// Binding.
	post(pods, spec("b", onePod)),
	post(pods+"/b/binding?dryRun=All", binding("b", "n1")),
	post(pods+"/b/binding", binding("b", "n1")),
	look(pods + "/b"),
	post(pods+"/b/binding", binding("b", "n2")),
	post(pods+"/b/binding", binding("other", "n2")),
	post(pods+"/b/binding", binding("b", "")),
	post(pods+"/nosuch/binding", binding("nosuch", "n1")),
	look(pods + "/b/binding"),
	put(pods+"/b/binding", binding("b", "n1")),
	post("/api/v1/namespaces/{NAMESPACE}/bindings", binding("b", "n1")),
	remove(pods+"/b", ""),
	post(pods+"/b/binding", binding("b", "n1")),
	remove(pods+"/b?gracePeriodSeconds=0", ""),

	// Eviction, with no budget in the way.
	post(pods, spec("e", onePod)),
	post(pods+"/e/eviction?dryRun=All", eviction("e")),
	post(pods+"/e/eviction", eviction("other")),
	post(pods+"/e/eviction", eviction("e")),
	look(pods + "/e"),
	post(pods+"/nosuch/eviction", eviction("nosuch")),
	post(pods, spec("e", onNode)),
	post(pods+"/e/eviction", `{"metadata":{"name":"e"},"deleteOptions":{"gracePeriodSeconds":3}}`),
	look(pods + "/e"),
	look(pods + "/e/eviction"),
	remove(pods+"/e?gracePeriodSeconds=0", ""),

	remove(pods+"/d", ""),
}

// podSpecAsks are about what changes of a pod's spec.
var podSpecAsks = []ask{
	post(pods, spec("s", onePod)),
	merge(pods+"/s", `{"spec":{"activeDeadlineSeconds":10}}`),
	merge(pods+"/s", `{"spec":{"tolerations":[{"operator":"Exists"}]}}`),
	{method: "PATCH", path: pods + "/s", headers: sendMerge, body: `{"spec":{"nodeSelector":{"a":"b"}}}`},
	look(pods + "/s/log"),
	merge(pods+"/s", `{"spec":{"activeDeadlineSeconds":5}}`),
	merge(pods+"/s", `{"spec":{"activeDeadlineSeconds":6}}`),
	merge(pods+"/s", `{"spec":{"activeDeadlineSeconds":null}}`),
	merge(pods+"/s", `{"spec":{"activeDeadlineSeconds":0}}`),
	merge(pods+"/s", `{"spec":{"tolerations":[{"operator":"Exists"},{"key":"k","operator":"Exists"}]}}`),
	merge(pods+"/s", `{"spec":{"tolerations":[{"key":"k","operator":"Exists"}]}}`),
	strategically(pods+"/s", `{"spec":{"containers":[{"name":"c","image":"j"}]}}`),
	strategically(pods+"/s", `{"spec":{"containers":[{"name":"c","image":""}]}}`),
	strategically(pods+"/s", `{"spec":{"containers":[{"name":"d","image":"j"}]}}`),
	merge(pods+"/s", `{"spec":{"terminationGracePeriodSeconds":1}}`),
	merge(pods+"/s", `{"spec":{"hostname":"h","priority":5,"serviceAccountName":"x"}}`),
	merge(pods+"/s", `{"spec":{"nodeName":"n1"}}`),
	merge(pods+"/s", `{"spec":{"restartPolicy":"Always","dnsPolicy":"ClusterFirst"}}`),
	look(pods + "/s/nosuch"),
	remove(pods+"/s", ""),
}
