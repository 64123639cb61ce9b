package rest_test

import "strings"

const (
	authorization  = "/apis/authorization.k8s.io/v1"
	authentication = "/apis/authentication.k8s.io/v1"
	getPods        = `"resourceAttributes":{"namespace":"{NAMESPACE}","verb":"get","resource":"pods"}`
	getRoot        = `"nonResourceAttributes":{"path":"/","verb":"get"}`
	ephemerals     = `{"spec":{"ephemeralContainers":[`
)

// copying is a JSON patch that copies often.
func copying(from string, n int) string {
	one := `{"op":"copy","from":"` + from + `","path":"/data/b"},`
	return "[" + strings.TrimSuffix(strings.Repeat(one, n), ",") + "]"
}

func jsonPatch(path, body string) ask {
	return ask{method: "PATCH", path: path, headers: brief["JSON"], body: body}
}

func strategically(path, body string) ask {
	return ask{method: "PATCH", path: path, headers: strategic, body: body}
}

// twin is an event of events.k8s.io, with some of its fields said otherwise.
func twin(name, fields string) string {
	return `{"metadata":{"name":"` + name + `"},"regarding":{"namespace":"{NAMESPACE}","kind":"Pod","name":"p"},"reason":"R","note":"n","type":"Normal",` +
		`"eventTime":"2026-01-01T00:00:00.000000Z","action":"A","reportingController":"example.com/c","reportingInstance":"i"` + fields + `}`
}

const twins = "/apis/events.k8s.io/v1/namespaces/{NAMESPACE}/events"

// twinWrites are about events of events.k8s.io, and the same ones of core/v1.
var twinWrites = []ask{
	post(twins, twin("e", "")),
	post(twins, twin("e", "")),
	look(twins + "/e"), look("{EV}/e"), look(twins), look(twins + "/nosuch"),
	{method: "GET", path: twins + "/e", headers: inProto}, {method: "GET", path: twins, headers: asList},
	look(twins + "?fieldSelector=regarding.name=p"), look(twins + "?fieldSelector=regarding.name=q"), look(twins + "?fieldSelector=involvedObject.name=p"),
	look(twins + "?fieldSelector=reportingController=example.com/c,type=Normal,reason=R"),
	look(twins + "?watch=1&timeoutSeconds=1"), look(twins + "?watch=1&timeoutSeconds=1&fieldSelector=regarding.kind=Node&allowWatchBookmarks=true"),
	strategically(twins+"/e", `{"series":{"count":2,"lastObservedTime":"2026-01-01T00:00:01.000000Z"}}`),
	merge(twins+"/e", `{"note":"m"}`), jsonPatch(twins+"/e", `[{"op":"replace","path":"/note","value":"k"}]`), merge(twins+"/e", `{"reason":"S"}`),
	merge(twins+"/e", `{"type":"Warning","action":"B","reportingInstance":"j","deprecatedCount":2}`),
	merge(twins+"/e", `{"metadata":{"labels":{"a":"b"}}}`), merge(twins+"/nosuch", `{"note":"m"}`),
	put(twins+"/e", twin("e", "")), put(twins+"/e", twin("e", `,"related":{"name":"x"}`)), put(twins+"/new", twin("new", "")),
	post("{EV}", `{"metadata":{"name":"core"},"involvedObject":{"namespace":"{NAMESPACE}","name":"x"},"message":"hi","count":3,"source":{"component":"kubelet"},"firstTimestamp":"2026-01-01T00:00:00Z"}`),
	look(twins + "/core"),
	remove(twins+"/core", ""), remove(twins+"/nosuch", ""), remove(twins+"?fieldSelector=metadata.name=new", ""), remove(twins+"?fieldSelector=involvedObject.name=p", ""),
	look("/apis/events.k8s.io"), look("/apis/events.k8s.io/v1"), post(twins, `{"kind":"Event","apiVersion":"v1","metadata":{"name":"x"}}`),
}

// twinRefused are new ones that those of core/v1 may be.
var twinRefused = []ask{
	dry(twins, `{"metadata":{"name":"a"}}`),
	dry(twins, twin("a", `,"reportingController":null`)), dry(twins, twin("a", `,"reportingController":"a b"`)), dry(twins, twin("a", `,"reportingInstance":""`)),
	dry(twins, twin("a", `,"action":""`)), dry(twins, twin("a", `,"type":"Foo"`)), dry(twins, twin("a", `,"note":"`+strings.Repeat("x", 1025)+`"`)),
	dry(twins, twin("a", `,"deprecatedCount":3,"deprecatedSource":{"component":"c"},"deprecatedFirstTimestamp":"2026-01-01T00:00:00Z"`)),
	dry(twins, twin("a", `,"series":{"count":1,"lastObservedTime":"2026-01-01T00:00:00.000000Z"}`)), dry(twins, twin("a", `,"eventTime":null`)),
}

