package watchcache_test

import (
	"testing"

	"github.com/lwtest/lwtest/harness"
)

func TestWatchlistInitial(t *testing.T) {
	judge(t, "watchlist/initial", []judged{
		{name: "in any order, then the end", says: good, history: created + `
			w1 -> WATCH initial=true match=NotOlderThan bookmarks
			w1 <- ADDED a/z @4 v=3
			w1 <- ADDED a/x @2 v=1
			w1 <- ADDED a/y @3 v=2
			w1 <- END-MARK @4`},
		{name: "nothing there: just the end", says: good, history: created + `
			w1 -> WATCH ns=b initial=true match=NotOlderThan bookmarks rv=4
			w1 <- END-MARK @4`},
		{name: "without bookmarks there is no end", says: good, history: created + `
			w1 -> WATCH initial=true match=NotOlderThan
			w1 <- ADDED a/x @2 v=1
			w1 <- ADDED a/y @3 v=2
			w1 <- ADDED a/z @4 v=3
			w1 <- SETTLED`},
		{name: "no end", says: bad, history: created + `
			w1 -> WATCH initial=true match=NotOlderThan bookmarks
			w1 <- ADDED a/x @2 v=1
			w1 <- ADDED a/y @3 v=2
			w1 <- ADDED a/z @4 v=3
			w1 <- BOOKMARK @4
			w1 <- SETTLED`,
			bad: found("a bookmark that ends the initial events", "none, after 3 events and all the time it needs", 7, 8, 9, 10)},
		{name: "nothing there, and no end", says: bad, history: `
			w1 -> WATCH initial=true match=NotOlderThan bookmarks
			w1 <- SETTLED`,
			bad: found("a bookmark that ends the initial events", "none, after 0 events and all the time it needs", 1)},
		{name: "one object is missing", says: bad, history: created + `
			w1 -> WATCH initial=true match=NotOlderThan bookmarks
			w1 <- ADDED a/x @2 v=1
			w1 <- ADDED a/z @4 v=3
			w1 <- END-MARK @4`,
			bad: found("the state @4, which the bookmark at the end names", "a/y @3 is missing", 7, 8, 9, 10)},
		{name: "of another state than the end says", says: bad, history: created + `
			w1 -> WATCH initial=true match=NotOlderThan bookmarks
			w1 <- ADDED a/x @2 v=1
			w1 <- ADDED a/y @3 v=2
			w1 <- ADDED a/z @4 v=3
			w1 <- END-MARK @3`,
			bad: found("the state @3, which the bookmark at the end names", "a/z @4, which was not there", 7, 8, 9, 10, 11)},
		{name: "without bookmarks, one object is missing", says: bad, history: created + `
			w1 -> WATCH initial=true match=NotOlderThan rv=4
			w1 <- ADDED a/y @3 v=2
			w1 <- ADDED a/z @4 v=3
			w1 <- SETTLED`,
			bad: found("the objects of one state, each once as ADDED, and then the changes after it",
				"2 events that no state explains; of the state @4 a/x @2 is missing", 7, 8, 9)},
		{name: "it waits for what is not there yet", says: untested, history: created + `
			w1 -> WATCH initial=true match=NotOlderThan bookmarks rv=1000
			w1 <- SETTLED`},
		{name: "in real time the sentinel may be a part of the state", says: untested, history: created + `
			... real time
			w1 -> WATCH initial=true match=NotOlderThan bookmarks
			w1 <- ADDED a/x @2 v=1
			w1 <- SETTLED @2`},
		{name: "it ended, was let go, or refused", says: untested, history: created + `
			w1 -> WATCH initial=true match=NotOlderThan bookmarks
			w1 <- ADDED a/x @2 v=1
			w1 <- ENDED
			w2 -> WATCH initial=true match=NotOlderThan bookmarks
			w2 <- STOPPED
			w3 -> WATCH initial=true match=NotOlderThan bookmarks
			w3 <- ERROR 504 Timeout
			w4 -> WATCH initial=true match=NotOlderThan bookmarks
			w4 <- 422 Invalid`},
		{name: "no streaming list", says: untested, history: created + `
			w1 -> WATCH bookmarks
			w1 <- SETTLED
			w2 -> WATCH initial=true bookmarks
			w2 <- SETTLED
			w3 -> WATCH initial=false match=NotOlderThan bookmarks
			w3 <- SETTLED`},
		{name: "what a lost answer may have made", says: odd, history: created + `
			c1 -> UPDATE a/x @2 v=5
			c1 <- lost
			w1 -> WATCH initial=true match=NotOlderThan bookmarks
			w1 <- ADDED a/x @5 v=5
			w1 <- ADDED a/y @3 v=2
			w1 <- ADDED a/z @4 v=3
			w1 <- END-MARK @5`},
		{name: "foreign objects", says: odd, history: created + `
			w1 -> WATCH initial=true match=NotOlderThan bookmarks
			w1 <- ADDED ~/1 @9
			w1 <- ADDED a/x @2 v=1
			w1 <- ADDED a/y @3 v=2
			w1 <- ADDED a/z @4 v=3
			w1 <- END-MARK @9`},
		{name: "writes without resourceVersions", says: undecided, undecided: "no resourceVersion", history: `
			c1 -> CREATE a/x v=1
			c1 <- ok`},
	})
}

