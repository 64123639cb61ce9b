package rest_test

import "strings"

// writeParts are about creates, updates and deletes.
var writeParts = []showing{
	{"write/create status/kind", lines(`
		POST {CM} {"metadata":{"name":"a"},"data":{"n":"1"}} => A=resourceVersion
		POST {CM} {"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a1","annotations":{"x":"y"}},"immutable":true,"binaryData":{"b":"AAE="}}
		POST {CM} {"kind":"ConfigMap","metadata":{"name":"a2"}}
		POST {CM} {"apiVersion":"v1","metadata":{"name":"a3","namespace":"{NAMESPACE}","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"a","uid":"11111111-2222-4333-8444-555555555555"}]}}
		POST {LE} {"metadata":{"name":"l"},"spec":{"holderIdentity":"me","leaseTransitions":1}}
		+POST {CM} {"metadata":{"name":"b"},"data":{"n":"1"}} => B=resourceVersion
	`)},
	{"write/exists status/kind status/group", lines(`
		POST {LE} {"metadata":{"name":"l"}}
		POST {CM}?dryRun=All {"metadata":{"name":"b"}}
		POST {CM} {"metadata":{"name":"b","uid":"11111111-2222-4333-8444-555555555555"}}
	`)},
	{"write/create-version status/bare", lines(`
		POST {CM} {"metadata":{"name":"x","resourceVersion":"{B}"}}
		POST {CM} {"metadata":{"name":"x0","resourceVersion":"0"}}
		POST {CM} {"metadata":{"name":"x1","resourceVersion":"zzz"}}
		POST {LE} {"metadata":{"name":"x","resourceVersion":"5"}}
		POST {WI} {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"x","resourceVersion":"5"}}
		POST {CM}?dryRun=All {"metadata":{"name":"x3","resourceVersion":"5"}}
	`)},
	{"write/create-ignored", lines(`
		POST {CM} {"metadata":{"name":"x2","uid":"mine","generation":7,"selfLink":"/a","deletionTimestamp":"2020-01-01T00:00:00Z","deletionGracePeriodSeconds":4,"creationTimestamp":"2020-01-01T00:00:00Z"}}
		POST {WI} {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"x2","uid":"mine","generation":7,"selfLink":"/a","deletionTimestamp":"2020-01-01T00:00:00Z"}}
	`)},
	{"write/no-name status/causes", lines(`
		POST {CM} {"metadata":{}}
		POST {CM} {}
		POST {CM} {"data":{"n":"1"}}
		POST {LE} {}
		POST {CM} {"metadata":{"name":"A_b"}}
		POST {CM} {"metadata":{"name":"-"}}
		POST {CM} {"metadata":{"name":"a/b"}}
		POST {CM} {"metadata":{"name":".."}}
		POST {CM} {"metadata":{"name":"f","labels":{"bad key":"x"}}}
		POST {CM} {"metadata":{"name":"f","labels":{"k":"bad value"},"annotations":{"bad key":""}}}
		POST {CM} {"metadata":{"name":"f","ownerReferences":[{"name":"x"}]}}
		POST {NS} {"metadata":{"name":"a.b"}}
	`)},
	{"write/generate-name", lines(`
		POST {CM} {"metadata":{"generateName":"gen-"}}
		POST {CM} {"metadata":{"generateName":"ggggggggggggggggggggggggggggggggggggggggggggggggggggggggggggggggggggg"}}
		POST {CM} {"metadata":{"generateName":"Bad_"}}
		POST {CM} {"metadata":{"generateName":"gen-","name":"given"}}
		POST {CM}?dryRun=All {"metadata":{"generateName":"gen-"}}
		POST {WI} {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"generateName":"gen-"}}
	`)},
	{"write/namespace-differs write/namespace-missing", lines(`
		POST {CM} {"metadata":{"name":"x","namespace":"default"}}
		PUT {CM}/b {"metadata":{"name":"b","namespace":"default"}}
		POST {WI} {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"x","namespace":"default"}}
		POST /api/v1/namespaces/nosuch/secrets {"metadata":{"name":"x"}}
		POST /apis/coordination.k8s.io/v1/namespaces/nosuch/leases {"metadata":{"name":"x"}}
		POST /api/v1/namespaces/nosuch/configmaps?dryRun=All {"metadata":{"name":"x"}}
		PUT /apis/coordination.k8s.io/v1/namespaces/nosuch/leases/x {"metadata":{"name":"x"}}
		PUT /api/v1/namespaces/nosuch/configmaps/x {"metadata":{"name":"x"}}
		DELETE /api/v1/namespaces/nosuch/configmaps/x
		DELETE /api/v1/namespaces/nosuch/configmaps
	`)},
	{"delete/bad-finalizer status/causes", lines(`
		POST {CM} {"metadata":{"name":"f","finalizers":["nodomain"]}}
		POST {CM} {"metadata":{"name":"f","finalizers":["bad name/f"]}}
		POST {CM} {"metadata":{"name":"f","finalizers":["kubernetes"]}}
		POST {CM} {"metadata":{"name":"f","finalizers":["nodomain","x.io/ok","other"]}}
		PUT {CM}/b {"metadata":{"name":"b","finalizers":["nodomain"]},"data":{"n":"2"}}
		POST {WI} {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"f","finalizers":["nodomain"]}}
	`)},
	{"write/put-stale status/kind", lines(`
		PUT {CM}/b {"metadata":{"name":"b"},"data":{"n":"2"}} => B2=resourceVersion
		PUT {CM}/b {"metadata":{"name":"b","resourceVersion":"{B}"},"data":{"n":"3"}}
		PUT {CM}/b {"metadata":{"name":"b","resourceVersion":"{F}"},"data":{"n":"3"}}
		PUT {CM}/b?dryRun=All {"metadata":{"name":"b","resourceVersion":"{B}"},"data":{"n":"3"}}
		PUT {CM}/b {"metadata":{"name":"b","resourceVersion":"{B2}"},"data":{"n":"3"}} => B3=resourceVersion
		PUT {LE}/l {"metadata":{"name":"l","resourceVersion":"1"}}
	`)},
	{"write/put-uid", lines(`
		PUT {CM}/b {"metadata":{"name":"b","uid":"11111111-2222-4333-8444-555555555555"},"data":{"n":"3"}}
		PUT {CM}/b {"metadata":{"name":"b","uid":"abc","resourceVersion":"{B3}"},"data":{"n":"3"}}
		PUT {LE}/l {"metadata":{"name":"l","uid":"11111111-2222-4333-8444-555555555555","resourceVersion":"1"}}
	`)},
	{"write/put-unconditional write/no-op", lines(`
		PUT {CM}/b {"metadata":{"name":"b","resourceVersion":"0"},"data":{"n":"4"}} => B4=resourceVersion
		PUT {CM}/b {"metadata":{"name":"b","resourceVersion":"{B4}"},"data":{"n":"4"}}
		PUT {CM}/b {"metadata":{"name":"b"},"data":{"n":"4"}}
		PUT {CM}/b {"metadata":{"name":"b","generation":5,"creationTimestamp":"2020-01-01T00:00:00Z","deletionTimestamp":"2020-01-01T00:00:00Z"},"data":{"n":"4"}}
	`)},
	{"write/put-conditional", lines(`
		PUT {LE}/l {"metadata":{"name":"l"}}
		PUT {LE}/l {"metadata":{"name":"l","resourceVersion":"0"}}
		POST {WI} {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"n":1}} => W=resourceVersion
		PUT {WI}/w {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"n":2}}
		PUT {WI}/w {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"w","resourceVersion":"{W}"},"spec":{"n":2}} => W2=resourceVersion
		PUT {WI}/w {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"w","resourceVersion":"{W}"},"spec":{"n":3}}
		MERGE {LE}/l {"spec":{"holderIdentity":"you"}}
	`)},
	{"write/put-garbage status/bare", lines(`
		PUT {CM}/b {"metadata":{"name":"b","resourceVersion":"zzz"},"data":{"n":"3"}}
		PUT {CM}/b {"metadata":{"name":"b","resourceVersion":"-1"},"data":{"n":"3"}}
		PUT {LE}/new {"metadata":{"name":"new","resourceVersion":"zzz"}}
		PUT {WI}/w {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"w","resourceVersion":"zzz"}}
	`)},
	{"write/put-name", lines(`
		PUT {CM}/b {"metadata":{"name":"c"},"data":{"n":"2"}}
		PUT {CM}/b {"metadata":{},"data":{"n":"2"}}
		PUT {WI}/w {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"v"}}
		PUT {WI}/w {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{}}
		PUT {CM}/b {"metadata":{"generateName":"b-"}}
	`)},
	{"write/missing status/group", lines(`
		PUT {CM}/nosuch {"metadata":{"name":"nosuch","resourceVersion":"5"}}
		PUT {CM}/nosuch {"metadata":{"name":"nosuch","uid":"11111111-2222-4333-8444-555555555555"}}
		PUT {WI}/nosuch {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"nosuch"}}
		MERGE {CM}/nosuch {}
		MERGE {WI}/nosuch {}
		JSON {CM}/nosuch []
		STRATEGIC {CM}/nosuch {}
		PUT {SE}/nosuch {"metadata":{"name":"nosuch"}}
	`)},
	{"write/create-on-update", lines(`
		PUT {LE}/l2 {"metadata":{"name":"l2","resourceVersion":"99"}}
		MERGE {LE}/l3 {"spec":{"holderIdentity":"me"}}
		PUT {LE}/l4 {"metadata":{"name":"l4","uid":"11111111-2222-4333-8444-555555555555"}}
		MERGE {LE}/l5 {"metadata":{"uid":"11111111-2222-4333-8444-555555555555"}}
		MERGE {LE}/l6 {"metadata":{"resourceVersion":"12"}}
		MERGE {LE}/l7 {"metadata":{"name":"other"}}
		STRATEGIC {LE}/l8 {"spec":{"holderIdentity":"me"}}
		JSON {LE}/l9 [{"op":"add","path":"/spec","value":{"holderIdentity":"c"}}]
		JSON {LE}/l10 [{"op":"test","path":"/spec","value":1}]
		PUT {LE}/l11?dryRun=All {"metadata":{"name":"l11"}}
		MERGE {LE}/l12?dryRun=All {}
		GET {LE}/l11
	`)},
	{"write/dry-run", lines(`
		PUT {CM}/b?dryRun=All {"metadata":{"name":"b"},"data":{"n":"9"}}
		MERGE {CM}/b?dryRun=All {"data":{"n":"9"}}
		JSON {CM}/b?dryRun=All [{"op":"add","path":"/metadata/labels","value":{"m":"w"}}]
		STRATEGIC {CM}/b?dryRun=All {"data":{"n":"9"}}
		DELETE {CM}/b {"dryRun":["All"],"preconditions":{"resourceVersion":"1"}}
		DELETE {CM}?dryRun=All&fieldSelector=metadata.name=b
		GET {CM}/b
		POST {WI}?dryRun=All {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"dry"}}
		POST {CM}?dryRun=All&dryRun=All {"metadata":{"name":"dry"}}
	`)},
	{"write/dry-run-unknown status/causes", lines(`
		POST {CM}?dryRun=all {"metadata":{"name":"dry"}}
		POST {CM}?dryRun=All&dryRun=Some {"metadata":{"name":"dry"}}
		DELETE {CM}/b?dryRun=Some
		DELETE {CM}/b {"dryRun":["Some"]}
		DELETE {CM}?dryRun=Some
		JSON {CM}/b?dryRun=Some []
		STRATEGIC {CM}/b?dryRun=Some {}
		POST {WI}?dryRun=Some {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"dry"}}
	`)},
	{"write/field-validation", lines(`
		PUT {CM}/b?fieldValidation=Warn {"metadata":{"name":"b"},"data":{"n":"4"},"ham":1,"ham":2}
		POST {WI} {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"fv","spam":1},"spec":{"a":1,"a":2}}
		POST {WI}?fieldValidation=Ignore {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"fv2","spam":1}}
		POST {WI}?fieldValidation=Strict {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"fv3","spam":1}}
		POST {WI}?fieldValidation=Foo {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"fv4"}}
		MERGE {WI}/w?fieldValidation=Strict {"metadata":{"spam":1}}
		POST {CM}?fieldManager=me {"metadata":{"name":"fm"}}
		POST {CM}?fieldManager=me/%01 {"metadata":{"name":"fm2"}}
		POST {CM}?fieldManager=0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789 {"metadata":{"name":"fm3"}}
	`)},
	{"delete/preconditions status/kind", lines(`
		DELETE {CM}/b {"preconditions":{"resourceVersion":"1"}}
		DELETE {CM}/b {"preconditions":{"uid":"11111111-2222-4333-8444-555555555555","resourceVersion":"1"}}
		DELETE {CM}/b {"preconditions":{"uid":"11111111-2222-4333-8444-555555555555","resourceVersion":"{B4}"}}
		DELETE {CM}/b {"preconditions":{"resourceVersion":"zzz"}}
		DELETE {CM}/nosuch {"preconditions":{"resourceVersion":"1"}}
		DELETE {LE}/l {"preconditions":{"resourceVersion":"1"}}
		DELETE {WI}/w {"preconditions":{"resourceVersion":"{W}"}}
		DELETE {CM}/b {"preconditions":{}}
	`)},
	{"delete/options status/causes", lines(`
		+POST {CM} {"metadata":{"name":"c"}} => C=resourceVersion
		DELETE {CM}/c {"propagationPolicy":"Orphan","orphanDependents":true}
		DELETE {CM}/c {"propagationPolicy":""}
		DELETE {CM}/c {"gracePeriodSeconds":-1,"dryRun":["All"]}
		DELETE {CM}/c null
		DELETE {CM}?propagationPolicy=Foo&labelSelector=none
		DELETE {CM}?labelSelector=none {"propagationPolicy":"Foo"}
		DELETE {CM}?labelSelector=none {
		DELETE {WI}/w {"propagationPolicy":"Foo"}
		DELETE {WI}/w [
	`)},
	{"delete/propagation", lines(`
		DELETE {CM}/a1?propagationPolicy=Orphan
		DELETE {CM}/a1?propagationPolicy=Foreground
		DELETE {CM}/a1?propagationPolicy=Background
		DELETE {CM}/a2 {"propagationPolicy":"Foreground"}
		DELETE {CM}/a2
		DELETE {CM}/a2?orphanDependents=true
		DELETE {CM}/a2?orphanDependents=false
	`)},
	{"delete/finalizers delete/answer write/exists", lines(`
		+POST {CM} {"metadata":{"name":"fin","finalizers":["x.io/f","x.io/g"]}} => F0=resourceVersion
		DELETE {CM}/fin?dryRun=All
		+DELETE {CM}/fin => F1=resourceVersion
		GET {CM}/fin
		DELETE {CM}/fin
		DELETE {CM}/fin?propagationPolicy=Background
		POST {CM} {"metadata":{"name":"fin"}}
		PUT {CM}/fin {"metadata":{"name":"fin","finalizers":["x.io/f","x.io/g","x.io/h"]}}
		MERGE {CM}/fin {"metadata":{"finalizers":["x.io/h"]}}
		PUT {CM}/fin {"metadata":{"name":"fin","finalizers":["x.io/f","x.io/g"]},"data":{"n":"1"}} => F2=resourceVersion
		PUT {CM}/fin {"metadata":{"name":"fin","finalizers":["x.io/f"]},"data":{"n":"1"}} => F3=resourceVersion
	`)},
	{"delete/last-finalizer", lines(`
		PUT {CM}/fin?dryRun=All {"metadata":{"name":"fin"}}
		PUT {CM}/fin {"metadata":{"name":"fin"}}
		+POST {WI} {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"fin","finalizers":["x.io/f"]},"spec":{"n":1}} => W3=resourceVersion
		DELETE {WI}/fin => W4=resourceVersion
		MERGE {WI}/fin {"metadata":{"finalizers":["x.io/f","x.io/g"]}}
		MERGE {WI}/fin {"spec":{"n":2}} => W5=resourceVersion
		MERGE {WI}/fin {"metadata":{"finalizers":[]}}
	`)},
	{"delete/answer delete/missing", lines(`
		DELETE {LE}/l
		DELETE {CM}/b?pretty=1
		DELETE {LE}/nosuch
	`)},
	{"delete/collection", lines(`
		+POST {CM} {"metadata":{"name":"e2","labels":{"z":"1"}}} => E2=resourceVersion
		+POST {CM} {"metadata":{"name":"e1","labels":{"z":"1"},"finalizers":["x.io/f"]}} => E1=resourceVersion
		+POST {CM} {"metadata":{"name":"e3","labels":{"z":"2"}}} => E3=resourceVersion
		+PUT {LE}/later {"metadata":{"name":"later"},"spec":{}}
		DELETE {CM}?labelSelector=z&dryRun=All
		DELETE {CM}?labelSelector=z {"preconditions":{"resourceVersion":"1"}}
		DELETE {CM}?labelSelector=none
		DELETE {CM}?labelSelector=z&resourceVersion=xyz
		DELETE {CM}?labelSelector=z&resourceVersionMatch=Exact
		DELETE {CM}?labelSelector=z&continue=abc
		DELETE {CM}?labelSelector=z=1
		GET {CM}?labelSelector=z
		DELETE {CM}?labelSelector=z&limit=1
		MERGE {CM}/e1 {"metadata":{"finalizers":null}}
		DELETE {WI}?labelSelector=none
	`)},
	{"delete/collection-refused", lines(`
		DELETE {NS}?labelSelector=none
		DELETE /api/v1/secrets
		DELETE /apis/coordination.k8s.io/v1/leases
	`)},
	{"write/too-big", and(
		asked([]ask{
			{"POST", "{CM}", "", `{"metadata":{"name":"big"},"data":{"k":"` + strings.Repeat("x", 1<<20+1) + `"}}`},
			{"POST", "{CM}", "", `{"metadata":{"name":"big"},"binaryData":{"k":"` + strings.Repeat("x", 1<<20) + `"},"data":{"x":"` + strings.Repeat("x", 1<<18+1) + `"}}`},
			{"POST", "{CM}", "", `{"metadata":{"name":"big"},"data":{"k":"` + strings.Repeat("x", 1<<20) + `"}}`},
			{"POST", "{CM}", "", `{"metadata":{"name":"big2","annotations":{"k":"` + strings.Repeat("x", 1<<18+1) + `"}}}`},
			{"POST", "{WI}", "", `{"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"big"},"x":"` + strings.Repeat("x", 3<<20) + `"}`},
		}),
	)},
}
