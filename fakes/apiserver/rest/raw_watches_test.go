package rest_test

// watchParts are about watches of a cached kind: where they begin, what they send, how they end.
var watchParts = []showing{
	{"watch/empty watch/unasked-end watch/initial-end watch/bookmark-body", lines(`
		WATCH {CM}
		WATCH {CM}?allowWatchBookmarks=true
		WATCH {CM}?allowWatchBookmarks=true&resourceVersion=0
		WATCH {CM}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan
		WATCH {CM}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true
		WATCH {LE}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true
		WATCH {WI}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true
		WATCH {NS}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&labelSelector=none
		WATCH {SE}?allowWatchBookmarks=true
		WATCH {PO}?allowWatchBookmarks=true
	`)},
	{"watch/state watch/order watch/lines", lines(`
		+POST {CM} {"metadata":{"name":"a","labels":{"k":"v"}},"data":{"n":"1"}} => A=resourceVersion
		+POST {CM} {"metadata":{"name":"c","labels":{"k":"w"}},"data":{"n":"1"}} => C=resourceVersion
		+POST {CM} {"metadata":{"name":"b"},"data":{"n":"1"}} => B=resourceVersion
		+PUT {CM}/b {"metadata":{"name":"b"},"data":{"n":"2"}} => B2=resourceVersion
		+DELETE {CM}/a
		+POST {CM} {"metadata":{"name":"d","labels":{"k":"v"}}} => D=resourceVersion
		+POST {LE} {"metadata":{"name":"s"},"spec":{}} => S=resourceVersion
		+POST {LE} {"metadata":{"name":"later"},"spec":{}}
		WATCH {CM}
		WATCH {CM}?resourceVersion=0
		WATCH {CM}?labelSelector=k
		WATCH {CM}?resourceVersion=0&labelSelector=k=v
		WATCH {CM}?fieldSelector=metadata.name=c
		WATCH {CM}?fieldSelector=metadata.name!=c
		WATCH /api/v1/configmaps?fieldSelector=metadata.namespace={NAMESPACE}
	`)},
	{"watch/unasked-end", lines(`
		WATCH {CM}?allowWatchBookmarks=true
		WATCH {CM}?resourceVersion=0&allowWatchBookmarks=true&labelSelector=k=v
		WATCH {CM}?allowWatchBookmarks=true&fieldSelector=metadata.name=nosuch
	`)},
	{"watch/initial", lines(`
		WATCH {CM}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan
		WATCH {CM}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=0&labelSelector=k
		WATCH {CM}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion={A}&fieldSelector=metadata.name=b
		WATCH {CM}?sendInitialEvents=1&resourceVersionMatch=NotOlderThan&labelSelector=k=w
	`)},
	{"watch/initial-end", lines(`
		WATCH {CM}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true
		WATCH {CM}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion={A}
		WATCH {CM}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=0&labelSelector=k=v
		WATCH {CM}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&labelSelector=none
		WATCH {CM}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1&fieldSelector=metadata.name=b
		WATCH {CM}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=false&labelSelector=k
	`)},
	{"watch/no-initial", lines(`
		WATCH {CM}?sendInitialEvents=false&resourceVersionMatch=NotOlderThan
		WATCH {CM}?sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=0
		WATCH {CM}?sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion={B}
		WATCH {CM}?sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true
		WATCH {CM}?sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion={A}&labelSelector=k=v
	`)},
	{"watch/from", lines(`
		WATCH {CM}?resourceVersion={A}
		WATCH {CM}?resourceVersion={B}
		WATCH {CM}?resourceVersion={S}
		WATCH {CM}?resourceVersion={A-1}&fieldSelector=metadata.name=a
		WATCH {CM}?resourceVersion={A}&labelSelector=k=v
		WATCH {CM}?resourceVersion={A}&labelSelector=k=w
		WATCH {CM}?resourceVersion={A}&fieldSelector=metadata.name=b
		WATCH /api/v1/configmaps?resourceVersion={B2}&fieldSelector=metadata.namespace={NAMESPACE}
		WATCH {LE}?resourceVersion={D}
		WATCH {CM}?resourceVersion={A}&fieldSelector=metadata.namespace=other
	`)},
	{"watch/limit watch/continue", lines(`
		WATCH {CM}?limit=1
		WATCH {CM}?limit=1&resourceVersion={B}
		WATCH {CM}?continue=abc
		WATCH {CM}?continue=abc&resourceVersion=0
		WATCH {CM}?continue=abc&resourceVersion={B2}
		WATCH {CM}?limit=x
	`)},
	{"options/watch-initial", lines(`
		WATCH {CM}?sendInitialEvents=true
		WATCH {CM}?sendInitialEvents=false
		WATCH {CM}?sendInitialEvents=true&resourceVersion=xyz
		WATCH {CM}?sendInitialEvents=true&resourceVersion={A}
	`)},
	{"options/watch-match", lines(`
		WATCH {CM}?resourceVersionMatch=NotOlderThan
		WATCH {CM}?resourceVersion=5&resourceVersionMatch=NotOlderThan
		WATCH {LE}?resourceVersionMatch=NotOlderThan
	`)},
	{"options/watch-match-unknown", lines(`
		WATCH {CM}?resourceVersionMatch=Exact&resourceVersion=5
		WATCH {CM}?resourceVersionMatch=Exact&sendInitialEvents=true
		WATCH {CM}?resourceVersionMatch=Foo&sendInitialEvents=true&resourceVersion={A}
	`)},
	{"options/watch-continue options/order status/causes", lines(`
		WATCH {CM}?resourceVersionMatch=NotOlderThan&sendInitialEvents=true&continue=abc
		WATCH {CM}?resourceVersionMatch=Exact&sendInitialEvents=true&continue=abc
		WATCH {CM}?resourceVersionMatch=Foo&continue=abc
	`)},
	{"watch/garbage status/bare", lines(`
		WATCH {CM}?resourceVersion=xyz
		WATCH {CM}?resourceVersion=-1
		WATCH {CM}?resourceVersion=99999999999999999999999
		WATCH {CM}?resourceVersion=xyz&sendInitialEvents=true&resourceVersionMatch=NotOlderThan
		WATCH {LE}?resourceVersion=xyz
		WATCH {WI}?resourceVersion=xyz
	`)},
	{"watch/boolean", lines(`
		GET {CM}?watch=true&timeoutSeconds=1&fieldSelector=metadata.name=b
		GET {CM}?watch=TRUE&timeoutSeconds=1&fieldSelector=metadata.name=b
		GET {CM}?watch=2&timeoutSeconds=1&fieldSelector=metadata.name=b
		GET {CM}?watch&timeoutSeconds=1&fieldSelector=metadata.name=b
		GET {CM}?watch=False&timeoutSeconds=1&fieldSelector=metadata.name=b
		GET {CM}?watch=1&watch=0&timeoutSeconds=1&fieldSelector=metadata.name=b
		WATCH {CM}?allowWatchBookmarks=yes&fieldSelector=metadata.name=b
		WATCH {CM}?allowWatchBookmarks=0&fieldSelector=metadata.name=b
	`)},
	{"watch/timeout", lines(`
		WATCH {CM}?timeoutSeconds=-1&resourceVersion=0
		WATCH {CM}?timeoutSeconds=-1&resourceVersion={A}
		WATCH {CM}?timeoutSeconds=x&resourceVersion={A}
		WATCH {CM}?timeoutSeconds=1.5
		WATCH {CM}?timeoutSeconds=2&timeout=1ms&resourceVersion={D}
		WATCH {CM}?timeout=1x
	`)},
	{"watch/get watch/one", lines(`
		GET {CM}/b?watch=1
		GET {CM}/nosuch?watch=1
		GET /api/v1/watch/namespaces/{NAMESPACE}/configmaps/b?timeoutSeconds=1
		GET /api/v1/watch/namespaces/{NAMESPACE}/configmaps/nosuch?timeoutSeconds=1&allowWatchBookmarks=true
		GET /api/v1/watch/namespaces/{NAMESPACE}/configmaps/b?timeoutSeconds=1&resourceVersion={A}
		GET /api/v1/watch/namespaces/{NAMESPACE}/configmaps?timeoutSeconds=1&resourceVersion={B2}
		GET /api/v1/watch/namespaces/{NAMESPACE}/configmaps?timeoutSeconds=1&watch=0&labelSelector=k=w
		GET /api/v1/watch/namespaces/{NAMESPACE}?timeoutSeconds=1&resourceVersion={D}
		GET /apis/coordination.k8s.io/v1/watch/namespaces/{NAMESPACE}/leases?timeoutSeconds=1
	`)},
	{"future/watch", lines(`
		WATCH {CM}?resourceVersion={F}
		WATCH {CM}?resourceVersion={F}&allowWatchBookmarks=true
		WATCH {WI}?resourceVersion={F}
	`)},
	{"future/watch", lines(`
		WATCH {CM}?resourceVersion={F}&fieldSelector=metadata.name=far
			| +POST {CM} {"metadata":{"name":"far"}}
		+DELETE {CM}/far
	`)},
	{"future/initial", lines(`
		WATCH {CM}?resourceVersion={F}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=8
		WATCH {CM}?resourceVersion={F}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=8
		WATCH {LE}?resourceVersion={F}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=8
		WATCH {WI}?resourceVersion={F}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=8
		WATCH {CM}?resourceVersion={F}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1
	`)},
	{"old/watch old/stream", lines(`
		WATCH {WI}?resourceVersion=1
		WATCH {WI}?resourceVersion=1&allowWatchBookmarks=true
		WATCH {WI}?resourceVersion=1&labelSelector=k
		WATCH {WI}?resourceVersion=1&fieldSelector=metadata.name=b
		WATCH {WI}?resourceVersion=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan
		WATCH {WI}?resourceVersion=1 @table
		WATCH {WI}?resourceVersion=1 @partial
	`)},
}
