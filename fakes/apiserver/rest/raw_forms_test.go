package rest_test

// formParts are about representations: Table, PartialObjectMetadata, YAML, protobuf, on lists, objects and watches.
var formParts = []showing{
	{"table/list", lines(`
		+POST {WI} {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"a","labels":{"k":"v"}},"spec":{"n":1}} => A=resourceVersion
		+POST {WI} {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"b"}} => B=resourceVersion
		+POST {CM} {"metadata":{"name":"a","labels":{"k":"v"},"annotations":{"x":"y"}},"data":{"n":"1"}} => C=resourceVersion
		+POST {CM} {"metadata":{"name":"b"},"binaryData":{"b":"AAE="}}
		+POST {LE} {"metadata":{"name":"a"},"spec":{"holderIdentity":"me","leaseDurationSeconds":5,"renewTime":"2020-01-02T03:04:05.678901Z"}}
		GET {WI} @table
		GET {WI}?limit=1 @table
		GET {WI}?labelSelector=none @table
		GET {WI}/a @table
		GET {WI}/nosuch @table
		POST {WI}?dryRun=All @table {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"t"}}
		MERGE {WI}/a?dryRun=All @table {"spec":{"n":2}}
		DELETE {WI}/a?dryRun=All @table
		DELETE {WI}?dryRun=All @table
	`)},
	{"table/include", lines(`
		GET {WI}?includeObject=None @table
		GET {WI}?includeObject=Object @table
		GET {WI}?includeObject=Metadata @table
		GET {WI}?includeObject= @table
		GET {WI}?includeObject=Foo @table
		GET {WI}/a?includeObject=None @table
		GET {WI}/a?includeObject=Object @table
	`)},
	{"table/columns", lines(`
		GET {WI}?limit=1&includeObject=None @table
	`)},
	{"partial/object", lines(`
		GET {CM} @list
		GET {CM}?limit=1 @list
		GET {CM}?resourceVersion={C}&resourceVersionMatch=Exact @list
		GET {LE} @list
		GET {LE}/a @partial
		PUT {CM}/a?dryRun=All @partial {"metadata":{"name":"a"}}
		DELETE {CM}/a?dryRun=All @partial
		DELETE {CM}?dryRun=All @list
		POST {CM} @partial {}
		GET {CM} @list @none
	`)},
	{"partial/shape", lines(`
		GET {LE} @partial
		GET {LE}/a @list
		GET {WI}/a @list
		DELETE {CM}?dryRun=All @partial
		POST {CM}?dryRun=All @list {"metadata":{"name":"never"}}
	`)},
	{"http/accept", lines(`
		GET {CM} @yaml
		GET {CM}/b @wildyaml
		GET {CM} @proto
		GET {CM}/b @proto
		GET {LE} @proto
		GET {LE}/a @proto
		GET {EV} @proto
		GET {CM}?limit=1 @yaml
		GET {CM}?limit=1 @proto
		POST {CM}?dryRun=All @proto {"metadata":{"name":"p"}}
		DELETE {CM}/a?dryRun=All @proto
		DELETE {CM}/a?dryRun=All @yaml
		GET {CM}?labelSelector=a==b==c @proto
		GET {CM}?resourceVersionMatch=Exact @yaml
		GET {WI}?limit=1 @yaml
		WATCH {CM}?fieldSelector=metadata.name=a @proto
		WATCH {LE}?fieldSelector=metadata.name=a @stream
	`)},
	{"http/content-type", lines(`
		POST {CM}?dryRun=All @sendyaml {kind: ConfigMap, apiVersion: v1, metadata: {name: y}, data: {a: "1"}}
		PUT {CM}/a?dryRun=All @sendyaml {metadata: {name: a}, data: {a: "2"}}
		POST {WI}?dryRun=All @sendyaml {kind: Widget, apiVersion: probe.example.com/v1, metadata: {name: y}, spec: {n: 1}}
		DELETE {CM}/a @sendyaml {dryRun: [All]}
		DELETE {CM}/a @text {"dryRun":["All"]}
	`)},
	{"http/pretty", lines(`
		GET {CM}/a?pretty=true
		GET {CM}?pretty=1&limit=1
		GET {CM}/a?pretty=x
		GET {WI}/a?pretty=1
		GET {CM}/a?pretty=1 @partial
		GET {CM}/a?pretty=1 @yaml
		WATCH {WI}?pretty=1&fieldSelector=metadata.name=a
	`)},
	{"http/gzip", lines(`
		GET {CM} @gzip
	`)},
	{"http/method http/not-found", lines(`
		PUT {WI}/a/status {}
		GET {WI}/a/status
		GET {WI}/a/nosuch
		GET {LE}/a/status
		POST {LE}/a {}
		PUT {LE} {}
		DELETE {NS}/{NAMESPACE}/configmaps/a/nosuch
	`)},
	{"write/names", asked(nameAsks())},
	{"http/names", asked(pathAsks)},
	{"write/unplaced", asked(unplacedAsks)},
	{"delete/bad-finalizer", asked(freeAsks)},
	{"openapi/index openapi/hash", lines(`
		GET /openapi/v3 => H=apis/coordination.k8s.io/v1
		GET /openapi/v3/apis/coordination.k8s.io/v1
		GET /openapi/v3/apis/coordination.k8s.io/v1?hash={H}
		GET /openapi/v3/apis/coordination.k8s.io/v1?hash=abc
		GET /openapi/v3/apis/coordination.k8s.io/v1 @openapi
		GET /openapi/v3/apis/coordination.k8s.io/v1 @html
		GET /openapi/v3/apis/coordination.k8s.io/v1?hash=abc @html
		GET /openapi/v3/apis/nosuch.example.com/v1
		GET /openapi/v3/nosuch
		GET /openapi/v9
		GET /openapi
		GET /openapi/v3 @html
		POST /openapi/v3 {}
		POST /openapi/v3/api/v1 {}
	`)},
	{"http/unauthorized", lines(`
		GET {CM} @stranger
		GET {CM} @nobody
		POST {CM} @stranger {"metadata":{"name":"never"}}
		GET {CM}?watch=1 @stranger
		GET /version @stranger
		GET /readyz @nobody
		GET /nosuch @stranger
		GET {CM} @stranger @proto
		GET {CM}/a @basic
	`)},
	{"discovery/plain", lines(`
		GET /apis/coordination.k8s.io/v1/
		GET /apis/nosuch.example.com/v1/
		GET /api/v1/?spam=1
	`)},
	{"health/ok health/checks", lines(`
		GET /livez
		GET /readyz
		GET /livez/ping
		GET /healthz/ping
		GET /healthz?exclude=ping
		GET /healthz/nosuch
	`)},
	{"http/slashes", lines(`
		GET /healthz/
		GET /livez/ping/
		GET //api/v1
		GET /openapi/v3/
		GET /api/v1/namespaces//configmaps?fieldSelector=metadata.name=nosuch
		GET /api/v1/namespaces//nosuch
	`)},
	{"discovery/plain", lines(`
		POST /apis/apps {}
		PUT /apis/apps {}
		DELETE /apis/apps
	`)},
}
