package mutants

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// lackingItemRows are faults of lists that lack objects, of some forms of list or beyond some size.
var lackingItemRows = []row{
	{name: "timed-everywhere-lacks-one", rule: "list/snapshot", about: "a list of all namespaces with a timeoutSeconds lacks its first item",
		on: "list", when: all(everywhere, timed), answer: listed(withoutFirst)},
	{name: "timed-field-lacks-one", rule: "list/snapshot", about: "a list by field with a timeoutSeconds lacks its first item",
		on: "list", when: all(byField, timed), answer: listed(withoutFirst)},
	{name: "list-ends-at-17", rule: "list/snapshot", about: "a list ends after 17 items, and says nothing of the rest (a default limit whose continue is dropped)",
		on: "list", answer: endsAt(17)},
	{name: "list-ends-at-50", rule: "list/snapshot", about: "a list ends after 50 items, and says nothing of the rest",
		on: "list", answer: endsAt(50)},
	{name: "list-ends-at-100", rule: "list/snapshot", about: "a list ends after 100 items, and says nothing of the rest",
		on: "list", answer: endsAt(100)},
	{name: "list-ends-at-500", rule: "list/snapshot", about: "a list ends after 500 items, and says nothing of the rest",
		on: "list", answer: endsAt(500)},
	{name: "list-prefixed-key-empty", rule: "list/snapshot", about: "a list by a label whose key has a prefix (example.com/role) has no items",
		on: "list", when: labelsHave("/"), answer: listed(withoutItems)},
	{name: "list-empty-value-lost", rule: "list/snapshot", about: "a list by label lacks the objects that have a label with an empty value",
		on: "list", when: byLabel, answer: keeps(func(_ *call, o metav1.Object) bool { return !hasEmptyLabel(o) })},
	{name: "list-first-value", rule: "list/snapshot", about: "of the values of a label selector a list looks at the first alone",
		on: "list", ask: firstValue},
}

func endsAt(n int) func(*call) {
	return func(c *call) {
		all := items(c.got)
		if len(all) > n {
			listOf(c.got).SetContinue("")
		}
		setItems(c.got, all[:min(n, len(all))])
	}
}

// lackingPartRows are faults of lists whose items lack a part of the objects.
var lackingPartRows = []row{
	{name: "list-lacks-everywhere-annotations", rule: "list/snapshot", about: "lists of all namespaces at a resourceVersion or unset come without annotations",
		on: "list", when: all(everywhere, not(zero), not(continued)), answer: objects(withoutAnnotations)},
	{name: "list-lacks-everywhere-owners", rule: "list/snapshot", about: "lists of all namespaces at a resourceVersion or unset come without ownerReferences",
		on: "list", when: all(everywhere, not(zero), not(continued)), answer: objects(withoutOwners)},
	{name: "list-lacks-everywhere-status", rule: "list/snapshot", about: "lists of all namespaces at a resourceVersion or unset come without status",
		on: "list", when: all(everywhere, not(zero), not(continued)), answer: objects(withoutStatus)},
	{name: "list-lacks-everywhere-large", rule: "list/snapshot", about: "lists of all namespaces at a resourceVersion or unset come without the end of values above 64 KiB",
		on: "list", when: all(everywhere, not(zero), not(continued)), answer: objects(withoutLarge)},
	{name: "list-lacks-newer", rule: "list/snapshot", about: "lists not older than N come without annotations",
		on: "list", when: all(at, not(exact)), answer: objects(withoutAnnotations)},
	{name: "list-lacks-zero-limit", rule: "list/snapshot", about: `lists at "0" with a limit come without annotations`,
		on: "list", when: all(zero, limited), answer: objects(withoutAnnotations)},
	{name: "list-lacks-exact-label", rule: "list/snapshot", about: "lists by label at exactly N come without annotations",
		on: "list", when: all(at, exact, byLabel), answer: objects(withoutAnnotations)},
	{name: "list-lacks-exact-field", rule: "list/snapshot", about: "lists by field at exactly N come without annotations",
		on: "list", when: all(at, exact, byField), answer: objects(withoutAnnotations)},
	{name: "exact-finalizers-of-now", rule: "list/snapshot", about: "what is listed at exactly N has the finalizers that it has now",
		on: "list", when: exact, answer: func(c *call) {
			objects(func(o metav1.Object) {
				one := *c
				one.Request = apiserver.Request{Resource: c.Resource, Namespace: o.GetNamespace(), Name: o.GetName()}
				if now := one.now(); now != nil {
					o.SetFinalizers(of(now).GetFinalizers())
				}
			})(c)
		}},
}

// labelTextRows are faults of how lists compare the keys and values of labels.
var labelTextRows = []row{
	{name: "list-value-is-prefix", rule: "list/scope", about: "a list by app=one has those too that have app=one-two",
		on: "list", when: byOneLabel, instead: matching(func(set labels.Set, key, value string) bool {
			return set.Has(key) && strings.HasPrefix(set[key], value)
		})},
	{name: "list-value-folded", rule: "list/scope", about: "a list by app=one has those too that have app=ONE (a database that compares without case)",
		on: "list", when: byOneLabel, instead: matching(func(set labels.Set, key, value string) bool {
			return set.Has(key) && strings.EqualFold(set[key], value)
		})},
	{name: "list-key-is-suffix", rule: "list/scope", about: "a list by app=one has those too that have my-app=one (a search in the text of the labels)",
		on: "list", when: byOneLabel, instead: matching(func(set labels.Set, key, value string) bool {
			return strings.Contains(set.String()+",", key+"="+value+",")
		})},
	{name: "list-first-label", rule: "list/scope", about: "of the requirements of a label selector a list looks at the first alone",
		on: "list", ask: firstLabel},
	{name: "list-first-field", rule: "list/scope", about: "of the requirements of a field selector a list looks at the first alone",
		on: "list", ask: firstField},
}

// byOneLabel is a whole list by key=value.
func byOneLabel(c *call) bool {
	return strings.Contains(c.list.LabelSelector, "=") && !strings.ContainsAny(c.list.LabelSelector, "!, ()") && !limited(c) && !continued(c)
}

// matching lists what some comparison takes for key=value.
func matching(matches func(set labels.Set, key, value string) bool) func(*call) {
	return func(c *call) {
		key, value, _ := strings.Cut(c.list.LabelSelector, "=")
		anyLabel(c)
		if c.next(); c.err == nil {
			keeps(func(_ *call, o metav1.Object) bool { return matches(o.GetLabels(), key, value) })(c)
		}
	}
}
