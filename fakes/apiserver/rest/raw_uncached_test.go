package rest_test

// uncachedParts are about a kind that is served without a cache.
var uncachedParts = []showing{
	{"list/zero-uncached", lines(`
		+POST {EV} {"metadata":{"name":"a","labels":{"k":"v"}},"involvedObject":{"namespace":"{NAMESPACE}","name":"x"}} => A=resourceVersion
		+POST {EV} {"metadata":{"name":"c"},"involvedObject":{"namespace":"{NAMESPACE}","name":"y"}} => C=resourceVersion
		+POST {EV} {"metadata":{"name":"b"},"involvedObject":{"namespace":"{NAMESPACE}","name":"x"}} => B=resourceVersion
		+MERGE {EV}/b {"reason":"Because"} => B2=resourceVersion
		+DELETE {EV}/a
		+POST {EV} {"metadata":{"name":"d"},"involvedObject":{"namespace":"{NAMESPACE}","name":"x"},"type":"Normal"} => D=resourceVersion
		+POST {CM} {"metadata":{"name":"a"}}
		GET {EV}?resourceVersion=0
		GET {EV}?resourceVersion=0&limit=1
		GET {EV}?resourceVersion=0&limit=1&resourceVersionMatch=NotOlderThan
		GET {EV}?resourceVersion=0&labelSelector=!k&limit=1
		GET {EV}?resourceVersion=0&resourceVersionMatch=Exact
	`)},
	{"list/unset page/remaining page/order token/shape", lines(`
		GET {EV}
		GET {EV}?limit=1 => T=continue
		GET {EV}?limit=1&continue={T}
		GET {EV}?continue={T}
		GET {EV}?continue={T}&resourceVersion=0
		GET {EV}?continue={T}&resourceVersion=0&limit=1
		GET {EV}?continue={T}&resourceVersion=5
		GET {EV}?limit=1&continue={T}&labelSelector=k
		GET {EV}?limit=3
		GET {EV}?limit=1&labelSelector=!k
		GET {EV}?limit=1&fieldSelector=metadata.name=b
		GET {EV}?limit=2&fieldSelector=involvedObject.name=x
		GET {EV}?fieldSelector=involvedObject.name=y
		GET {EV}?fieldSelector=reason=Because
		GET {EV}?fieldSelector=type=Normal,involvedObject.namespace={NAMESPACE}
	`)},
	{"list/exact list/limit-exact", lines(`
		GET {EV}?resourceVersion={A}&resourceVersionMatch=Exact
		GET {EV}?resourceVersion={C}&resourceVersionMatch=Exact&limit=1
		GET {EV}?resourceVersion={B}&limit=1
		GET {EV}?resourceVersion={B}&limit=2 => T=continue
		GET {EV}?continue={T}
		GET {EV}?resourceVersion={B}&limit=1&fieldSelector=metadata.name=a
	`)},
	{"list/at-least list/not-older-than list/old-served", lines(`
		GET {EV}?resourceVersion={A}
		GET {EV}?resourceVersion=1
		GET {EV}?resourceVersion={A}&resourceVersionMatch=NotOlderThan
		GET {EV}?resourceVersion={A}&resourceVersionMatch=NotOlderThan&limit=2
	`)},
	{"list/garbage get/garbage continue/garbage", lines(`
		GET {EV}?resourceVersion=xyz
		GET {EV}?resourceVersion=-1&resourceVersionMatch=NotOlderThan
		GET {EV}/b?resourceVersion=xyz
		GET {EV}?continue=abc
		GET {EV}?continue=«{"v":"meta.k8s.io/v1","rv":0,"start":"a"}»
		GET {EV}?continue=«{"v":"meta.k8s.io/v1","rv":-1,"start":"c"}»
	`)},
	{"future/uncached list/future future/get token/future", lines(`
		GET {EV}?resourceVersion={F}&limit=1
		GET {EV}?resourceVersion={F}&resourceVersionMatch=Exact
		GET {EV}?resourceVersion={F}&resourceVersionMatch=NotOlderThan
		GET {EV}?continue=«{"v":"meta.k8s.io/v1","rv":{F},"start":"a"}»
		GET {EV}/b?resourceVersion={F}
	`)},
	{"get/version", lines(`
		GET {EV}/b
		GET {EV}/b?resourceVersion=0
		GET {EV}/b?resourceVersion={B}
	`)},
	{"watch/state watch/order", lines(`
		WATCH {EV}
		WATCH {EV}?resourceVersion=0
		WATCH {EV}?labelSelector=k
		WATCH {EV}?fieldSelector=involvedObject.name=x
		WATCH {EV}?limit=1
	`)},
	{"watch/unasked-end watch/initial watch/initial-end watch/bookmark-body", lines(`
		WATCH {EV}?allowWatchBookmarks=true
		WATCH {EV}?allowWatchBookmarks=true&resourceVersion=0
		WATCH {EV}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan
		WATCH {EV}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true
		WATCH {EV}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion={A}&allowWatchBookmarks=true
		WATCH {EV}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&labelSelector=none&allowWatchBookmarks=true
	`)},
	{"watch/from watch/no-initial", lines(`
		WATCH {EV}?resourceVersion={A}
		WATCH {EV}?resourceVersion={B2}
		WATCH {EV}?resourceVersion={A}&fieldSelector=metadata.name=c
		WATCH {EV}?resourceVersion={A}&sendInitialEvents=false&resourceVersionMatch=NotOlderThan
		WATCH {EV}?resourceVersion=0&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true
		WATCH {EV}?sendInitialEvents=false&resourceVersionMatch=NotOlderThan
		WATCH {EV}?resourceVersion={A}&continue=abc
	`)},
	{"watch/garbage", lines(`
		WATCH {EV}?resourceVersion=xyz
		WATCH {EV}?resourceVersion=-1
	`)},
	{"watch/bookmarks-uncached", lines(`
		WATCH {EV}?resourceVersion={A}&allowWatchBookmarks=true&timeoutSeconds=4
	`)},
	{"future/watch future/initial", lines(`
		WATCH {EV}?resourceVersion={F}
		WATCH {EV}?resourceVersion={F}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=8
	`)},
	{"watch/enter watch/leave watch/deleted", lines(`
		WATCH {EV}?resourceVersion={D}&fieldSelector=reason=Now
			| +MERGE {EV}/d {"reason":"Now"} => X=resourceVersion
			| +MERGE {EV}/d {"reason":"Later"} => Y=resourceVersion
			| +MERGE {EV}/b {"reason":"Now"} => Z=resourceVersion
			| +DELETE {EV}/b
	`)},
	{"write/create-on-update", lines(`
		PUT {EV}/z {"metadata":{"name":"z"},"involvedObject":{"namespace":"{NAMESPACE}"}}
		PUT {EV}/z2 {"metadata":{"name":"z2","resourceVersion":"5"},"involvedObject":{"namespace":"{NAMESPACE}"}}
		PUT {EV}/z3 {"metadata":{"name":"z3","uid":"11111111-2222-4333-8444-555555555555"},"involvedObject":{"namespace":"{NAMESPACE}"}}
		MERGE {EV}/zy {"involvedObject":{"namespace":"{NAMESPACE}"}}
		PUT {EV}/z {"metadata":{"name":"z"},"involvedObject":{"namespace":"{NAMESPACE}"},"reason":"X"}
	`)},
	{"delete/collection delete/preconditions", lines(`
		DELETE {EV}/c {"preconditions":{"resourceVersion":"1"}}
		DELETE {EV}?fieldSelector=involvedObject.name=y
		DELETE {EV}?labelSelector=none
		DELETE {EV}?limit=1&fieldSelector=metadata.name!=d
	`)},
}