func TestWatchlistOnlyAdded(t *testing.T) {
	judge(t, "watchlist/only-added", []judged{
		{name: "and then anything", says: good, history: `
			w1 -> WATCH initial=true match=NotOlderThan bookmarks
			w1 <- ADDED a/y @4
			w1 <- ADDED a/x @2
			w1 <- END-MARK @4
			w1 <- MODIFIED a/x @5
			w1 <- DELETED a/x @6
			w1 <- ADDED a/x @7`},
		{name: "MODIFIED", says: bad, history: `
			w1 -> WATCH initial=true match=NotOlderThan bookmarks
			w1 <- MODIFIED a/x @2
			w1 <- END-MARK @4`,
			bad: found("nothing but ADDED before the end bookmark", "MODIFIED a/x @2", 1, 2)},
		{name: "a plain bookmark", says: bad, history: `
			w1 -> WATCH initial=true match=NotOlderThan bookmarks
			w1 <- ADDED a/x @2
			w1 <- BOOKMARK @2
			w1 <- END-MARK @4`,
			bad: found("nothing but ADDED before the end bookmark", "BOOKMARK @2", 1, 3)},
		{name: "an object twice", says: bad, history: `
			w1 -> WATCH initial=true match=NotOlderThan bookmarks
			w1 <- ADDED a/x @2
			w1 <- ADDED a/y @3
			w1 <- ADDED a/x @4
			w1 <- END-MARK @4`,
			bad: found("each object once", "ADDED a/x @4 again", 1, 2, 4)},
		{name: "nothing is there", says: untested, history: `
			w1 -> WATCH initial=true match=NotOlderThan bookmarks
			w1 <- END-MARK @4`},
		{name: "where it ends is not known", says: untested, history: `
			w1 -> WATCH initial=true match=NotOlderThan
			w1 <- ADDED a/x @2
			w1 <- MODIFIED a/x @3
			w2 -> WATCH initial=true match=NotOlderThan bookmarks
			w2 <- ADDED a/x @2
			w2 <- ENDED`},
	})
}

