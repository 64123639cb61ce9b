package rest_test

import "strings"

// crds is where definitions are.
const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

// definedAs is a definition of a kind of the group defs.example.com: the names, the scope and the versions as JSON.
func definedAs(plural, kind, scope, versions string) string {
	return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"` + plural + `.defs.example.com"},"spec":{"group":"defs.example.com","scope":"` +
		scope + `","names":{"plural":"` + plural + `","kind":"` + kind + `"},"versions":[` + versions + `]}}`
}

// gadgetSchema has what structural schemas can say.
const gadgetSchema = `{"type":"object","required":["spec"],"properties":{"spec":{"type":"object","required":["size"],"properties":{` +
	`"size":{"type":"integer","minimum":1,"maximum":9},"color":{"type":"string","enum":["red","blue"],"default":"red"},"name":{"type":"string","maxLength":5,"pattern":"^[a-z]+$"},` +
	`"tags":{"type":"array","maxItems":3,"x-kubernetes-list-type":"set","items":{"type":"string"}},"ports":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["port"],` +
	`"items":{"type":"object","required":["port"],"properties":{"port":{"type":"integer"},"proto":{"type":"string","default":"TCP"}}}},"free":{"type":"object","x-kubernetes-preserve-unknown-fields":true},` +
	`"limit":{"x-kubernetes-int-or-string":true},"none":{"type":"string","nullable":true},"replicas":{"type":"integer"},"within":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}}},` +
	`"status":{"type":"object","properties":{"replicas":{"type":"integer"},"ready":{"type":"boolean"},"selector":{"type":"string"}}}}}`

const gadgetVersion = `{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":` + gadgetSchema + `},"subresources":{"status":{},"scale":{"specReplicasPath":".spec.replicas","statusReplicasPath":".status.replicas","labelSelectorPath":".status.selector"}},` +
	`"additionalPrinterColumns":[{"name":"Size","type":"integer","jsonPath":".spec.size"},{"name":"Color","type":"string","jsonPath":".spec.color","description":"of it"},{"name":"Tags","type":"string","jsonPath":".spec.tags"},{"name":"Age","type":"date","jsonPath":".metadata.creationTimestamp","priority":1}],` +
	`"selectableFields":[{"jsonPath":".spec.color"},{"jsonPath":".spec.size"}]}`

// anyVersion is a version without more than it must have.
func anyVersion(name string, served, storage bool) string {
	word := map[bool]string{true: "true", false: "false"}
	return `{"name":"` + name + `","served":` + word[served] + `,"storage":` + word[storage] + `,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"a":{"type":"string"},"` + name + `":{"type":"string"}}}}}}}`
}

// crdLines are lines with what is long in them.
func crdLines(text string) []step {
	return lines(strings.NewReplacer(
		"{CRDS}", crds, "{DEFS}", "/apis/defs.example.com", "{GADGETS}", "/apis/defs.example.com/v1/namespaces/{NAMESPACE}/gadgets",
		"{GADGET}", definedAs("gadgets", "Gadget", "Namespaced", gadgetVersion),
		"{TURN}", definedAs("turns", "Turn", "Cluster", anyVersion("v1", true, true)+","+anyVersion("v2", true, false)+","+anyVersion("v1beta1", false, false)),
		"{OTHER}", definedAs("others", "Gadget", "Cluster", anyVersion("v1", true, true)),
		"{HEAD}", `"apiVersion":"defs.example.com/v1","kind":"Gadget"`, "{TURNHEAD}", `"kind":"Turn","metadata"`,
	).Replace(text))
}

