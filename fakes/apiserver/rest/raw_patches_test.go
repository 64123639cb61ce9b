package rest_test

// patchParts are about the three kinds of patches.
var patchParts = []showing{
	{"patch/object patch/array patch/null patch/cut", lines(`
		+POST {CM} {"metadata":{"name":"a","labels":{"k":"v"},"finalizers":["x.io/f"]},"data":{"a":"1","b":"2"}} => A=resourceVersion
		JSON {CM}/a
		JSON {CM}/a {
		JSON {CM}/a {}
		JSON {CM}/a []
		JSON {CM}/a null
		JSON {CM}/a "x"
		JSON {CM}/a [null]
		JSON {CM}/a [5]
		JSON {CM}/a [{}]
		MERGE {CM}/a
		MERGE {CM}/a {
		MERGE {CM}/a {}
		MERGE {CM}/a []
		MERGE {CM}/a null
		MERGE {CM}/a "x"
		MERGE {CM}/a 5
		STRATEGIC {CM}/a
		STRATEGIC {CM}/a {
		STRATEGIC {CM}/a {}
		STRATEGIC {CM}/a []
		STRATEGIC {CM}/a null
		STRATEGIC {CM}/a "x"
		MERGE {WI}/nosuch {
		JSON {WI}/nosuch {}
	`)},
	{"patch/unfit", lines(`
		JSON {CM}/a [{"op":"test","path":"/data/b","value":"3"}]
		JSON {CM}/a [{"op":"remove","path":"/data/nosuch"}]
		JSON {CM}/a [{"op":"replace","path":"/data/nosuch","value":"1"}]
		JSON {CM}/a [{"op":"add","path":"/nosuch/x","value":"1"}]
		JSON {CM}/a [{"op":"frob","path":"/data/b"}]
		JSON {CM}/a [{"op":5,"path":"/data/b"}]
		JSON {CM}/a [{"op":"copy","from":"/data/nosuch","path":"/data/c"}]
		JSON {CM}/a [{"op":"move","from":"/data/nosuch","path":"/data/c"}]
		JSON {CM}/a [{"op":"add","path":"data/c","value":"1"}]
		JSON {CM}/a [{"op":"add","path":"/data/c"}]
		JSON {CM}/a [{"op":"add","path":"/metadata/finalizers/9","value":"x.io/g"}]
	`)},
	{"write/no-op", lines(`
		JSON {CM}/a [{"op":"replace","path":"/data/b","value":"2"}]
		JSON {CM}/a [{"op":"test","path":"/data/b","value":"2"}]
		MERGE {CM}/a {"data":{"b":"2"}}
		STRATEGIC {CM}/a {"data":{"b":"2"}}
		MERGE {CM}/a {"metadata":{"resourceVersion":"{A}"}}
	`)},
	{"status/shape", lines(`
		JSON {CM}/a [{"op":"add","path":"/data/c","value":"3"},{"op":"remove","path":"/data/a"}] => A1=resourceVersion
		JSON {CM}/a [{"op":"move","from":"/data/c","path":"/data/d"},{"op":"copy","from":"/data/d","path":"/data/e"}] => A2=resourceVersion
		JSON {CM}/a [{"op":"add","path":"/metadata/annotations","value":{"x.io~1y":"z"}},{"op":"add","path":"/metadata/annotations/x.io~1a","value":"b"}] => A3=resourceVersion
		JSON {CM}/a [{"op":"add","path":"/metadata/finalizers/-","value":"x.io/g"},{"op":"add","path":"/metadata/finalizers/0","value":"x.io/e"}] => A4=resourceVersion
		MERGE {CM}/a {"data":{"d":null,"f":"6"},"metadata":{"annotations":null}} => A5=resourceVersion
		MERGE {CM}/a {"metadata":{"finalizers":["x.io/f"]}} => A6=resourceVersion
		STRATEGIC {CM}/a {"data":{"b":null,"g":"7"}} => A7=resourceVersion
		STRATEGIC {CM}/a {"metadata":{"finalizers":["x.io/g"]}} => A8=resourceVersion
		STRATEGIC {CM}/a {"metadata":{"$deleteFromPrimitiveList/finalizers":["x.io/f"]}} => A9=resourceVersion
		STRATEGIC {CM}/a {"metadata":{"finalizers":["x.io/h","x.io/g"],"$setElementOrder/finalizers":["x.io/h","x.io/g"]}} => A10=resourceVersion
		STRATEGIC {CM}/a {"data":{"$patch":"replace","z":"5"}} => A11=resourceVersion
		STRATEGIC {CM}/a {"metadata":{"labels":{"$patch":"delete"}}} => A12=resourceVersion
		STRATEGIC {CM}/a {"data":{"$retainKeys":["z"],"z":"6"}}
		STRATEGIC {CM}/a {"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"o1","uid":"u1"}]}} => A13=resourceVersion
		STRATEGIC {CM}/a {"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"o2","uid":"u2"},{"uid":"u1","name":"o3"}]}} => A14=resourceVersion
		STRATEGIC {CM}/a {"metadata":{"ownerReferences":[{"$patch":"delete","uid":"u1"}]}} => A15=resourceVersion
		STRATEGIC {CM}/a {"metadata":{"ownerReferences":[{"name":"nokey"}]}}
		MERGE {CM}/a {"metadata":{"labels":{"k":"v","l":"w"}}} => A16=resourceVersion
	`)},
	{"patch/directive status/bare", lines(`
		STRATEGIC {CM}/a {"data":{"$patch":"frob"}}
		STRATEGIC {CM}/a {"$patch":"frob"}
		STRATEGIC {CM}/a {"metadata":{"$deleteFromPrimitiveList/finalizers":"x"}}
		STRATEGIC {CM}/a {"metadata":{"$setElementOrder/finalizers":["q"]}}
	`)},
	{"patch/name", lines(`
		MERGE {CM}/a {"metadata":{"name":"other"}}
		STRATEGIC {CM}/a {"metadata":{"name":"other"}}
		JSON {CM}/a [{"op":"replace","path":"/metadata/name","value":"other"}]
		MERGE {CM}/a {"metadata":{"namespace":"other"}}
		MERGE {CM}/a {"metadata":{"name":null}}
		JSON {CM}/a [{"op":"remove","path":"/metadata"}]
		MERGE {CM}/a {"metadata":null}
		MERGE {CM}/a {"kind":"Nosuch"}
		MERGE {CM}/a {"apiVersion":"v2"}
	`)},
	{"write/patch-stale", lines(`
		MERGE {CM}/a {"metadata":{"resourceVersion":"{A}"},"data":{"z":"7"}}
		STRATEGIC {CM}/a {"metadata":{"resourceVersion":"{A}"},"data":{"z":"7"}}
		JSON {CM}/a [{"op":"replace","path":"/metadata/resourceVersion","value":"{A}"},{"op":"add","path":"/data/z","value":"7"}]
		MERGE {CM}/a {"metadata":{"resourceVersion":"zzz"},"data":{"z":"7"}}
		MERGE {CM}/a {"metadata":{"resourceVersion":"{F}"},"data":{"z":"7"}}
		MERGE {CM}/a {"metadata":{"resourceVersion":null},"data":{"z":"8"}} => A17=resourceVersion
		JSON {CM}/a [{"op":"test","path":"/metadata/resourceVersion","value":"{A}"}]
	`)},
	{"write/patch-uid", lines(`
		MERGE {CM}/a {"metadata":{"uid":"abc"}}
		STRATEGIC {CM}/a {"metadata":{"uid":"abc"}}
		JSON {CM}/a [{"op":"replace","path":"/metadata/uid","value":"abc"}]
		MERGE {CM}/a {"metadata":{"uid":null,"creationTimestamp":null,"generation":9}}
		MERGE {CM}/a {"metadata":{"deletionTimestamp":"2020-01-01T00:00:00Z"}}
		MERGE {CM}/a {"metadata":{"generateName":"x-"}}
	`)},
	{"patch/type", lines(`
		MERGE {CM}/a {"data":{"k":5}}
		STRATEGIC {CM}/a {"data":{"k":5}}
		JSON {CM}/a [{"op":"add","path":"/data/k","value":5}]
		MERGE {CM}/a {"data":5}
		STRATEGIC {CM}/a {"data":5}
		STRATEGIC {CM}/a {"metadata":{"labels":5}}
		STRATEGIC {CM}/a {"metadata":5}
		JSON {CM}/a [{"op":"replace","path":"","value":[]}]
	`)},
	{"status/causes", lines(`
		MERGE {CM}/a {"metadata":{"labels":{"bad key":"x"}}}
		STRATEGIC {CM}/a {"metadata":{"finalizers":["nodomain"]}}
	`)},
	{"status/causes", lines(`
		MERGE {CM}/a {"data":{"bad key":"x"}}
		MERGE {CM}/a {"data":{"z":"8"},"binaryData":{"z":"AAE=","/":"AAE="}}
		STRATEGIC {CM}/a {"data":{"..":"x",".ok":"y"}}
	`)},
	{"patch/force", lines(`
		+POST {WI} {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"a","labels":{"k":"v"}},"spec":{"n":1,"l":[1,2]}} => W=resourceVersion
	`)},
	{"patch/force", lines(`
		MERGE {CM}/a?force=true {}
		JSON {CM}/a?force=false []
		STRATEGIC {CM}/a?force=1 {}
	`)},
	{"list/body-custom", lines(`
		+MERGE {WI}/a {"spec":{"n":2}} => W2=resourceVersion
		MERGE {WI}/a {"spec":{"n":2}}
		MERGE {WI}/a {"status":{"n":9007199254740993}}
		MERGE {WI}/a {"spec":{"f":1.5,"big":1e3}}
		MERGE {WI}/a {"metadata":{"labels":{"k":"w"}}}
		MERGE {WI}/a {"kind":"Gadget"}
		MERGE {WI}/a {"apiVersion":"other.example.com/v1"}
		MERGE {WI}/a {"metadata":{"uid":"abc"}}
		MERGE {WI}/a {"metadata":{"name":"b"}}
		MERGE {WI}/a {"metadata":{"resourceVersion":"{W}"},"spec":{"n":3}}
		JSON {WI}/a [{"op":"add","path":"/spec/l/-","value":3}]
		JSON {WI}/a [{"op":"remove","path":"/spec/l/9"}]
		MERGE {WI}/a {"metadata":{"labels":5}}
		MERGE {WI}/a null
		JSON {WI}/a null
	`)},
}
