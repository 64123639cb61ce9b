package rest_test

import "strings"

const sendApply = "Content-Type: application/apply-patch+yaml"

// applied is a server-side apply; the path has the query.
func applied(path, body string) ask {
	return ask{method: "PATCH", path: path, headers: sendApply, body: body}
}

// as is an apply of an object by its manager, where more is the rest of the object.
func as(manager, path, apiVersion, kind, more string) ask {
	base, _, _ := strings.Cut(path, "?")
	name := base[strings.LastIndex(base, "/")+1:]
	query := "?"
	if strings.Contains(path, "?") {
		query = "&"
	}
	return applied(path+query+"fieldManager="+manager, `{"apiVersion":"`+apiVersion+`","kind":"`+kind+`","metadata":{"name":"`+name+`"`+more+`}`)
}

func applyMap(manager, name, more string) ask {
	return as(manager, "{CM}/"+name, "v1", "ConfigMap", more)
}
func applyWidget(manager, name, more string) ask {
	return as(manager, "{WI}/"+name, "probe.example.com/v1", "Widget", more)
}
func deployment(manager, name, more string) ask {
	return as(manager, deployments+"/"+name, "apps/v1", "Deployment", more)
}

// unmanaged makes it so that nobody manages anything of an object.
func unmanaged(path string) ask { return merge(path, `{"metadata":{"managedFields":[{}]}}`) }

// applyBasics are about who manages what, and conflicts.
var applyBasics = []ask{
	applyMap("m1", "a", `},"data":{"k":"1"}`),
	applyMap("m1", "a", `},"data":{"k":"1"}`),
	look("{CM}/a"),
	applyMap("m1", "a", `},"data":{"k":"2"}`),
	applyMap("m2", "a", `},"data":{"k":"2"}`),
	applyMap("m2", "a", `},"data":{"k":"3"}`),
	look("{CM}/a"),
	applyMap("m2", "a?force=false", `},"data":{"k":"3"}`),
	applyMap("m2", "a?force=true", `},"data":{"k":"3","l":"1"}`),
	applyMap("m1", "a", `},"data":{"k":"4","l":"2"}`),
	applyMap("m1", "a", `,"labels":{"x":"y"}},"data":{"m":"1"}`),
	applyMap("m2", "a", `},"data":{"l":"1"}`),
	applyMap("m2", "a", `}`),
	applyMap("m1", "a", `}`),
	applyMap("m1", "a", `,"annotations":{"a":"b"},"finalizers":["example.com/f"],"ownerReferences":[{"apiVersion":"v1","kind":"X","name":"x","uid":"x"}]}`),
	applyMap("m2", "a", `,"finalizers":["example.com/g"],"ownerReferences":[{"apiVersion":"v1","kind":"X","name":"y","uid":"y"}]}`),
	applyMap("m1", "a", `}`),
	remove("{CM}/a", ""),
	applyMap("m2", "a", `,"labels":{"x":"y"},"finalizers":["example.com/g"]}`),
	applyMap("m2", "a", `}`),
}

