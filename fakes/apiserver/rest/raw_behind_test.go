package rest_test

// behindParts are about a cache that is behind its store.
var behindParts = []showing{
	{"future/lag", lines(`
		+POST {LE} {"metadata":{"name":"a"},"spec":{"holderIdentity":"1"}} => A=resourceVersion
		+GET {LE}?resourceVersion={A}
		HOLD
		+MERGE {LE}/a {"spec":{"holderIdentity":"2"}} => A2=resourceVersion
		+POST {LE} {"metadata":{"name":"b"},"spec":{}} => B=resourceVersion
		+POST {CM} {"metadata":{"name":"beside"}}
		GET {LE}?resourceVersion=0
		GET {LE}?resourceVersion={A}
		GET {LE}?resourceVersion={A}&resourceVersionMatch=NotOlderThan
		GET {LE}?resourceVersion={A}&resourceVersionMatch=Exact
		GET {LE}/a?resourceVersion=0
		GET {LE}/b?resourceVersion=0
		GET {LE}/a?resourceVersion={A}
		GET {LE}/b
		~GET {LE}
		~GET {LE}?labelSelector=none
		~GET {LE}?limit=1&fieldSelector=metadata.name=b
		~GET {LE}?resourceVersion={B}
		~GET {LE}?resourceVersion={B}&limit=1
		~GET {LE}?resourceVersion={B}&resourceVersionMatch=NotOlderThan
		~GET {LE}?resourceVersion={B}&resourceVersionMatch=Exact
		~GET {LE}/b?resourceVersion={B}
		WATCH {LE}
		WATCH {LE}?resourceVersion=0
		WATCH {LE}?resourceVersion=0&allowWatchBookmarks=true&fieldSelector=metadata.name=b
		WATCH {LE}?resourceVersion={A}
		WATCH {LE}?resourceVersion={B}
		WATCH {LE}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=5
		WATCH {LE}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion={A}&timeoutSeconds=5
		WATCH {LE}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion={B}&timeoutSeconds=5
		GET {LE}?limit=1 => T=continue
		GET {LE}?continue={T}
		RELEASE
		GET {LE}?labelSelector=!k
		GET {LE}?resourceVersion={B}
		GET {LE}/b?resourceVersion={B}
		HOLD 1500ms
		+MERGE {LE}/a {"spec":{"holderIdentity":"3"}} => A3=resourceVersion
		+MERGE {CM}/beside {"data":{"n":"1"}}
		~GET {LE}
		~GET {LE}?resourceVersion={A3}&resourceVersionMatch=Exact
		~GET {LE}?resourceVersion={A3}&resourceVersionMatch=Exact&limit=1
		~GET {LE}/a?resourceVersion={A3}
		WATCH {LE}?timeoutSeconds=3
		WATCH {LE}?timeoutSeconds=3&resourceVersion={B}
	`)},
}
