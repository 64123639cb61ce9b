package informer

import (
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
)

var sharedInformer = source.Symbol(source.Cache + "shared_informer.go#SharedInformer")

var convergeEqual = harness.Rule{
	Clause: harness.Clause{
		ID:       "converge/equal",
		Level:    harness.Must,
		MustWith: ClientGoSemantics,
		Text:     "when what disturbs it ends, the store comes to equal the server, and stays so",
		Sources:  []harness.Source{sharedInformer},
		Why:      "a controller acts on a copy that is wrong for ever, and nothing tells it so",
		Classes:  []string{"STORE objects", "changed watched=true", "created watched=true", "deleted watched=true", "changed watched=false"},
	},
	Judge: judgeEqual,
}

var convergeTime = harness.Rule{
	Clause: harness.Clause{
		ID:       "converge/no-time-travel",
		Level:    harness.Must,
		MustWith: ClientGoSemantics,
		Text:     "neither the store nor a handler ever goes back to an older state of an object, whichever view of the server answers, nor shows one that it never had",
		Sources:  []harness.Source{sharedInformer, source.Symbol(source.Cache + "reflector.go#Reflector.relistResourceVersion")},
		Why:      "what was deleted comes to life: a node agent starts pods that are gone, beside those that replaced them",
		Classes:  []string{"asks=relist got=items", "asks=relist got=too-large", "created anew watched=true", "deleted watched=false"},
	},
	Judge: judgeTimeTravel,
}

var convergeDeletes = harness.Rule{
	Clause: harness.Clause{
		ID:       "converge/deletes",
		Level:    harness.Must,
		MustWith: ClientGoSemantics,
		Text: "an object that was deleted while no watch was open leaves the store, and each handler hears of it once: by a delete, whose final state may be unknown, " +
			"or by an update where it exists again",
		Sources: []harness.Source{source.Symbol(source.Cache + "controller.go#ResourceEventHandler"), source.Symbol(source.Cache + "delta_fifo.go#DeletedFinalStateUnknown")},
		Why:     "what is gone stays in the copy, and nobody ever cleans up after it",
		Classes: []string{"deleted watched=false", "DELETE unknown=true"},
	},
	Needs: []harness.Feature{rig.Cuts, rig.Faults},
	Judge: judgeDeletes,
}

var convergeRecreated = harness.Rule{
	Clause: harness.Clause{
		ID:       "converge/recreated",
		Level:    harness.Must,
		MustWith: ClientGoSemantics,
		Text:     "delete and recreate under one name is never taken for nothing: it comes as a delete and an add, or as an update whose uid differs",
		Sources:  []harness.Source{sharedInformer},
		Why:      "a controller takes the new object for the old one, and leaves out all that it does for a new one",
		Classes:  []string{"created anew watched=true", "created anew watched=false", "UPDATE of=another object"},
	},
	Judge: judgeRecreated,
}

var convergeRules = []harness.Rule{convergeEqual, convergeTime, convergeDeletes, convergeRecreated}

