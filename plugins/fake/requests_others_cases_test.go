package fake_test

// others are requests of which the log does not show all that comes of them.
var others = []asks{
	{"eviction", "pods", `
		POST PODS {POD}
		POST PODS/p/eviction {"metadata":{"name":"p"}}
		GET PODS/p
		GET PODS`, ""},
	{"eviction with a watch", "pods", `
		POST PODS {POD}
		POST PODS/p/eviction {"metadata":{"name":"p"}}
		POST PODS {POD}
		GET PODS?watch=1&resourceVersion=5&timeoutSeconds=1
		GET PODS/p`, ""},
	{"eviction with a grace period", "pods", `
		POST PODS {POD ON n}
		POST PODS/p/eviction {"metadata":{"name":"p"}}
		GET PODS/p
		DELETE PODS/p?gracePeriodSeconds=0
		GET PODS/p
		GET PODS`, ""},
	{"eviction refused, and a dry run", "pods", `
		POST PODS/p/eviction {"metadata":{"name":"p"}}
		POST PODS {POD}
		POST PODS/p/eviction {"metadata":{"name":"p"},"deleteOptions":{"dryRun":["All"]}}
		POST PODS/p/eviction?dryRun=All {"metadata":{"name":"p"}}
		GET PODS/p`, "p"},
	{"binding", "pods", `
		POST PODS {POD}
		POST PODS/p/binding {"metadata":{"name":"p"},"target":{"kind":"Node","name":"n"}}
		GET PODS/p
		GET PODS
		GET PODS?fieldSelector=spec.nodeName=n
		MERGE PODS/p/status {"status":{"phase":"Running"}}
		GET PODS/p
		GET PODS?watch=1&resourceVersion=5&timeoutSeconds=1`, ""},
	{"binding, and a stale update", "pods", `
		POST PODS {POD}
		POST PODS/p/binding {"metadata":{"name":"p"},"target":{"kind":"Node","name":"n"}}
		PUT PODS/p {"metadata":{"name":"p","resourceVersion":"6"},"spec":{"containers":[{"name":"c","image":"j"}]}}
		DELETE PODS/p
		GET PODS/p
		DELETE PODS/p?gracePeriodSeconds=0
		GET PODS/p`, ""},
	{"scale", "deployments.apps", `
		POST DEPL {DEPL}}
		MERGE DEPL/d/scale {"spec":{"replicas":3}}
		GET DEPL/d
		GET DEPL
		MERGE DEPL/d {"metadata":{"labels":{"a":"b"}}}
		GET DEPL/d
		GET DEPL?watch=1&resourceVersion=5&timeoutSeconds=1`, ""},
	{"scale, and a stale update", "deployments.apps", `
		POST DEPL {DEPL}}
		PUT DEPL/d/scale {"metadata":{"name":"d"},"spec":{"replicas":3}}
		GET DEPL/d/scale
		PUT DEPL/d {DEPL,"resourceVersion":"6"}}
		GET DEPL/d`, ""},
	{"end of a namespace", "configmaps", `
		POST NS {"metadata":{"name":"n"}}
		POST NS/n/configmaps {b:{}}
		DELETE NS/n
		GET NS/n/configmaps/b
		GET /api/v1/configmaps
		POST NS/n/configmaps {b:{}}
		POST NS {"metadata":{"name":"n"}}
		POST NS/n/configmaps {b:{}}
		GET NS/n/configmaps/b
		GET NS/n/configmaps`, ""},
	{"end of a namespace with a watch", "configmaps", `
		POST NS {"metadata":{"name":"n"}}
		POST NS/n/configmaps {"metadata":{"generateName":"g-"}}
		POST NS/n/configmaps {b:{}}
		DELETE NS/n
		GET /api/v1/configmaps?watch=1&resourceVersion=5&timeoutSeconds=1
		GET /api/v1/configmaps`, ""},
	{"end of a namespace that something holds", "configmaps", `
		POST NS {"metadata":{"name":"n"}}
		POST NS/n/configmaps {HELD}
		DELETE NS/n
		GET NS/n/configmaps/a
		POST NS/n/configmaps {b:{}}
		MERGE NS/n/configmaps/a {"metadata":{"finalizers":null}}
		GET NS/n/configmaps
		GET NS/n/configmaps/a`, ""},
	{"namespaces that end", "namespaces", `
		POST NS {"metadata":{"name":"n"}}
		POST NS/n/configmaps {HELD}
		DELETE NS/n
		GET NS/n
		MERGE NS/n/configmaps/a {"metadata":{"finalizers":null}}
		GET NS/n
		POST NS {"metadata":{"name":"n"}}
		DELETE NS/n
		GET NS
		GET NS?watch=1&resourceVersion=5&timeoutSeconds=1`, ""},
	{"namespaces that are finalized", "namespaces", `
		POST NS {"metadata":{"name":"n"}}
		POST NS/n/configmaps {HELD}
		DELETE NS/n
		PUT NS/n/finalize {"metadata":{"name":"n"},"spec":{}}
		GET NS/n
		GET NS`, ""},
	{"collection with a grace period", "pods", `
		POST PODS {POD ON n}
		DELETE PODS
		GET PODS
		DELETE PODS/p?gracePeriodSeconds=0
		GET PODS`, ""},
	{"collection in a grace period, with a watch", "pods", `
		POST PODS {POD ON n}
		DELETE PODS?fieldSelector=metadata.name=p&gracePeriodSeconds=3
		DELETE PODS?fieldSelector=metadata.name=p&gracePeriodSeconds=1
		GET PODS
		DELETE PODS?fieldSelector=metadata.name=p&gracePeriodSeconds=0
		GET PODS?watch=1&resourceVersion=5&timeoutSeconds=1`, ""},
	{"apply that drops a field", "configmaps", `
		APPLY CM/b?fieldManager=m {b:{"a":"1","z":"2"}}
		APPLY CM/b?fieldManager=m {b:{"z":"2"}}
		GET CM/b`, "b"},
	{"apply that takes all from another, and gives it up", "configmaps", `
		APPLY CM/b?fieldManager=m {b:{"a":"1"}}
		APPLY CM/b?fieldManager=n {b:{"a":"2"}}
		APPLY CM/b?fieldManager=n&force=1 {b:{"a":"2"}}
		APPLY CM/b?fieldManager=n {b:{}}
		GET CM/b`, "b"},
	{"apply of what was deleted", "configmaps", `
		POST CM {b:{"a":"1"}}
		DELETE CM/b
		APPLY CM/b?fieldManager=m {b:{"a":"2"}}
		GET CM/b
		APPLY CM/b?fieldManager=m&dryRun=All {b:{"a":"3"}}
		APPLY CM/b?fieldManager=m {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b","resourceVersion":"6"}}
		GET CM/b`, "b"},
	{"apply of a deployment and its status", "deployments.apps", `
		APPLY DEPL/d?fieldManager=m {DEPL}}
		APPLY DEPL/d?fieldManager=m {DEPL,"annotations":{"n":"1"}}}
		APPLY DEPL/d?fieldManager=m {DEPL}}
		APPLY DEPL/d/status?fieldManager=s {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"status":{"replicas":1}}
		GET DEPL/d`, "d"},
	{"patches that take something away", "configmaps", `
		POST CM {"metadata":{"name":"b","labels":{"l":"1"},"annotations":{"n":"1","o":"1"},"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"x","uid":"u"}]},"data":{"a":"1"}}
		MERGE CM/b {"metadata":{"annotations":{"n":null}}}
		MERGE CM/b {"metadata":{"ownerReferences":[]}}
		JSON CM/b [{"op":"remove","path":"/metadata/annotations"}]
		JSON CM/b [{"op":"add","path":"/metadata/annotations","value":{"q":"1"}}]
		JSON CM/b [{"op":"replace","path":"/metadata/annotations","value":{"r":"1"}}]
		STRATEGIC CM/b {"metadata":{"annotations":{"$patch":"replace","s":"1"}}}
		MERGE CM/b {"metadata":{"labels":{"l":null}}}
		MERGE CM/b {"data":{"a":null}}
		GET CM/b`, "b"},
	{"status written without what is beside it", "deployments.apps", `
		POST DEPL {DEPL,"annotations":{"n":"1"},"labels":{"l":"1"}}}
		PUT DEPL/d/status {DEPL},"status":{"replicas":1}}
		GET DEPL/d
		MERGE DEPL/d/status {"metadata":{"annotations":null},"status":null}
		GET DEPL/d`, "d"},
	{"writes that are refused for what they send", "configmaps", `
		POST CM {b:{"a":"1"}}
		JSON CM/b [{"op":"test","path":"/data/a","value":"2"}]
		MERGE CM/b {"metadata":{"name":"other"}}
		MERGE CM/b {
		PATCH CM/b {}
		PUT CM/b {"metadata":{"name":"other"}}
		PUT CM/b {"metadata":{"name":"b","labels":{"-":"-"}}}
		POST CM {"metadata":{"name":"Not a name"}}
		POST CM?fieldValidation=Strict {"metadata":{"name":"q"},"spam":1}
		DELETE CM/b?propagationPolicy=Nonesuch
		DELETE CM/b {"preconditions":{"resourceVersion":"1"}}
		DELETE CM {"preconditions":{"uid":"u"}}
		DELETE CM?propagationPolicy=Nonesuch
		APPLY CM/b {b:{}}
		APPLY CM/b?fieldManager=m {b:{"a":"2"}}
		APPLY CM/b?fieldManager=m {"metadata":{"name":"b","resourceVersion":"1"}}
		GET CM/b
		GET CM`, "b"},
	{"a pod whose spec may not be changed", "pods", `
		POST PODS {POD ON n}
		PUT PODS/p {"metadata":{"name":"p","resourceVersion":"6"},"spec":{"nodeName":"m","containers":[{"name":"c","image":"i"}]}}
		POST PODS/p/binding {"metadata":{"name":"p"},"target":{"kind":"Node","name":"m"}}
		STRATEGIC PODS/p {"spec":{"nodeName":"m"}}
		GET PODS/p`, "p"},
	{"reads that are refused", "configmaps", `
		POST CM {b:{"a":"1"}}
		GET CM?fieldSelector=spec.nonesuch=1
		GET CM?labelSelector=a=b=c
		GET CM?continue=nonesuch
		GET CM?resourceVersion=nonesuch
		GET CM?resourceVersionMatch=Exact
		GET CM?limit=-1
		GET CM?limit=nonesuch
		GET CM/b?resourceVersion=nonesuch
		GET CM?watch=1&resourceVersion=nonesuch
		GET CM?watch=1&sendInitialEvents=true
		GET CM?watch=1&timeoutSeconds=-1
		GET CM/b`, "b"},
	{"subresource that there is not", "configmaps", `
		POST CM {b:{}}
		GET CM/b/status
		PUT CM/b/status {b:{}}
		MERGE CM/b/status {"status":{}}
		GET CM/b/scale
		GET CM/b/nonesuch
		GET CM/b`, "b"},
	{"deletion with a grace period, with a watch", "pods", `
		POST PODS {POD ON n}
		DELETE PODS/p
		DELETE PODS/p?gracePeriodSeconds=5
		DELETE PODS/p?gracePeriodSeconds=0
		POST PODS {POD}
		DELETE PODS/p
		GET PODS/p
		GET PODS?watch=1&resourceVersion=5&timeoutSeconds=1`, ""},
	{"writes of what no content tells", "configmaps", `
		APPLY CM/b?fieldManager=m {b:{"a":"1"}}
		MERGE CM/b {"metadata":{"managedFields":[{}]}}
		MERGE CM/b {"metadata":{"generateName":"g-"}}
		JSON CM/b [{"op":"replace","path":"/metadata/generateName","value":"h-"}]
		GET CM/b`, "b"},
	{"a token of another kind", "configmaps", `
		POST CM {b:{}}
		POST /api/v1/namespaces/default/secrets {"metadata":{"name":"a"}}
		POST /api/v1/namespaces/default/secrets {"metadata":{"name":"b"}}
		GET /api/v1/namespaces/default/secrets?limit=1
		GET CM?continue={TOKEN}
		GET CM/b`, "b"},
	{"a namespace of what is in none", "namespaces", `
		POST NS {"metadata":{"name":"n"}}
		GET NS?fieldSelector=metadata.namespace=n
		GET NS?fieldSelector=metadata.name=n
		GET NS/n`, "n"},
	{"creates in a namespace that has ended", "configmaps", `
		POST NS {"metadata":{"name":"n"}}
		POST NS/n/configmaps {"metadata":{"name":"a"}}
		DELETE NS/n
		POST NS/n/configmaps {b:{}}
		POST NS/n/configmaps?dryRun=All {b:{}}
		GET NS/n/configmaps/b`, ""},
	{"updates that would create in a namespace that there is not", "leases.coordination.k8s.io", `
		PUT LEASES-N/b {"metadata":{"name":"b"},"spec":{}}
		POST NS {"metadata":{"name":"n"}}
		PUT LEASES-N/b {"metadata":{"name":"b"},"spec":{}}
		DELETE NS/n
		PUT LEASES-N/c {"metadata":{"name":"c"},"spec":{}}
		GET LEASES-N/c`, ""},
	{"deletions that wait for dependents, of what has a finalizer", "deployments.apps", `
		POST DEPL {DEPL,"finalizers":["example.com/held"]}}
		DELETE DEPL/d?propagationPolicy=Foreground
		GET DEPL/d
		MERGE DEPL/d {"metadata":{"annotations":{"n":"1"}}}
		DELETE DEPL/d?propagationPolicy=Orphan
		GET DEPL
		MERGE DEPL/d {"metadata":{"labels":{"a":"b"}}}
		GET DEPL/d`, ""},
	{"deletions that orphan, of what has a finalizer", "configmaps", `
		POST CM {HELD}
		WATCH CM?watch=1&timeoutSeconds=100
		DELETE CM/a {"propagationPolicy":"Orphan"}
		GET CM/a
		POST CM {"metadata":{"name":"c","finalizers":["example.com/held"]}}
		DELETE CM/c?orphanDependents=true
		GET CM`, ""},
	{"deletions that orphan, as the kind has it", "jobs.batch", `
		POST JOBS {JOB,"finalizers":["example.com/held"]}}
		DELETE JOBS/j
		GET JOBS/j
		MERGE JOBS/j {"metadata":{"annotations":{"n":"1"}}}
		POST JOBS {JOB,"name":"k"}}
		DELETE JOBS/k
		POST JOBS {JOB,"name":"k"}}`, ""},
	{"deletion that waits for dependents, and one with a precondition", "pods", `
		POST PODS {POD}
		DELETE PODS/p?propagationPolicy=Foreground
		DELETE PODS/p {"preconditions":{"resourceVersion":"3"}}`, ""},
	{"collections that wait for dependents", "configmaps", `
		POST CM {b:{}}
		DELETE CM?fieldSelector=metadata.name=b&propagationPolicy=Orphan
		GET CM
		DELETE CM?fieldSelector=metadata.name=b&propagationPolicy=Foreground
		MERGE CM/b {"data":{"a":"1"}}
		GET CM/b`, ""},
	{"deletion with a grace period, and a create", "pods", `
		POST PODS {POD ON n}
		DELETE PODS/p?gracePeriodSeconds=1
		POST PODS {POD}
		DELETE PODS/p
		POST PODS {POD}`, ""},
	{"deletion of what an update made, which waits for dependents", "leases.coordination.k8s.io", `
		WATCH LEASES?watch=1&timeoutSeconds=100
		PUT LEASES/d {"metadata":{"name":"d"},"spec":{}}
		DELETE LEASES/d?propagationPolicy=Foreground
		GET LEASES`, ""},
	{"create of a namespace that is ending", "namespaces", `
		POST NS {"metadata":{"name":"n"}}
		POST NS/n/configmaps {HELD}
		DELETE NS/n
		POST NS {"metadata":{"name":"n"}}`, ""},
	{"namespaces that end, with a watch", "namespaces", `
		POST NS {"metadata":{"name":"n"}}
		MERGE NS/n {"metadata":{"finalizers":["example.com/held"]}}
		WATCH NS?watch=1&timeoutSeconds=100&resourceVersion={RV}
		DELETE NS/n`, ""},
	{"namespaces that end, with a watch from the end on", "namespaces", `
		POST NS {"metadata":{"name":"n"}}
		WATCH NS?watch=1&timeoutSeconds=100&resourceVersion=9
		DELETE NS/n`, ""},
	{"dry runs of updates that would create", "leases.coordination.k8s.io", `
		PUT LEASES/b?dryRun=All {"metadata":{"name":"b"},"spec":{}}
		PUT LEASES/b?dryRun=All {"metadata":{"name":"b","resourceVersion":"99"},"spec":{}}
		GET LEASES/b
		PUT LEASES/b {"metadata":{"name":"b","resourceVersion":"99"},"spec":{}}
		PUT LEASES/b?dryRun=All {"metadata":{"name":"b","resourceVersion":"{RV}"},"spec":{}}
		GET LEASES/b`, "b"},
	{"a token that a deletion was answered with", "configmaps", `
		POST NS {"metadata":{"name":"n"}}
		POST NS/n/configmaps {b:{}}
		POST NS/n/configmaps {"metadata":{"name":"c"}}
		DELETE NS/n/configmaps?limit=1
		GET NS/n/configmaps?continue={TOKEN}`, ""},
	{"a deletion refused, and the end of a namespace", "pods", `
		POST NS {"metadata":{"name":"n"}}
		DELETE NS/n/pods/p?gracePeriodSeconds=1
		POST NS/n/pods {POD ON n}
		DELETE NS/n
		MERGE NS/n/pods/p?dryRun=All {"metadata":{"labels":{"l":null}}}
		GET NS/n/pods/p?resourceVersion={RV}`, ""},
	{"namespaces that end three times", "serviceaccounts", `
		POST NS {"metadata":{"name":"n"}}
		WATCH NS/n/serviceaccounts?watch=1&timeoutSeconds=100&resourceVersion={RV}
		POST NS/n/serviceaccounts {"metadata":{"name":"a"}}
		DELETE NS/n
		GET NS/n/serviceaccounts/a
		POST NS {"metadata":{"name":"n"}}
		DELETE NS/n
		POST NS {"metadata":{"name":"n"}}
		POST NS/n/serviceaccounts {"metadata":{"name":"a"}}
		DELETE NS/n`, ""},
}
