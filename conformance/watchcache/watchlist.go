package watchcache

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// watchList is a rule about streaming lists.
func watchList(id, text, why, advice string, judge func(*history.History) harness.Judgement, classes []string, more ...harness.Source) harness.Rule {
	return harness.Rule{
		Clause: harness.Clause{
			ID: "watchlist/" + id, Level: harness.Must, Text: text, Why: why, Advice: advice, Classes: classes,
			Sources: append([]harness.Source{sources.optSendInitialEvents, sources.kep3157}, more...),
		},
		Needs: []harness.Feature{ComparableRV, WatchList},
		Judge: judge,
	}
}

var (
	watchlistInitial = watchList("initial",
		"sendInitialEvents gives the whole state as ADDED, then (to those who allow bookmarks) one bookmark with the annotation k8s.io/initial-events-end: \"true\", then changes; "+
			"an empty state is just the bookmark",
		"a reflector takes what came up to that bookmark for everything, and waits for ever where it does not come",
		"Send the snapshot as ADDED, then the bookmark with k8s.io/initial-events-end even if nothing matches, then every change after the snapshot's revision.",
		onState(judgeStream), []string{"WATCH initial=true bookmarks=true outcome=events", "WATCH initial=true bookmarks=false outcome=events", "EVENT type=END-MARK"}, sources.streamingLists, sources.initialEventsEnd)
	watchlistOnlyAdded = watchList("only-added",
		"before the end bookmark comes nothing but ADDED, each object once",
		"a reflector gathers them into a store of its own, where a change of what is not there yet is an error or is lost",
		"Hold changes and plain bookmarks back until the initial events have been sent, and send each object of the snapshot once, as ADDED.",
		judgeOnlyAdded, []string{"WATCH initial=true outcome=events"})
	watchlistEndVersion = watchList("end-version",
		"that bookmark's resourceVersion is at or after the one asked for; with it unset, at or after every write acknowledged before the request",
		"a client asks for it so as not to go back in time, or to see its own writes",
		"Let the cache reach the resourceVersion asked for (unset: the storage's present one), take the snapshot then, and put its revision into the bookmark.",
		judgeEndVersion, []string{"WATCH initial=true rv=unset bookmarks=true", "WATCH initial=true rv=current bookmarks=true", "WATCH initial=true rv=past bookmarks=true"})
	watchlistOnce = watchList("once",
		"the annotation comes once a watch, where its initial events end; bookmarks after it are plain, and so is every one of a watch that has no initial events",
		"an end of what was not begun would make a client take what it has for the whole, and throw away the rest",
		"Set the annotation on a copy, for the one bookmark that ends initial events. On a shared object or by a flag it gets into later bookmarks.",
		judgeOnce, []string{"EVENT type=END-MARK", "EVENT type=BOOKMARK"})
	watchlistFuture = watchList("future",
		"with a resourceVersion not yet seen it waits, or fails with a retriable error (504), as a status or as an ERROR event; it never ends the initial events at an older state",
		"a client that has been told of a newer state by another server goes back in time",
		"Wait until the cache has reached the resourceVersion before you send initial events, with selectors too. If that takes too long answer 504, not 400.",
		judgeStreamFuture, []string{"WATCH initial=true rv=future"}, sources.unavailable)
	watchlistOff = watchList("off",
		"sendInitialEvents=false gives no initial events: changes after the resourceVersion, or from about now where it is unset or \"0\"",
		"a client that has the state already gets everything a second time",
		`Skip the snapshot for sendInitialEvents=false: start just after the given resourceVersion, or at the present if it is unset or "0".`,
		judgeOff, []string{"WATCH initial=false rv=unset", "WATCH initial=false rv=zero", "WATCH initial=false rv=past"})
	watchlistCombinations = watchList("combinations",
		"sendInitialEvents without match NotOlderThan, or on a list, is refused as Invalid (422)",
		"a client learns by this refusal that it must list in the old way; served otherwise, it takes a plain watch for a whole state",
		"Refuse sendInitialEvents on lists, and on watches without resourceVersionMatch=NotOlderThan, with 422 Invalid, as ValidateListOptions does.",
		judgeRefused(streamsWrongly, "422 Invalid", invalid), []string{"WATCH initial=true match=unset", "LIST initial=true"}, sources.validateListOptions)
)

var watchlistRules = []harness.Rule{
	watchlistInitial, watchlistOnlyAdded, watchlistEndVersion, watchlistOnce, watchlistFuture, watchlistOff, watchlistCombinations,
}

// streaming is a check of streaming lists.
func streaming(name, about string, span time.Duration, f func(*driver), rules ...harness.Rule) harness.Check[Subject] {
	return harness.Check[Subject]{Info: harness.Info{
		Name: name, About: about, Needs: []harness.Feature{ComparableRV, WatchList}, Rules: rules, Span: span,
	}, Drive: drive(f)}
}

var watchlistChecks = []harness.Check[Subject]{
	streaming("watchlist/initial", "streaming lists of every scope, after each sort of write, and what follows",
		20*time.Second, driveStreams, watchlistInitial, watchlistOnlyAdded, watchlistEndVersion, watchAnswered),
	marks(streaming("watchlist/once", "streaming lists that go on until they get plain bookmarks", 20*time.Second, driveStreamsOn, watchlistOnce)),
	streaming("watchlist/future", "streaming lists from what is not there yet", 30*time.Second, driveStreamsFuture, watchlistFuture),
	streaming("watchlist/off", "watches that want no initial events", 20*time.Second, driveOff, watchlistOff, watchAnswered),
	streaming("watchlist/combinations", "streaming lists asked for in ways that cannot be meant", 0, driveStreamCombinations, watchlistCombinations),
}

// marks is a check that needs plain bookmarks, too.
func marks(c harness.Check[Subject]) harness.Check[Subject] {
	c.Needs = append(c.Needs, Bookmarks)
	return c
}

func isStream(w *replay.WatchCall) bool {
	o := &w.Args.Options
	return w.Err == nil && o.SendInitialEvents != nil && *o.SendInitialEvents && o.ResourceVersionMatch == metav1.ResourceVersionMatchNotOlderThan
}

// streamsWrongly: what ValidateListOptions refuses of streaming lists.
func streamsWrongly(q *replay.Request) bool {
	o := &q.Args.Options
	if o.SendInitialEvents == nil {
		return false
	}
	return q.Kind == replay.List || q.Kind == replay.Watch && o.ResourceVersionMatch != metav1.ResourceVersionMatchNotOlderThan
}

func invalid(q *replay.Request) bool { return q.Refused() && q.Err.Code == 422 }