var convergeChecks = []harness.Check[Rig]{
	{Info: harness.Info{
		Name:  "converge/equal",
		About: "objects come, change, go and come again before the start and while it runs",
		Rules: []harness.Rule{convergeEqual, convergeTime},
	}, Drive: drive(driveEqual)},
	{Info: harness.Info{
		Name:  "converge/equal/terminating",
		About: "objects are deleted, and stay until their finalizer is taken away: seen by events, and by lists",
		Needs: []harness.Feature{rig.Cuts, rig.Faults},
		Rules: []harness.Rule{convergeEqual, convergeDeletes, convergeTime},
	}, Drive: drive(driveTerminating)},
	{Info: harness.Info{
		Name:  "converge/deletes",
		About: "objects are deleted while no watch is open: at once, after a change that nobody saw, with a new one of the name, and all that there are",
		Needs: []harness.Feature{rig.Cuts, rig.Faults},
		Rules: []harness.Rule{convergeDeletes, convergeRecreated, convergeEqual, convergeTime},
		Span:  25 * time.Second,
	}, Drive: drive(driveUnseenDeletes)},
	{Info: harness.Info{
		Name:  "converge/deletes/together",
		About: "several objects are deleted by one write, which gives the deletions one resourceVersion: a watch tells of them, and a list",
		Needs: []harness.Feature{rig.Cuts, rig.Faults, rig.Revisions},
		Rules: []harness.Rule{convergeDeletes, convergeEqual, convergeTime},
		Span:  25 * time.Second,
	}, Drive: drive(driveDeletedTogether)},
	{Info: harness.Info{
		Name:  "converge/equal/large",
		About: "resourceVersions come to be more than 32 bits have, and than a floating-point number has exactly: on a watch, when it ends, and in a list",
		Needs: []harness.Feature{rig.Cuts, rig.Faults, rig.Revisions},
		Rules: []harness.Rule{convergeEqual, convergeTime},
	}, Drive: drive(driveLarge)},
	{Info: harness.Info{
		Name:  "converge/equal/names",
		About: "objects whose names are alike (up to a dot, in the first 63, 128 or 252 characters, as numbers) are listed, come, change and go, seen and unseen",
		Needs: []harness.Feature{rig.Cuts, rig.Faults},
		Rules: []harness.Rule{convergeEqual, convergeTime},
	}, Drive: drive(driveAlike)},
	{Info: harness.Info{
		Name:  "converge/equal/long",
		About: "objects of 6,000, 80,000 and a million bytes are listed, come, change, seen and unseen, and go",
		Needs: []harness.Feature{rig.Cuts, rig.Faults},
		Rules: []harness.Rule{convergeEqual, convergeTime},
	}, Drive: drive(driveLong)},
	{Info: harness.Info{
		Name:  "converge/equal/less",
		About: "objects lose a label, an annotation, a datum, finalizers, owners, seen and unseen, and nothing else changes",
		Needs: []harness.Feature{rig.Cuts, rig.Faults},
		Rules: []harness.Rule{convergeEqual, convergeTime},
	}, Drive: drive(driveLosses)},
	{Info: harness.Info{
		Name:  "converge/recreated",
		About: "objects are deleted and made anew while a watch is open, with the same content, too",
		Rules: []harness.Rule{convergeRecreated, convergeEqual, convergeTime},
	}, Drive: drive(driveRecreated)},
	{Info: harness.Info{
		Name:  "converge/no-time-travel/views",
		About: "watches end, and are expired, while a view of the server that is behind answers",
		Needs: []harness.Feature{rig.Cuts, rig.Views, rig.Faults},
		Rules: []harness.Rule{convergeTime, convergeEqual},
		Span:  30 * time.Second,
	}, Drive: drive(driveViews)},
	{Info: harness.Info{
		Name:  "converge/no-time-travel/start",
		About: "it starts at a view that is behind, and goes on at one that is not, and back",
		Needs: []harness.Feature{rig.Cuts, rig.Views, rig.Faults},
		Rules: []harness.Rule{convergeTime, convergeEqual},
		Span:  25 * time.Second,
	}, Drive: drive(driveViewsStart)},
	{Info: harness.Info{
		Name:  "converge/no-time-travel/lapse",
		About: "watches end with an ERROR that is no 410, are refused, and end at once, while a view of the server that is behind answers",
		Needs: []harness.Feature{rig.Cuts, rig.Views, rig.Faults},
		Rules: []harness.Rule{convergeTime, convergeEqual},
		Span:  10 * time.Minute,
	}, Drive: drive(driveViewsLapse)},
	{Info: harness.Info{
		Name:  "converge/equal/all-namespaces",
		About: "an informer of all namespaces, two of which have objects of one name: they change and go while it watches, and while it does not",
		Needs: []harness.Feature{AllNamespaces, rig.Cuts, rig.Faults},
		Rules: []harness.Rule{convergeEqual, convergeTime},
	}, Drive: drive(driveNamespaces, everywhere)},
	{Info: harness.Info{
		Name:  "converge/equal/same",
		About: "two informers of one namespace, of which one begins later, and the other is stopped",
		Rules: []harness.Rule{convergeEqual},
	}, Drive: drive(driveSame)},
	{Info: harness.Info{
		Name:  "converge/equal/two",
		About: "two informers of two namespaces share a server of two views, of which one is behind; in the end one of them is stopped, and the other is not",
		Needs: []harness.Feature{rig.Cuts, rig.Views, rig.Faults},
		Rules: []harness.Rule{convergeEqual, convergeTime},
	}, Drive: drive(driveTwo)},
}