func TestWatchlistEndVersion(t *testing.T) {
	judge(t, "watchlist/end-version", []judged{
		{name: "unset: all that was answered before", says: good, history: created + `
			w1 -> WATCH initial=true match=NotOlderThan bookmarks
			w1 <- END-MARK @4`},
		{name: "unset: what was answered meanwhile does not count", says: good, history: created + `
			c1 -> CREATE a/w v=4
			w1 -> WATCH initial=true match=NotOlderThan bookmarks
			c1 <- @5
			w1 <- END-MARK @4`},
		{name: "at N, or newer", says: good, history: created + `
			w1 -> WATCH initial=true match=NotOlderThan bookmarks rv=3
			w1 <- END-MARK @3
			w2 -> WATCH initial=true match=NotOlderThan bookmarks rv=3
			w2 <- END-MARK @1000`},
		{name: "unset: older", says: bad, history: created + `
			w1 -> WATCH initial=true match=NotOlderThan bookmarks
			w1 <- END-MARK @3`,
			bad: found("a resourceVersion of at least 4, which a write before it was answered with", "the end bookmark @3", 7, 8)},
		{name: "older than N", says: bad, history: created + `
			w1 -> WATCH initial=true match=NotOlderThan bookmarks rv=4
			w1 <- END-MARK @3`,
			bad: found("a resourceVersion of at least 4", "the end bookmark @3", 7, 8)},
		{name: "of a selection, too", says: bad, history: created + `
			w1 -> WATCH initial=true match=NotOlderThan bookmarks labels=app=one rv=4
			w1 <- END-MARK @3
			w2 -> WATCH initial=true match=NotOlderThan bookmarks fields=metadata.name=x
			w2 <- END-MARK @3`,
			bad: []harness.Finding{
				{At: []int32{7, 8}, Want: "a resourceVersion of at least 4", Got: "the end bookmark @3"},
				{At: []int32{9, 10}, Want: "a resourceVersion of at least 4, which a write before it was answered with", Got: "the end bookmark @3"},
			}},
		{name: "\"0\" may be old, no number is version/comparable's, and a plain watch is not meant", says: untested, history: created + `
			w1 -> WATCH initial=true match=NotOlderThan bookmarks rv=0
			w1 <- END-MARK @1
			w2 -> WATCH initial=true match=NotOlderThan bookmarks
			w2 <- END-MARK @abc
			w3 -> WATCH bookmarks
			w3 <- END-MARK @1`},
	})
}

func TestWatchlistOnce(t *testing.T) {
	judge(t, "watchlist/once", []judged{
		{name: "plain bookmarks after it", says: good, history: `
			w1 -> WATCH initial=true match=NotOlderThan bookmarks
			w1 <- END-MARK @4
			w1 <- BOOKMARK @4
			w1 <- BOOKMARK @5`},
		{name: "again", says: bad, history: `
			w1 -> WATCH bookmarks
			w1 <- END-MARK @4
			w1 <- BOOKMARK @4
			w1 <- END-MARK @5`,
			bad: found("a plain bookmark: the initial events have ended before", "BOOKMARK @5 with the annotation", 2, 4)},
		{name: "unasked, where the watch begins with a state", says: good, history: `
			w1 -> WATCH rv=0 bookmarks
			w1 <- END-MARK @4
			w1 <- BOOKMARK @4`},
		{name: "the first, of a watch from a resourceVersion", says: bad, history: `
			w1 -> WATCH rv=4 bookmarks
			w1 <- BOOKMARK @4
			w1 <- END-MARK @5`,
			bad: found("a plain bookmark: the watch has no initial events that could end", "BOOKMARK @5 with the annotation", 1, 3)},
		{name: "of a watch that wants no initial events", says: bad, history: `
			w1 -> WATCH initial=false match=NotOlderThan bookmarks
			w1 <- END-MARK @4`,
			bad: found("a plain bookmark: the watch has no initial events that could end", "BOOKMARK @4 with the annotation", 1, 2)},
		{name: "no bookmark after it, or another watch's", says: untested, history: `
			w1 -> WATCH bookmarks
			w1 <- END-MARK @4
			w1 <- ADDED a/x @5
			w1 <- ENDED
			w1 -> WATCH bookmarks
			w1 <- END-MARK @5
			w2 -> WATCH rv=4 bookmarks
			w2 <- BOOKMARK @5`},
	})
}

