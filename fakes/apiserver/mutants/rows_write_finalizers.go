package mutants

import (
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// finalizerRows are faults of objects that stay until somebody takes their finalizers away.
var finalizerRows = append([]row{
	{name: "finalizers-ignored", rule: "write/finalizers", about: "a delete removes the object at once, whatever finalizers it has (client-go's fake clientset)",
		on: "delete", when: all(whereStored(finalized), not(dry)), instead: func(c *call) { c.got = c.now(); removeNow(c) }},
	{name: "finalizers-ignored-by-uid", rule: "write/finalizers", about: "a delete with a uid as its precondition, as garbage collectors send it, removes the object at once, whatever finalizers it has",
		on: "delete", when: all(ifUID, not(dry)), answer: removeNow},
	{name: "finalizers-ignored-at-once", rule: "write/finalizers", about: "a delete with a grace period of 0 seconds removes the object, whatever finalizers it has",
		on: "delete", when: all(zeroPeriod, not(dry)), answer: removeNow},
	{name: "finalizers-ignored-background", rule: "write/finalizers", about: "a delete with propagationPolicy Background, as kubectl asks for, removes the object, whatever finalizers it has",
		on: "delete", when: all(inBackground, not(dry)), answer: removeNow},
	{name: "collection-over-finalizers", rule: "write/finalizers", about: "deletecollection removes objects at once, whatever finalizers they have",
		on: "deletecollection", answer: eachDeleted(finalized, removeNow)},
	{name: "finalizers-keep-for-ever", rule: "write/finalizers", about: "an object with finalizers is not marked: its delete is answered, and does nothing",
		on: "delete", when: whereStored(finalized), instead: func(c *call) { c.got = c.now() }},
	{name: "delete-misses-finalizer", rule: "write/finalizers-raced", about: "a delete looks for finalizers, and a millisecond later removes the object, whatever it has got since",
		on: "delete", when: all(whereStored(func(o metav1.Object) bool { return !finalized(o) }), not(preconditioned), not(dry)), instead: func(c *call) {
			time.Sleep(aMoment)
			if c.got = c.now(); c.got != nil && finalized(of(c.got)) {
				removeNow(c)
				return
			}
			c.next()
		}},
	{name: "delete-answers-old", rule: "write/delete-answer", about: "a delete of what stays is answered with the object as it was before the delete",
		on: "delete", instead: remembering(func(c *call, was runtime.Object) {
			if _, object := c.got.(metav1.Object); object {
				c.got = was
			}
		})},

	{name: "finalizer-added", rule: "write/finalizers", about: "an update that adds a finalizer to what is being deleted is taken",
		on: "update", when: whereSent(finalized), refused: apierrors.IsInvalid, answer: answerSent},
	{name: "finalizer-added-by-patch", rule: "write/finalizers", about: "a patch that adds a finalizer to what is being deleted is taken",
		on: "patch", when: whereStored(deleting), refused: apierrors.IsInvalid, answer: func(c *call) {
			c.got, c.err = c.now(), nil
			of(c.got).SetFinalizers(append(of(c.got).GetFinalizers(), "lwtest.example.com/late"))
		}},
	{name: "apply-adds-finalizers", rule: "write/finalizers", about: "an apply that names another finalizer of what is being deleted is taken, and so it shows it",
		on: "patch", when: all(applies, exists), refused: apierrors.IsInvalid, answer: func(c *call) {
			c.got, c.err = c.now(), nil
			of(c.got).SetFinalizers(patchedMeta(c).Finalizers)
			answerAt(plusOne)(c)
		}},
	{name: "json-patch-loses-finalizers", rule: "write/finalizers", about: "a JSON patch takes the finalizers away that it does not name",
		on: "patch", when: all(jsonPatches, not(dry)), answer: loseFinalizers},
	{name: "apply-takes-all-finalizers", rule: "write/finalizers", about: "an apply takes away the finalizers that it does not name, whoever has set them",
		on: "patch", when: all(applies, not(dry), not(patchHas(`"finalizers"`))), answer: loseFinalizers},
	{name: "last-finalizer-stays", rule: "write/finalizers", about: "who takes the last finalizer of what is being deleted is answered, and the object stays",
		on: "update", when: all(whereStored(deleting), not(whereSent(finalized))), ask: asDryRun},
	{name: "apply-ends-nothing", rule: "write/finalizers", about: "an apply that takes the last finalizer of what is being deleted is answered, and the object stays",
		on: "patch", when: all(applies, whereStored(deleting)), instead: func(c *call) {
			tried := c.tried()
			if c.got = tried.got; tried.err != nil || finalized(of(c.got)) {
				c.next()
			}
		}},

	{name: "mark-untold", rule: "write/finalizers", about: "that an object has got a deletionTimestamp is not told to watches",
		on: "watch", events: drop(becoming(deleting))},
	{name: "last-finalizer-untold", rule: "write/finalizers", about: "an object that went with its last finalizer is not told as DELETED",
		on: "watch", events: drop(event(func(e watch.Event, c apiserver.Cause) bool {
			return c == apiserver.Deleted && deleting(of(e.Object))
		}))},
}, markRows()...)

// markRows are faults of what a delete leaves as it is, and shows otherwise in every answer and event.
func markRows() []row {
	var rows []row
	for _, m := range []struct {
		name, about string
		show        func(metav1.Object)
	}{
		{"mark-moves", "the deletionTimestamp of an object that waits for a finalizer grows with each change of it", func(o metav1.Object) {
			n, _ := strconv.Atoi(o.GetResourceVersion()) // in this store it is a number
			o.SetDeletionTimestamp(&metav1.Time{Time: o.GetDeletionTimestamp().Add(time.Duration(n) * time.Second)})
		}},
		{"mark-unlabels", "an object that waits for a finalizer has lost its labels", func(o metav1.Object) { o.SetLabels(nil) }},
		{"mark-another", "an object that waits for a finalizer has another uid than before", func(o metav1.Object) { o.SetUID(o.GetUID() + "x") }},
		{"mark-renews", "an object that waits for a finalizer has another creationTimestamp than before", createdLater(time.Hour)},
	} {
		waits := func(o metav1.Object) {
			if deleting(o) && finalized(o) {
				m.show(o)
			}
		}
		rows = append(rows, row{name: m.name, rule: "write/finalizers", about: m.about,
			on: "get|list|update|patch|watch", events: shown(anyObject, waits), answer: func(c *call) {
				if c.verb != "watch" {
					objects(waits)(c)
				}
			}})
	}
	return rows
}

// loseFinalizers takes the finalizers of an answer away, and stores that.
func loseFinalizers(c *call) {
	if finalized(of(c.got)) {
		of(c.got).SetFinalizers(nil)
		putAnswer(c)
	}
}

// eachDeleted does something with each object of a deletecollection that is such.
func eachDeleted(such func(metav1.Object) bool, do func(*call)) func(*call) {
	return func(c *call) {
		for _, item := range items(c.got) {
			if one := *c; such(of(item)) {
				one.Name = of(item).GetName()
				do(&one)
			}
		}
	}
}

// becoming picks the MODIFIED by which a watch would hear that an object has become such.
func becoming(such func(metav1.Object) bool) which {
	return func() func(watch.Event, apiserver.Cause) bool {
		is := map[types.UID]bool{}
		return func(e watch.Event, _ apiserver.Cause) bool {
			o := of(e.Object)
			was := is[o.GetUID()]
			is[o.GetUID()] = such(o)
			return e.Type == watch.Modified && !was && such(o)
		}
	}
}

// anyObject picks all events but bookmarks.
var anyObject = event(func(e watch.Event, _ apiserver.Cause) bool { return e.Type != watch.Bookmark })

// zeroPeriod is for deletes with a grace period of 0 seconds, inBackground for those with that propagation policy.
func zeroPeriod(c *call) bool {
	return c.remove.GracePeriodSeconds != nil && *c.remove.GracePeriodSeconds == 0
}

func inBackground(c *call) bool {
	return c.remove.PropagationPolicy != nil && *c.remove.PropagationPolicy == metav1.DeletePropagationBackground
}
