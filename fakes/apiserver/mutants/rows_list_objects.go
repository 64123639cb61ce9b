package mutants

import (
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// listObjectRows are faults of lists with some objects, or of lists by selectors that few clients use.
var listObjectRows = []row{
	{name: "deleting-hidden-by-limit", rule: "list/snapshot", about: "a list with a limit lacks what is being deleted",
		on: "list", when: limited, answer: keeps(notDeleting)},
	{name: "deleting-hidden-by-label", rule: "list/snapshot", about: "a list by label lacks what is being deleted",
		on: "list", when: byLabel, answer: keeps(notDeleting)},
	{name: "deleting-hidden-by-field", rule: "list/snapshot", about: "a list by field lacks what is being deleted",
		on: "list", when: byField, answer: keeps(notDeleting)},
	{name: "deleting-hidden-at-zero", rule: "list/snapshot", about: `a list at "0" lacks what is being deleted`,
		on: "list", when: zero, answer: keeps(notDeleting)},
	{name: "unlabelled-unlisted", rule: "list/snapshot", about: "objects without any labels are on no list",
		on: "list", answer: keeps(hasLabels)},
	{name: "unlabelled-unselected", rule: "list/snapshot", about: "objects without any labels are on no list with a label selector, not even one that they match (!x, notin, !=)",
		on: "list", when: byLabel, answer: keeps(hasLabels)},
	{name: "third-namespace-unlisted", rule: "list/snapshot", about: "of more than two namespaces a list of all has the objects in two",
		on: "list", answer: listed(func(all []runtime.Object) []runtime.Object {
			third := beyondTwo()
			return slices.DeleteFunc(all, func(obj runtime.Object) bool { return third(of(obj).GetNamespace()) })
		})},
	{name: "list-double-equals-empty", rule: "list/snapshot", about: "a list by a label selector with == has no items: the second = is taken for a part of the value",
		on: "list", when: labelsHave("=="), ask: func(c *call) { c.list.LabelSelector = "none-has=it" }},

	{name: "list-double-equals-ignored", rule: "list/scope", about: "a list by a field selector with == is not narrowed by it",
		on: "list", when: fieldsHave("=="), ask: anyField},
	{name: "unlabelled-exists", rule: "list/scope", about: "objects without any labels are on lists whose selector asks that a label exists",
		on: "list", when: all(byLabel, wholeLists, func(c *call) bool { return !strings.ContainsAny(c.list.LabelSelector, "!=( ") }),
		instead: widened(anyLabel, func(asked *call, o metav1.Object) bool {
			_, has := o.GetLabels()[asked.list.LabelSelector]
			return has || hasNoLabels(o)
		})},
	{name: "list-namespace-is-suffix", rule: "list/scope", about: "a list of one namespace has those too whose names end alike",
		on: "list", when: wholeLists, instead: widened(inAnyNamespace, func(asked *call, o metav1.Object) bool {
			return strings.HasSuffix(o.GetNamespace(), asked.Namespace)
		})},

	{name: "page-keeps-first-limit", rule: "list/page-size", about: "each page is of the first page's limit, whatever the later ones say",
		on: "list", state: func(*apiserver.Server) row {
			var limits sync.Map // by token
			return row{
				ask: func(c *call) {
					if first, ok := limits.Load(c.list.Continue); ok && continued(c) && limited(c) {
						c.list.Limit = first.(int64)
					}
				},
				answer: func(c *call) { limits.Store(listOf(c.got).GetContinue(), c.list.Limit) },
			}
		}},
}

func notDeleting(_ *call, o metav1.Object) bool { return !deleting(o) }
func hasLabels(_ *call, o metav1.Object) bool   { return !hasNoLabels(o) }

// wholeLists are not in pages, nor of one shard.
func wholeLists(c *call) bool { return !limited(c) && !continued(c) && c.list.ShardSelector == "" }

// nextVersionRows are faults of one too many: what the next write will have is served as if it were there.
var nextVersionRows = []row{
	{name: "get-next-answered", rule: "get/future", about: "a get at the resourceVersion after the last is answered with what there is",
		on: "get", when: nextVersion, ask: mostRecent},
	{name: "list-next-answered", rule: "list/future", about: "a list at the resourceVersion after the last is answered with what there is",
		on: "list", when: nextVersion, ask: mostRecent},
	{name: "exact-next-made-up", rule: "list/exact", about: "a list at exactly the resourceVersion after the last is of the present, and says that it is of then",
		on: "list", when: all(exact, nextVersion), instead: sayingAsked(mostRecent)},
	{name: "watch-next-given", rule: "watch/future", about: "a watch from the resourceVersion after the last gives the change at it",
		on: "watch", when: all(plain, nextVersion), ask: moveBy(-1)},
	{name: "stream-next-at-now", rule: "watchlist/future", about: "a streaming list from the resourceVersion after the last gives the present state, and ends at it",
		on: "watch", when: all(streams, nextVersion), ask: moveBy(-1)},
}