func TestWatchlistFuture(t *testing.T) {
	judge(t, "watchlist/future", []judged{
		{name: "504, in the stream and as a status", says: good, history: created + `
			w1 -> WATCH initial=true match=NotOlderThan bookmarks rv=1000
			w1 <- ERROR 504 Timeout
			w2 -> WATCH initial=true match=NotOlderThan rv=1000
			w2 <- 504 Timeout retry=1`},
		{name: "it waits, for ever or until it is there", says: good, history: created + `
			w1 -> WATCH initial=true match=NotOlderThan bookmarks rv=1000
			w2 -> WATCH initial=true match=NotOlderThan bookmarks rv=5
			c1 -> CREATE a/w v=4
			c1 <- @5
			w2 <- ADDED a/w @5 v=4
			w2 <- END-MARK @5
			w1 <- SETTLED`},
		{name: "an older state", says: bad, history: created + `
			w1 -> WATCH initial=true match=NotOlderThan bookmarks rv=1000
			w1 <- END-MARK @4`,
			bad: found("no end of the initial events before 1000", "the end bookmark @4", 7, 8)},
		{name: "refused: the trace does not tell what the server has seen before", says: untested, history: created + `
			w1 -> WATCH initial=true match=NotOlderThan bookmarks rv=1000
			w1 <- 410 Expired`},
		{name: "refused for good", says: bad, history: created + `
			w1 -> WATCH initial=true match=NotOlderThan bookmarks rv=1000
			w1 <- 400 BadRequest
			c1 -> CREATE a/w v=4
			c1 <- @5`,
			bad: found("initial events that wait, or 504: 1000 is not there yet", "400 BadRequest", 7)},
		{name: "throttled, ended, let go, or lost", says: untested, history: created + `
			w1 -> WATCH initial=true match=NotOlderThan bookmarks rv=1000
			w1 <- 429 TooManyRequests retry=1
			w2 -> WATCH initial=true match=NotOlderThan bookmarks rv=1000
			w2 <- ENDED
			w3 -> WATCH initial=true match=NotOlderThan bookmarks rv=1000
			w3 <- STOPPED
			w4 -> WATCH initial=true match=NotOlderThan bookmarks rv=1000
			w4 <- lost`},
		{name: "not in the future, or no streaming list", says: untested, history: created + `
			w1 -> WATCH initial=true match=NotOlderThan bookmarks rv=4
			w1 <- END-MARK @4
			w2 -> WATCH initial=false match=NotOlderThan bookmarks rv=1000
			w2 <- SETTLED
			w3 -> WATCH initial=true rv=1000
			w3 <- 422 Invalid`},
	})
}

