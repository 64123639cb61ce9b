package mutants

import (
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// collectionRows are faults of what a deletecollection deletes.
var collectionRows = []row{
	{name: "collection-unselected", rule: "write/collection", about: "deletecollection deletes all, whatever its selectors say",
		on: "deletecollection", ask: func(c *call) { c.list = metav1.ListOptions{} }},
	{name: "collection-field-ignored", rule: "write/collection", about: "deletecollection does not look at the field selector",
		on: "deletecollection", ask: anyField},
	{name: "collection-field-beside-label", rule: "write/collection", about: "deletecollection does not look at the field selector where there is a label selector",
		on: "deletecollection", when: byLabel, ask: anyField},
	{name: "collection-label-beside-field", rule: "write/collection", about: "deletecollection does not look at the label selector where there is a field selector",
		on: "deletecollection", when: byField, ask: anyLabel},
	{name: "collection-set-ignored", rule: "write/collection", about: "deletecollection deletes all where its label selector is more than key=value",
		on: "deletecollection", when: func(c *call) bool { return strings.ContainsAny(c.list.LabelSelector, "!, ()") }, ask: anyLabel},
	{name: "collection-skips-unlabelled", rule: "write/collection", about: "deletecollection without selectors leaves what has no label app (an index by label)",
		on: "deletecollection", when: all(not(byLabel), not(byField)), ask: func(c *call) { c.list.LabelSelector = "app" }},
	{name: "collection-skips-blank", rule: "write/collection", about: "deletecollection without selectors leaves what has the label app without a value",
		on: "deletecollection", when: all(not(byLabel), not(byField)), ask: func(c *call) { c.list.LabelSelector = "app notin ()" }},
	{name: "collection-first-page", rule: "write/collection", about: "deletecollection deletes the first two and is answered as if that were all",
		on: "deletecollection", ask: firstOnly(2)},
	{name: "collection-ends-at-10", rule: "write/collection", about: "deletecollection deletes the first 10 objects and is answered as if that were all",
		on: "deletecollection", ask: firstOnly(10)},
	{name: "collection-ends-at-100", rule: "write/collection", about: "deletecollection deletes the first 100 objects and is answered as if that were all",
		on: "deletecollection", ask: firstOnly(100)},
	{name: "collection-ends-at-500", rule: "write/collection", about: "deletecollection deletes the first 500 objects and is answered as if that were all",
		on: "deletecollection", ask: firstOnly(500)},
	{name: "collection-how-forgotten", rule: "write/collection", about: "a deletecollection with a propagation policy or a grace period is answered, and does nothing",
		on: "deletecollection", when: saysHow, ask: asDryRun},
	{name: "collection-ends-at-deleting", rule: "write/collection", about: "deletecollection stops at an object that is being deleted already, and is answered as if that were all",
		on: "deletecollection", instead: upToDeleting(func(c *call, l runtime.Object) { c.got = l })},
	{name: "collection-fails-at-deleting", rule: "write/answered", about: "deletecollection fails with 409 at an object that is being deleted already",
		on: "deletecollection", instead: upToDeleting(func(c *call, _ runtime.Object) { refuseConflict(c) })},
	{name: "collection-told-once", rule: "write/collection", about: "of the objects that a deletecollection deletes, watches are told of one",
		on: "deletecollection|watch", state: func(*apiserver.Server) row {
			var untold sync.Map // by uid
			return row{ask: func(c *call) {
				if l, err := c.api.List(c.ctx, c.Request, c.list); c.verb != "watch" && err == nil && len(items(l)) > 0 {
					for _, obj := range items(l)[1:] {
						untold.Store(of(obj).GetUID(), true)
					}
				}
			}, events: drop(event(func(e watch.Event, c apiserver.Cause) bool {
				_, silent := untold.Load(of(e.Object).GetUID())
				return c == apiserver.Deleted && silent
			}))}
		}},
}

// collectionConflictRows are faults of the preconditions of a deletecollection.
var collectionConflictRows = []row{
	{name: "collection-preconditions-ignored", rule: "write/collection/preconditions", about: "deletecollection does not look at its preconditions",
		on: "deletecollection", ask: anyPrecondition},
	{name: "collection-version-ignored", rule: "write/collection/preconditions", about: "of the preconditions of a deletecollection only the uid is looked at",
		on: "deletecollection", ask: anyVersion},
	{name: "collection-uid-ignored", rule: "write/collection/preconditions", about: "of the preconditions of a deletecollection only the resourceVersion is looked at",
		on: "deletecollection", ask: anyUID},
	{name: "collection-conflict-unsaid", rule: "write/collection/preconditions", about: "deletecollection leaves what its preconditions do not hold of, and is answered as if it were gone",
		on: "deletecollection", refused: apierrors.IsConflict, answer: func(c *call) { c.got, c.err = c.api.List(c.ctx, c.Request, c.list) }},
	{name: "collection-conflict-deleted", rule: "write/collection/preconditions", about: "a deletecollection is refused for its preconditions, and deletes all the same",
		on: "deletecollection", refused: apierrors.IsConflict, answer: anyway(again(anyPrecondition))},
	{name: "collection-conflict-without-reason", rule: "write/collection/preconditions", about: "a deletecollection whose preconditions do not hold is refused with a 409 that has no reason",
		on: "deletecollection", refused: apierrors.IsConflict, answer: withoutReason},
}

// firstOnly has a deletecollection delete so many objects at most.
func firstOnly(n int64) func(*call) { return func(c *call) { c.list.Limit = n } }

// upToDeleting deletes those of a collection before the first that is being deleted already, and then f answers.
func upToDeleting(f func(c *call, all runtime.Object)) func(*call) {
	return func(c *call) {
		l, err := c.api.List(c.ctx, c.Request, c.list)
		if err != nil || !slices.ContainsFunc(items(l), func(o runtime.Object) bool { return deleting(of(o)) }) {
			c.next()
			return
		}
		for _, item := range items(l) {
			if deleting(of(item)) {
				f(c, l)
				return
			}
			one := c.Request
			one.Name = of(item).GetName()
			_, _ = c.api.Delete(c.ctx, one, c.remove) // it was there
		}
	}
}