// definitionParts are about CustomResourceDefinitions and what they define.
var definitionParts = []showing{
	{"definitions/refused", crdLines(`
		POST {CRDS} {"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"a"},"spec":{}}
		POST {CRDS} ` + definedAs("bads", "Bad", "Sideways", `{"name":"V_1","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}}`) + `
		POST {CRDS} ` + definedAs("bads", "Bad", "Cluster", `{"name":"v1","served":true,"storage":true}`) + `
		POST {CRDS} ` + definedAs("bads", "Bad", "Cluster", `{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"properties":{"spec":{"type":"thing"}}}}}`) + `
		POST {CRDS} ` + definedAs("bads", "Bad", "Cluster", `{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":"array"}}}}}`) + `
		POST {CRDS} ` + definedAs("bads", "Bad", "Cluster", `{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":"integer","default":"x"}}}}}`) + `
		POST {CRDS} ` + definedAs("bads", "Bad", "Cluster", `{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":"array","x-kubernetes-list-type":"map","items":{"type":"string"}}}}}}`) + `
		POST {CRDS} ` + definedAs("bads", "Bad", "Cluster", `{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}},"additionalPrinterColumns":[{"name":"A","type":"text","jsonPath":"spec"}]}`) + `
		POST {CRDS} ` + definedAs("bads", "Bad", "Cluster", `{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}},"subresources":{"scale":{"specReplicasPath":".status.x","statusReplicasPath":""}}}`) + `
		POST {CRDS} ` + strings.ReplaceAll(definedAs("bads", "Bad", "Cluster", anyVersion("v1", true, true)), "defs.example.com", "defs.k8s.io") + `
		POST {CRDS} ` + strings.Replace(definedAs("bads", "Bad", "Cluster", anyVersion("v1", true, true)), `"scope"`, `"preserveUnknownFields":true,"scope"`, 1) + `
	`)},
	{"definitions/served", crdLines(`
		POST {CRDS} {GADGET}
		WAIT 3s
		GET {CRDS}/gadgets.defs.example.com
		GET {CRDS}/gadgets.defs.example.com @table
		GET {CRDS}/gadgets.defs.example.com/status
		GET {DEFS}
		GET {DEFS}/v1
		GET {DEFS}/v2
		GET {GADGETS}
		POST {CRDS} {OTHER}
		WAIT 2s
		GET {CRDS}/others.defs.example.com
		GET {DEFS}/v1/others
		DELETE {CRDS}/others.defs.example.com
	`)},
	{"definitions/schema", crdLines(`
		POST {GADGETS} {{HEAD},"metadata":{"name":"a"},"spec":{"size":3,"unknown":1,"free":{"x":1},"limit":"5%","none":null,"ports":[{"port":80}],"name":null},"more":true}
		POST {GADGETS}?fieldValidation=Strict {{HEAD},"metadata":{"name":"b"},"spec":{"size":3,"unknown":1},"more":true}
		POST {GADGETS}?fieldValidation=Warn {{HEAD},"metadata":{"name":"c","labels":{"l":"c"}},"spec":{"size":4,"unknown":1,"color":"blue","tags":["x","y"]},"status":{"ready":true}}
		POST {GADGETS} {{HEAD},"metadata":{"name":"d"}}
		POST {GADGETS} {{HEAD},"metadata":{"name":"d"},"spec":{"size":10}}
		POST {GADGETS} {{HEAD},"metadata":{"name":"d"},"spec":{"size":3,"color":"green"}}
		POST {GADGETS} {{HEAD},"metadata":{"name":"d"},"spec":{"size":1,"tags":["a","a"]}}
		POST {GADGETS} {{HEAD},"metadata":{"name":"d"},"spec":{"size":1,"tags":["a","b","c","d"]}}
		POST {GADGETS} {{HEAD},"metadata":{"name":"d"},"spec":{"size":1,"ports":[{"port":1},{"port":1}]}}
		POST {GADGETS} {{HEAD},"metadata":{"name":"d"},"spec":{"size":1,"within":{"kind":"X"}}}
		POST {GADGETS} {{HEAD},"metadata":{"name":"d"},"spec":{"size":1,"within":{"apiVersion":"v1","kind":"X","metadata":{"name":"e","odd":1},"z":1}}}
		POST {GADGETS} {{HEAD},"metadata":{"name":"e"},"spec":{"size":1,"replicas":-1}}
		MERGE {GADGETS}/a {"spec":{"size":0}}
		MERGE {GADGETS}/a {"spec":{"size":5,"odd":1}}
		MERGE {GADGETS}/a {"spec":{"color":null}}
		MERGE {GADGETS}/a {"metadata":{"labels":{"x":"y"}}}
		JSON {GADGETS}/a [{"op":"remove","path":"/spec"}]
		GET {GADGETS} @table
		GET {GADGETS}/c?includeObject=None @table
		GET {GADGETS}?fieldSelector=spec.color=blue
		GET {GADGETS}?fieldSelector=spec.size!=4 @partial
		GET {GADGETS}?fieldSelector=spec.name=x
	`)},
	{"definitions/subresources", crdLines(`
		GET {GADGETS}/a/scale
		MERGE {GADGETS}/a/scale {"spec":{"replicas":2}}
		MERGE {GADGETS}/a {"spec":{"replicas":3},"status":{"replicas":7}}
		MERGE {GADGETS}/a/status {"status":{"replicas":2,"selector":"a=b","odd":1},"spec":{"size":8}}
		MERGE {GADGETS}/a/status {"status":{"replicas":"many"}}
		GET {GADGETS}/a/scale
		MERGE {GADGETS}/a/scale {"spec":{"replicas":5}}
		MERGE {GADGETS}/a/scale {"spec":{"replicas":-5}}
		GET {GADGETS}/a/nosuch
		APPLY {GADGETS}/f?fieldManager=m {{HEAD},"metadata":{"name":"f"},"spec":{"size":1,"ports":[{"port":1}]}}
		APPLY {GADGETS}/f?fieldManager=n {{HEAD},"metadata":{"name":"f"},"spec":{"ports":[{"port":2}]}}
		APPLY {GADGETS}/f?fieldManager=n {{HEAD},"metadata":{"name":"f"},"spec":{"size":2}}
		APPLY {GADGETS}/f?fieldManager=n {{HEAD},"metadata":{"name":"f"},"spec":{"sizes":2}}
	`)},
	{"definitions/versions", crdLines(`
		POST {CRDS} {TURN}
		WAIT 3s
		GET {DEFS}
		GET {DEFS}/v2
		GET {DEFS}/v1beta1
		POST {DEFS}/v2/turns {"apiVersion":"defs.example.com/v2",{TURNHEAD}:{"name":"a"},"spec":{"a":"x","v1":"one","v2":"two"}}
		POST {DEFS}/v1/turns {"apiVersion":"defs.example.com/v1",{TURNHEAD}:{"name":"b"},"spec":{"a":"x","v1":"one"}}
		GET {DEFS}/v1/turns/a
		GET {DEFS}/v2/turns
		WATCH {DEFS}/v2/turns
		MERGE {DEFS}/v2/turns/b {"spec":{"v2":"two"}}
		PUT {DEFS}/v2/turns/a {"apiVersion":"defs.example.com/v1",{TURNHEAD}:{"name":"a"}}
		MERGE {CRDS}/turns.defs.example.com {"spec":{"scope":"Namespaced"}}
		MERGE {CRDS}/turns.defs.example.com {"spec":{"versions":[{"name":"v2","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}
	`)},
	{"definitions/deleted", crdLines(`
		+MERGE {GADGETS}/a {"metadata":{"finalizers":["example.com/a"]}}
		DELETE {CRDS}/gadgets.defs.example.com
		WAIT 2s
		GET {CRDS}/gadgets.defs.example.com
		POST {GADGETS} {{HEAD},"metadata":{"name":"z"},"spec":{"size":1}}
		GET {GADGETS}
		+MERGE {GADGETS}/a {"metadata":{"finalizers":null}}
		WAIT 6s
		GET {CRDS}/gadgets.defs.example.com
		GET {GADGETS}
		DELETE {CRDS}/turns.defs.example.com
		WAIT 2s
		GET {DEFS}/v1
		GET {CRDS}/turns.defs.example.com
	`)},
}

