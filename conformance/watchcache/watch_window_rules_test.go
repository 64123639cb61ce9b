package watchcache_test

import (
	"slices"
	"testing"

	"github.com/lwtest/lwtest/harness"
)

// forgotten are three changes of which the window forgets the first two; what follows is event 13.
const forgotten = `
	c1 -> CREATE a/x v=1
	c1 <- @2
	c1 -> CREATE a/y v=2
	c1 <- @3
	admin -> MOVE-WINDOW
	admin <- ok
	c1 -> CREATE a/z v=3
	c1 <- @4
`

// began is a change of a run that is not the first.
const began = `
	c1 -> CREATE a/x v=1
	c1 <- @5
`

// wordless are the findings about watches from 1 with these calls, of which this is all that came.
func wordless(got string, calls ...int32) []harness.Finding {
	var all []harness.Finding
	for _, c := range calls {
		all = append(all, found("410 Expired or Gone: the history before 1 is gone", got+", and never anything else", c, c+1)...)
	}
	return all
}

func TestWatchExpired(t *testing.T) {
	judge(t, "watch/expired", []judged{
		{name: "410, in the stream and as a status", says: good, history: forgotten + `
			w1 -> WATCH rv=1
			w1 <- ERROR 410 Expired
			w1 <- ENDED
			w2 -> WATCH rv=2
			w2 <- 410 Gone`},
		{name: "410 on watch, while a list there succeeds", says: good, history: forgotten + `
			w1 -> WATCH rv=2
			w1 <- ERROR 410 Expired
			l1 -> LIST rv=2 match=Exact
			l1 <- @2 [a/x @2 v=1]`},
		{name: "the storage may be the cause of another error", says: untested, history: forgotten + `
			admin -> STORAGE
			admin <- ok
			w1 -> WATCH rv=1
			w1 <- ERROR 500 InternalError
			w1 <- ENDED`},
		{name: "served whole", says: untested, history: forgotten + `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- ADDED a/y @3 v=2
			w1 <- ADDED a/z @4 v=3
			w1 <- SETTLED`},
		{name: "a gap", says: bad, history: forgotten + `
			w1 -> WATCH rv=1
			w1 <- ADDED a/y @3 v=2
			w1 <- ADDED a/z @4 v=3`,
			bad: found("ADDED for a/x @2", "no ADDED, though ADDED a/z @4 came after it", 1, 9, 11)},
		{name: "from before the run: 410, in the stream and as a status", says: good, history: ofCheck + began + `
			w1 -> WATCH rv=1
			w1 <- ERROR 410 Expired
			w2 -> WATCH rv=1
			w2 <- 410 Gone`},
		{name: "from before the run: whole", says: good, history: ofCheck + began + `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @5 v=1
			w1 <- SETTLED`},
		{name: "from before the run: another code", says: bad, history: ofCheck + began + `
			w1 -> WATCH rv=1
			w1 <- ERROR 500 InternalError`,
			bad: found("410 Expired or Gone: the history before 1 is gone", "500 InternalError", 3)},
		{name: "from before the run: 200 and nothing", says: bad, history: ofCheck + began + `
			w1 -> WATCH rv=1
			w1 <- SETTLED`,
			bad: found("ADDED for a/x @5", "no ADDED, though the watch had all the time it needs", 1, 3, 4)},
		{name: "from before the run: 200 and nothing until a later change", says: bad, history: ofCheck + began + `
			w1 -> WATCH rv=1
			c1 -> UPDATE a/x v=2
			c1 <- @6
			w1 <- MODIFIED a/x @6 v=2`,
			bad: found("ADDED for a/x @5", "no ADDED, though MODIFIED a/x @6 came after it", 1, 3, 6)},
		{name: "from before the run: 200 and the end, each time", says: bad, history: ofCheck + began + times(4, "w1 -> WATCH rv=1\nw1 <- ENDED\n"),
			bad: wordless("the end of the stream", 3, 5, 7, 9)},
		{name: "from before the run: the end, once", says: untested, history: ofCheck + began + `
			w1 -> WATCH rv=1
			w1 <- ENDED`},
		{name: "from before a trace", says: untested, history: began + `
			w1 -> WATCH rv=1
			w1 <- 403 Forbidden`},
		{name: "a gap, by name, by field, and without initial events", says: bad, history: forgotten + `
			w1 -> WATCH rv=1 fields=metadata.name=x
			w1 <- SETTLED
			w2 -> WATCH rv=1 fields=metadata.name!=x
			w2 <- ADDED a/z @4 v=3
			w3 -> WATCH rv=2 match=NotOlderThan initial=false
			w3 <- ADDED a/z @4 v=3`,
			bad: slices.Concat(
				found("ADDED for a/x @2", "no ADDED, though the watch had all the time it needs", 1, 9, 10),
				found("ADDED for a/y @3", "no ADDED, though ADDED a/z @4 came after it", 3, 11, 12),
				found("ADDED for a/y @3", "no ADDED, though ADDED a/z @4 came after it", 3, 13, 14))},
		{name: "the end of the stream, each time", says: bad, history: forgotten + times(4, "w1 -> WATCH rv=1\nw1 <- ENDED\n"),
			bad: wordless("the end of the stream", 9, 11, 13, 15)},
		{name: "an ERROR without a code, each time", says: bad, history: forgotten + times(4, "w1 -> WATCH rv=1\nw1 <- ERROR 0 Odd\n"),
			bad: wordless("an ERROR without a code", 9, 11, 13, 15)},
		{name: "the end of the stream, and once as it should be", says: good, history: forgotten + times(4, "w1 -> WATCH rv=1\nw1 <- ENDED\n") + `
			w1 -> WATCH rv=1
			w1 <- ERROR 410 Expired`},
		{name: "the end of the stream, three times, or of other forms", says: untested, history: forgotten + times(3, "w1 -> WATCH rv=1\nw1 <- ENDED\nw1 -> WATCH rv=1 bookmarks\nw1 <- ENDED\n")},
		{name: "the end of streams that had nothing to give", says: untested, history: forgotten + times(4, "w1 -> WATCH rv=1 fields=metadata.name=w\nw1 <- ENDED\n")},
		{name: "another code", says: bad, history: forgotten + `
			w1 -> WATCH rv=1
			w1 <- ERROR 500 InternalError`,
			bad: found("410 Expired or Gone: the history before 1 is gone", "500 InternalError", 9)},
		{name: "another reason", says: bad, history: forgotten + `
			w1 -> WATCH rv=1
			w1 <- 410 Timeout`,
			bad: found("410 Expired or Gone: the history before 1 is gone", "410 Timeout", 9)},
		{name: "neither code nor reason", says: bad, history: forgotten + `
			w1 -> WATCH rv=1
			w1 <- ERROR 0`,
			bad: found("410 Expired or Gone: the history before 1 is gone", "an ERROR with neither code nor reason", 9)},
		{name: "long before a compaction, another code", says: bad, history: compacted + `
			w1 -> WATCH rv=2
			w1 <- ERROR 500 InternalError`,
			bad: found("410 Expired or Gone: the history before 2 is gone", "500 InternalError", 9)},
		{name: "too many requests, a cache that lags, a lost answer", says: untested, history: forgotten + `
			w1 -> WATCH rv=1
			w1 <- 429 TooManyRequests retry=1
			w2 -> WATCH rv=1
			w2 <- ERROR 504 Timeout
			w3 -> WATCH rv=1
			w3 <- lost`},
		{name: "one of them is told, or they are three, or let go", says: good, history: forgotten + `
			w0 -> WATCH rv=1
			w0 <- ERROR 410 Expired
			w1 -> WATCH rv=1 timeout=300
			w1 <- ENDED
			w2 -> WATCH rv=1 timeout=300
			w2 <- ENDED
			w3 -> WATCH rv=2 timeout=300
			w3 <- ENDED
			w4 -> WATCH rv=2 timeout=300
			w4 <- ERROR 410 Expired
			w5 -> WATCH rv=1 bookmarks
			w5 <- ENDED
			w6 -> WATCH rv=1 bookmarks
			w6 <- ENDED
			w7 -> WATCH rv=2 bookmarks
			w7 <- ENDED
			w9 -> WATCH rv=1 initial=false match=NotOlderThan
			w9 <- STOPPED`},
		{name: "from after the window, or with a state", says: untested, history: forgotten + `
			w1 -> WATCH rv=3
			w1 <- ERROR 500 InternalError
			w2 -> WATCH rv=0
			w2 <- ERROR 500 InternalError
			w3 -> WATCH
			w3 <- ADDED a/z @4 v=3`},
		{name: "opened before", says: untested, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 -> WATCH rv=1
			admin -> MOVE-WINDOW
			admin <- ok
			w1 <- ERROR 500 InternalError`},
	})
}

// compacted is a compaction at 4; what follows is event 9.
const compacted = `
	c1 -> CREATE a/x v=1
	c1 <- @2
	c1 -> CREATE a/y v=2
	c1 <- @3
	c1 -> UPDATE a/x @2 v=3
	c1 <- @4
	admin -> COMPACT
	admin <- @4
`

func TestWatchCompactedEdge(t *testing.T) {
	judge(t, "watch/compacted-edge", []judged{
		{name: "from the edge and from before it, whole", says: good, history: compacted + `
			w1 -> WATCH rv=4
			w2 -> WATCH rv=3
			c1 -> UPDATE a/x @4 v=4
			c1 <- @5
			w1 <- MODIFIED a/x @5 v=4
			w1 <- SETTLED
			w2 <- MODIFIED a/x @4 v=3
			w2 <- MODIFIED a/x @5 v=4
			w2 <- SETTLED`},
		{name: "from before it refused, in whatever way", says: good, history: compacted + `
			w1 -> WATCH rv=3
			w1 <- ERROR 500 InternalError
			w2 -> WATCH rv=2
			w2 <- 410 Expired`},
		{name: "refused after the server may have compacted by itself", says: untested, history: compacted + `
			... 6m
			w1 -> WATCH rv=4
			w1 <- ERROR 500 InternalError`},
		{name: "what is kept is refused", says: bad, history: compacted + `
			... 4m
			w1 -> WATCH rv=4
			w1 <- ERROR 500 InternalError`,
			bad: found("a watch: 4 has been kept", "500 InternalError", 9)},
		{name: "the change at the edge is lost", says: bad, history: compacted + `
			w1 -> WATCH rv=3
			c1 -> UPDATE a/x @4 v=4
			c1 <- @5
			w1 <- MODIFIED a/x @5 v=4`,
			bad: found("MODIFIED for a/x @4", "no MODIFIED, though MODIFIED a/x @5 came after it", 5, 9, 12)},
		{name: "the delete at the edge is lost", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			w2 -> WATCH rv=2
			c1 -> DELETE a/x
			c1 <- ok
			w2 <- DELETED a/x @3 v=1
			admin -> COMPACT
			admin <- @3
			w1 -> WATCH rv=2
			w1 <- SETTLED`,
			bad: found("DELETED for the deletion of a/x @3", "no DELETED, though the watch had all the time it needs", 4, 9, 10)},
		{name: "from the edge refused", says: bad, history: compacted + `
			w1 -> WATCH rv=4
			w1 <- ERROR 500 InternalError`,
			bad: found("a watch: 4 has been kept", "500 InternalError", 9)},
		{name: "from the edge 410: a window of watches may be shorter", says: untested, history: compacted + `
			w1 -> WATCH rv=4
			w1 <- ERROR 410 Expired`},
		{name: "a cache that lags, too many requests", says: untested, history: compacted + `
			w1 -> WATCH rv=4
			w1 <- ERROR 504 Timeout
			w2 -> WATCH rv=4
			w2 <- 429 TooManyRequests retry=1`},
		{name: "nobody knows where it was compacted", says: untested, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			admin -> COMPACT
			admin <- ok
			w1 -> WATCH rv=1
			w1 <- SETTLED`},
		{name: "with a state", says: untested, history: compacted + `
			w1 -> WATCH rv=4 initial=true match=NotOlderThan
			w1 <- ERROR 500 InternalError`},
		{name: "another client writes the same object", says: undecided, undecided: "another client", history: inRealTime + `
			c1 -> CREATE a/x v=1
			c1 <- @2
			admin -> COMPACT
			admin <- @2
			w1 -> WATCH rv=2
			w1 <- MODIFIED a/x @3 v=9`},
	})
}

func TestWatchExpiredEdge(t *testing.T) {
	judge(t, "watch/expired-edge", []judged{
		{name: "410", says: good, history: compacted + `
			w1 -> WATCH rv=3
			w1 <- ERROR 410 Expired`},
		{name: "served whole", says: good, history: compacted + `
			w1 -> WATCH rv=3
			w1 <- MODIFIED a/x @4 v=3
			w1 <- SETTLED`},
		{name: "another code", says: bad, history: compacted + `
			w1 -> WATCH rv=3
			w1 <- ERROR 500 InternalError`,
			bad: found("410, if it is refused: 3 lies just before the oldest that is kept", "500 InternalError", 9)},
		{name: "long before it, or after it, are others'", says: untested, history: compacted + `
			w1 -> WATCH rv=2
			w1 <- ERROR 500 InternalError
			w2 -> WATCH rv=4
			w2 <- ERROR 500 InternalError`},
		{name: "it ended before anybody could tell", says: untested, history: compacted + `
			w1 -> WATCH rv=3
			w1 <- ENDED`},
		{name: "too many requests", says: untested, history: compacted + `
			w1 -> WATCH rv=3
			w1 <- 429 TooManyRequests retry=1`},
		{name: "nothing was compacted", says: untested, history: written + `
			w1 -> WATCH rv=1
			w1 <- ERROR 500 InternalError`},
	})
}

func TestWatchFuture(t *testing.T) {
	judge(t, "watch/future", []judged{
		{name: "it waits for what comes after", says: good, history: written + `
			w1 -> WATCH rv=6
			c1 -> CREATE a/p v=4
			c1 <- @6
			c1 -> CREATE a/q v=5
			c1 <- @7
			w1 <- ADDED a/q @7 v=5
			w1 <- STOPPED`},
		{name: "it is silent while others hear of changes", says: good, history: written + `
			w1 -> WATCH rv=1000
			w2 -> WATCH rv=4
			c1 -> CREATE a/p v=4
			c1 <- @6
			w2 <- ADDED a/p @6 v=4
			w1 <- STOPPED`},
		{name: "504, in the stream and as a status", says: good, history: written + `
			w1 -> WATCH rv=1000
			w1 <- ERROR 504 Timeout
			w2 -> WATCH rv=1000
			w2 <- 504 Timeout`},
		{name: "it may end when it likes", says: odd, history: written + `
			w1 -> WATCH rv=1000
			w1 <- ENDED`},
		{name: "it begins with a state: watch/unset and watchlist/future judge that", says: untested, history: written + `
			w1 -> WATCH rv=1000 initial=true match=NotOlderThan
			w1 <- ADDED a/y @4 v=3`},
		{name: "older changes", says: bad, history: written + `
			w1 -> WATCH rv=1000
			c1 -> CREATE a/p v=4
			c1 <- @6
			w1 <- ADDED a/p @6 v=4`,
			bad: found("nothing at or before 1000", "ADDED a/p @6", 9, 12)},
		{name: "the change at it", says: bad, history: written + `
			w1 -> WATCH rv=6
			c1 -> CREATE a/p v=4
			c1 <- @6
			w1 <- ADDED a/p @6 v=4`,
			bad: found("nothing at or before 6", "ADDED a/p @6", 9, 12)},
		{name: "an older bookmark", says: bad, history: written + `
			w1 -> WATCH rv=1000 bookmarks
			w1 <- BOOKMARK @6`,
			bad: found("nothing at or before 1000", "BOOKMARK @6", 9, 10)},
		{name: "refused as too old: the trace does not tell what the server has seen before", says: untested, history: written + `
			w1 -> WATCH rv=1000
			w1 <- ERROR 410 Expired`},
		{name: "a match that nothing allows", says: untested, history: written + `
			w1 -> WATCH rv=1000 match=NotOlderThan
			w1 <- 422 Invalid
			c1 -> CREATE a/w v=4
			c1 <- @6`},
		{name: "refused as if it were too old", says: bad, history: written + `
			w1 -> WATCH rv=1000
			w1 <- ERROR 410 Expired
			c1 -> CREATE a/w v=4
			c1 <- @6`,
			bad: found("a watch that waits, or 504: 1000 is not there yet", "410 Expired", 9)},
		{name: "a bookmark at it", says: odd, history: written + `
			w1 -> WATCH rv=1000 bookmarks
			w1 <- BOOKMARK @1000`},
		{name: "silence, of which nothing can be said", says: untested, history: written + `
			w1 -> WATCH rv=1000
			w1 <- SETTLED`},
		{name: "others hear of another namespace", says: untested, history: written + `
			w1 -> WATCH ns=b rv=1000
			w2 -> WATCH rv=4
			c1 -> CREATE a/p v=4
			c1 <- @6
			w2 <- ADDED a/p @6 v=4
			w1 <- STOPPED`},
		{name: "throttled", says: untested, history: written + `
			w1 -> WATCH rv=1000
			w1 <- 429 TooManyRequests retry=1`},
		{name: "not in the future", says: untested, history: written + `
			w1 -> WATCH rv=4
			w1 <- DELETED a/x @5 v=2`},
	})
}
