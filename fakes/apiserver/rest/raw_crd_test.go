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
