package informer

import (
	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
)

var sharedInformer = source.Symbol(source.Cache + "shared_informer.go#SharedInformer")

var convergeEqual = harness.NewRule(harness.Clause{
	ID:      "converge/equal",
	Level:   harness.Must,
	Text:    "When disturbances end, the store becomes equal to the server, and stays equal.",
	Sources: []harness.Source{source.Concept("Efficient detection of changes", "efficient-detection-of-changes"), sharedInformer},
	Why:     "A controller acts on a copy that stays wrong, and nothing tells it so.",
	Advice:  "Apply every event in order, by namespace/name, and replace the whole object. After a list remove what is gone before you add what is new: an object with another uid may have the same name.",
	Classes: []string{"STORE objects", "changed watched=true", "created watched=true", "deleted watched=true", "changed watched=false"},
}, judgeEqual)

var convergeTime = harness.NewRule(harness.Clause{
	ID:       "converge/no-time-travel",
	Level:    harness.Must,
	MustWith: ClientGoSemantics,
	Text:     "Neither the store nor a handler ever goes back to an older state of an object, whichever view of the server answers, or shows a state that the object never had.",
	Sources:  []harness.Source{sharedInformer, source.Symbol(source.Cache + "reflector.go#Reflector.relistResourceVersion")},
	Why:      "A deleted object comes back to life: a node agent starts pods that are gone, beside those that replaced them.",
	Advice:   "List again with the last resourceVersion, never \"0\", and take no failed list for an empty one. Apply events in order, and keep each object just as it came.",
	Classes:  []string{"asks=relist got=items", "asks=relist got=too-large", "created anew watched=true", "deleted watched=false"},
}, judgeTimeTravel)

var convergeDeletes = harness.NewRule(harness.Clause{
	ID:       "converge/deletes",
	Level:    harness.Must,
	MustWith: ClientGoSemantics,
	Text: "An object that was deleted while no watch was open leaves the store, and each handler is notified once: by a delete, whose final state may be " +
		"unknown, or by an update if an object with the name exists again.",
	Sources: []harness.Source{source.Symbol(source.Cache + "controller.go#ResourceEventHandler"), source.Symbol(source.Cache + "delta_fifo.go#DeletedFinalStateUnknown")},
	Why:     "What is gone stays in the copy, and nobody ever cleans up after it.",
	Advice:  "After every list, go through the store by key and uid: remove or replace what the list does not have, even if it is empty, and tell each handler once.",
	Classes: []string{"deleted watched=false", "DELETE unknown=true"},
}, judgeDeletes, rig.Cuts, rig.Faults)

var convergeRecreated = harness.NewRule(harness.Clause{
	ID:       "converge/recreated",
	Level:    harness.Must,
	MustWith: ClientGoSemantics,
	Text:     "An object that is deleted and created again under its name never passes for unchanged: it comes as a delete and an add, or as an update whose uid differs.",
	Sources:  []harness.Source{sharedInformer},
	Why:      "A controller takes the new object for the old one, and skips what it does for a new one.",
	Advice:   "Compare uids, not only names: if a known name comes with a new uid, report the old object's delete before the new one's add, and keep the new one.",
	Classes:  []string{"created anew watched=true", "created anew watched=false", "UPDATE of=another object"},
}, judgeRecreated)

var convergeRules = []harness.Rule{convergeEqual, convergeTime, convergeDeletes, convergeRecreated}