// applyRefused are applies with something wrong.
var applyRefused = []ask{
	applied("{CM}/r", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"r"}}`),
	applied("{CM}/r?fieldManager=", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"r"}}`),
	applyMap(strings.Repeat("m", 129), "r", `}`),
	applyMap("a%00b", "r", `}`),
	applyMap("m1", "r?dryRun=Some", `}`),
	applyMap("m1", "r?fieldValidation=Some", `}`),
	applyMap("m1", "r?force=x", `},"data":{"k":"1"}`),
	applied("{CM}/r?fieldManager=m1", ``),
	applied("{CM}/r?fieldManager=m1", `{}`),
	applied("{CM}/r?fieldManager=m1", `{`),
	applied("{CM}/r?fieldManager=m1", `[]`),
	applied("{CM}/r?fieldManager=m1", `x`),
	applied("{CM}/r?fieldManager=m1", `null`),
	applied("{CM}/r?fieldManager=m1", "a: b\n---\nc: d\n"),
	applied("{CM}/r?fieldManager=m1", "\ta: b"),
	applied("{CM}/r?fieldManager=m1", `{"kind":"ConfigMap","metadata":{"name":"r"}}`),
	applied("{CM}/r?fieldManager=m1", `{"apiVersion":"v1","metadata":{"name":"r"}}`),
	applied("{CM}/r?fieldManager=m1", `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"r"}}`),
	applied("{CM}/r?fieldManager=m1", `{"apiVersion":"v2","kind":"ConfigMap","metadata":{"name":"r"}}`),
	applied("{CM}/r?fieldManager=m1", `{"apiVersion":"v1","kind":"ConfigMap"}`),
	applied("{CM}/r?fieldManager=m1", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"other"}}`),
	applied("{CM}/new?fieldManager=m1", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"other"}}`),
	applied("{CM}/new?fieldManager=m1", `{"apiVersion":"v1","kind":"ConfigMap"}`),
	applied("{CM}/new?fieldManager=m1", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"new"}}`),
	applyMap("m1", "r", `,"namespace":"other"}`),
	applyMap("m1", "r", `,"namespace":"{NAMESPACE}"},"data":{"k":"1"}`),
	applyMap("m1", "r", `,"uid":"abc"},"data":{"k":"1"}`),
	applyMap("m1", "new", `,"uid":"abc"}`),
	applyMap("m1", "r", `,"resourceVersion":"1"},"data":{"k":"2"}`),
	applyMap("m1", "r", `,"resourceVersion":"0"},"data":{"k":"1"}`),
	applyMap("m1", "r", `,"resourceVersion":""},"data":{"k":"1"}`),
	applyMap("m1", "r", `,"resourceVersion":"abc"},"data":{"k":"1"}`),
	applyMap("m1", "r", `,"resourceVersion":1},"data":{"k":"1"}`),
	applyMap("m1", "versioned", `,"resourceVersion":"1"}`),
	applyMap("m1", "versioned", `,"resourceVersion":"abc"}`),
	applyMap("m1", "r", `,"managedFields":[]}`),
	applyMap("m1", "r", `,"managedFields":null},"data":{"k":"1"}`),
	applyMap("m1", "r", `,"managedFields":[{"manager":"m3","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{}}}]}`),
	applyMap("m1", "r", `},"spam":1`),
	applyMap("m1", "r", `},"data":{"k":1}`),
	applyMap("m1", "r", `},"data":["k"]`),
	applyMap("m1", "r", `},"data":null`),
	applyMap("m1", "r", `,"labels":{"x":"!"}}`),
	applyMap("m1", "R", `}`),
	applyMap("m1", "r", `},"binaryData":{"b":"!"}`),
	applyMap("m1", "r?fieldValidation=Strict", `},"data":{"k":"1","k":"2"}`),
	applyMap("m1", "r?fieldValidation=Warn", `},"data":{"k":"1","k":"2"}`),
	applyMap("m1", "r?fieldValidation=Ignore", `},"data":{"k":"1","k":"3"}`),
	applyMap("m1", "r", `},"data":{"k":"1","k":"4"}`),
	applyMap("m1", "r?dryRun=All", `},"data":{"k":"9"}`),
	applyMap("m1", "dry?dryRun=All", `},"data":{"k":"9"}`),
	applyMap("m2", "r?dryRun=All", `},"data":{"k":"9"}`),
	applyMap("m2", "r?dryRun=All&force=true", `},"data":{"k":"9"}`),
	look("{CM}/r"),
	applied("/api/v1/namespaces/nosuch/configmaps/x?fieldManager=m1", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"}}`),
	applied("{CM}?fieldManager=m1", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"}}`),
	{method: "PATCH", path: "{CM}/r?fieldManager=m1", headers: "Content-Type: application/apply-patch+cbor", body: `{}`},
	{method: "PATCH", path: "{CM}/r?fieldManager=m1", headers: "Content-Type: application/apply-patch+json", body: `{}`},
	{method: "PATCH", path: "{CM}/r?fieldManager=m1", headers: "Content-Type: application/apply-patch+yaml; charset=utf-8", body: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: r\ndata:\n  k: y\n"},
	{method: "PATCH", path: "{CM}/r?fieldManager=m1", headers: sendApply + "\n" + inYAML, body: "# a comment\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: r}\ndata: {k: z}\n"},
	{method: "PATCH", path: "{CM}/r?fieldManager=m1", headers: sendApply + "\n" + asPartial, body: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"r"}}`},
}

// applyMixed are other writes of what has been applied, and applies of what had not been.
var applyMixed = []ask{
	post("{CM}", named("b", `,"data":{"k":"1","l":"1"}`)),
	unmanaged("{CM}/b"),
	applyMap("m1", "b", `},"data":{"k":"1"}`),
	applyMap("m1", "b", `},"data":{"k":"2"}`),
	applyMap("m1", "b?force=true", `},"data":{"k":"2"}`),
	applyMap("m1", "b", `}`),
	put("{CM}/b", named("b", `,"data":{"l":"1","n":"2"}`)),
	put("{CM}/b", named("b", `,"data":{"l":"1","n":"2"}`)),
	merge("{CM}/b?fieldManager=p1", `{"data":{"n":"3","o":"1"}}`),
	applyMap("m1", "b", `},"data":{"n":"4"}`),
	{method: "PATCH", path: "{CM}/b?fieldManager=p2", headers: strategic, body: `{"data":{"o":"2"},"metadata":{"labels":{"a":"b"}}}`},
	{method: "PATCH", path: "{CM}/b?fieldManager=p3", headers: "Content-Type: application/json-patch+json", body: `[{"op":"remove","path":"/data/o"}]`},
	merge("{CM}/b", `{"metadata":{"managedFields":null}}`),
	applyMap("m1", "b", `},"data":{"q":"1"}`),
	put("{CM}/b?fieldManager=p4", `{"metadata":{"name":"b","managedFields":[]},"data":{"l":"1"}}`),
	merge("{CM}/b", `{"data":{"l":"2"}}`),
	applyMap("m1", "b", `},"data":{"q":"1"}`),
	unmanaged("{CM}/b"),
	look("{CM}/b"),
	applyMap("kubectl", "b", `},"data":{"q":"1"}`),
	merge("{CM}/b", `{"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"b\"},\"data\":{\"s\":\"1\"}}"}},"data":{"s":"1"}}`),
	applyMap("kubectl", "b", `},"data":{"q":"1","s":"2"}`),
	post("{CM}", named("locked", `,"immutable":true,"data":{"k":"1"}`)),
	unmanaged("{CM}/locked"),
	applyMap("m1", "locked", `},"data":{"l":"1"}`),
}

// applyKinds are applies of kinds with lists, defaults, status, and without namespaces.
var applyKinds = []ask{
	deployment("m1", "d", `},"spec":{`+template+`}`),
	deployment("m1", "d", `},"spec":{`+template+`}`),
	deployment("m2", "d", `},"spec":{"template":{"spec":{"containers":[{"name":"e","image":"i"}]}}}`),
	deployment("m2", "d", `},"spec":{"replicas":2,"template":{"spec":{"containers":[{"name":"c","image":"j"},{"name":"e","image":"i"}]}}}`),
	deployment("m2", "d", `},"spec":{"replicas":2}`),
	deployment("m2", "d", `},"spec":{"spam":2}`),
	deployment("m2", "d", `},"spec":{"replicas":"two"}`),
	deployment("m2", "d", `},"spec":{"template":{"spec":{"containers":[{"image":"i"}]}}}`),
	deployment("m2", "d", `},"spec":{"template":{"spec":{"containers":[{"name":"e","image":"i"},{"name":"e","image":"j"}]}}}`),
	deployment("m2", "missing", `},"spec":{"replicas":2}`),
	deployment("m3", "d", `},"status":{"replicas":2}`),
	as("m3", deployments+"/d/status", "apps/v1", "Deployment", `},"status":{"replicas":2}`),
	applied(deployments+"/d/status?fieldManager=m3", `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"replicas":5},"status":{"replicas":3,"observedGeneration":1}}`),
	applied(deployments+"/d/status?fieldManager=m4", `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"status":{"replicas":4}}`),
	applied(deployments+"/nosuch/status?fieldManager=m4", `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"nosuch"},"status":{"replicas":4}}`),
	merge(deployments+"/d/status?fieldManager=p1", `{"status":{"readyReplicas":1}}`),
	merge(deployments+"/d/scale?fieldManager=p2", `{"spec":{"replicas":7}}`),
	look(deployments + "/d"),
	deployment("m2", "d", `},"spec":{"replicas":2}`),
	as("m1", pods+"/p", "v1", "Pod", `},"spec":{`+onePod+`}`),
	as("m1", pods+"/p", "v1", "Pod", `,"labels":{"a":"b"}},"spec":{`+onePod+`}`),
	as("m2", pods+"/p", "v1", "Pod", `},"spec":{"containers":[{"name":"c","image":"j"}]}`),
	as("m1", services+"/s", "v1", "Service", `},"spec":{"ports":[{"port":80}]}`),
	as("m1", services+"/s", "v1", "Service", `},"spec":{"ports":[{"port":80,"protocol":"TCP"}]}`),
	as("m2", services+"/s", "v1", "Service", `},"spec":{"ports":[{"port":81,"name":"b"}]}`),
	as("m1", secrets+"/s", "v1", "Secret", `},"stringData":{"a":"b"}`),
	as("m1", secrets+"/s", "v1", "Secret", `},"stringData":{"a":"b"}`),
	as("m1", leases+"/l", "coordination.k8s.io/v1", "Lease", `},"spec":{"holderIdentity":"h"}`),
	as("m1", leases+"/l", "coordination.k8s.io/v1", "Lease", `},"spec":{"holderIdentity":"h"}`),
	as("m2", leases+"/l", "coordination.k8s.io/v1", "Lease", `},"spec":{"holderIdentity":"i"}`),
	put(leases+"/l", named("l", `,"spec":{"holderIdentity":"h","leaseDurationSeconds":5}`)),
	as("m1", events+"/e", "v1", "Event", `},"involvedObject":{"namespace":"{NAMESPACE}"},"reason":"R"`),
	as("m1", spaces+"/applied", "v1", "Namespace", `,"labels":{"a":"b"}}`),
	as("m1", spaces+"/applied", "v1", "Namespace", `,"labels":{"a":"b"}}`),
	as("m1", nodes+"/applied", "v1", "Node", `},"spec":{"providerID":"p"}`),
	as("m1", priorities+"/applied", "scheduling.k8s.io/v1", "PriorityClass", `},"value":5`),
	as("m1", priorities+"/applied", "scheduling.k8s.io/v1", "PriorityClass", `},"value":6`),
}

// applyCustom are applies of a custom resource without a schema.
var applyCustom = []ask{
	applyWidget("m1", "w", `},"spec":{"a":1,"l":[1,2],"o":{"p":"q"}}`),
	applyWidget("m1", "w", `},"spec":{"a":1,"l":[1,2],"o":{"p":"q"}}`),
	applyWidget("m2", "w", `},"spec":{"a":1,"l":[1,2]}`),
	applyWidget("m2", "w", `},"spec":{"a":2,"l":[3],"o":{"r":"s"}}`),
	applyWidget("m2", "w?force=true", `},"spec":{"a":2,"l":[3],"o":{"r":"s"}}`),
	applyWidget("m1", "w", `,"labels":{"x":"y"}}`),
	applyWidget("m1", "w", `},"more":{"b":null}`),
	merge("{WI}/w?fieldManager=p1", `{"spec":{"a":5}}`),
	applyWidget("m2", "w", `},"spec":{"a":2}`),
	applyWidget("m2", "w?dryRun=All&force=true", `},"spec":{"a":2}`),
	applied("{WI}/w", `{"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"w"}}`),
	applied("{WI}/w?fieldManager=m1", `{"apiVersion":"probe.example.com/v2","kind":"Widget","metadata":{"name":"w"}}`),
	applied("{WI}/w?fieldManager=m1", `{"apiVersion":"probe.example.com/v1","kind":"Other","metadata":{"name":"w"}}`),
	applied("{WI}/w?fieldManager=m1", `{"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"other"}}`),
	applied("{WI}/x?fieldManager=m1", `{"apiVersion":"probe.example.com/v1","kind":"Widget"}`),
	applyWidget("m1", "x", `,"uid":"abc"}`),
	applyWidget("m1", "w", `,"resourceVersion":"1"}`),
	applyWidget("m1", "x", `,"resourceVersion":"1"}`),
	applyWidget("m1", "w?fieldValidation=Strict", `},"spec":{"a":1,"a":2}`),
	{method: "PATCH", path: "{WI}/w?fieldManager=m1", headers: "Content-Type: application/apply-patch+cbor", body: `{}`},
	post("{WI}", `{"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"u"},"spec":{"a":1}}`),
	unmanaged("{WI}/u"),
	applyWidget("m1", "u", `},"spec":{"a":1}`),
	applyWidget("m1", "u", `},"spec":{"a":2}`),
	applyWidget("m1", "v", `,"finalizers":["example.com/f"]}`),
	applyWidget("m2", "v", `,"finalizers":["example.com/g"]}`),
	look("{WI}/v"),
}

