package watchcache

import "github.com/lwtest/lwtest/harness"

// The aspects of write/grace beside what a delete leaves.
const (
	aspectStays   = "stays"
	aspectShorter = "shorter"
	aspectEnd     = "end"
)

// writeGraceOf is a rule of write/grace.
func writeGraceOf(aspect string, classes []string) harness.Rule {
	return harness.Rule{
		Clause: harness.Clause{
			ID:    "write/grace",
			Level: harness.Must,
			Text: "a delete with a grace period (of pods on a node) sets deletionTimestamp and the period, the delete's own if it names one, as a MODIFIED, and the object stays; " +
				"a later delete can only shorten it; DELETED comes with a delete of period 0",
			Sources: []harness.Source{sources.resourceDeletion, sources.objDeletionTimestamp, sources.objGrace, sources.deleteGrace},
			Why:     "the period is all the time that a process has to end well: what goes before has lost its requests and its data, and the node still runs it when the next of its name begins",
			Advice:  "Mark the object with deletionTimestamp and the smaller period, send MODIFIED, and keep it: remove it at a delete with period 0, not when its time is over.",
			Classes: classes,
		},
		Aspect: aspect,
		Needs:  []harness.Feature{ComparableRV, Grace},
		Judge:  onState(judgeGrace(aspect)),
	}
}

var (
	writeGrace   = writeGraceOf("", []string{"DELETE outcome=ok", "EVENT type=MODIFIED"})
	graceStays   = writeGraceOf(aspectStays, []string{"GET rv=unset outcome=ok"})
	graceShorter = writeGraceOf(aspectShorter, []string{"DELETE outcome=ok", "EVENT type=MODIFIED"})
	graceEnd     = writeGraceOf(aspectEnd, []string{"DELETE outcome=ok", "EVENT type=DELETED"})
)

var writeGraceRules = []harness.Rule{writeGrace, graceStays, graceShorter, graceEnd}

var writeGraceChecks = []harness.Check[Subject]{
	{Info: harness.Info{
		Name: "write/grace",
		About: "deletes of what is on a node: with no period, a longer one, shorter ones, and 0, one after the other, and after time has passed; " +
			"with preconditions, beside finalizers, and as a dry run; and of what is on no node",
		Needs: []harness.Feature{ComparableRV, Grace},
		Rules: writeGraceRules,
	}, Drive: drive(driveGrace)},
	{Info: harness.Info{
		Name:  "write/grace/shown",
		About: "gets, lists and watches of every form while an object has time left",
		Needs: []harness.Feature{ComparableRV, Grace},
		Rules: append([]harness.Rule{listSnapshot}, writeGraceRules...),
	}, Drive: drive(driveGraceShown)},
	{Info: harness.Info{
		Name:  "write/grace/collection",
		About: "deletes of collections, with selectors and without, of which something is on a node, and has time left already",
		Needs: []harness.Feature{ComparableRV, Grace, DeleteCollection},
		Rules: []harness.Rule{writeGrace, graceStays, graceShorter, graceEnd, writeCollection},
	}, Drive: drive(driveGraceCollection)},
}
