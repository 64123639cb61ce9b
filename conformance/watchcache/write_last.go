package watchcache

import (
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var writeFinalizers = harness.Rule{
	Clause: harness.Clause{
		ID:      "write/finalizers",
		Level:   harness.Must,
		Text:    "with finalizers a delete, whatever its grace period, sets deletionTimestamp as a MODIFIED; DELETED comes when the last is gone; none can be added meanwhile, and deletionTimestamp stays as it is while the grace period does",
		Sources: []harness.Source{sources.resourceDeletion, sources.finalizers, sources.objFinalizers, sources.objDeletionTimestamp},
		Why:     "a finalizer is a controller's only chance to clean up: an object that goes without it leaves disks, addresses and bills behind",
		Advice:  "Read the stored finalizers in each delete: if there is one only set deletionTimestamp. Remove the object in the write that takes the last, and refuse new ones.",
		Classes: []string{"DELETE outcome=ok", "UPDATE outcome=422", "EVENT type=MODIFIED", "EVENT type=DELETED"},
	},
	Needs: []harness.Feature{ComparableRV, Finalizers},
	Judge: onState(judgeFinalizers),
}

// writeFinalizersRaced is a SHOULD because kube-apiserver, up to v1.37.1 at least, breaks it: kubernetes#77988.
var writeFinalizersRaced = harness.Rule{
	Clause: harness.Clause{
		ID:      "write/finalizers-raced",
		Level:   harness.Should,
		Text:    "a finalizer that was stored before the deletion holds the object, also where the delete was under way already: no DELETED comes of it before the MODIFIED that marks it",
		Sources: []harness.Source{sources.resourceDeletion, sources.finalizers, sources.objFinalizers},
		Why:     "a controller that was answered that its finalizer is there makes what it will have to clean up, and never hears of the deletion (kubernetes#77988: a delete looks for finalizers, and then removes what has got one since)",
		Advice:  "Check for finalizers and remove the object in one transaction, or remove it at the revision that you have checked, and check again if that fails.",
		Classes: []string{"DELETE outcome=ok", "EVENT type=MODIFIED", "EVENT type=DELETED"},
	},
	Needs: []harness.Feature{Finalizers},
	Judge: judgeFinalizersRaced,
}

// writeCollectionOf is a rule of write/collection.
func writeCollectionOf(aspect string, judge func(*history.History) harness.Judgement, classes []string, needs ...harness.Feature) harness.Rule {
	return harness.Rule{
		Clause: harness.Clause{
			ID:    "write/collection",
			Level: harness.Must,
			Text: "deletecollection deletes what its selectors match, and nothing else, and each object gives its own DELETED (with finalizers, as write/finalizers says; what is being deleted already does not stop it); " +
				"one of which its preconditions do not hold stays, and it is answered with 409 Conflict",
			Sources: []harness.Source{sources.apiVerbs, sources.singleResource, sources.verbs, sources.watchEvent, sources.deletePreconditions},
			Why:     "a namespace is emptied by it: what it leaves stays for ever, and what it takes too much is somebody else's",
			Advice:  "Delete each object that matches both selectors by your ordinary delete, with its preconditions, finalizers and event, and go on past one that is marked already.",
			Classes: classes,
		},
		Aspect: aspect,
		Needs:  needs,
		Judge:  onState(judge),
	}
}

var (
	writeCollection = writeCollectionOf("", judgeCollection,
		[]string{"DELETECOLLECTION selector=none outcome=ok", "DELETECOLLECTION selector=label outcome=ok"}, DeleteCollection)
	writeCollectionPreconditions = writeCollectionOf("preconditions", judgeCollectionPreconditions,
		[]string{"DELETECOLLECTION selector=none outcome=409"}, DeleteCollection, Precondition, ComparableRV)
)

var writeLastRules = []harness.Rule{writeFinalizers, writeFinalizersRaced, writeCollection, writeCollectionPreconditions, writeAnswered}

var writeLastChecks = []harness.Check[Subject]{
	{Info: harness.Info{
		Name:  "write/finalizers",
		About: "deletes of objects with finalizers, also without a grace period, of which one is taken away after the other, and others are added",
		Needs: []harness.Feature{ComparableRV, Finalizers},
		Rules: []harness.Rule{writeFinalizers},
	}, Drive: drive(driveFinalizers)},
	{Info: harness.Info{
		Name:  "write/finalizers/contended",
		About: "an object is given a finalizer, by an update or by a patch, and deleted at once: as it is, by its resourceVersion, by its uid",
		Needs: []harness.Feature{ComparableRV, Finalizers},
		Rules: []harness.Rule{writeFinalizersRaced},
		Span:  20 * time.Second,
	}, Drive: drive(driveFinalizersRaced)},
	{Info: harness.Info{
		Name:  "write/collection",
		About: "deletes of whole collections, with selectors and without, beside objects that are not selected, or have finalizers",
		Needs: []harness.Feature{DeleteCollection},
		Rules: []harness.Rule{writeCollection},
	}, Drive: drive(driveCollection)},
	{Info: harness.Info{
		Name:  "write/finalizers/shown",
		About: "gets, lists and watches of every form while an object is being deleted, and a finalizer holds it",
		Needs: []harness.Feature{ComparableRV, Finalizers},
		Rules: []harness.Rule{writeFinalizers, listSnapshot},
	}, Drive: drive(driveDeleting)},
	{Info: harness.Info{
		Name:  "write/collection/more",
		About: "deletes of collections of thirty objects, and by label and field at once",
		Needs: []harness.Feature{DeleteCollection},
		Rules: []harness.Rule{writeCollection},
	}, Drive: drive(driveCollectionMore)},
	{Info: harness.Info{
		Name:  "write/collection/deleting",
		About: "deletes of collections of which something is being deleted already, and a finalizer holds it",
		Needs: []harness.Feature{DeleteCollection, Finalizers, ComparableRV},
		Rules: []harness.Rule{writeCollection, writeFinalizers, writeAnswered},
	}, Drive: drive(driveCollectionDeleting)},
	{Info: harness.Info{
		Name:  "write/collection/preconditions",
		About: "deletes of collections with preconditions that hold of nothing that is selected, and of all of it",
		Needs: []harness.Feature{DeleteCollection, Precondition, ComparableRV},
		Rules: []harness.Rule{writeCollectionPreconditions},
	}, Drive: drive(driveCollectionPreconditions)},
}
