package rest_test

import "strings"

// keptParts are about managedFields of objects that nobody has applied yet, which the fake tells with Options.ManagedFields. The first are
// the writes of managedParts, whose answers this table tells in full.
var keptParts = and(seenParts(), []showing{
	{"apply/since", lines(`
		POST {CM}?fieldManager=kubectl-create {"metadata":{"name":"mf"},"data":{"a":"b"}}
		MERGE {CM}/mf?fieldManager=me {"data":{"c":"d"}}
		MERGE {CM}/mf?fieldManager=me {"data":{"c":"d"}}
		MERGE {CM}/mf?fieldManager=other {"data":{"a":null}}
		PUT {CM}/mf?fieldManager=me {"metadata":{"name":"mf","managedFields":[]},"data":{"c":"d"}}
		MERGE {CM}/mf?fieldManager=me {"data":{"e":"f"}}
		POST {CM}?fieldManager=m1&dryRun=All {"metadata":{"name":"dry"},"data":{"a":"b"}}
		POST {CM}?fieldManager=m1 {"metadata":{"name":"given","managedFields":[{"manager":"x","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:a":{}}}}]},"data":{"a":"b","c":"d"}}
		POST {WI}?fieldManager=c1 {"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"mf"},"spec":{"k":{"a":"1"},"l":[1]},"status":{"x":1}}
		MERGE {WI}/mf/status?fieldManager=s1 {"status":{"observed":1}}
		MERGE {WI}/mf/status?fieldManager=s1 {"status":{"conditions":[{"type":"Ready","status":"True"}]}}
		MERGE {WI}/mf?fieldManager=c1 {"metadata":{"finalizers":["example.com/held"]}}
		DELETE {WI}/mf
		JSON {WI}/mf?fieldManager=d1 [{"op":"remove","path":"/metadata/finalizers"}]
	`)},
})

// seenParts are managedParts, of objects of other names, whose managers are told from the beginning.
func seenParts() (all []showing) {
	clear := func(text string) string {
		return strings.NewReplacer("?unseen=1&", "?", "&unseen=1", "", "?unseen=1", "", "nodes/managed", "nodes/kept", `"name":"managed"`, `"name":"kept"`, "managed2", "kept2").Replace(text)
	}
	for _, part := range managedParts {
		one := showing{facts: part.facts}
		for _, s := range part.steps {
			s.path, s.body = clear(s.path), clear(s.body)
			one.steps = append(one.steps, s)
		}
		all = append(all, one)
	}
	return all
}
