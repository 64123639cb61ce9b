package mutants

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// scopeRows are faults of which objects a watch is about: by namespace, by name, by selectors.
var scopeRows = []row{
	{name: "namespace-ignored", rule: "watch/scope/namespace", about: "a watch of one namespace gives the objects of all namespaces",
		on: "watch", ask: inAnyNamespace},
	{name: "namespace-is-prefix", rule: "watch/scope/namespace", about: "a watch of one namespace gives those too whose names begin alike (kine 0.11.4: prefixes taken for patterns, in the changes that a watch catches up on)",
		on: "watch", instead: widened(inAnyNamespace, func(asked *call, o metav1.Object) bool { return strings.HasPrefix(o.GetNamespace(), asked.Namespace) })},
	{name: "namespace-is-suffix", rule: "watch/scope/namespace", about: "a watch of one namespace gives those too whose names end alike",
		on: "watch", instead: widened(inAnyNamespace, func(asked *call, o metav1.Object) bool { return strings.HasSuffix(o.GetNamespace(), asked.Namespace) })},
	{name: "namespace-silent", rule: "watch/scope/namespace", about: "a watch of one namespace gives the initial state alone (kine 0.11.4: prefixes without a final slash)",
		on: "watch", when: not(everywhere), events: drop(changes)},

	{name: "name-ignored", rule: "watch/scope/name", about: "a watch of one name gives all names (client-go's fake clientset ignores field selectors)",
		on: "watch", when: byName, ask: anyField},
	{name: "name-is-prefix", rule: "watch/scope/name", about: "a watch of one name gives those too that begin alike (a range of keys in place of one)",
		on: "watch", when: byName, instead: widened(anyField, func(asked *call, o metav1.Object) bool {
			prefix, _ := name(&asked.list)
			return strings.HasPrefix(o.GetName(), prefix)
		})},
	{name: "name-silent", rule: "watch/scope/name", about: "a watch of one name gets no changes (kubernetes#125145: apiserver 0.30.3, one namespace by the old path /watch/namespaces/NAME)",
		on: "watch", when: byName, events: drop(changes)},

	{name: "label-ignored", rule: "watch/scope/label", about: "a label selector is ignored (kubernetes#106754: client-go's fake clientset)",
		on: "watch", ask: anyLabel},
	{name: "label-entering-withheld", rule: "watch/scope/label", about: "no event comes for an object that comes to match the label selector by an update",
		on: "watch", when: byLabel, events: drop(entering)},
	{name: "label-leaving-withheld", rule: "watch/scope/label", about: "no event comes for an object that no longer matches the label selector",
		on: "watch", when: byLabel, events: drop(leaving)},
	{name: "label-beside-name-ignored", rule: "watch/scope/label", about: "a watch by name and label gives the object of that name, whatever its labels",
		on: "watch", when: byName, ask: anyLabel},
	{name: "label-beside-field-ignored", rule: "watch/scope/label", about: "a watch by label and by a field that must differ gives objects whatever their labels",
		on: "watch", when: fieldsHave("!="), ask: anyLabel},
	{name: "watch-double-equals-silent", rule: "watch/scope/label", about: "a watch by a label selector with == gets no changes",
		on: "watch", when: labelsHave("=="), events: drop(changes)},

	{name: "field-ignored", rule: "watch/scope/field", about: "a field selector that asks for no name is ignored (client-go's fake clientset ignores all)",
		on: "watch", when: not(byName), ask: anyField},
	{name: "field-silent", rule: "watch/scope/field", about: "a watch with a field selector that asks for no name gets no changes",
		on: "watch", when: all(byField, not(byName)), events: drop(changes)},
	{name: "namespace-unequal-ignored", rule: "watch/scope/field", about: "a watch by a namespace that must differ gives the objects of all namespaces",
		on: "watch", when: fieldsBegin("metadata.namespace!="), ask: anyField},
	{name: "namespace-field-ignored", rule: "watch/scope/field", about: "a watch by the field metadata.namespace gives the objects of all namespaces",
		on: "watch", when: fieldsBegin("metadata.namespace="), ask: anyField},

	{name: "cluster-path-deaf", rule: "watch/cluster-scoped", about: "a watch of a namespace by the old path /watch/ brings its initial state, and no change: its name is taken for the namespace of what is watched (kubernetes#125133)",
		on: "watch", when: all(ofNamespaces, byPath), events: drop(changes)},
	{name: "cluster-name-deaf", rule: "watch/cluster-scoped", about: "a watch of a namespace by field selector brings its initial state, and no change",
		on: "watch", when: all(ofNamespaces, byName, not(byPath)), events: drop(changes)},
}

// ofNamespaces are about objects of the kind Namespace, byPath about one object that the path names.
func ofNamespaces(c *call) bool {
	return c.Resource == corev1.SchemeGroupVersion.WithResource("namespaces")
}
func byPath(c *call) bool { return c.Name != "" }

// lostObjectRows are faults of which objects never come on watches.
var lostObjectRows = []row{
	{name: "unlabelled-lost", rule: "watch/reliable", about: "objects without any labels never come on watches",
		on: "watch", events: drop(ofObjects(hasNoLabels))},
	{name: "unlabelled-unmatched", rule: "watch/reliable", about: "objects without any labels never come on watches with a label selector, not even with one that they match (!x, notin, !=)",
		on: "watch", when: byLabel, events: drop(ofObjects(hasNoLabels))},
	{name: "long-name-lost", rule: "watch/reliable", about: "objects with names of more than 63 characters never come on watches",
		on: "watch", events: drop(ofObjects(func(o metav1.Object) bool { return len(o.GetName()) > 63 }))},
	{name: "dotted-name-lost", rule: "watch/reliable", about: "objects with names with dots never come on watches",
		on: "watch", events: drop(ofObjects(func(o metav1.Object) bool { return strings.Contains(o.GetName(), ".") }))},
	{name: "third-namespace-lost", rule: "watch/reliable", about: "of more than two namespaces a watch of all gives the changes in two",
		on: "watch", events: drop(func() func(watch.Event, apiserver.Cause) bool {
			third := beyondTwo()
			return func(e watch.Event, c apiserver.Cause) bool { return change(c) && third(of(e.Object).GetNamespace()) }
		})},
}

func hasNoLabels(o metav1.Object) bool { return len(o.GetLabels()) == 0 }

// beyondTwo reports of each text whether two others came before it.
func beyondTwo() func(string) bool {
	var seen []string
	return func(s string) bool {
		if !slices.Contains(seen, s) {
			seen = append(seen, s)
		}
		return slices.Index(seen, s) >= 2
	}
}
