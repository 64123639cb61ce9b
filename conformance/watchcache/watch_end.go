package watchcache

import (
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

var watchExpired = harness.Rule{
	Clause: harness.Clause{
		ID:      "watch/expired",
		Level:   harness.Must,
		Text:    "a resourceVersion older than the history is answered with 410, reason Expired or Gone, as a status or as an ERROR event; never with a gap, nor with a stream that is empty or ends at once",
		Sources: []harness.Source{sources.gone, sources.efficientDetection, sources.reasonExpired, sources.reasonGone},
		Why:     "a client that is not told lists nothing anew: what happened in between it never hears of, or it asks again for ever (kubernetes#104171)",
		Advice:  "Compare the start with the oldest revision from which you have every change, for every filter and option, and answer 410 with the reason Expired.",
		Classes: []string{"WATCH rv=past outcome=410"},
	},
	Needs: []harness.Feature{ComparableRV},
	Judge: onState(judgeExpired),
}

var watchExpiredEdge = harness.Rule{
	Clause: harness.Clause{
		ID:      "watch/expired-edge",
		Level:   harness.Should,
		Text:    "a refusal of the resourceVersion just before the oldest one kept is a 410, too; serving it whole is right as well",
		Sources: []harness.Source{sources.gone},
		Why:     "a client knows what to do after a 410; any other error it repeats",
		Advice:  "Turn every error of the storage that means compacted, a missing previous object too, into 410 Expired. After any other code a client does not list again.",
		Classes: []string{"WATCH rv=past"},
	},
	Needs: []harness.Feature{ComparableRV, Compaction},
	Judge: judgeExpiredEdge,
}

var watchFuture = harness.Rule{
	Clause: harness.Clause{
		ID:      "watch/future",
		Level:   harness.Must,
		Text:    "a watch from a future resourceVersion waits or fails with 504; it delivers nothing at or before it",
		Sources: []harness.Source{sources.unavailable},
		Why:     "a client that has been told of a newer state by another server goes back in time",
		Advice:  "Wait until the store has passed the resourceVersion, or answer 504 (not 410), and send nothing at or below it. Do not start at the present.",
		Classes: []string{"WATCH rv=future"},
	},
	Needs: []harness.Feature{ComparableRV},
	Judge: judgeWatchFuture,
}

var watchCompactedEdge = harness.Rule{
	Clause: harness.Clause{
		ID:      "watch/compacted-edge",
		Level:   harness.Must,
		Text:    "after a compaction at R a watch from R is whole; one from R-1 gives the change at R, a delete too, or is refused; never silently without it",
		Sources: []harness.Source{sources.etcdResumable, sources.etcdWatchStreams},
		Why:     "the one change at the edge is lost (etcd#18089), and nobody is told",
		Advice:  "Look for an off-by-one at the compaction: answer 410 unless you can still send the change right after the start, with the last object if it is a deletion.",
		Classes: []string{"WATCH rv=past"},
	},
	Needs: []harness.Feature{ComparableRV, Compaction},
	Judge: onState(judgeCompactedEdge),
}

var watchErrorEnds = harness.Rule{
	Clause: harness.Clause{
		ID:      "watch/error-ends",
		Level:   harness.Must,
		Text:    "an ERROR event is the last of its watch",
		Sources: []harness.Source{sources.watchStop, sources.watchEvent, sources.testErrorBlocks},
		Why:     "clients take what comes after it for a part of a state that has already been given up",
		Advice:  "Close the stream right after an ERROR event, and let no timer for bookmarks and no dispatcher write to that watch any more.",
		Classes: []string{"EVENT type=ERROR"},
	},
	Needs: []harness.Feature{Errors},
	Judge: judgeErrorEnds,
}

var watchCombinations = harness.Rule{
	Clause: harness.Clause{
		ID:      "watch/combinations",
		Level:   harness.Should,
		Text:    "a match without sendInitialEvents is refused on a watch with 4xx",
		Sources: []harness.Source{sources.kep3157, sources.validateListOptions},
		Why:     "a client that asks for something else than it means is told nothing",
		Advice:  "Refuse resourceVersionMatch without sendInitialEvents when you validate the options of a watch, as ValidateListOptions does. Do not ignore it.",
		Classes: []string{"WATCH match=NotOlderThan initial=unset", "WATCH match=Exact initial=unset"},
	},
	Judge: judgeRefused(matchesWatch, "refused with 4xx", clientError),
}

var watchTimeout = harness.Rule{
	Clause: harness.Clause{
		ID:      "watch/timeout",
		Level:   harness.Must,
		Text:    "timeoutSeconds ends the watch cleanly (end of stream, no ERROR); the next one resumes",
		Sources: []harness.Source{sources.optTimeoutSeconds, sources.efficientDetection},
		Why:     "a client that is given an error lists everything anew, every few minutes; one whose watch never ends never finds out that nobody is there any more",
		Advice:  "Start a timer of timeoutSeconds for every watch, long ones too, and when it fires end the response as usual, without an ERROR event.",
		Classes: []string{"WATCH timeout=set"},
	},
	Judge: judgeTimeout,
}

var watchStop = harness.Rule{
	Clause: harness.Clause{
		ID:      "watch/stop",
		Level:   harness.Must,
		Text:    "after cancel nothing comes, and nothing is left behind",
		Sources: []harness.Source{sources.watchInterface, sources.watchStop, sources.watchResultChan},
		Why:     "each watch that a client opens and lets go costs the process something for ever",
		Advice:  "When a watch is cancelled take it out of the dispatcher, send nothing more, end its goroutines and close its channel.",
		Classes: []string{"WATCH outcome=events"},
	},
	Judge: judgeStop,
}

var watchSlow = harness.Rule{
	Clause: harness.Clause{
		ID:      "watch/slow",
		Level:   harness.Must,
		Text:    "a watcher too slow to keep is either kept whole or ended; what it had got is a prefix without a gap, and it can resume (or gets 410)",
		Sources: []harness.Source{sources.etcdReliable, sources.etcdResumable, sources.etcdWatchStreams},
		Why:     "under load, when it matters, clients lose events without a word",
		Advice:  "When the buffer of a slow watch is full, wait for the reader or end the watch. Never skip an event and go on, or the client resumes behind a gap.",
		Classes: []string{"WATCH outcome=events"},
	},
	Judge: onState(judgeSlow),
}

var watchEndRules = []harness.Rule{
	watchExpired, watchExpiredEdge, watchFuture, watchCompactedEdge, watchErrorEnds, watchCombinations, watchTimeout, watchStop, watchSlow,
}

// ancientCheck needs nobody who compacts.
var ancientCheck = story.Check{
	Name:  "watch/expired/ancient",
	About: "Watches, lists at exactly a resourceVersion, and gets ask for resourceVersions from before the run.",
	Needs: []harness.Feature{ComparableRV},
	Rules: []harness.Rule{watchExpired},
	Steps: story.Concat(
		[]story.Step{
			{Op: "create", Obj: "x"},
			{Op: "create", Obj: "y"},
			{Op: "list", As: firstMoment},
			{Op: "update", Obj: "x", With: Change{Version: newestCopy}},
			{Op: "delete", Obj: "y"},
		},
		story.Each([]string{neverVersion, ancientVersion}, func(i int, at string) []story.Step {
			return []story.Step{
				{Op: "watch", Actor: storyWatches[3*i], With: Watch{At: at, Follow: true}},
				{Op: "watch", Actor: storyWatches[3*i+1], With: Watch{At: at, Follow: true, Bookmarks: true}},
				{Op: "watch", Actor: storyWatches[3*i+2], With: Watch{At: at, Follow: true, Scope: Scope{Namespace: "all"}}},
				{Op: "list", With: List{At: at, Match: "Exact"}},
				{Op: "list", With: List{At: at, Limit: 1}},
				{Op: "list", With: List{At: at, Match: "NotOlderThan"}},
				{Op: "get", Obj: "x", With: Get{At: at}},
			}
		}),
		[]story.Step{
			{Op: "update", Obj: "x", With: Change{Version: newestCopy}},
			{Op: "settle"},
		},
	),
}

var watchEndChecks = []harness.Check[Subject]{
	{Info: harness.Info{
		Name:      "watch/expired",
		About:     "watches from before what is kept of the history, and a streaming list of what is not there yet",
		Needs:     []harness.Feature{ComparableRV, Window},
		Rules:     []harness.Rule{watchExpired, cacheWindow, watchErrorEnds},
		Isolation: harness.Disturbs,
		Span:      windowSpan,
	}, Drive: drive(driveExpired)},
	{Info: harness.Info{
		Name:      "watch/compacted-edge",
		About:     "watches from at, just before, and long before a compaction that a change or a delete is at the edge of",
		Needs:     []harness.Feature{ComparableRV, Compaction},
		Rules:     []harness.Rule{watchCompactedEdge},
		Isolation: harness.Disturbs,
		Span:      2 * compactionSpan,
	}, Drive: drive(driveCompactedEdge)},
	{Info: harness.Info{
		Name:  "watch/future",
		About: "watches from resourceVersions that are not there yet, while things change",
		Needs: []harness.Feature{ComparableRV},
		Rules: []harness.Rule{watchFuture},
		Span:  20 * time.Second,
	}, Drive: drive(driveWatchFuture)},
	{Info: harness.Info{
		Name:  "watch/error-ends",
		About: "watches that are refused in their stream",
		Needs: []harness.Feature{Errors, ComparableRV, WatchList}, // where nothing is gone yet, a streaming list alone is refused so
		Rules: []harness.Rule{watchErrorEnds},
		Span:  30 * time.Second,
	}, Drive: drive(driveErrors)},
	{Info: harness.Info{
		Name:  "watch/combinations",
		About: "watches that ask for a match without initial events",
		Rules: []harness.Rule{watchCombinations},
	}, Drive: drive(driveWatchCombinations)},
	{Info: harness.Info{
		Name:  "watch/timeout",
		About: "watches of a few seconds, and those that go on after them",
		Rules: []harness.Rule{watchTimeout},
		Span:  20 * time.Second,
	}, Drive: drive(driveTimeout)},
	{Info: harness.Info{
		Name:  "watch/stop",
		About: "watches that are stopped in every state, with events on their way",
		Rules: []harness.Rule{watchStop},
	}, Drive: drive(driveStop)},
	{Info: harness.Info{
		Name:  "watch/slow",
		About: "a watcher that stops reading under hundreds of changes, and then reads on and resumes",
		Rules: []harness.Rule{watchSlow},
		Span:  30 * time.Second,
	}, Drive: drive(driveSlow)},
	{Info: harness.Info{
		Name:  "watch/slow/forms",
		About: "watchers of every form that stop reading under more than a hundred changes of what they are about, and then read on and resume",
		Needs: []harness.Feature{ComparableRV},
		Rules: []harness.Rule{watchSlow, watchReliable},
		Grace: 4 * time.Minute, // no watch comes to its timeout before
		Span:  30 * time.Second,
	}, Drive: drive(driveSlowForms)},
	{Info: harness.Info{
		Name:  "watch/slow/start",
		About: "watchers of every form that read nothing at first: initial events and history are still to be sent while others write; and then read and resume",
		Needs: []harness.Feature{ComparableRV},
		Rules: []harness.Rule{watchReliable, watchUnset, watchZero},
		Grace: 4 * time.Minute, // no watch comes to its timeout before
		Span:  30 * time.Second,
	}, Drive: drive(driveSlowStart)},
}
