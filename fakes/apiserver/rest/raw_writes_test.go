package rest_test

// updateEach puts what was created by defaultAsks, as little as its kind takes, without a resourceVersion.
var updateEach = []ask{
	put(secrets+"/d", named("d", "")),
	put(services+"/d", spec("d", `"ports":[{"port":81}]`)),
	put(accounts+"/d", named("d", "")),
	put(events+"/d", named("d", `,"involvedObject":{"namespace":"{NAMESPACE}"},"reason":"R"`)),
	put(nodes+"/d", named("d", `,"status":{"phase":"Running"}`)),
	put(spaces+"/d", named("d", `,"spec":{"finalizers":["example.com/x"]}`)),
	put(leases+"/d", named("d", "")),
	put(deployments+"/d", spec("d", template+`,"replicas":2`)),
	put(replicasets+"/d", spec("d", template+`,"replicas":2`)),
	put(statefulsets+"/d", spec("d", template+`,"serviceName":"s","replicas":2`)),
	put(daemonsets+"/d", spec("d", template+`,"minReadySeconds":2`)),
	put(revisions+"/d", named("d", `,"revision":2,"data":{"spec":{}}`)),
	put(priorities+"/d", named("d", `,"value":5,"description":"x"`)),
	put(csinodes+"/d", spec("d", `"drivers":[]`)),
	put(csidrivers+"/d", spec("d", ``)),
	put(runtimes+"/d", named("d", `,"handler":"h"`)),
}

// updateMissing puts what is not there.
var updateMissing = []ask{
	put(pods+"/new", spec("new", onePod)),
	put(secrets+"/new", named("new", "")),
	put(services+"/new", spec("new", `"ports":[{"port":80}]`)),
	put(accounts+"/new", named("new", "")),
	put(events+"/new", named("new", `,"involvedObject":{"namespace":"{NAMESPACE}"}`)),
	put(nodes+"/new", named("new", "")),
	put(spaces+"/new", named("new", "")),
	put(leases+"/new?dryRun=All", `{"metadata":{"name":"new","resourceVersion":"99"}}`),
	put(leases+"/new", `{"metadata":{"name":"new","resourceVersion":"77"}}`),
	put(deployments+"/new", spec("new", template)),
	put(replicasets+"/new", spec("new", template)),
	put(statefulsets+"/new", spec("new", template+`,"serviceName":"s"`)),
	put(daemonsets+"/new", spec("new", template)),
	put(revisions+"/new", named("new", `,"revision":1,"data":{"spec":{}}`)),
	put(jobs+"/new", spec("new", jobSpec)),
	put(priorities+"/new", named("new", `,"value":5`)),
	put(csinodes+"/new", spec("new", `"drivers":[]`)),
	put(csidrivers+"/new", spec("new", ``)),
	put(runtimes+"/new", named("new", `,"handler":"h"`)),
}

// patchMissing patches what is not there, of kinds that create on update.
var patchMissing = []ask{
	merge(leases+"/patched", `{"spec":{"holderIdentity":"a"}}`),
	merge(events+"/patched", `{"involvedObject":{"namespace":"{NAMESPACE}"},"reason":"R"}`),
	merge(services+"/patched", `{"spec":{"ports":[{"port":80}]}}`),
	merge(runtimes+"/patched", `{"handler":"h"}`),
	{method: "PATCH", path: leases + "/strategic", headers: strategic, body: `{"spec":{"holderIdentity":"b"}}`},
	{method: "PATCH", path: leases + "/json", headers: "Content-Type: application/json-patch+json", body: `[{"op":"add","path":"/spec","value":{"holderIdentity":"c"}}]`},
	{method: "PATCH", path: leases + "/wrong", headers: "Content-Type: application/json-patch+json", body: `[{"op":"test","path":"/spec","value":1}]`},
	merge(leases+"/uid", `{"metadata":{"uid":"abc"}}`),
	merge(leases+"/renamed", `{"metadata":{"name":"other"}}`),
	merge(leases+"/version", `{"metadata":{"resourceVersion":"77"}}`),
	merge(leases+"/dry?dryRun=All", `{}`),
	look(leases + "/dry"),
	merge(secrets+"/patched", `{}`),
	merge(pods+"/patched", `{}`),
}