// applyScale are applies and other writes of /scale, of what has been applied.
var applyScale = []ask{
	deployment("m1", "s", `},"spec":{"replicas":1,`+template+`}`),
	scaleTo("s1", "s", `"replicas":3`),
	scaleTo("s1", "s", `"replicas":1`),
	look(deployments + "/s"),
	scaleTo("s1", "s?force=true", `"replicas":4`),
	look(deployments + "/s"),
	deployment("m1", "s", `},"spec":{"replicas":1,`+template+`}`),
	scaleTo("s1", "s", ``),
	look(deployments + "/s"),
	scaleTo("s1", "s?force=true", `"replicas":5`),
	put(deployments+"/s/scale?fieldManager=u1", spec("s", `"replicas":6`)),
	merge(deployments+"/s/scale?fieldManager=u1", `{"spec":{"replicas":6}}`),
	look(deployments + "/s"),
	scaleTo("s1", "nosuch", `"replicas":5`),
	scaleTo("s1", "s", `"spam":5`),
	scaleTo("s1", "s", `"replicas":"x"`),
	scaleTo("s1", "s?force=true", `"replicas":-1`),
	scaleTo("s1", "s?dryRun=All", `"replicas":9`),
	scaleTo("s1", "s?dryRun=All&force=true", `"replicas":9`),
	as("s1", deployments+"/s/scale", "apps/v1", "Deployment", `},"spec":{"replicas":5}`),
	applied(deployments+"/s/scale", `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"s"}}`),
	applied(deployments+"/s/scale?fieldManager=s1", `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"x"},"spec":{"replicas":6}}`),
	applied(deployments+"/s/scale?fieldManager=s1&force=true", `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"s","resourceVersion":"1"},"spec":{"replicas":2}}`),
	applied(deployments+"/s/scale?fieldManager=s1&force=true", `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"s","uid":"abc"},"spec":{"replicas":2}}`),
	merge(deployments+"/s/scale", `{"metadata":{"uid":"abc"},"spec":{"replicas":2}}`),
	put(deployments+"/s/scale", `{"metadata":{"name":"s","uid":"abc"},"spec":{"replicas":2}}`),
	applied(deployments+"/s/scale?fieldManager=s2&force=true", `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"s","labels":{"x":"y"}},"spec":{"replicas":2},"status":{"replicas":7}}`),
	look(deployments + "/s"),
}

// scaleTo is an apply of a deployment's scale.
func scaleTo(manager, path, spec string) ask {
	name, query, _ := strings.Cut(path, "?")
	return applied(deployments+"/"+name+"/scale?fieldManager="+manager+"&"+query, `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"`+name+`"},"spec":{`+spec+`}}`)
}

// applyParts are put one after the other.
var applyParts = []showing{
	{"apply/answer apply/conflict", asked(applyBasics)},
	{"apply/forms apply/manager apply/managed-fields apply/uid", and([]step{{ask: applyMap("m1", "r", `},"data":{"k":"1"}`), setUp: true}}, asked(applyRefused))},
	{"apply/others", asked(applyMixed)},
	{"apply/answer apply/conflict apply/kinds", asked(applyKinds)},
	{"apply/answer apply/uid", asked(applyCustom)},
	{"apply/scale", asked(applyScale)},
}
