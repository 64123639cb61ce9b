package rest_test

func gates(names ...string) string {
	out := ""
	for _, n := range names {
		out += `,{"name":"example.com/` + n + `"}`
	}
	return `"schedulingGates":[` + out[min(1, len(out)):] + `]`
}

// uncollectedAsks are about deletes of events that say what is to become of dependents.
var uncollectedAsks = []ask{
	post(events, named("f", `,"involvedObject":{"namespace":"{NAMESPACE}"}`)),
	remove(events+"/f", `{"propagationPolicy":"Foreground"}`),
	look(events + "/f"),
	post(events, named("f", `,"involvedObject":{"namespace":"{NAMESPACE}"}`)),
	remove(events+"/f?orphanDependents=true", ""),
	post(events, `{"metadata":{"name":"g","finalizers":["orphan"]},"involvedObject":{"namespace":"{NAMESPACE}"}}`),
	remove(events+"?propagationPolicy=Orphan", ""),
	look(events),
	post(events, `{"metadata":{"name":"h","finalizers":["example.com/f","foregroundDeletion"]},"involvedObject":{"namespace":"{NAMESPACE}"}}`),
	remove(events+"/h", `{"propagationPolicy":"Foreground"}`),
	merge(events+"/h", `{"metadata":{"finalizers":null}}`),
}

// goingAsks are deletes of a pod that only a finalizer holds.
var goingAsks = []ask{
	post(pods, `{"metadata":{"name":"going","finalizers":["example.com/f"]},"spec":{`+onePod+`}}`),
	remove(pods+"/going", ""),
	remove(pods+"/going?propagationPolicy=Foreground", ""),
	remove(pods+"/going?propagationPolicy=Orphan&gracePeriodSeconds=50", ""),
	remove(pods+"/going", `{"propagationPolicy":"Background"}`),
	merge(pods+"/going", `{"metadata":{"finalizers":null}}`),
}

// gateAsks are about pods that are not to be scheduled yet.
var gateAsks = []ask{
	post(pods, spec("gated", onePod+`,"nodeSelector":{"x":"y"},`+gates("a", "b"))),
	merge(pods+"/gated", `{"spec":{"nodeSelector":{"a":"b"}}}`),
	merge(pods+"/gated", `{"spec":{"nodeSelector":{"x":"z"}}}`),
	merge(pods+"/gated", `{"spec":{"nodeSelector":null}}`),
	merge(pods+"/gated", `{"spec":{`+gates("a")+`}}`),
	merge(pods+"/gated", `{"spec":{`+gates("a", "c")+`}}`),
	{method: "PATCH", path: pods + "/gated", headers: brief["JSON"], body: `[{"op":"remove","path":"/spec/schedulingGates"}]`},
	merge(pods+"/gated", `{"spec":{`+gates("a")+`}}`),
	post(pods+"/gated/binding?dryRun=All", binding("gated", "n1")),
	remove(pods+"/gated", ""),
}

// serviceAsks are about what services get and lose when their type changes.
var serviceAsks = []ask{
	post(services, spec("t", `"type":"ExternalName","externalName":"a.example.com"`)),
	merge(services+"/t", `{"spec":{"clusterIP":"10.0.0.9"}}`),
	merge(services+"/t", `{"spec":{"clusterIP":"None"}}`),
	merge(services+"/t", `{"spec":{"clusterIPs":["10.0.0.9"]}}`),
	merge(services+"/t", `{"spec":{"clusterIP":""}}`),
	post(services, spec("u", `"type":"ExternalName","externalName":"a.example.com","clusterIP":"10.0.0.9"`)),
	merge(services+"/t", `{"spec":{"type":"ClusterIP","externalName":null,"ports":[{"port":80}]}}`),
	merge(services+"/t", `{"spec":{"type":"NodePort"}}`),
	merge(services+"/t", `{"spec":{"ports":[{"port":80},{"port":81,"name":"b"}]}}`),
	merge(services+"/t", `{"spec":{"ports":[{"port":80,"name":"a"},{"port":81,"name":"b"}]}}`),
	merge(services+"/t", `{"spec":{"type":"ClusterIP"}}`),
	merge(services+"/t", `{"spec":{"type":"LoadBalancer","externalTrafficPolicy":"Local"}}`),
	merge(services+"/t", `{"spec":{"externalTrafficPolicy":"Cluster"}}`),
	merge(services+"/t", `{"spec":{"type":"ExternalName","externalName":"a.example.com","clusterIP":""}}`),
	merge(services+"/t", `{"spec":{"type":"LoadBalancer","externalName":null,"allocateLoadBalancerNodePorts":false}}`),
	merge(services+"/t", `{"spec":{"type":"ExternalName","externalName":"b.example.com"}}`),
	remove(services+"/t", ""),
}

var nodePortAsks = []ask{
	post(services, spec("p", `"type":"NodePort","ports":[{"port":80,"nodePort":30777}]`)),
	post(services, spec("q", `"type":"NodePort","ports":[{"port":81,"nodePort":30777}]`)),
	post(services, spec("q", `"type":"NodePort","ports":[{"port":82,"nodePort":82}]`)),
	post(services, spec("q", `"ports":[{"port":83,"nodePort":30778}]`)),
	post(services, spec("q", `"type":"LoadBalancer","allocateLoadBalancerNodePorts":false,"ports":[{"port":84}]`)),
	post(services, spec("r", `"type":"NodePort","ports":[{"port":85,"name":"t"},{"port":85,"name":"u","protocol":"UDP"}]`)),
	put(services+"/p", spec("p", `"type":"NodePort","ports":[{"port":80}]`)),
	merge(services+"/p", `{"spec":{"ports":[{"port":86}]}}`),
	post(services, spec("none", `"clusterIP":"None","type":"NodePort","ports":[{"port":87}]`)),
	remove(services+"/p", ""), remove(services+"/q", ""), remove(services+"/r", ""),
}

// classSteps are about what classes say of pods. They are put when nobody else makes any.
var classSteps = and(
	asked([]ask{
		post(priorities, named("all", `,"value":100,"globalDefault":true`)),
		post(runtimes, named("heavy", `,"handler":"h","overhead":{"podFixed":{"cpu":"1"}},"scheduling":{"nodeSelector":{"a":"b"},"tolerations":[{"key":"k"}]}`)),
	}),
	lines(`+WATCH {SE}`), // the classes have come to who asks for them
	asked([]ask{
		post(priorities, named("others", `,"value":50,"globalDefault":true`)),
		dryPod(spec("p", onePod)),
		dryPod(spec("p", onePod+`,"runtimeClassName":"heavy","nodeSelector":{"c":"d"}`)),
		dryPod(spec("p", onePod+`,"runtimeClassName":"heavy","nodeSelector":{"a":"d"}`)),
		dryPod(spec("p", onePod+`,"runtimeClassName":"nosuch"`)),
		remove(priorities+"/all", ""), remove(runtimes+"/heavy", ""),
	}),
)
