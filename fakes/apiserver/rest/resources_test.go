package rest_test

// kindParts are about what is particular to a resource: defaults, what each endpoint takes, scale, grace,
// namespaces that end, generation, selectable fields.
var kindParts = []showing{
	{"pods/defaults write/create", asked(defaultAsks)},
	{"write/put-unconditional write/put-conditional write/create-on-update write/missing", asked(writeAsks)},
	{"status/subresource", asked(statusAsks)},
	{"scale/shape", asked(scaleAsks)},
	{"pods/unbound pods/bound pods/again pods/negative pods/finalizer pods/generation pods/binding pods/eviction", asked(podAsks)},
	{"pods/spec", asked(podSpecAsks)},
	{"delete/namespace write/namespace-terminating", asked(namespaceAsks)},
	{"pods/fields list/field-unknown", asked(selectAsks)},
	{"delete/uncollected", asked(uncollectedAsks)},
	{"pods/finalizer delete/propagation", asked(goingAsks)},
	{"pods/gates", asked(gateAsks)},
	{"services/types", asked(serviceAsks)},
	{"services/node-ports", asked(nodePortAsks)},
}