// shiftVersions are of a kind whose versions differ in fields and in defaults.
const shiftVersions = `{"name":"v0","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"a":{"type":"string"}}}}}}},` +
	`{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"a":{"type":"string"},"old":{"type":"string"},"b":{"type":"string","default":"bb"}}},"status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}},` +
	`{"name":"v2","served":true,"storage":false,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"a":{"type":"string"},"mode":{"type":"string","default":"auto"}}},"status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}`

// storedParts are about the version in which custom objects are stored.
var storedParts = []showing{
	{"definitions/stored", lines(strings.NewReplacer(
		"{CRDS}", crds, "{SHIFTS}", crds+"/shifts.stored.example.com", "{V0}", "/apis/stored.example.com/v0/shifts", "{V1}", "/apis/stored.example.com/v1/shifts", "{V2}", "/apis/stored.example.com/v2/shifts",
		"{CRD}", strings.ReplaceAll(definedAs("shifts", "Shift", "Cluster", shiftVersions), "defs.example.com", "stored.example.com"),
		"{STORE1}", `[{"op":"replace","path":"/spec/versions/1/storage","value":true},{"op":"replace","path":"/spec/versions/2/storage","value":false}]`,
		"{STORE2}", `[{"op":"replace","path":"/spec/versions/1/storage","value":false},{"op":"replace","path":"/spec/versions/2/storage","value":true}]`,
		"{A2}", `"path":"/spec/versions/2/schema/openAPIV3Schema/properties/spec/properties/a"`,
		"{MODE}", `"path":"/spec/versions/2/schema/openAPIV3Schema/properties/spec/properties/mode/default"`,
		"{0}", `"apiVersion":"stored.example.com/v0","kind":"Shift"`, "{1}", `"apiVersion":"stored.example.com/v1","kind":"Shift"`, "{2}", `"apiVersion":"stored.example.com/v2","kind":"Shift"`,
	).Replace(`
		+POST {CRDS}?unseen=1 {CRD}
		WAIT 3s
		POST {V0}?unseen=1&fieldManager=c0 {{0},"metadata":{"name":"a"},"spec":{"a":"x","b":"y"}}
		POST {V0}?unseen=1&fieldManager=c0&dryRun=All {{0},"metadata":{"name":"dry"},"spec":{"a":"x"}}
		GET {V0}/a?unseen=1
		GET {V1}/a?unseen=1
		GET {V1}?unseen=1
		GET {V2}/a?unseen=1
		WATCH {V1}?unseen=1
		WATCH {V2}?unseen=1
		MERGE {V0}/a?unseen=1&fieldManager=c0 {"spec":{"a":"x"}}
		MERGE {V1}/a?unseen=1&fieldManager=c0 {"spec":{"a":"x"}}
		MERGE {V1}/a?unseen=1&fieldManager=c0 {"spec":{"a":"x"}}
		POST {V1}?unseen=1&fieldManager=c1 {{1},"metadata":{"name":"b"},"spec":{"a":"x","old":"o"}}
		GET {V2}/b?unseen=1
		MERGE {V2}/b?unseen=1&fieldManager=c1 {"spec":{"a":"x"}}
		GET {V1}/b?unseen=1
		+POST {V1}?unseen=1&fieldManager=c1 {{1},"metadata":{"name":"c"},"spec":{"a":"x","old":"o"}}
		+POST {V1}?unseen=1&fieldManager=c1 {{1},"metadata":{"name":"d"},"spec":{"a":"x","old":"o"}}
		+POST {V1}?unseen=1&fieldManager=c1 {{1},"metadata":{"name":"e"},"spec":{"a":"x","old":"o"}}
		+JSON {SHIFTS}?unseen=1 {STORE2}
		WAIT 3s
		GET {V0}/c?unseen=1
		GET {V1}/c?unseen=1
		GET {V2}/c?unseen=1
		GET {V1}?unseen=1
		GET {V2}?unseen=1
		WATCH {V1}?unseen=1
		WATCH {V2}?unseen=1
		MERGE {V1}/c?unseen=1&fieldManager=c1&dryRun=All {"spec":{"a":"y"}}
		MERGE {V1}/c?unseen=1&fieldManager=c1 {"spec":{"a":"x"}}
		MERGE {V1}/c?unseen=1&fieldManager=c1 {"spec":{"a":"x"}}
		GET {V1}/c?unseen=1
		GET {V2}/c?unseen=1
		APPLY {V2}/d?fieldManager=m2 {{2},"metadata":{"name":"d"},"spec":{"a":"x"}}
		GET {V1}/d?unseen=1
		APPLY {V2}/d?fieldManager=m3 {{2},"metadata":{"name":"d"},"spec":{"mode":"auto"}}
		APPLY {V1}/d?fieldManager=m4 {{1},"metadata":{"name":"d"},"spec":{"b":"bb"}}
		APPLY {V2}/h?fieldManager=m2 {{2},"metadata":{"name":"h"},"spec":{"a":"x"}}
		APPLY {V1}/i?fieldManager=m2 {{1},"metadata":{"name":"i"},"spec":{"a":"x","old":"o"}}
		APPLY {V1}/i?fieldManager=m2 {{1},"metadata":{"name":"i"},"spec":{"a":"x","old":"o"}}
		APPLY {V1}/i?fieldManager=m2 {{1},"metadata":{"name":"i"},"spec":{"a":"y"}}
		MERGE {V1}/e/status?unseen=1&fieldManager=c1 {"status":{"n":1}}
		GET {V1}/e?unseen=1
		GET {V2}/e?unseen=1
		POST {V1}?unseen=1&fieldManager=c1 {{1},"metadata":{"name":"f"},"spec":{"a":"x","old":"o"}}
		GET {V2}/f?unseen=1
		POST {V2}?unseen=1&fieldManager=c1 {{2},"metadata":{"name":"g"},"spec":{"a":"x"}}
		+JSON {SHIFTS}?unseen=1 [{"op":"remove",{A2}},{"op":"replace",{MODE},"value":"manual"}]
		WAIT 3s
		GET {V2}/c?unseen=1
		GET {V1}/c?unseen=1
		GET {V2}?unseen=1
		GET {V1}?unseen=1
		+JSON {SHIFTS}?unseen=1 [{"op":"add",{A2},"value":{"type":"string"}}]
		WAIT 3s
		GET {V2}/c?unseen=1
		+GET {V1}/c?unseen=1
		GET {V2}?unseen=1
		GET {V1}?unseen=1
		+JSON {SHIFTS}?unseen=1 {STORE1}
		WAIT 3s
		GET {V1}/g?unseen=1
		GET {V2}/g?unseen=1
		DELETE {V1}/g?unseen=1
		DELETE {V1}?unseen=1
		+DELETE {SHIFTS}?unseen=1
	`))},
}
