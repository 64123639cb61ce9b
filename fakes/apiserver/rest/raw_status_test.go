package rest_test

// statusOf are requests to an object and to its status: which of spec, status and metadata each changes.
func statusOf(path, create, spec, status string) []ask {
	at := path + "/st"
	both := `{"metadata":{"labels":{"l":"b"},"annotations":{"n":"b"}},"spec":{` + spec + `},"status":{` + status + `}}`
	return []ask{
		post(path, create),
		look(at + "/status"),
		merge(at, both),
		merge(at+"/status", both),
		merge(at+"/status", `{"metadata":{"labels":{"l":"c"},"annotations":{"n":"c"},"finalizers":["example.com/f"]}}`),
		merge(at+"/status", `{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"X","name":"x","uid":"x"}]}}`),
		merge(at+"/status", `{"metadata":{"finalizers":null}}`),
		merge(at+"/status", `{"metadata":{"resourceVersion":"1"},"status":{`+status+`}}`),
		merge(at+"/status", `{"metadata":{"uid":"abc"}}`),
		merge(at+"/status?dryRun=All", `{"status":null}`),
		merge(at+"/status", `{"status":null}`),
		merge(path+"/nosuch/status", `{}`),
		post(at+"/status", `{}`),
		remove(at+"/status", ""),
		look(path + "/nosuch/status"),
		look(at),
		merge(at, `{"metadata":{"finalizers":null}}`),
	}
}

const replicas = `"replicas":5`

// statusAsks are about the status of each kind that has one.
var statusAsks = joined(
	statusOf(pods, named("st", `,"spec":{`+onePod+`},"status":{"phase":"Running"}`), `"activeDeadlineSeconds":50`, `"phase":"Running","podIP":"1.2.3.4"`),
	statusOf(nodes, named("st", `,"status":{"phase":"Pending"}`), `"unschedulable":true`, `"phase":"Running"`),
	statusOf(services, spec("st", `"ports":[{"port":80}]`), `"publishNotReadyAddresses":true`, `"conditions":[{"type":"A","status":"True","reason":"R","message":"","lastTransitionTime":"2020-01-01T00:00:00Z"}]`),
	statusOf(deployments, spec("st", template), replicas, `"replicas":5`),
	statusOf(replicasets, spec("st", template), replicas, `"replicas":5`),
	statusOf(statefulsets, spec("st", template+`,"serviceName":"s"`), replicas, `"replicas":5`),
	statusOf(daemonsets, spec("st", template), `"minReadySeconds":5`, `"currentNumberScheduled":1,"numberMisscheduled":0,"desiredNumberScheduled":1,"numberReady":1`),
	statusOf(jobs, spec("st", jobSpec), `"parallelism":5`, `"active":1`),
	statusOf(spaces, named("st", ""), `"finalizers":["example.com/f"]`, `"phase":"Terminating"`),
	[]ask{
		look(secrets + "/nosuch/status"),
		look(leases + "/nosuch/status"),
		put(csidrivers+"/nosuch/status", `{}`),
		look(csinodes + "/nosuch/status"),
		put(pods+"/st/status", named("other", "")),
		put(pods+"/st/status", `{}`),
		put(pods+"/st/status", named("st", `,"status":{"phase":"Failed"}`)),
		put(pods+"/st/status", `{"metadata":{"name":"st","resourceVersion":"1"},"status":{"phase":"Failed"}}`),
		put(pods+"/st/status?fieldValidation=Strict", named("st", `,"spam":1`)),
		put(pods+"/nosuch/status", named("nosuch", "")),
		put(services+"/nosuch/status", named("nosuch", "")),
		put(deployments+"/st/status", spec("st", template)),
		put(nodes+"/st/status", named("st", `,"status":{"capacity":{"cpu":"4"}}`)),
		{method: "GET", path: pods + "/st/status", headers: asPartial},
	},
)
