package watchcache

import (
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// bookmarkComplete has a rule for each half of what a bookmark promises.
func bookmarkComplete(aspect string, judge func(*history.History) harness.Judgement) harness.Rule {
	return harness.Rule{
		Clause: harness.Clause{
			ID:    "bookmark/complete",
			Level: harness.Must,
			Text: "a bookmark at R says that every matching change after the start and at or before R has been delivered: " +
				"none of them is missing, and none follows",
			Sources: []harness.Source{sources.watchBookmarks, sources.kep956, sources.etcdBookmarkable, sources.watchEvent},
			Why:     "an informer that resumes from the bookmark asks for changes after R: what had not come by then is lost to it for ever",
			Advice:  "Send the bookmark only after every event up to its revision has left the queue of this watch, and never amid the initial events.",
			Classes: []string{"WATCH bookmarks=true outcome=events", "EVENT type=BOOKMARK", "WATCH initial=true outcome=events", "EVENT type=END-MARK"},
		},
		Aspect: aspect,
		Needs:  []harness.Feature{ComparableRV},
		Judge:  judge,
	}
}

var (
	noneMissing = bookmarkComplete("none-missing", onState(judgeNoneMissing))
	noneFollows = bookmarkComplete("none-follows", judgeNoneFollows)
)

var bookmarkRules = []harness.Rule{noneMissing, noneFollows}

var bookmarkChecks = []harness.Check[Subject]{
	{Info: harness.Info{
		Name:  "bookmark/complete",
		About: "watches that allow bookmarks while writes go on: near their timeout, and at the end of a streaming list",
		Needs: []harness.Feature{ComparableRV}, Either: []harness.Feature{Bookmarks, WatchList},
		Rules: []harness.Rule{noneMissing, noneFollows},
		Span:  30 * time.Second,
	}, Drive: drive(driveBookmarks)},
	{Info: harness.Info{
		Name:  "bookmark/complete/slow",
		About: "watchers of every form that allows bookmarks stop reading while some fall due between changes, and then read on and resume",
		Needs: []harness.Feature{ComparableRV, Bookmarks},
		Rules: []harness.Rule{noneMissing, noneFollows},
		Grace: 4 * time.Minute, // no other watch comes to its timeout before
		Span:  30 * time.Second,
	}, Drive: drive(driveSlowMarks)},
	{Info: harness.Info{
		Name:      "bookmark/complete/minutes",
		About:     "watches that allow bookmarks, over minutes in which little is written",
		Needs:     []harness.Feature{ComparableRV, Bookmarks},
		Rules:     []harness.Rule{noneMissing, noneFollows},
		Span:      3 * time.Minute,
		Isolation: harness.Quiet,
	}, Drive: drive(driveMinutes)},
}
