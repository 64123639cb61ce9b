package watchcache

import (
	"time"

	"github.com/lwtest/lwtest/harness"
)

var bookmarkAsked = harness.Rule{
	Clause: harness.Clause{
		ID:      "bookmark/asked",
		Level:   harness.Must,
		Text:    "bookmarks come only to those who allow them",
		Sources: []harness.Source{sources.watchBookmarks, sources.optBookmarks, sources.kep956},
		Why:     "a client that does not know them takes a bookmark for an object without a name, and puts that into its store",
		Advice:  "Check allowWatchBookmarks of this watch at each place that sends a bookmark: the timer, the timeout and the end of the initial events.",
		Classes: []string{"WATCH bookmarks=false outcome=events", "EVENT type=BOOKMARK"},
	},
	Judge: judgeAsked,
}

var bookmarkMonotonic = harness.Rule{
	Clause: harness.Clause{
		ID:      "bookmark/monotonic",
		Level:   harness.Must,
		Text:    "bookmarks never go back, nor below the start or a delivered event; they may repeat",
		Sources: []harness.Source{sources.etcdBookmarkable, sources.watchBookmarks},
		Why:     "a client resumes from the last bookmark: after one that went back it hears of changes a second time",
		Advice:  "Remember for each watch the largest resourceVersion that it began with or was sent, and send no bookmark below that one.",
		Classes: []string{"EVENT type=BOOKMARK"},
	},
	Needs: []harness.Feature{ComparableRV},
	Judge: judgeBookmarkMonotonic,
}

var bookmarkShape = harness.Rule{
	Clause: harness.Clause{
		ID:    "bookmark/shape",
		Level: harness.Must,
		Text: "a bookmark is of the watched kind (or of the form asked for) and says nothing but its resourceVersion and annotation: " +
			"other fields are absent, null or empty",
		Sources: []harness.Source{sources.watchBookmarks, sources.watchEvent},
		Why:     "typed clients cannot read another kind, and take whatever else it says for an object",
		Advice:  "Make a new empty object of the watched kind for each bookmark, encode it as the other events, and set only its resourceVersion and the annotation if due.",
		Classes: []string{"EVENT type=BOOKMARK"},
	},
	Judge: judgeBookmarkShape,
}

var bookmarkIdle = harness.Rule{
	Clause: harness.Clause{
		ID:      "bookmark/idle",
		Level:   harness.Should,
		Text:    "an idle watch that allows bookmarks gets one before its resourceVersion can expire, if the store has moved on; kinds served without a cache may get none",
		Sources: []harness.Source{sources.kep956, sources.optBookmarks},
		Why:     "a client of a quiet namespace lists everything anew each time that its watch ends",
		Advice:  "Send a bookmark about once a minute to every watch that allows them, idle ones too, with the revision that the cache has reached, not that of the last event.",
		Classes: []string{"EVENT type=BOOKMARK", "WATCH bookmarks=true"},
	},
	Needs: []harness.Feature{Bookmarks},
	Judge: judgeBookmarkIdle,
}

var bookmarkMoreRules = []harness.Rule{bookmarkAsked, bookmarkMonotonic, bookmarkShape, bookmarkIdle}

var bookmarkMoreChecks = []harness.Check[Subject]{
	{Info: harness.Info{
		Name:  "bookmark/asked",
		About: "watches with and without bookmarks, side by side, up to their timeout",
		Rules: []harness.Rule{bookmarkAsked, bookmarkShape},
		Needs: []harness.Feature{Bookmarks},
		Span:  20 * time.Second,
	}, Drive: drive(driveBookmarksBeside)},
	{Info: harness.Info{
		Name:  "bookmark/monotonic",
		About: "watches that get bookmarks again and again, with events between",
		Needs: []harness.Feature{ComparableRV, Bookmarks},
		Rules: []harness.Rule{bookmarkMonotonic},
		Span:  30 * time.Second,
	}, Drive: drive(driveBookmarksAgain)},
	{Info: harness.Info{
		Name:      "bookmark/idle",
		About:     "watches on which nothing happens for minutes, while other things change",
		Needs:     []harness.Feature{Bookmarks},
		Rules:     []harness.Rule{bookmarkIdle},
		Span:      3 * time.Minute,
		Isolation: harness.Quiet,
	}, Drive: drive(driveIdle)},
}
