package rest_test

// listParts are about lists of a cached kind: versions, matches, limits, tokens, selectors.
var listParts = []showing{
	{"list/exact", lines(`
		+POST {CM} {"metadata":{"name":"a","labels":{"k":"v"}},"data":{"n":"1"}} => A=resourceVersion
		+POST {CM} {"metadata":{"name":"c","labels":{"k":"w"}},"data":{"n":"1"}} => C=resourceVersion
		+POST {CM} {"metadata":{"name":"b"},"data":{"n":"1"}} => B=resourceVersion
		+PUT {CM}/b {"metadata":{"name":"b"},"data":{"n":"2"}} => B2=resourceVersion
		+DELETE {CM}/a
		+POST {CM} {"metadata":{"name":"d","labels":{"k":"v"}}} => D=resourceVersion
		+POST {LE} {"metadata":{"name":"s"},"spec":{"holderIdentity":"x"}}
		GET {CM}?resourceVersion={A}&resourceVersionMatch=Exact
		GET {CM}?resourceVersion={A-1}&resourceVersionMatch=Exact&fieldSelector=metadata.name=a
		GET {CM}?resourceVersion={B}&resourceVersionMatch=Exact
		GET {CM}?resourceVersion={B2}&resourceVersionMatch=Exact
		GET {CM}?resourceVersion={B2}&resourceVersionMatch=Exact&limit=1
		GET {CM}?resourceVersion={B2}&resourceVersionMatch=Exact&limit=2
		GET {CM}?resourceVersion={B2}&resourceVersionMatch=Exact&limit=3
		GET {CM}?resourceVersion={B2}&resourceVersionMatch=Exact&labelSelector=k
		GET {CM}?resourceVersion={B2}&resourceVersionMatch=Exact&labelSelector=k&limit=1
		GET {CM}?resourceVersion={B2}&resourceVersionMatch=Exact&fieldSelector=metadata.name=b
		GET {CM}?resourceVersion={B2}&resourceVersionMatch=Exact&fieldSelector=metadata.name=a
		GET {CM}?resourceVersion={D}&resourceVersionMatch=Exact&fieldSelector=metadata.name=a
		GET /api/v1/configmaps?resourceVersion={C}&resourceVersionMatch=Exact&labelSelector=k&fieldSelector=metadata.namespace={NAMESPACE}
		GET {LE}?resourceVersion={D}&resourceVersionMatch=Exact
	`)},
	{"list/unset page/order list/global-version", lines(`
		GET {CM}
		GET {CM}?resourceVersion=
		GET {CM}?limit=0
		GET {CM}?limit=1
		GET {CM}?limit=2
		GET {CM}?timeoutSeconds=5
		GET {CM}?timeout=10s
		GET {LE}
		GET /api/v1/namespaces/nosuch/secrets
	`)},
	{"list/zero", lines(`
		GET {CM}?resourceVersion=0
		GET {CM}?resourceVersion=00
		GET {CM}?resourceVersion=0&limit=1
		GET {CM}?resourceVersion=0&resourceVersionMatch=NotOlderThan
		GET {CM}?resourceVersion=0&resourceVersionMatch=NotOlderThan&limit=1
		GET {CM}?resourceVersion=0&labelSelector=k=v
		GET {CM}?resourceVersion=0&labelSelector=k&limit=1
		GET {CM}?resourceVersion=0&fieldSelector=metadata.name=c
		GET {LE}?resourceVersion=0&limit=1
	`)},
	{"list/at-least list/old-served", lines(`
		GET {CM}?resourceVersion={A}
		GET {CM}?resourceVersion={B2}
		GET {CM}?resourceVersion={D}
		GET {CM}?resourceVersion=1
		GET {CM}?resourceVersion={A}&labelSelector=k
		GET {CM}?resourceVersion={A}&fieldSelector=metadata.name=a
	`)},
	{"list/limit-exact", lines(`
		GET {CM}?resourceVersion={A}&limit=1
		GET {CM}?resourceVersion={B}&limit=1
		GET {CM}?resourceVersion={B}&limit=2 => T=continue
		GET {CM}?continue={T}
		GET {CM}?continue={T}&limit=1
		GET {CM}?resourceVersion={B}&limit=3
		GET {CM}?resourceVersion={B}&limit=1&labelSelector=k
		GET {CM}?resourceVersion={B}&limit=1&fieldSelector=metadata.name=a
		GET {CM}?resourceVersion={B}&limit=1&fieldSelector=metadata.name!=a
	`)},
	{"list/not-older-than", lines(`
		GET {CM}?resourceVersion={A}&resourceVersionMatch=NotOlderThan
		GET {CM}?resourceVersion={A}&resourceVersionMatch=NotOlderThan&limit=1
		GET {CM}?resourceVersion={A}&resourceVersionMatch=NotOlderThan&limit=2
		GET {CM}?resourceVersion={A}&resourceVersionMatch=NotOlderThan&limit=9
		GET {CM}?resourceVersion={A}&resourceVersionMatch=NotOlderThan&labelSelector=k=v
		GET {CM}?resourceVersion=1&resourceVersionMatch=NotOlderThan&labelSelector=k=w
	`)},
	{"list/garbage", lines(`
		GET {CM}?resourceVersion=xyz
		GET {CM}?resourceVersion=-1
		GET {CM}?resourceVersion=0x10
		GET {CM}?resourceVersion=1.5
		GET {CM}?resourceVersion=99999999999999999999999
		GET {CM}?resourceVersion=xyz&resourceVersionMatch=Exact
		GET {CM}?resourceVersion=xyz&resourceVersionMatch=NotOlderThan
		GET {CM}?resourceVersion=xyz&limit=5
		GET {CM}?resourceVersion=-1&resourceVersionMatch=NotOlderThan&limit=5
		GET {LE}?resourceVersion=xyz
		GET {WI}?resourceVersion=xyz
	`)},
	{"list/future future/list", lines(`
		GET {CM}?resourceVersion={F}&limit=1
		GET {CM}?resourceVersion={F}&resourceVersionMatch=Exact
		GET {CM}?resourceVersion={F}&resourceVersionMatch=Exact&limit=1
		GET {CM}?resourceVersion={F}&resourceVersionMatch=NotOlderThan
		GET {CM}?resourceVersion={F}&resourceVersionMatch=NotOlderThan&limit=1
		GET {CM}?resourceVersion={F}&labelSelector=k
		GET {CM}?resourceVersion={F}&fieldSelector=metadata.name=b
		GET /api/v1/configmaps?resourceVersion={F}
		GET {LE}?resourceVersion={F}&limit=1
		GET {WI}?resourceVersion={F}
		GET {CM}?resourceVersion={F} @partial
		GET {CM}?resourceVersion={F} @yaml
		GET {CM}?resourceVersion={F}&timeout=1s
	`)},
	{"future/get get/version", lines(`
		GET {LE}/nosuch?resourceVersion={F}
		GET {CM}/nosuch?resourceVersion={F}
		GET {CM}/b?resourceVersion={F} @table
		GET {WI}/nosuch?resourceVersion={F}
	`)},
	{"get/version", lines(`
		GET {CM}/b
		GET {CM}/b?resourceVersion=0
		GET {CM}/b?resourceVersion={A}
		GET {CM}/a?resourceVersion={A}
		GET {CM}/b?resourceVersion={D}
		GET {CM}/b?resourceVersion=1
	`)},
	{"get/match", lines(`
		GET {CM}/b?resourceVersion={B}&resourceVersionMatch=Exact
		GET {CM}/b?resourceVersionMatch=Foo
		GET {CM}/b?limit=1&continue=abc
		GET {CM}/b?labelSelector=nosuch
		GET {CM}/b?sendInitialEvents=true
	`)},
	{"get/garbage", lines(`
		GET {CM}/b?resourceVersion=-1
		GET {CM}/b?resourceVersion=1x
		GET {LE}/nosuch?resourceVersion=xyz
		GET {WI}/nosuch?resourceVersion=xyz
	`)},

	{"page/remaining continue/rest token/shape", lines(`
		+GET {CM}?limit=1 => T=continue
		GET {CM}?continue={T}
		GET {CM}?continue={T}&limit=0
		GET {CM}?continue={T}&limit=2
		GET {CM}?continue={T}&limit=1 => T2=continue
		GET {CM}?continue={T2}&limit=1
		GET /api/v1/configmaps?limit=1&fieldSelector=metadata.namespace={NAMESPACE} => T3=continue
		GET /api/v1/configmaps?limit=1&fieldSelector=metadata.namespace={NAMESPACE}&continue={T3}
	`)},
	{"page/full page/negative", lines(`
		GET {CM}?limit=3
		GET {CM}?limit=4
		GET {CM}?limit=-1
		GET {CM}?limit=9223372036854775807
	`)},
	{"list/limit-garbage", lines(`
		GET {CM}?limit=9223372036854775808
		GET {CM}?limit=1.5
		GET {CM}?limit=
	`)},
	{"page/empty-last page/remaining", lines(`
		GET {CM}?labelSelector=k=w&limit=1 => T=continue
		GET {CM}?labelSelector=k=w&limit=1&continue={T}
		GET {CM}?fieldSelector=metadata.name!=d&limit=2 => T=continue
		GET {CM}?fieldSelector=metadata.name!=d&limit=2&continue={T}
		GET {CM}?fieldSelector=metadata.name=c&limit=1
		GET {CM}?fieldSelector=metadata.name=d&limit=1
		GET {CM}?fieldSelector=metadata.name=nosuch&limit=1
		GET {CM}?fieldSelector=metadata.namespace={NAMESPACE}&limit=2
		GET {CM}?fieldSelector=metadata.namespace=other&limit=2
		GET {CM}?labelSelector=none&limit=1
	`)},
	{"continue/zero", lines(`
		+GET {CM}?limit=1 => T=continue
		GET {CM}?continue={T}&resourceVersion=0
		GET {CM}?continue={T}&resourceVersion=0&limit=1
	`)},
	{"continue/version", lines(`
		GET {CM}?continue={T}&resourceVersion={B2}
		GET {CM}?continue={T}&resourceVersion=5&limit=1
		GET {CM}?continue={T}&resourceVersion=xyz
		GET {CM}?continue={T}&resourceVersion=00
		GET {CM}?continue={T}&resourceVersion={F}
		GET {CM}?continue=abc&resourceVersion=5
	`)},
	{"continue/garbage", lines(`
		GET {CM}?continue=abc
		GET {CM}?continue=a!c
		GET {CM}?continue=%20
		GET {CM}?continue=abc&resourceVersion=0
		GET {CM}?continue=«»
		GET {CM}?continue=«null»
		GET {CM}?continue=«[]»
		GET {CM}?continue=«{"v":1}»
		GET {CM}?continue=«{»
		GET {CM}?continue=«{}»
		GET {WI}?continue=abc
	`)},
	{"continue/elsewhere", lines(`
		GET {CM}?continue={T}&labelSelector=k
		GET {CM}?continue={T}&fieldSelector=metadata.name=d
		GET /apis/coordination.k8s.io/v1/leases?continue={T}&fieldSelector=metadata.namespace={NAMESPACE}
		GET /api/v1/namespaces/nosuch/configmaps?continue={T}
		GET {LE}?continue={T}&limit=1
		GET {CM}?continue=«{"v":"meta.k8s.io/v1","rv":{D},"start":"/bb"}»
		GET {CM}?continue=«{"v":"meta.k8s.io/v1","rv":{D},"start":"/zzz"}»
		GET {CM}?continue=«{"v":"meta.k8s.io/v1","rv":{B},"start":"/a"}»
		GET {CM}?continue=«{"v":"meta.k8s.io/v1","rv":{D},"start":"b\u0000"}»
		GET {CM}?continue=«{"v":"meta.k8s.io/v1","rv":{D},"start":"/b\u0000","spam":1}»
	`)},
	{"token/zero", lines(`
		GET {CM}?continue=«{"v":"meta.k8s.io/v1","rv":0,"start":"/a"}»
		GET {CM}?continue=«{"v":"meta.k8s.io/v1","start":"/a"}»
	`)},
	{"token/no-start", lines(`
		GET {CM}?continue=«{"v":"meta.k8s.io/v1","rv":{D},"start":""}»
		GET {CM}?continue=«{"v":"meta.k8s.io/v1","rv":{D}}»
	`)},
	{"token/version", lines(`
		GET {CM}?continue=«{"v":"v2","rv":5,"start":"/a"}»
		GET {CM}?continue=«{"rv":5,"start":"/a"}»
		GET {CM}?continue=«{"v":"meta.k8s.io/v1beta1","rv":{D},"start":"/a"}»
	`)},
	{"token/path", lines(`
		GET {CM}?continue=«{"v":"meta.k8s.io/v1","rv":5,"start":"/../../secrets"}»
		GET {CM}?continue=«{"v":"meta.k8s.io/v1","rv":5,"start":"../a"}»
		GET {CM}?continue=«{"v":"meta.k8s.io/v1","rv":{D},"start":"/a/../b"}»
	`)},
	{"token/negative", lines(`
		GET {CM}?continue=«{"v":"meta.k8s.io/v1","rv":-1,"start":"/c"}»
		GET {CM}?continue=«{"v":"meta.k8s.io/v1","rv":-1,"start":"/c"}»&limit=1
		GET {CM}?continue=«{"v":"meta.k8s.io/v1","rv":-5,"start":"/c"}»
		GET {CM}?continue=«{"v":"meta.k8s.io/v1","rv":-1,"start":""}»
	`)},
	{"token/future", lines(`
		GET {CM}?continue=«{"v":"meta.k8s.io/v1","rv":{F},"start":"/c"}»
		GET {LE}?continue=«{"v":"meta.k8s.io/v1","rv":{F},"start":"/c"}»
		GET {WI}?continue=«{"v":"meta.k8s.io/v1","rv":{F},"start":"c"}»
	`)},

	{"options/match-alone", lines(`
		GET {CM}?resourceVersionMatch=NotOlderThan
		GET {CM}?resourceVersionMatch=Exact&limit=1
		GET {LE}?resourceVersionMatch=Exact
		GET {CM}?resourceVersionMatch=
	`)},
	{"options/match-continue", lines(`
		GET {CM}?continue={T}&resourceVersionMatch=Exact&resourceVersion=5
		GET {CM}?continue=abc&resourceVersionMatch=NotOlderThan&resourceVersion={D}
	`)},
	{"options/match-unknown status/causes", lines(`
		GET {CM}?resourceVersionMatch=Foo
		GET {CM}?resourceVersion=1&resourceVersionMatch=Foo
		GET {CM}?resourceVersion=1&resourceVersionMatch=exact
	`)},
	{"options/exact-zero", lines(`
		GET {CM}?resourceVersion=0&resourceVersionMatch=Exact
		GET {CM}?resourceVersion=0&resourceVersionMatch=Exact&limit=1
		GET {CM}?resourceVersion=00&resourceVersionMatch=Exact
	`)},
	{"options/list-initial", lines(`
		GET {CM}?sendInitialEvents=false
		GET {CM}?sendInitialEvents=true&resourceVersion={D}&resourceVersionMatch=NotOlderThan
		GET {CM}?sendInitialEvents=
	`)},
	{"options/order status/causes", lines(`
		GET {CM}?resourceVersionMatch=Exact&continue=abc&sendInitialEvents=true
		GET {CM}?resourceVersionMatch=Foo&continue=abc&sendInitialEvents=false&resourceVersion=xyz
		GET {CM}?resourceVersion=0&resourceVersionMatch=Exact&continue=abc&sendInitialEvents=false
		GET {CM}?sendInitialEvents=true&resourceVersion=xyz&resourceVersionMatch=NotOlderThan
		GET {CM}?resourceVersionMatch=Exact&continue=abc&labelSelector=a==b==c
		GET {CM}?resourceVersionMatch=Exact&fieldSelector=spec.foo=1
	`)},

	{"list/selector-garbage", lines(`
		GET {CM}?labelSelector=!%20=b
		GET {CM}?labelSelector=a%20in%20(
		GET {CM}?labelSelector=a%20in%20()
		GET {CM}?labelSelector==
		GET {CM}?labelSelector=a=b,,c
		GET {CM}?labelSelector=-a=b
		GET {CM}?labelSelector=a=-b
		GET {CM}?fieldSelector=metadata.name
		GET {CM}?fieldSelector==
		GET {CM}?fieldSelector=metadata.name\x=a
		WATCH {CM}?labelSelector=!%20=b
		WATCH {CM}?fieldSelector=a
		DELETE {CM}?fieldSelector=a
	`)},
	{"list/field-unknown", lines(`
		GET {SE}?fieldSelector=spec.foo=1
		GET {PO}?fieldSelector=spec.foo=1
		GET {LE}?fieldSelector=spec.foo=1
		GET {EV}?fieldSelector=spec.foo=1
		GET {WI}?fieldSelector=spec.foo=1
		GET {NS}?fieldSelector=spec.foo=1
		GET {NS}?fieldSelector=metadata.namespace=1
		GET {CM}?fieldSelector=metadata.labels=1
		WATCH {CM}?fieldSelector=spec.foo=1
		DELETE {CM}?fieldSelector=spec.foo=1
	`)},
	{"list/unset", lines(`
		GET {CM}?labelSelector=k=v
		GET {CM}?labelSelector=k==v
		GET {CM}?labelSelector=k!=v
		GET {CM}?labelSelector=!k
		GET {CM}?labelSelector=k%20in%20(v,w)
		GET {CM}?labelSelector=k%20notin%20(v)
		GET {CM}?labelSelector=k,k=w
		GET {CM}?labelSelector=n>1
		GET {CM}?fieldSelector=metadata.name=b,metadata.namespace={NAMESPACE}
		GET {CM}?fieldSelector=metadata.name==b
		GET {CM}?fieldSelector=metadata.name=b,metadata.name=c
		GET {CM}?fieldSelector=metadata.name=
		GET {CM}?fieldSelector=metadata.name=a/b
		GET {CM}?labelSelector=k=v&fieldSelector=metadata.name=d
		GET {CM}?labelSelector=k=v&labelSelector=k=w
	`)},
	{"list/parameters shard/off", lines(`
		GET {CM}?spam&limit=2
		GET {CM}?includeUninitialized=true&limit=2
		GET {CM}?shardSelector=shardRange(object.metadata.uid,'0x0000000000000000','0x0000000000000001')
		GET {CM}?shardSelector=bad&limit=2
		GET {CM}?allowWatchBookmarks=true&limit=2
		GET {CM}?allowWatchBookmarks=maybe&limit=2
	`)},
	{"list/timeout", lines(`
		GET {CM}?timeout=x
		GET {CM}?timeout=5&limit=1
		GET {CM}?timeout=-1s&limit=2
		GET {CM}?timeout=0s&limit=3
		GET {CM}?timeout=&limit=1
		POST {CM}?timeout=1x {"metadata":{"name":"never"}}
	`)},
	{"list/body-custom continue/rest token/shape list/exact list/limit-exact", lines(`
		+POST {WI} {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"n":1}} => W=resourceVersion
		+POST {WI} {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"b"},"zzz":{"b":1,"a":2}} => W2=resourceVersion
		+POST {WI} {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"c","labels":{"k":"v"}}} => W3=resourceVersion
		+POST {LE} {"metadata":{"name":"later"},"spec":{}}
		GET {WI}
		GET {WI}?limit=1 => T=continue
		GET {WI}?limit=1&continue={T}
		GET {WI}?resourceVersion={W}&resourceVersionMatch=Exact
		GET {WI}?resourceVersion={W2}&limit=1
		GET {WI}?resourceVersion={W}
		GET {WI}?resourceVersion=0&limit=1
		GET {WI}?labelSelector=none
		GET {WI}?labelSelector=k&limit=1
		GET {WI}?fieldSelector=metadata.name=b
		GET /apis/probe.example.com/v1/widgets?fieldSelector=metadata.namespace={NAMESPACE}&limit=1
	`)},
}
