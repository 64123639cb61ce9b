package rest_test

// compactedParts are about what the whole store has in common: its version, and states that are gone from it.
var compactedParts = []showing{
	{"list/global-version", lines(`
		+POST {CM} {"metadata":{"name":"moves"}} => M=resourceVersion
		GET {LE}?labelSelector=nosuch
		+DELETE {CM}/moves
	`)},
	{"old/list-decides old/boundary list/old-expired list/old-served", lines(`
		+POST {CM} {"metadata":{"name":"a","labels":{"k":"v"}}} => A=resourceVersion
		+POST {CM} {"metadata":{"name":"b"}} => B=resourceVersion
		+POST {CM} {"metadata":{"name":"c","labels":{"k":"v"}}} => C=resourceVersion
		+POST {WI} {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"a"}} => W=resourceVersion
		+POST {WI} {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"b"}} => W2=resourceVersion
		+POST {EV} {"metadata":{"name":"a"},"involvedObject":{"namespace":"{NAMESPACE}"}} => E=resourceVersion
		+POST {EV} {"metadata":{"name":"b"},"involvedObject":{"namespace":"{NAMESPACE}"}} => E2=resourceVersion
		+GET {CM}?limit=1&resourceVersion={B} => T=continue
		+GET {WI}?limit=1&resourceVersion={W2} => TW=continue
		+GET {EV}?limit=1&resourceVersion={E2} => TE=continue
		+MERGE {EV}/a {"reason":"Now"} => R=resourceVersion
		+MERGE {EV}/b {"reason":"Now"} => E3=resourceVersion
		+MERGE {CM}/a {"data":{"n":"1"}} => A2=resourceVersion
		+POST {CM} {"metadata":{"name":"e"}}
		COMPACT {R}
		GET {CM}?resourceVersion={R}&resourceVersionMatch=Exact
		GET {CM}?resourceVersion={R-1}&resourceVersionMatch=Exact
		GET {CM}?resourceVersion={A}&resourceVersionMatch=Exact
		GET {CM}?resourceVersion={A}&resourceVersionMatch=Exact&limit=1
		GET {CM}?resourceVersion={A}&resourceVersionMatch=Exact&labelSelector=k
		GET {CM}?resourceVersion={A}&limit=1
		GET {CM}?resourceVersion={A}&limit=1&labelSelector=k
		GET {CM}?resourceVersion={A}&limit=1&fieldSelector=metadata.name=a
		GET {CM}?resourceVersion={A}
		GET {CM}?resourceVersion={A}&resourceVersionMatch=NotOlderThan
		GET {CM}?resourceVersion={A}&resourceVersionMatch=NotOlderThan&limit=1
		GET {WI}?resourceVersion={W}&resourceVersionMatch=Exact
		GET {WI}?resourceVersion={W}&limit=1
		GET {EV}?resourceVersion={R}&resourceVersionMatch=Exact
		GET {EV}?resourceVersion={R-1}&resourceVersionMatch=Exact
		GET {EV}?resourceVersion={E}&resourceVersionMatch=Exact
		GET {EV}?resourceVersion={E}&limit=1
		GET {EV}?resourceVersion={E}
		GET {CM}/a?resourceVersion={A}
		DELETE {CM}?resourceVersion={A}&resourceVersionMatch=Exact
	`)},
	{"continue/expired", lines(`
		GET {CM}?continue={T} => T2=continue
		GET {CM}?continue={T}&limit=1
		GET {CM}?continue={T}&resourceVersion=0
		GET {CM}?continue={T}&labelSelector=k
		GET {CM}?continue={T}&resourceVersion=5
		GET {WI}?continue={TW}
		GET {EV}?continue={TE}
		GET {EV}?continue={TE}&limit=1
		GET {CM}?continue={T} @proto
		GET {CM}?continue={T} @table
	`)},
	{"continue/inconsistent", lines(`
		GET {CM}?continue={T2}
		GET {CM}?continue={T2}&limit=1
		GET {CM}?continue={T2}&labelSelector=k
		GET {CM}?continue={T2}&resourceVersion=0
	`)},
	{"old/watch-survives", lines(`
		WATCH {CM}?resourceVersion={A}
		WATCH {CM}?resourceVersion={B}&labelSelector=k
		WATCH {WI}?resourceVersion={W}
	`)},
	{"old/boundary-uncached old/watch-uncached", lines(`
		WATCH {EV}?resourceVersion={R}
		WATCH {EV}?resourceVersion={R-2}
		WATCH {EV}?resourceVersion={E}&allowWatchBookmarks=true
		WATCH {EV}?resourceVersion={E}&fieldSelector=metadata.name=b
		WATCH {EV}?resourceVersion={E} @stream
		WATCH {EV}?resourceVersion=1 @table
	`)},
	{"old/prev-kv", lines(`
		WATCH {EV}?resourceVersion={R-1}
		WATCH {EV}?resourceVersion={R-1}&fieldSelector=metadata.name=b
	`)},
	{"watch/killed", lines(`
		WATCH {CM}?resourceVersion={A2}&timeoutSeconds=50
			| +POST {CM} {"metadata":{"name":"killed"}}
			| RESTART
		+POST {CM} {"metadata":{"name":"ended"}} => G=resourceVersion
		WATCH {CM}?resourceVersion={G}&timeoutSeconds=4&fieldSelector=metadata.name=ended
			| TERM
			| TOGETHER configmaps/{NAMESPACE}/ended
		READY
	`)},
	{"old/restart old/watch old/stream", lines(`
		WATCH {CM}?resourceVersion={A2}
		WATCH {CM}?resourceVersion={A2}&labelSelector=k
		WATCH {CM}?resourceVersion=1&allowWatchBookmarks=true
		WATCH {CM}?resourceVersion=1 @table
		WATCH {CM}?resourceVersion=1 @partial
		WATCH {CM}?resourceVersion=1 @stream
		WATCH {LE}?resourceVersion=1
		GET /api/v1/watch/namespaces/{NAMESPACE}/configmaps?timeoutSeconds=1&resourceVersion=1
		GET {CM}?resourceVersion={A2}&resourceVersionMatch=Exact
		GET {CM}?resourceVersion={A2}&limit=1
		WATCH {EV}?resourceVersion={E3}
	`)},
	{"pods/classes", classSteps},
}
