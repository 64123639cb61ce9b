package watchcache

import (
	"time"

	"github.com/lwtest/lwtest/harness"
)

var watchResumable = harness.Rule{
	Clause: harness.Clause{
		ID:      "watch/resumable",
		Level:   harness.Must,
		Text:    "a new watch from the last event's resourceVersion goes on with no gap and no repeat, as long as that revision had come whole",
		Sources: []harness.Source{sources.etcdResumable, sources.efficientDetection},
		Why:     "every watch ends now and then, and clients go on in this way: what is lost here is lost for good",
		Advice:  "Give each event the revision of its change, and start a watch from there with the first change after it, just as from the resourceVersion of a list.",
		Classes: []string{"WATCH rv=past outcome=events", "WATCH rv=current outcome=events"},
	},
	Judge: onState(judgeResumable),
}

var watchUnset = harness.Rule{
	Clause: harness.Clause{
		ID:      "watch/unset",
		Level:   harness.Must,
		Text:    "a watch with resourceVersion unset begins with synthetic ADDED for some whole state, in any order; then comes every change from there",
		Sources: []harness.Source{sources.watchSemantics, sources.optSendInitialEvents},
		Why:     "clients take those ADDED for all there is: what is not among them they never hear of",
		Advice:  "Take the snapshot and the watch's start from one revision, objects that are being deleted too, and keep what waits for a slow reader: drop none of it.",
		Classes: []string{"WATCH rv=unset initial=unset outcome=events"},
	},
	Needs: []harness.Feature{ComparableRV},
	Judge: onState(judgeInitial("", false)),
}

var watchUnsetFresh = harness.Rule{
	Clause: harness.Clause{
		ID:      "watch/unset-fresh",
		Level:   harness.Must,
		Text:    "that state has every write acknowledged before the request",
		Sources: []harness.Source{sources.watchSemantics, sources.optSendInitialEvents, sources.kep3157},
		Why:     "a client that writes, and then watches, does not find its own write in what it takes for everything",
		Advice:  "Ask the storage for its present revision when the request comes, and wait until the cache has reached it before you take the snapshot.",
		Classes: []string{"WATCH rv=unset initial=unset outcome=events"},
	},
	Needs: []harness.Feature{ComparableRV, WatchList},
	Judge: onState(judgeInitial("", true)),
}

var watchZero = harness.Rule{
	Clause: harness.Clause{
		ID:      "watch/zero",
		Level:   harness.Must,
		Text:    "a watch with resourceVersion \"0\" begins with synthetic ADDED for some state that was; then comes every change from there",
		Sources: []harness.Source{sources.watchSemantics},
		Why:     "the state may be old, but what is mixed from two states stays mixed in the client's copy",
		Advice:  "Copy the filled cache and register the watch under one lock, with each object as it is in that copy, and drop nothing that waits for a slow reader.",
		Classes: []string{"WATCH rv=zero initial=unset outcome=events"},
	},
	Needs: []harness.Feature{ComparableRV},
	Judge: onState(judgeInitial("0", false)),
}

var watchSelectorExit = harness.Rule{
	Clause: harness.Clause{
		ID:      "watch/selector-exit",
		Level:   harness.Must,
		Text:    "an object that leaves the label or field selector comes as DELETED with the resourceVersion of that change, one that enters it as ADDED",
		Sources: []harness.Source{sources.efficientDetection, sources.testWatch},
		Why:     "a controller goes on working on an object that is no longer its own, or never begins with one that has become so",
		Advice:  "Match the selector against the object before the change too: if only that matched send DELETED with the new resourceVersion, if only the new one ADDED.",
		Classes: []string{"WATCH selector=label outcome=events"},
	},
	Needs: []harness.Feature{LabelWatch},
	Judge: onState(judgeSelectorExit),
}