// by is a request with a token that was kept.
func by(token string, a ask) ask {
	a.headers = "Authorization: Bearer {" + token + "}"
	return a
}

// clientParts are what clients ask beside objects: who they are, what they may do, tokens; and what they do to
// pods beside the pods.
var clientParts = []showing{
	{"review/access", asked([]ask{
		post(authorization+"/selfsubjectaccessreviews", `{"spec":{`+getPods+`}}`),
		post(authorization+"/selfsubjectaccessreviews?dryRun=All", `{"spec":{`+getRoot+`}}`),
		post(authorization+"/subjectaccessreviews", `{"spec":{"user":"bob","groups":["system:masters"],`+getPods+`}}`),
		post(authorization+"/subjectaccessreviews", `{"spec":{"user":"bob",`+getPods+`}}`),
		post(authorization+"/namespaces/{NAMESPACE}/localsubjectaccessreviews", `{"spec":{"groups":["system:masters"],`+getPods+`}}`),
		{method: "POST", path: authorization + "/selfsubjectaccessreviews", headers: inProto, body: `{"spec":{` + getPods + `}}`},
	})},
	{"review/refused", asked([]ask{
		post(authorization+"/selfsubjectaccessreviews", `{}`),
		post(authorization+"/selfsubjectaccessreviews", `{"spec":{`+getPods+`,`+getRoot+`}}`),
		post(authorization+"/selfsubjectaccessreviews", `{"metadata":{"name":"x","namespace":"y"},"spec":{`+getRoot+`}}`),
		post(authorization+"/subjectaccessreviews", `{"spec":{`+getPods+`}}`),
		post(authorization+"/subjectaccessreviews", `{"metadata":{"labels":{"a":"b"}}}`),
		post(authorization+"/namespaces/{NAMESPACE}/localsubjectaccessreviews", `{"spec":{"user":"bob","resourceAttributes":{"namespace":"other","verb":"get"}}}`),
		post(authorization+"/namespaces/{NAMESPACE}/localsubjectaccessreviews", `{"metadata":{"namespace":"other"},"spec":{"user":"bob",`+getPods+`}}`),
		post(authorization+"/namespaces/{NAMESPACE}/selfsubjectaccessreviews", `{}`),
		post(authorization+"/localsubjectaccessreviews", `{}`),
		look(authorization + "/subjectaccessreviews"),
		look(authorization + "/selfsubjectaccessreviews/x"),
		post(authorization+"/selfsubjectrulesreviews", `{"spec":{}}`),
		post(authentication+"/tokenreviews", `{"spec":{}}`),
		look(authentication + "/selfsubjectreviews"),
		post(authentication+"/selfsubjectreviews", `{`),
		post(authentication+"/selfsubjectreviews?dryRun=Some", `{}`),
	})},
	{"review/rules", asked([]ask{
		post(authorization+"/selfsubjectrulesreviews", `{"spec":{"namespace":"{NAMESPACE}"}}`),
	})},
	{"review/self", asked([]ask{
		post(authentication+"/selfsubjectreviews", `{}`),
		post(authentication+"/selfsubjectreviews", `{"metadata":{"name":"x","labels":{"a":"b"}}}`),
		{method: "POST", path: authentication + "/selfsubjectreviews", headers: inProto, body: `null`},
		post(authentication+"/tokenreviews", `{"spec":{"token":"{TOKEN}"}}`),
		post(authentication+"/tokenreviews", `{"spec":{"token":"bad"}}`),
		look(authorization), look(authentication), look("/apis/authentication.k8s.io"), look("/apis/authorization.k8s.io"),
	})},
	{"account/token", asked([]ask{
		post(accounts, named("a", "")),
		post(accounts+"/a/token", `{"spec":{}}`),
		post(accounts+"/a/token", `{"metadata":{"name":"a"},"spec":{"expirationSeconds":700,"audiences":["x"]}}`),
		post(accounts+"/a/token?dryRun=All", `{}`),
		post(accounts+"/a/token", `{"metadata":{"name":"b"},"spec":{}}`),
		post(accounts+"/a/token", `{"metadata":{"namespace":"other"},"spec":{}}`),
		post(accounts+"/a/token", `{"spec":{"expirationSeconds":10}}`),
		post(accounts+"/a/token", `{"spec":{"expirationSeconds":99999999999}}`),
		post(accounts+"/nosuch/token", `{"spec":{}}`),
		post(accounts+"/nosuch/token", `{"metadata":{"name":"b"},"spec":{"expirationSeconds":10}}`),
		post(accounts+"/a/token", `{"spec":{"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"nosuch"}}}`),
		post(accounts+"/a/token", `{"spec":{"boundObjectRef":{"kind":"ConfigMap","apiVersion":"v1","name":"nosuch"}}}`),
		post(secrets, named("bound", "")),
		post(accounts+"/a/token", `{"spec":{"boundObjectRef":{"kind":"Secret","apiVersion":"v1","name":"bound"}}}`),
		post(accounts+"/a/token", `{"spec":{"boundObjectRef":{"kind":"Secret","apiVersion":"v1","name":"bound","uid":"abc"}}}`),
		look(accounts + "/a/token"),
		put(accounts+"/a/token", `{}`),
	})},
	// Who has been told of a token remembers it for ten seconds: of what is gone it is asked in other words.
	{"account/review", and(
		lines(`
			+POST `+accounts+` {"metadata":{"name":"r"}}
			+POST `+secrets+` {"metadata":{"name":"lasts"}}
			+POST `+accounts+`/r/token {"spec":{}} => TK=token
			+POST `+accounts+`/r/token {"spec":{"audiences":["x"]}} => TX=token
			+POST `+accounts+`/r/token {"spec":{"boundObjectRef":{"kind":"Secret","apiVersion":"v1","name":"lasts"}}} => TS=token
			POST `+authentication+`/tokenreviews {"spec":{"token":"{TK}"}}
			POST `+authentication+`/tokenreviews {"spec":{"token":"{TK}","audiences":["x","y"]}}
			POST `+authentication+`/tokenreviews {"spec":{"token":"{TK}x"}}
			POST `+authentication+`/tokenreviews {"spec":{"token":"{TX}"}}
			POST `+authentication+`/tokenreviews {"spec":{"token":"{TX}","audiences":["y","x"]}}
			POST `+authentication+`/tokenreviews {"spec":{"token":"{TS}"}}
			+DELETE `+secrets+`/lasts
			+WATCH {SE}
			POST `+authentication+`/tokenreviews {"spec":{"token":"{TS}","audiences":["https://kubernetes.default.svc","y"]}}
		`),
		asked([]ask{
			by("TK", post(authentication+"/selfsubjectreviews", `{}`)), by("TX", post(authentication+"/selfsubjectreviews", `{}`)),
			by("TK", look("/version")), by("TK", look(accounts)),
		}),
		lines(`
			+DELETE `+accounts+`/r
			+WATCH {SE}
			POST `+authentication+`/tokenreviews {"spec":{"token":"{TK}","audiences":["https://kubernetes.default.svc","z"]}}
			+POST `+accounts+` {"metadata":{"name":"r"}}
			+WATCH {SE}
			POST `+authentication+`/tokenreviews {"metadata":{"name":"n"},"spec":{"token":"{TK}","audiences":["https://kubernetes.default.svc","w"]}}
		`),
	)},
	{"pods/ephemeral", asked([]ask{
		post(pods, spec("p", `"containers":[{"name":"c","image":"i:1","resources":{"requests":{"cpu":"100m"},"limits":{"cpu":"200m"}}}]`)),
		look(pods + "/p/ephemeralcontainers"),
		strategically(pods+"/p/ephemeralcontainers", ephemerals+`{"name":"d","image":"i"}]}}`),
		strategically(pods+"/p/ephemeralcontainers", ephemerals+`{"name":"d","image":"k"}]}}`),
		strategically(pods+"/p/ephemeralcontainers", ephemerals+`{"name":"c","image":"k"}]}}`),
		strategically(pods+"/p/ephemeralcontainers", ephemerals+`{"name":"e"}]}}`),
		strategically(pods+"/p/ephemeralcontainers", ephemerals+`{"name":"e","image":"k","ports":[{"containerPort":1}],"resources":{"limits":{"cpu":1}}}]}}`),
		strategically(pods+"/p/ephemeralcontainers", `{"metadata":{"labels":{"a":"b"}},"spec":{"nodeName":"n"}}`),
		merge(pods+"/p/ephemeralcontainers", `{"spec":{"ephemeralContainers":null}}`),
		merge(pods+"/p/ephemeralcontainers", `{"metadata":{"resourceVersion":"1"}}`),
		strategically(pods+"/p", ephemerals+`{"name":"e","image":"k"}]}}`),
		post(pods+"/p/ephemeralcontainers", `{}`),
		strategically(pods+"/nosuch/ephemeralcontainers", `{}`),
		post(pods, spec("early", onePod+`,"ephemeralContainers":[{"name":"e","image":"k"}]`)),
	})},
	{"pods/resize", asked([]ask{
		look(pods + "/p/resize"),
		strategically(pods+"/p/resize", `{"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"150m"}}}]}}`),
		strategically(pods+"/p/resize", `{"spec":{"containers":[{"name":"c","image":"j"}]}}`),
		strategically(pods+"/p/resize", `{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","resources":{"requests":{"memory":"1Mi"}}}]}}`),
		strategically(pods+"/p/resize", `{"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"300m"}}}]}}`),
		merge(pods+"/p/resize", `{"spec":{"containers":[{"name":"c","image":"i:1"}]}}`),
		strategically(pods+"/p", `{"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"160m"}}}]}}`),
		remove(pods+"/p/resize", ""),
		merge(pods+"/nosuch/resize", `{}`),
	})},
	{"pods/place", and(asked([]ask{
		post(nodes, `{"metadata":{"name":"placed","labels":{"topology.kubernetes.io/zone":"z","topology.kubernetes.io/region":"r","kubernetes.io/hostname":"h","topology.kubernetes.io/other":"o"}}}`),
	}), lines(`+WATCH {SE}`), asked([]ask{ // the node has come to who asks for it
		post(pods+"/p/binding", `{"metadata":{"name":"p","labels":{"x":"y"},"annotations":{"m":"n"}},"target":{"kind":"Node","name":"placed"}}`),
		look(pods + "/p"),
		post(pods, `{"metadata":{"name":"q","labels":{"x":"y","topology.kubernetes.io/zone":"mine"}},"spec":{`+onePod+`}}`),
		post(pods+"/q/binding", `{"metadata":{"name":"q","labels":{"x":"z","topology.kubernetes.io/region":"s"}},"target":{"kind":"Node","name":"placed"}}`),
		look(pods + "/q"),
		dryPod(`{"metadata":{"name":"r","labels":{"topology.kubernetes.io/zone":"mine"}},"spec":{"nodeName":"placed",` + onePod + `}}`),
		remove(nodes+"/placed", ""),
	}))},
	{"events/twin", asked(twinWrites)},
	{"events/refused", asked(twinRefused)},
	{"jobs/failure-policy", asked([]ask{
		dry(jobs, spec("f", `"template":{"spec":{"restartPolicy":"Never",`+onePod+`}},"podFailurePolicy":{"rules":[{"action":"Ignore","onPodConditions":[{"type":"DisruptionTarget"}]},{"action":"FailJob","onExitCodes":{"operator":"In","values":[1]}}]}`)),
	})},
	{"priorities/system", asked([]ask{
		look(priorities + "/system-node-critical"),
		look(priorities + "?fieldSelector=metadata.name=system-cluster-critical"),
		post(priorities, named("system-node-critical", `,"value":1`)),
		post(priorities, named("system-mine", `,"value":1`)),
		remove(priorities+"/system-node-critical", ""),
		merge(priorities+"/system-node-critical", `{"description":"x"}`),
		merge(priorities+"/system-node-critical", `{"value":7}`),
	})},
	{"patch/copies patch/unfit", asked([]ask{
		post("{CM}", `{"metadata":{"name":"a"},"data":{"a":"`+strings.Repeat("x", 100_000)+`"}}`),
		jsonPatch("{CM}/a?dryRun=All", copying("/data/a", 31)),
		jsonPatch("{CM}/a?dryRun=All", copying("/data/a", 32)),
		jsonPatch("{CM}/a?dryRun=All", copying("/data/nosuch", 1)),
	})},
	{"patch/root", asked([]ask{
		jsonPatch("{CM}/a", `[{"op":"replace","path":"","value":{"a":1}}]`),
		jsonPatch("{CM}/a", `[{"op":"replace","path":"","value":{"kind":"ConfigMap","metadata":{"name":"a"}}}]`),
		jsonPatch("{CM}/a", `[{"op":"replace","path":"","value":{"apiVersion":"v1","metadata":{"name":"a"}}}]`),
		jsonPatch("{CM}/a", `[{"op":"remove","path":""}]`),
		jsonPatch("{CM}/a", `[{"op":"add","path":"","value":{"metadata":{"name":"a"}}}]`),
		jsonPatch("{CM}/a", `[{"op":"test","path":"","value":{"a":1}}]`),
		jsonPatch("{CM}/a", `[{"op":"replace","path":"","value":{"metadata":{"name":"a"},"data":{"b":"c"}}}]`),
	})},
}
