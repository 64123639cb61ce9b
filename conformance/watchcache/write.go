package watchcache

import (
	"time"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
)

// Aspects of write/conflict: the uid is the precondition that does not hold; the write is one to status.
const (
	aspectUID    = "uid"
	aspectStatus = "status"
)

// writeConflict has a rule for each verb, and one for the uid.
func writeConflict(aspect string, classes []string, needs ...harness.Feature) harness.Rule {
	return harness.Rule{
		Clause: harness.Clause{
			ID:    "write/conflict",
			Level: harness.Must,
			Text: "an update, patch or delete, or a write to the status subresource, with a stale resourceVersion, and an update or delete with a wrong uid, fail with 409 Conflict and change nothing; " +
				"so does an apply, unless it forces, of what another manager has applied with another value, and a JSON patch of which a test does not hold is refused (with 422), and changes nothing",
			Sources: []harness.Source{sources.concurrency, sources.updates, sources.preconditions, sources.deletePreconditions, sources.reasonConflict, sources.applyConflicts},
			Why:     "without it two controllers overwrite each other's changes, and leader election elects two leaders",
			Advice:  "Check each precondition (also tests and field owners) on the stored object in the transaction that writes; if one fails answer 409 Conflict (a test: 422).",
			Classes: classes,
		},
		Aspect: aspect,
		Needs:  needs,
		Judge:  onState(judgeConflict(aspect)),
	}
}

var (
	conflictUpdate = writeConflict("update", []string{"UPDATE rv=stale outcome=409"})
	conflictPatch  = writeConflict("patch", []string{"PATCH rv=stale outcome=409"}, Patch)
	conflictDelete = writeConflict("delete", []string{"DELETE rv=stale outcome=409"}, Precondition)
	conflictUID    = writeConflict(aspectUID, []string{"UPDATE uid=stale outcome=409", "DELETE uid=stale outcome=409"}, Precondition)
)

var verbOf = map[string]string{"update": replay.Update, "patch": replay.Patch, "delete": replay.Delete}

var writeRules = []harness.Rule{conflictUpdate, conflictPatch, conflictDelete, conflictUID, conflictApply, conflictStatus, conflictTest}

var writeChecks = []harness.Check[Subject]{
	{Info: harness.Info{
		Name:  "write/conflict/update",
		About: "updates with a resourceVersion that was replaced, and with one that never was",
		Rules: []harness.Rule{conflictUpdate},
	}, Drive: drive(driveConflict((*driver).update))},
	{Info: harness.Info{
		Name:  "write/conflict/patch",
		About: "merge patches with a resourceVersion that was replaced, and with one that never was",
		Needs: []harness.Feature{Patch},
		Rules: []harness.Rule{conflictPatch},
	}, Drive: drive(driveConflict((*driver).patch))},
	{Info: harness.Info{
		Name:  "write/conflict/delete",
		About: "deletes with a resourceVersion that was replaced, and with one that never was",
		Needs: []harness.Feature{Precondition},
		Rules: []harness.Rule{conflictDelete},
	}, Drive: drive(driveConflict((*driver).removeAt))},
	{Info: harness.Info{
		Name: "write/conflict/contended",
		About: "updates and deletes of one object at once, with the resourceVersion that holds and with stale ones; " +
			"and of one that is deleted and created anew meanwhile, with its uid, its resourceVersion or both",
		Needs: []harness.Feature{ComparableRV, Precondition},
		Rules: []harness.Rule{conflictUpdate, conflictDelete, conflictUID},
		Span:  20 * time.Second,
	}, Drive: drive(driveContended)},
	{Info: harness.Info{
		Name:  "write/conflict/uid",
		About: "updates and deletes with the uid of an object that is gone, and of one that never was",
		Needs: []harness.Feature{Precondition},
		Rules: []harness.Rule{conflictUID},
	}, Drive: drive(driveConflictUID)},
	{Info: harness.Info{
		Name:  "write/conflict/newer",
		About: "updates, patches and deletes with resourceVersions above the object's: another object's, and one that nothing has yet",
		Needs: []harness.Feature{ComparableRV, Precondition},
		Rules: []harness.Rule{conflictUpdate, conflictDelete},
	}, Drive: drive(driveConflictNewer)},
	{Info: harness.Info{
		Name:  "write/conflict/both",
		About: "updates and deletes with a uid and a resourceVersion, of which one holds",
		Needs: []harness.Feature{ComparableRV, Precondition},
		Rules: []harness.Rule{conflictUpdate, conflictDelete, conflictUID},
	}, Drive: drive(driveConflictBoth)},
	{Info: harness.Info{
		Name:  "write/conflict/shapes",
		About: "stale updates, patches and deletes that change one part each, or say how to delete, of objects with finalizers, with owners, without labels",
		Needs: []harness.Feature{ComparableRV, Precondition},
		Rules: []harness.Rule{conflictUpdate, conflictPatch, conflictDelete, conflictUID},
	}, Drive: drive(driveConflictShapes)},
	{Info: harness.Info{
		Name:  "write/conflict/deleting",
		About: "deletes of an object that a finalizer holds, with preconditions that do not hold of it; and stale updates, patches and deletes while it is being deleted",
		Needs: []harness.Feature{ComparableRV, Precondition, Finalizers},
		Rules: []harness.Rule{conflictUpdate, conflictDelete, conflictUID, writeFinalizers},
	}, Drive: drive(driveConflictDeleting)},
}