var watchDeleteVersion = harness.Rule{
	Clause: harness.Clause{
		ID:    "watch/delete-version",
		Level: harness.Must,
		Text: "a DELETED object carries the resourceVersion of the deletion and the last stored state " +
			"(when it leaves a selector: the resourceVersion of that change, and the state before it)",
		Sources: []harness.Source{sources.watchEvent, sources.testDeleteHasLatestVersion, sources.testWatch},
		Why:     "a client that resumes from an older resourceVersion hears of the deletion again, and of what came before it",
		Advice:  "Send DELETED with a copy of the last stored object, and set its resourceVersion to the revision of the deletion (or of the change that left the selector).",
		Classes: []string{"EVENT type=DELETED"},
	},
	Needs: []harness.Feature{ComparableRV},
	Judge: onState(judgeDeleteVersion),
}

var watchSameForAll = harness.Rule{
	Clause: harness.Clause{
		ID:      "watch/same-for-all",
		Level:   harness.Must,
		Text:    "two watchers of one scope see one sequence of changes, of the same objects",
		Sources: []harness.Source{sources.etcdOrdered, sources.etcdReliable},
		Why:     "replicas of one controller come to different conclusions from the same facts",
		Advice:  "Feed all watches from one stream of events in order, and look for what one of them, or one replica of the cache, drops by itself.",
		Classes: []string{"WATCH outcome=events"},
	},
	Judge: judgeSameForAll,
}

var watchAtomic = harness.Rule{
	Clause: harness.Clause{
		ID:      "watch/atomic",
		Level:   harness.Should,
		Text:    "changes of one revision are not split by a bookmark or an end",
		Sources: []harness.Source{sources.etcdAtomic},
		Why:     "a client that resumes from the revision in the middle never hears of the other half",
		Advice:  "Send a bookmark, or end a watch, only between revisions: after all events with the resourceVersion of the last one have been sent.",
		Classes: []string{"EVENT type=DELETED"},
	},
	Needs: []harness.Feature{ComparableRV, Together},
	Judge: judgeAtomic,
}

var watchStartRules = []harness.Rule{watchResumable, watchAtomic, watchUnset, watchUnsetFresh, watchZero, watchSelectorExit, watchDeleteVersion, watchSameForAll, watchAnswered}

var watchStartChecks = []harness.Check[Subject]{
	{Info: harness.Info{
		Name:  "watch/resumable",
		About: "watches that are let go after each event, and begun again from there",
		Rules: []harness.Rule{watchResumable},
		Span:  20 * time.Second,
	}, Drive: drive(driveResumable)},
	{Info: harness.Info{
		Name:      "watch/atomic",
		About:     "several objects are deleted in one revision, under watches with bookmarks and timeouts",
		Needs:     []harness.Feature{ComparableRV, Together},
		Rules:     []harness.Rule{watchAtomic},
		Span:      time.Minute,
		Isolation: harness.Disturbs,
	}, Drive: drive(driveAtomic)},
	{Info: harness.Info{
		Name:  "watch/unset",
		About: "watches without a resourceVersion, just after each sort of write, and what follows",
		Needs: []harness.Feature{ComparableRV},
		Rules: []harness.Rule{watchUnset, watchUnsetFresh, watchAnswered},
	}, Drive: drive(driveInitial(""))},
	{Info: harness.Info{
		Name:  "watch/zero",
		About: "watches from \"0\", and what follows",
		Needs: []harness.Feature{ComparableRV},
		Rules: []harness.Rule{watchZero, watchAnswered},
	}, Drive: drive(driveInitial("0"))},
	{Info: harness.Info{
		Name:  "watch/selector-exit",
		About: "objects go in and out of selectors, and are deleted outside and inside",
		Needs: []harness.Feature{LabelWatch},
		Rules: []harness.Rule{watchSelectorExit},
	}, Drive: drive(driveScope(byLabel, labelled))},
	{Info: harness.Info{
		Name:  "watch/delete-version",
		About: "deletions under watches of every scope, also after changes that a watch does not get",
		Needs: []harness.Feature{ComparableRV},
		Rules: []harness.Rule{watchDeleteVersion},
	}, Drive: drive(driveDeletions)},
	{Info: harness.Info{
		Name:  "watch/same-for-all",
		About: "pairs of watches of one scope, begun at different times",
		Rules: []harness.Rule{watchSameForAll},
	}, Drive: drive(driveSameForAll)},
}
