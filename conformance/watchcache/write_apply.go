package watchcache

import (
	"github.com/lwtest/lwtest/harness"
)

var writeMissingApply = func() harness.Rule {
	r := writeMissing("apply", nil, []string{"PATCH type=apply outcome=ok"}, Apply)
	r.Judge = onState(judgeMissingApply)
	return r
}()

var conflictApply = func() harness.Rule {
	r := writeConflict("apply", []string{"PATCH type=apply outcome=409"}, Apply)
	r.Judge = onState(judgeConflictApply)
	return r
}()

var writeApplyChecks = []harness.Check[Subject]{
	{Info: harness.Info{
		Name:  "write/conflict/apply",
		About: "applies of what another manager has applied: with the same value, with another, by force, and of something else",
		Needs: []harness.Feature{Apply},
		Rules: []harness.Rule{conflictApply},
	}, Drive: drive(driveApplyConflict)},
	{Info: harness.Info{
		Name:  "write/conflict/apply-stale",
		About: "applies with a resourceVersion that was replaced, and with one that never was, and with another object's uid, also by force and where they would change nothing",
		Needs: []harness.Feature{Apply, Patch, ComparableRV, Precondition},
		Rules: []harness.Rule{conflictPatch, writeUIDKept},
	}, Drive: drive(driveApplyStale)},
	{Info: harness.Info{
		Name:  "write/dry-run/apply",
		About: "applies as dry runs, which would create and change, of what another manager has applied, by force, and with what is stale",
		Needs: []harness.Feature{Apply, DryRun, ComparableRV},
		Rules: []harness.Rule{writeDryRun, writeResponse, writeMissingApply, conflictApply},
	}, Drive: drive(driveApplyDry)},
	{Info: harness.Info{
		Name:  "write/response/apply",
		About: "applies that create and change, and leave alone what others have applied or written, and what lists, gets and watches show of it",
		Needs: []harness.Feature{Apply, ComparableRV},
		Rules: []harness.Rule{writeResponse, writeVisible, watchReliable},
	}, Drive: drive(driveApplyResponses)},
	{Info: harness.Info{
		Name:  "write/missing/apply",
		About: "applies of what is not there, never was, and was",
		Needs: []harness.Feature{Apply},
		Rules: []harness.Rule{writeMissingApply, writeVisible},
	}, Drive: drive(driveApplyMissing)},
	{Info: harness.Info{
		Name:  "write/finalizers/apply",
		About: "applies that leave out finalizers that they had applied, of an object that is being deleted, in the end the last",
		Needs: []harness.Feature{Apply, Finalizers, ComparableRV},
		Rules: []harness.Rule{writeFinalizers, writeMissingApply},
	}, Drive: drive(driveFinalizersApplied)},
	{Info: harness.Info{
		Name:  "write/no-op/apply",
		About: "applies of what the same manager has applied already",
		Needs: []harness.Feature{Apply, ComparableRV},
		Rules: []harness.Rule{writeNoOp},
	}, Drive: drive(driveApplyAgain)},
}
