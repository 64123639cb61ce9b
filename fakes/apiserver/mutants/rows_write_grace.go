package mutants

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// graceRows are faults of pods on nodes, which have a grace period when they are deleted.
var graceRows = []row{
	{name: "grace-not-given", rule: "write/grace", resource: "pods", about: "a delete that names no period removes a pod on a node at once, as fakes do that have no grace (client-go's, controller-runtime's)",
		on: "delete", when: all(noPeriod, not(whereStored(deleting))), ask: period(0)},
	{name: "grace-own-ignored", rule: "write/grace", resource: "pods", about: "a pod gets the period of its kind, whatever the delete asks for",
		on: "delete", when: all(somePeriod, not(whereStored(deleting))), ask: anyPeriod},
	{name: "grace-mark-untold", rule: "write/grace", resource: "pods", about: "watches are not told of the mark of a delete with a period: the node never hears that it is to end the pod",
		on: "watch", events: drop(becoming(hasTime))},
	{name: "grace-period-unsaid", rule: "write/grace", resource: "pods", about: "gets show a pod that has time left without deletionGracePeriodSeconds",
		on: "get", when: whereStored(hasTime), answer: objects(func(o metav1.Object) { o.SetDeletionGracePeriodSeconds(nil) })},
	{name: "grace-mark-unshown", rule: "write/grace", resource: "pods", about: "gets show a pod that has time left as if nobody had deleted it",
		on: "get", when: whereStored(hasTime), answer: objects(func(o metav1.Object) {
			o.SetDeletionGracePeriodSeconds(nil)
			o.SetDeletionTimestamp(nil)
		})},

	{name: "grace-given-and-gone", rule: "write/grace/stays", resource: "pods", about: "a pod on a node is marked with its period, and removed at once all the same",
		on: "delete", answer: func(c *call) {
			if gotTime(c) {
				removeNow(c)
			}
		}},
	{name: "grace-over-gone", rule: "write/grace/stays", resource: "pods", about: "the server itself removes a pod when its time is over, though its node may still run it",
		on: "delete", answer: func(c *call) {
			if gotTime(c) {
				uid, later := of(c.got).GetUID(), *c
				later.ctx = context.WithoutCancel(c.ctx)
				later.remove = metav1.DeleteOptions{GracePeriodSeconds: new(int64(0)), Preconditions: &metav1.Preconditions{UID: &uid}}
				time.AfterFunc(time.Duration(*of(c.got).GetDeletionGracePeriodSeconds())*time.Second, later.next)
			}
		}},
	{name: "grace-held-gone", rule: "write/grace/stays", resource: "pods", about: "who takes the last finalizer of a pod that has time left removes it",
		on: "update", when: all(whereStored(finalized), not(whereSent(finalized))), answer: func(c *call) {
			if gotTime(c) {
				endNow(c)
			}
		}},
	{name: "grace-collection-gone", rule: "write/grace/stays", resource: "pods", about: "deletecollection removes what has time left already",
		on: "deletecollection", answer: eachDeleted(hasTime, endNow)},
	{name: "grace-hidden", rule: "write/grace/stays", resource: "pods", about: "gets answer 404 for a pod that has time left: a controller makes the next while it still runs",
		on: "get", when: whereStored(hasTime), instead: refuseNotFound},

	{name: "grace-grows", rule: "write/grace/shorter", resource: "pods", about: "a later delete with a longer period gives a pod that much",
		options: graceGrows},
	{name: "grace-begins-anew", rule: "write/grace/shorter", resource: "pods", about: "a later delete that names no period gives a pod that of its kind again",
		options: graceGrows, on: "delete", when: all(noPeriod, whereStored(deleting)), ask: period(corev1.DefaultTerminationGracePeriodSeconds)},
	{name: "grace-shorter-ignored", rule: "write/grace/shorter", resource: "pods", about: "a later delete with a shorter period changes nothing, unless it is 0",
		on: "delete", when: all(somePeriod, whereStored(deleting)), ask: anyPeriod},
	{name: "grace-shorter-untold", rule: "write/grace/shorter", resource: "pods", about: "watches are not told that a period got shorter: the node takes the time it knows of",
		on: "watch", events: drop(shorter)},

	{name: "grace-zero-ignored", rule: "write/grace/end", resource: "pods", about: "a delete with period 0 of a pod that has time left changes nothing: kubectl delete --force hangs",
		on: "delete", when: all(zeroPeriod, whereStored(deleting)), ask: anyPeriod},
	{name: "grace-zero-unset", rule: "write/grace/end", resource: "pods", about: "a period of 0 is read as none, as of a field that is left out where it is empty",
		on: "delete", when: all(zeroPeriod, not(whereStored(deleting))), ask: anyPeriod},
	{name: "grace-end-untold", rule: "write/grace/end", resource: "pods", about: "watches are not told of the end of what had time left before",
		on: "watch", events: drop(endOfTime)},
}

// graceGrows has a later delete give a pod the period that it asks for.
func graceGrows(o *apiserver.Options) { o.Quirks.GraceGrows = true }

// noPeriod is for deletes that name no grace period, somePeriod for those with one above 0.
func noPeriod(c *call) bool   { return c.remove.GracePeriodSeconds == nil }
func somePeriod(c *call) bool { return !noPeriod(c) && !zeroPeriod(c) }

// period has a delete ask for a grace period, anyPeriod for none.
func period(seconds int64) func(*call) {
	return func(c *call) { c.remove.GracePeriodSeconds = &seconds }
}

func anyPeriod(c *call) { c.remove.GracePeriodSeconds = nil }

// hasTime reports whether an object is being deleted, and has time left; gotTime, whether that is in the answer.
func hasTime(o metav1.Object) bool {
	left := o.GetDeletionGracePeriodSeconds()
	return left != nil && *left > 0
}

func gotTime(c *call) bool {
	o, ok := c.got.(metav1.Object)
	return ok && hasTime(o)
}

// shorter picks changes of the grace period of what had one before.
func shorter() func(watch.Event, apiserver.Cause) bool {
	had := map[types.UID]int64{}
	return func(e watch.Event, _ apiserver.Cause) bool {
		o := of(e.Object)
		if !hasTime(o) || e.Type != watch.Modified {
			return false
		}
		was, marked := had[o.GetUID()]
		had[o.GetUID()] = *o.GetDeletionGracePeriodSeconds()
		return marked && was != had[o.GetUID()]
	}
}

// endOfTime picks deletions of what had time left before.
func endOfTime() func(watch.Event, apiserver.Cause) bool {
	had := map[types.UID]bool{}
	return func(e watch.Event, c apiserver.Cause) bool {
		o := of(e.Object)
		had[o.GetUID()] = had[o.GetUID()] || hasTime(o)
		return c == apiserver.Deleted && had[o.GetUID()]
	}
}