func TestWatchlistOff(t *testing.T) {
	judge(t, "watchlist/off", []judged{
		{name: "changes after N", says: good, history: created + `
			w1 -> WATCH initial=false match=NotOlderThan rv=3
			w1 <- ADDED a/z @4 v=3
			w1 <- SETTLED`},
		{name: "from about now", says: good, history: created + `
			w1 -> WATCH initial=false match=NotOlderThan
			w2 -> WATCH initial=false match=NotOlderThan rv=0
			w1 <- SETTLED
			w2 <- SETTLED
			c1 -> UPDATE a/x v=5
			c1 <- @5
			w1 <- MODIFIED a/x @5 v=5
			w2 <- MODIFIED a/x @5 v=5
			w1 <- SETTLED
			w2 <- SETTLED`},
		{name: "at \"0\", from a little before", says: good, history: created + `
			w1 -> WATCH initial=false match=NotOlderThan rv=0
			w1 <- ADDED a/z @4 v=3`},
		{name: "initial events", says: bad, history: created + `
			w1 -> WATCH initial=false match=NotOlderThan
			w1 <- ADDED a/z @4 v=3`,
			bad: found("only changes after @4", "ADDED a/z @4", 7, 8)},
		{name: "initial events at \"0\"", says: bad, history: written + `
			w1 -> WATCH initial=false match=NotOlderThan rv=0
			w1 <- ADDED a/x @3 v=2 app=one`,
			bad: found("changes only, no initial events", "ADDED a/x @3, which was there before", 9, 10)},
		{name: "a change that comes as an initial event", says: bad, history: written + `
			w1 -> WATCH initial=false match=NotOlderThan
			w1 <- SETTLED
			c1 -> UPDATE a/x v=5
			c1 <- @5
			w1 <- ADDED a/x @5 v=5`,
			bad: found("changes only, no initial events", "ADDED a/x @5, which was there before", 9, 13)},
		{name: "the change at N", says: bad, history: created + `
			w1 -> WATCH initial=false match=NotOlderThan rv=4
			w1 <- ADDED a/z @4 v=3`,
			bad: found("only changes after @4", "ADDED a/z @4", 7, 8)},
		{name: "an end of initial events", says: bad, history: created + `
			w1 -> WATCH initial=false match=NotOlderThan bookmarks rv=4
			w1 <- END-MARK @4`,
			bad: found("no end of initial events: there are none", "a bookmark with the annotation", 7, 8)},
		{name: "a change after N is missing", says: bad, history: created + `
			w1 -> WATCH initial=false match=NotOlderThan rv=2
			w1 <- ADDED a/z @4 v=3`,
			bad: found("ADDED for a/y @3", "no ADDED, though ADDED a/z @4 came after it", 3, 7, 8)},
		{name: "a change is missing, long after it was opened", says: bad, history: created + `
			w1 -> WATCH initial=false match=NotOlderThan
			w1 <- SETTLED
			c1 -> UPDATE a/x v=5
			c1 <- @5
			w1 <- SETTLED`,
			bad: found("MODIFIED for a/x @5", "no MODIFIED, though the watch had all the time it needs", 9, 7, 11)},
		{name: "refused", says: untested, history: created + `
			w1 -> WATCH initial=false match=NotOlderThan rv=1
			w1 <- ERROR 410 Expired
			w2 -> WATCH initial=false
			w2 <- 422 Invalid`},
		{name: "silent, or ended", says: untested, history: created + `
			w1 -> WATCH initial=false match=NotOlderThan
			w1 <- SETTLED
			w2 -> WATCH initial=false match=NotOlderThan rv=2
			w2 <- ENDED`},
		{name: "foreign objects", says: odd, history: created + `
			w1 -> WATCH initial=false match=NotOlderThan
			w1 <- ADDED ~/1 @9
			w1 <- SETTLED`},
		{name: "what a lost answer may have made", says: odd, history: created + `
			c1 -> UPDATE a/x @2 v=5
			c1 <- lost
			w1 -> WATCH initial=false match=NotOlderThan rv=4
			w1 <- MODIFIED a/x @5 v=5
			w2 -> WATCH initial=false match=NotOlderThan rv=4
			w2 <- SETTLED`},
	})
}

func TestWatchlistCombinations(t *testing.T) {
	judge(t, "watchlist/combinations", []judged{
		{name: "refused, also in the stream", says: good, history: `
			w1 -> WATCH initial=true
			w1 <- 422 Invalid
			w1 -> WATCH initial=false rv=5 match=Exact
			w1 <- 422 Invalid
			l1 -> LIST initial=true match=NotOlderThan rv=5
			l1 <- 422 Invalid
			w2 -> WATCH initial=true
			w2 <- ok
			w2 <- ERROR 422 Invalid`},
		{name: "another code", says: bad, history: `
			w1 -> WATCH initial=true
			w1 <- 400 BadRequest`,
			bad: found("422 Invalid", "400 BadRequest, without a cause", 1, 2)},
		{name: "a watch", says: bad, history: `
			w1 -> WATCH initial=true rv=5
			w1 <- ok
			w1 <- ADDED a/x @5`,
			bad: found("422 Invalid", "a watch", 1, 2)},
		{name: "a list", says: bad, history: `
			l1 -> LIST initial=false
			l1 <- @5 []`,
			bad: found("422 Invalid", "a list @5 of 0 items", 1, 2)},
		{name: "allowed, throttled, or not known", says: untested, history: `
			w1 -> WATCH initial=true match=NotOlderThan
			w1 <- ok
			w2 -> WATCH rv=5
			w2 <- ok
			w3 -> WATCH initial=true
			w3 <- 429 TooManyRequests retry=1
			l1 -> LIST initial=true
			l1 <- lost
			l2 -> LIST
			l2 <- @5 []`},
	})
}