// generations change what is counted, and what is not.
var generations = []ask{
	merge(deployments+"/d", `{"metadata":{"labels":{"a":"b"}}}`),
	merge(deployments+"/d", `{"metadata":{"annotations":{"a":"b"}}}`),
	merge(deployments+"/d", `{"spec":{"replicas":3}}`),
	merge(deployments+"/d", `{"metadata":{"generation":77}}`),
	merge(replicasets+"/d", `{"metadata":{"annotations":{"a":"b"}}}`),
	merge(replicasets+"/d", `{"spec":{"replicas":3}}`),
	merge(statefulsets+"/d", `{"metadata":{"annotations":{"a":"b"}}}`),
	merge(statefulsets+"/d", `{"spec":{"replicas":3}}`),
	merge(daemonsets+"/d", `{"metadata":{"annotations":{"a":"b"}}}`),
	merge(daemonsets+"/d", `{"spec":{"minReadySeconds":3}}`),
	merge(jobs+"/d", `{"metadata":{"annotations":{"a":"b"}}}`),
	merge(jobs+"/d", `{"spec":{"parallelism":3}}`),
	merge(pods+"/d", `{"metadata":{"annotations":{"a":"b"}}}`),
	merge(pods+"/d", `{"spec":{"containers":[{"name":"c","image":"j"}]}}`),
	{method: "PATCH", path: pods + "/d", headers: strategic, body: `{"spec":{"containers":[{"name":"c","image":"k"}]}}`},
	merge(csidrivers+"/d", `{"spec":{"requiresRepublish":true}}`),
	merge(priorities+"/d", `{"description":"y"}`),
	merge(runtimes+"/d", `{"metadata":{"labels":{"a":"b"}}}`),
	merge(secrets+"/d", `{"stringData":{"a":"b"}}`),
	merge(nodes+"/d", `{"spec":{"unschedulable":true}}`),
	post(secrets, `{"metadata":{"name":"g","generation":7}}`),
	post(csidrivers, `{"metadata":{"name":"g","generation":7},"spec":{}}`),
	post(deployments, `{"metadata":{"name":"g","generation":7},"spec":{`+template+`}}`),
}

// fixed are changes of what does not change.
var fixed = []ask{
	merge(secrets+"/d", `{"type":"example.com/other"}`),
	merge(deployments+"/d", `{"spec":{"selector":{"matchLabels":{"app":"y"}},"template":{"metadata":{"labels":{"app":"y"}}}}}`),
	merge(replicasets+"/d", `{"spec":{"selector":{"matchLabels":{"app":"y"}},"template":{"metadata":{"labels":{"app":"y"}}}}}`),
	merge(daemonsets+"/d", `{"spec":{"selector":{"matchLabels":{"app":"y"}},"template":{"metadata":{"labels":{"app":"y"}}}}}`),
	merge(priorities+"/d", `{"value":6}`),
	merge(runtimes+"/d", `{"handler":"i"}`),
	merge(services+"/d", `{"spec":{"clusterIP":"10.0.0.9"}}`),
	post(secrets, named("locked", `,"immutable":true,"data":{"a":"Yg=="}`)),
	merge(secrets+"/locked", `{"data":{"a":"Yw=="}}`),
	merge(secrets+"/locked", `{"immutable":false}`),
	merge(secrets+"/locked", `{"metadata":{"labels":{"a":"b"}}}`),
	post("{CM}", named("locked", `,"immutable":true,"data":{"a":"b"}`)),
	merge("{CM}/locked", `{"data":{"a":"c"}}`),
	merge("{CM}/locked", `{"immutable":null}`),
}

// required are objects without what they must have.
var required = []ask{
	post(pods, named("r", "")),
	post(pods, spec("r", `"containers":[{"name":"c"}]`)),
	post(pods, spec("r", `"containers":[{"image":"i"}]`)),
	dry(events, named("r", "")),
	post(deployments, named("r", "")),
	post(deployments, spec("r", `"selector":{"matchLabels":{"app":"y"}},"template":{"metadata":{"labels":{"app":"x"}},"spec":{`+onePod+`}}`)),
	post(jobs, named("r", "")),
	post(jobs, spec("r", `"template":{"spec":{`+onePod+`}}`)),
	post(services, named("r", "")),
	post(runtimes, named("r", "")),
	post(revisions, named("r", "")),
	post(csidrivers, named("r", "")),
	post(csinodes, named("r", "")),
	post(leases, spec("r", `"leaseDurationSeconds":0`)),
	post(secrets, named("R", "")),
	post(services, spec("1r", `"ports":[{"port":80}]`)),
	post(nodes, named("R", "")),
}

// writeAsks are about what updates and patches may do.
var writeAsks = joined(updateEach, updateMissing, patchMissing, generations, fixed, required, []ask{
	remove(secrets+"/d", ""), remove(services+"/d", ""), remove(accounts+"/d", ""), remove(nodes+"/d", ""), remove(leases+"/d", ""),
	remove(deployments+"/d", ""), remove(jobs+"/d", ""), remove(priorities+"/d", ""), remove(csinodes+"/d", ""), remove(csidrivers+"/d", ""), remove(runtimes+"/d", ""),
	remove(revisions+"/d", ""), remove(events+"/d", ""),
	remove(replicasets+"/d", `{"propagationPolicy":"Foreground"}`), remove(statefulsets+"/d", `{"propagationPolicy":"Orphan"}`), remove(daemonsets+"/d", ""),
})

func joined(all ...[]ask) (out []ask) {
	for _, l := range all {
		out = append(out, l...)
	}
	return out
}
