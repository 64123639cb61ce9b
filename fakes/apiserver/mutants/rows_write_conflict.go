package mutants

import (
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// conflictRows are faults of updates and deletes that say which resourceVersion the object must have.
var conflictRows = []row{
	{name: "stale-update", rule: "write/conflict/update", about: "an update with a stale resourceVersion is done (client-go's fake clientset; controller-runtime 0.15.0's fake client, status)",
		on: "update", when: conditional, refused: apierrors.IsConflict, answer: again(anyVersion)},
	{name: "conflict-applied", rule: "write/conflict/update", about: "an update with a stale resourceVersion is answered with 409, and done",
		on: "update", refused: apierrors.IsConflict, answer: anyway(again(anyVersion))},
	{name: "conflict-applied-filled", rule: "write/conflict/update", about: "an update with a stale resourceVersion is answered with 409, and done, with the status filled in that was left out",
		on: "update", ask: fillIn, refused: apierrors.IsConflict, answer: anyway(again(anyVersion))},
	{name: "refused-and-updated", rule: "write/conflict/update", about: "an update whose resourceVersion holds is answered with 409, and done",
		on: "update", when: conditional, answer: refuseConflict},
	{name: "stale-update-malformed", rule: "write/conflict/update", about: "an update with a stale resourceVersion is answered with 400",
		on: "update", refused: apierrors.IsConflict, answer: refuse(apierrors.NewBadRequest("the resourceVersion is not that of the object"))},
	{name: "stale-update-exists", rule: "write/conflict/update", about: "an update with a stale resourceVersion is answered with 409 AlreadyExists, in which no client sees a conflict",
		on: "update", refused: apierrors.IsConflict, answer: refuseExists},
	{name: "update-conflict-without-reason", rule: "write/conflict/update", about: "an update with a stale resourceVersion is refused with a 409 that has no reason",
		on: "update", refused: apierrors.IsConflict, answer: withoutReason},
	{name: "very-stale-update", rule: "write/conflict/update", about: "an update with a resourceVersion of more than ten revisions ago is done (a short memory of what is old)",
		on: "update", when: staleBy(10), ask: anyVersion},
	{name: "update-checked-early", rule: "write/conflict/update", about: "an update's resourceVersion is compared, and a millisecond later the update is done whatever is stored then",
		on: "update", when: versionHolds, instead: later(anyVersion)},
	{name: "update-version-raced", rule: "write/contended", about: "an update finds the resourceVersion that it names, and a millisecond later is written over whatever is there then",
		on: "update", when: versionHolds, instead: later(anyVersion)},
	{name: "stale-update-unchanging", rule: "write/conflict/update", about: "an update with a stale resourceVersion is answered with 200 where its content is what is stored (compared before the precondition is)",
		on: "update", instead: func(c *call) {
			if now := c.now(); now != nil && equality.Semantic.DeepEqual(moved(c.sent, of(now).GetResourceVersion()), now) {
				c.got = now
				return
			}
			c.next()
		}},
	{name: "false-conflict-update", rule: "write/no-false-conflict", about: "every third update with a resourceVersion is refused with 409, as if compared with an older copy",
		state: eachNth(3, row{on: "update", when: conditional, instead: refuseConflict})},

	{name: "stale-delete", rule: "write/conflict/delete", about: "a delete whose precondition on the resourceVersion does not hold is done (client-go's fake clientset has no preconditions)",
		on: "delete", ask: anyVersion},
	{name: "conflict-deleted", rule: "write/conflict/delete", about: "a delete with a stale resourceVersion is answered with 409, and done",
		on: "delete", when: ifVersion, refused: apierrors.IsConflict, answer: anyway(again(anyPrecondition))},
	{name: "refused-and-deleted", rule: "write/conflict/delete", about: "a delete whose precondition holds is answered with 409, and done",
		on: "delete", when: preconditioned, answer: refuseConflict},
	{name: "stale-delete-missing", rule: "write/conflict/delete", about: "a delete with a stale resourceVersion is answered with 404, though the object is there",
		on: "delete", refused: apierrors.IsConflict, answer: refuseNotFound},
	{name: "very-stale-delete", rule: "write/conflict/delete", about: "a delete with a resourceVersion of more than ten revisions ago as its precondition is done",
		on: "delete", when: staleBy(10), ask: anyPrecondition},
	{name: "delete-checked-early", rule: "write/conflict/delete", about: "a delete's precondition on the resourceVersion is checked, and a millisecond later the object is deleted whatever is stored then",
		on: "delete", when: versionHolds, instead: later(anyVersion)},
	{name: "delete-version-raced", rule: "write/conflict/delete", about: "a delete finds the resourceVersion that it demands, and a millisecond later removes whatever has the name then",
		on: "delete", when: versionHolds, instead: later(anyPrecondition)},
	{name: "held-delete-stale", rule: "write/conflict/delete", about: "a delete with a stale resourceVersion marks what has finalizers: the precondition is looked at only where something is removed",
		on: "delete", when: all(ifVersion, heldYet), ask: anyPrecondition},
	{name: "held-delete-refused-marked", rule: "write/conflict/delete", about: "a delete with a stale resourceVersion of what has finalizers is answered with 409, and marks it",
		on: "delete", when: all(ifVersion, heldYet), refused: apierrors.IsConflict, answer: anyway(again(anyPrecondition))},
	{name: "false-conflict-delete", rule: "write/no-false-conflict", about: "every second delete with a resourceVersion is refused with 409, as if compared with an older copy",
		state: eachNth(2, row{on: "delete", when: ifVersion, instead: refuseConflict})},
}

// uidRows are faults of writes that say which uid the object must have.
var uidRows = []row{
	{name: "wrong-uid-updated", rule: "write/conflict/uid", about: "an update with another object's uid is done",
		on: "update", ask: anyUID},
	{name: "update-uid-alone-ignored", rule: "write/conflict/uid", about: "an update without a resourceVersion is done whatever uid it has: it is taken for an unconditional one",
		on: "update", when: not(conditional), ask: anyUID},
	{name: "update-uid-raced", rule: "write/conflict/uid", about: "an update without a resourceVersion finds the uid that it demands, and a millisecond later is written over whatever has the name then",
		on: "update", when: all(not(conditional), uidHolds), instead: later(anyUID)},
	{name: "wrong-uid-deleted", rule: "write/conflict/uid", about: "a delete with another object's uid is done (client-go's fake clientset has no preconditions)",
		on: "delete", ask: anyUID},
	{name: "delete-uid-conflict-without-reason", rule: "write/conflict/uid", about: "a delete with another object's uid is refused with a 409 that has no reason",
		on: "delete", refused: apierrors.IsConflict, answer: withoutReason},
	{name: "delete-uid-raced", rule: "write/conflict/uid", about: "a delete finds the uid that it demands, and a millisecond later removes whatever has the name then",
		on: "delete", when: all(not(ifVersion), uidHolds), instead: later(anyPrecondition)},
	{name: "held-delete-wrong-uid", rule: "write/conflict/uid", about: "a delete with another object's uid marks what has finalizers",
		on: "delete", when: all(ifUID, heldYet), ask: anyPrecondition},

	{name: "patch-changes-uid", rule: "write/uid-kept", about: "a patch with another uid is taken, and answered with it",
		on: "patch", instead: func(c *call) {
			uid := patchedMeta(c).UID
			anyUID(c)
			if c.next(); c.err == nil && uid != "" {
				of(c.got).SetUID(uid)
			}
		}},
	{name: "patch-uid-ignored", rule: "write/uid-kept", about: "a patch with another uid is taken for one without",
		on: "patch", ask: anyUID},
	{name: "patch-uid-bad-request", rule: "write/uid-kept", about: "a patch with another uid is refused with 400",
		on: "patch", when: patchHas(`"uid":"`), refused: apierrors.IsInvalid, answer: refuse(apierrors.NewBadRequest("the uid cannot be changed"))},
	{name: "apply-wrong-uid", rule: "write/uid-kept", about: "an apply with another object's uid is done",
		on: "patch", when: applies, ask: anyUID},
	{name: "apply-wrong-uid-malformed", rule: "write/uid-kept", about: "an apply with another object's uid is refused with 400, as if it could not be read",
		on: "patch", when: applies, refused: apierrors.IsInvalid, answer: refuse(apierrors.NewBadRequest("the uid is not that of the object"))},
}

// statusConflictRows are faults of writes to status that say which resourceVersion or uid the object must have.
var statusConflictRows = []row{
	{name: "status-put-stale", rule: "write/conflict/status", resource: "deployments", about: "an update of status is taken whatever its resourceVersion",
		on: "update", when: ofStatus, ask: anyVersion},
	{name: "status-patch-stale", rule: "write/conflict/status", resource: "deployments", about: "a merge patch of status is taken whatever its resourceVersion",
		on: "patch", when: ofStatus, ask: anyVersion},
	{name: "status-conflict-applied", rule: "write/conflict/status", resource: "deployments", about: "an update of status with a stale resourceVersion is answered with 409, and done",
		on: "update", when: ofStatus, refused: apierrors.IsConflict, answer: anyway(again(anyVersion))},
	{name: "status-put-future", rule: "write/conflict/status", resource: "deployments", about: "an update of status with a resourceVersion above the object's is taken",
		on: "update", when: all(ofStatus, fromFuture), ask: anyVersion},
	{name: "status-put-any-uid", rule: "write/conflict/uid", resource: "deployments", about: "an update of status is taken whatever uid it names",
		on: "update", when: ofStatus, ask: anyUID},
	{name: "status-put-refused", rule: "write/no-false-conflict", resource: "deployments", about: "every third update of status is refused with 409 though its resourceVersion holds",
		state: eachNth(3, row{on: "update", when: ofStatus, instead: refuseConflict})},
}

// versionHolds reports whether the object has the resourceVersion that a write demands, uidHolds whether it has the uid.
func versionHolds(c *call) bool {
	now := c.now()
	return now != nil && of(now).GetResourceVersion() == demanded(c)
}

func uidHolds(c *call) bool {
	now := c.now()
	if c.verb == "update" {
		return now != nil && of(now).GetUID() == of(c.sent).GetUID()
	}
	return now != nil && ifUID(c) && of(now).GetUID() == *c.remove.Preconditions.UID
}

// staleBy reports whether a write demands a resourceVersion of more than so many revisions ago, but not the first; fromFuture, whether one above the object's.
func staleBy(revisions int64) func(*call) bool {
	return func(c *call) bool {
		now, rv := c.now(), demanded(c)
		from := plus(rv, revisions)
		return now != nil && from != rv && rv != "1" && older(from, of(now).GetResourceVersion())
	}
}

func fromFuture(c *call) bool {
	now := c.now()
	return now != nil && older(of(now).GetResourceVersion(), demanded(c))
}

// heldYet reports whether the object has finalizers, and nobody has deleted it.
func heldYet(c *call) bool { return all(whereStored(finalized), not(whereStored(deleting)))(c) }
