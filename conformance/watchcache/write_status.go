package watchcache

import (
	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// writeStatus has a rule for writes to the object, and one for those to its status.
func writeStatus(aspect string, judge func(*history.History) harness.Judgement, classes []string) harness.Rule {
	return harness.Rule{
		Clause: harness.Clause{
			ID:    "write/status",
			Level: harness.Must,
			Text: "for a kind with a status subresource a write to the object leaves status alone, whatever it brings of it or leaves out; " +
				"one to the subresource leaves spec alone",
			Sources: []harness.Source{sources.specAndStatus, sources.customStatus},
			Why:     "a user's old copy takes back what the controller has observed, or a controller's takes back what the user has asked for",
			Advice:  "Before you store copy status from the stored object in writes to the object, and spec in writes to /status, for PUT, every patch type and apply.",
			Classes: classes,
		},
		Aspect: aspect,
		Needs:  []harness.Feature{StatusSubresource},
		Judge:  onState(judge),
	}
}

var (
	statusKept = writeStatus("status-kept", judgeApart(Status, false), []string{"UPDATE outcome=ok", "PATCH outcome=ok"})
	specKept   = writeStatus("spec-kept", judgeApart(Spec, true), []string{"UPDATE sub=status outcome=ok", "PATCH sub=status outcome=ok"})

	conflictStatus = writeConflict(aspectStatus, []string{"UPDATE sub=status rv=stale outcome=409", "PATCH sub=status rv=stale outcome=409"}, StatusSubresource)
)

var writeStatusRules = []harness.Rule{statusKept, specKept}

var writeStatusChecks = []harness.Check[Subject]{
	{Info: harness.Info{
		Name: "write/status",
		About: "updates and patches of an object and of its status, which bring the other part, too, or leave it out; " +
			"with what changes nothing, as dry runs, while the object is being deleted, and of what is not there",
		Needs: []harness.Feature{StatusSubresource},
		Rules: []harness.Rule{statusKept, specKept},
	}, Drive: drive(driveStatus)},
	{Info: harness.Info{
		Name:  "write/status/apply",
		About: "applies of an object and of its status by two managers, which bring the other part, too",
		Needs: []harness.Feature{StatusSubresource, Apply, ComparableRV},
		Rules: []harness.Rule{statusKept, specKept, writeResponse},
	}, Drive: drive(driveStatusApplied)},
	{Info: harness.Info{
		Name:  "write/conflict/status",
		About: "updates of status with a resourceVersion that was replaced, that never was, or that nothing has yet, and with a wrong uid",
		Needs: []harness.Feature{StatusSubresource},
		Rules: []harness.Rule{conflictStatus},
	}, Drive: drive(driveConflictStatus((*driver).restateStatus))},
	{Info: harness.Info{
		Name:  "write/conflict/status/patch",
		About: "the same by merge patches of status",
		Needs: []harness.Feature{StatusSubresource, Patch},
		Rules: []harness.Rule{conflictStatus},
	}, Drive: drive(driveConflictStatus((*driver).repatchStatus))},
}

// toStatus are the arguments of a write that is put to status.
var toStatus = replay.WriteArgs{Subresource: Status}
