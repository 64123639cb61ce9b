package rest_test

// openParts are about what comes on a watch while it is open.
var openParts = []showing{
	{"watch/lines", lines(`
		+POST {CM} {"metadata":{"name":"b","labels":{"b":"1"}}} => B=resourceVersion
		+POST {CM} {"metadata":{"name":"d","labels":{"k":"v"}}} => D=resourceVersion
		+POST {LE} {"metadata":{"name":"s"},"spec":{}} => S=resourceVersion
		WATCH {CM}?fieldSelector=metadata.name=live&timeoutSeconds=2
			| +POST {CM} {"metadata":{"name":"live","annotations":{"a":"<&>\u2028"}},"binaryData":{"b":"AAE="}}
	`)},
	{"watch/lines watch/deleted write/no-op", lines(`
		WATCH {CM}?fieldSelector=metadata.name=x
			| +POST {CM} {"metadata":{"name":"x","labels":{"k":"v"}},"data":{"n":"1"}} => X1=resourceVersion
			| +PUT {CM}/x {"metadata":{"name":"x","labels":{"k":"v"}},"data":{"n":"2"}} => X2=resourceVersion
			| +PUT {CM}/x {"metadata":{"name":"x","labels":{"k":"v"}},"data":{"n":"2"}} => X3=resourceVersion
			| +MERGE {CM}/x {"data":{"n":"3"}} => X4=resourceVersion
			| +MERGE {CM}/x {} => X5=resourceVersion
			| +PUT {CM}/x?dryRun=All {"metadata":{"name":"x"}}
			| +DELETE {CM}/x?dryRun=All
			| +DELETE {CM}/x
	`)},
	{"watch/enter watch/leave watch/deleted", lines(`
		WATCH {CM}?labelSelector=l=1
			| +POST {CM} {"metadata":{"name":"y","labels":{"l":"0"}}} => Y0=resourceVersion
			| +MERGE {CM}/y {"metadata":{"labels":{"l":"1"}}} => Y1=resourceVersion
			| +MERGE {CM}/y {"data":{"n":"1"}} => Y2=resourceVersion
			| +MERGE {CM}/y {"metadata":{"labels":{"l":"2"}},"data":{"n":"2"}} => Y3=resourceVersion
			| +MERGE {CM}/y {"metadata":{"labels":{"l":"1"}}} => Y4=resourceVersion
			| +DELETE {CM}/y
		WATCH {CM}?resourceVersion={Y0}&labelSelector=l=1
		WATCH {CM}?resourceVersion={Y2}&labelSelector=l=1
		WATCH {CM}?resourceVersion={Y2}&labelSelector=l=2
		WATCH {CM}?resourceVersion={Y2}&labelSelector=!l
		WATCH {CM}?resourceVersion={Y2}&labelSelector=l&fieldSelector=metadata.name=y
		WATCH {CM}?resourceVersion={Y3}&fieldSelector=metadata.name=y
	`)},
	{"watch/deleted delete/finalizers delete/last-finalizer", lines(`
		WATCH {CM}?fieldSelector=metadata.name=fin
			| +POST {CM} {"metadata":{"name":"fin","finalizers":["example.com/f","example.com/g"]}} => F0=resourceVersion
			| +DELETE {CM}/fin => F1=resourceVersion
			| +DELETE {CM}/fin => F2=resourceVersion
			| +MERGE {CM}/fin {"metadata":{"finalizers":["example.com/f"]}} => F3=resourceVersion
			| +MERGE {CM}/fin {"metadata":{"finalizers":null}} => F4=resourceVersion
	`)},
	{"delete/collection watch/deleted", lines(`
		WATCH {CM}?labelSelector=z
			| +POST {CM} {"metadata":{"name":"z2","labels":{"z":"1"}}} => Z2=resourceVersion
			| +POST {CM} {"metadata":{"name":"z1","labels":{"z":"1"}}} => Z1=resourceVersion
			| +POST {CM} {"metadata":{"name":"z3","labels":{"z":"1"},"finalizers":["example.com/f"]}} => Z3=resourceVersion
			| +POST {SE} {"metadata":{"name":"beside"}}
			| +DELETE {CM}?labelSelector=z
		WATCH {CM}?resourceVersion={Z3}&labelSelector=z
		+MERGE {CM}/z3 {"metadata":{"finalizers":null}}
	`)},
	{"watch/initial watch/enter", lines(`
		WATCH {CM}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&labelSelector=k=w
			| +MERGE {CM}/b {"metadata":{"labels":{"k":"w"}}} => B3=resourceVersion
			| +MERGE {CM}/b {"metadata":{"labels":{"k":null}}} => B4=resourceVersion
	`)},
	{"watch/no-initial watch/bookmarks", lines(`
		WATCH {CM}?sendInitialEvents=false&resourceVersionMatch=NotOlderThan&fieldSelector=metadata.name=n
			| +POST {CM} {"metadata":{"name":"n"}} => N1=resourceVersion
			| +DELETE {CM}/n
	`)},
	{"watch/bookmarks watch/bookmark-body", lines(`
		WATCH {CM}?resourceVersion={D}&allowWatchBookmarks=true&timeoutSeconds=4&fieldSelector=metadata.name=nosuch
			| +POST {CM} {"metadata":{"name":"m1"}}
		WATCH {LE}?resourceVersion={S}&allowWatchBookmarks=true&timeoutSeconds=4 @partial
			| +POST {LE} {"metadata":{"name":"m2"},"spec":{}} => M=resourceVersion
		WATCH {LE}?resourceVersion={S}&allowWatchBookmarks=true&timeoutSeconds=4&labelSelector=none @stream
			| +POST {LE} {"metadata":{"name":"m3"},"spec":{}}
		WATCH {CM}?resourceVersion={D}&timeoutSeconds=4&fieldSelector=metadata.name=nosuch
			| +POST {CM} {"metadata":{"name":"m4"}}
	`)},
	{"watch/leave watch/lines", lines(`
		WATCH {WI}
			| +POST {WI} {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"w","labels":{"k":"v"}},"spec":{"n":1}} => W1=resourceVersion
			| +MERGE {WI}/w {"spec":{"n":2}} => W2=resourceVersion
			| +MERGE {WI}/w {"metadata":{"labels":{"k":"w"}}} => W3=resourceVersion
			| +DELETE {WI}/w
		WATCH {WI}?resourceVersion={W1}&labelSelector=k=v
		WATCH {WI}?resourceVersion={W1}&labelSelector=k=w
		WATCH {WI}?resourceVersion={W2} @partial
		WATCH {WI}?resourceVersion={W1}&fieldSelector=metadata.name=w
	`)},
	{"write/create-on-update watch/lines", lines(`
		WATCH {LE}
			| +PUT {LE}/l {"metadata":{"name":"l"},"spec":{"holderIdentity":"a"}} => L1=resourceVersion
			| +PUT {LE}/l {"metadata":{"name":"l","resourceVersion":"{L1}"},"spec":{"holderIdentity":"b"}} => L2=resourceVersion
			| +DELETE {LE}/l
	`)},
	{"partial/object watch/lines", lines(`
		WATCH {CM}?resourceVersion={Y0}&labelSelector=l=1 @partial
		WATCH {CM}?fieldSelector=metadata.name=d&allowWatchBookmarks=true @partial
		WATCH {CM}?fieldSelector=metadata.name=d @list
		WATCH {CM}?fieldSelector=metadata.name=d&allowWatchBookmarks=true @stream
		WATCH {LE}?allowWatchBookmarks=true @stream
	`)},
	{"table/watch table/bookmark", lines(`
		WATCH {WI}?allowWatchBookmarks=true @table
		WATCH {WI}?resourceVersion={W1-1} @table
		WATCH {WI}?resourceVersion={W1-1}&includeObject=None @table
		WATCH {WI}?resourceVersion={W2}&includeObject=Object @table
		WATCH {WI}?resourceVersion={W2}&labelSelector=k=v @table
		WATCH {WI}?allowWatchBookmarks=true&includeObject=None @table
	`)},
	{"watch/together", lines(`
		+POST {CM} {"metadata":{"name":"t1","labels":{"t":"1"}}}
		+POST {CM} {"metadata":{"name":"t2","labels":{"t":"1"}}}
		+POST {CM} {"metadata":{"name":"t3","labels":{"t":"1"}}} => T3=resourceVersion
		WATCH {CM}?resourceVersion={T3}&labelSelector=t
			| TOGETHER configmaps/{NAMESPACE}/t1 configmaps/{NAMESPACE}/t3
			| +POST {CM} {"metadata":{"name":"t4"}} => T4=resourceVersion
		WATCH {CM}?resourceVersion={T4-1}&labelSelector=t
		WATCH {CM}?resourceVersion={T4-2}&labelSelector=t
	`)},
}
