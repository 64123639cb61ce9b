package watchcache_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestWatchErrorEnds(t *testing.T) {
	judge(t, "watch/error-ends", []judged{
		{name: "the stream ends", says: good, history: written + `
			w1 -> WATCH rv=1
			w1 <- ERROR 410 Expired
			w1 <- ENDED`},
		{name: "it stays open, but nothing comes of what is written", says: good, history: `
			w1 -> WATCH rv=1
			w1 <- ERROR 504 Timeout
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 <- STOPPED`},
		{name: "it resumes as another watch", says: good, history: written + `
			w1 -> WATCH rv=1
			w1 <- ERROR 410 Expired
			w1 <- ENDED
			w1 -> WATCH rv=4
			w1 <- DELETED a/x @5 v=2`},
		{name: "an event", says: bad, history: written + `
			w1 -> WATCH rv=1
			w1 <- ERROR 410 Expired
			w1 <- ADDED a/y @4 v=3`,
			bad: found("the end of the watch, after its ERROR", "ADDED a/y @4", 9, 10, 11)},
		{name: "a second ERROR", says: bad, history: `
			w1 -> WATCH rv=1
			w1 <- ERROR 410 Expired
			w1 <- ERROR 410 Expired`,
			bad: found("the end of the watch, after its ERROR", "ERROR 410 Expired", 1, 2, 3)},
		{name: "a bookmark", says: bad, history: `
			w1 -> WATCH rv=1 bookmarks
			w1 <- ERROR 410 Expired
			w1 <- BOOKMARK @5`,
			bad: found("the end of the watch, after its ERROR", "BOOKMARK @5", 1, 2, 3)},
		{name: "the client let go at once", says: untested, history: `
			w1 -> WATCH rv=1
			w1 <- ERROR 410 Expired
			w1 <- STOPPED`},
		{name: "a status, no ERROR", says: untested, history: `
			w1 -> WATCH rv=1
			w1 <- 410 Expired`},
	})
}

func TestWatchCombinations(t *testing.T) {
	judge(t, "watch/combinations", []judged{
		{name: "refused, also in the stream", says: good, history: `
			w1 -> WATCH rv=5 match=NotOlderThan
			w1 <- 422 Invalid
			w1 -> WATCH match=Exact
			w1 <- 400 BadRequest
			w2 -> WATCH match=Exact
			w2 <- ok
			w2 <- ERROR 422 Invalid`},
		{name: "served", says: bad, history: `
			w1 -> WATCH rv=5 match=NotOlderThan
			w1 <- ok
			w1 <- SETTLED`,
			bad: found("refused with 4xx", "a watch", 1, 2)},
		{name: "broken by it", says: bad, history: `
			w1 -> WATCH rv=5 match=NotOlderThan
			w1 <- 500 InternalError`,
			bad: found("refused with 4xx", "500 InternalError, without a cause", 1, 2)},
		{name: "allowed, throttled, or not known", says: untested, history: `
			w1 -> WATCH rv=5
			w1 <- ok
			w2 -> WATCH rv=5 match=NotOlderThan initial=true
			w2 <- ok
			w3 -> WATCH rv=5 match=NotOlderThan
			w3 <- 429 TooManyRequests retry=1
			w4 -> WATCH rv=5 match=NotOlderThan
			w4 <- lost
			w5 -> WATCH rv=5 match=NotOlderThan`},
	})
}

func TestWatchTimeout(t *testing.T) {
	judge(t, "watch/timeout", []judged{
		{name: "it ends on time, or a little later", says: good, history: `
			w1 -> WATCH rv=1 timeout=5
			w2 -> WATCH rv=1 timeout=5
			... 5s
			w1 <- ENDED
			... 20s
			w2 <- ENDED`},
		{name: "refused while nobody read it", says: untested, history: `
			w1 -> WATCH rv=1000 timeout=5 initial=true match=NotOlderThan
			w1 <- PAUSED
			... 6s
			w1 <- RESUMED
			w1 <- ERROR 504 Timeout`},
		{name: "an ERROR", says: bad, history: `
			w1 -> WATCH rv=1 timeout=5 bookmarks
			w1 <- BOOKMARK @2
			... 5s
			w1 <- ERROR 504 Timeout`,
			bad: found("the end of the stream after 5 s, without an error", "504 Timeout", 1, 3)},
		{name: "it does not end", says: bad, history: `
			w1 -> WATCH rv=1 timeout=5
			... 10m
			w1 <- SETTLED`,
			bad: found("the end of the stream after 5 s", "it was open 10m0s after its call", 1, 2)},
		{name: "who was away sees the end late, also of the watch after", says: good, history: `
			w1 -> WATCH rv=1 timeout=5
			... 1s
			w1 <- PAUSED
			... 4s
			w1 <- ENDED
			w1 -> WATCH rv=1 timeout=5
			... 10m
			w1 <- RESUMED
			w1 <- ENDED`},
		{name: "it does not end once it is read again", says: bad, history: `
			w1 -> WATCH rv=1 timeout=5
			... 1s
			w1 <- PAUSED
			... 10m
			w1 <- RESUMED
			... 10m
			w1 <- SETTLED`,
			bad: found("the end of the stream after 5 s", "it was open 20m1s after its call", 1, 4)},
		{name: "in real time it may only be late", says: untested, history: `
			... real time
			w1 -> WATCH rv=1 timeout=5
			... 10m
			w1 <- SETTLED`},
		{name: "it ends before its time, as any watch may", says: untested, history: `
			w1 -> WATCH rv=1 timeout=5
			... 2s
			w1 <- ENDED`},
		{name: "the client let go", says: untested, history: `
			w1 -> WATCH rv=1 timeout=5
			w1 <- STOPPED
			... 5s
			w1 <- ENDED`},
		{name: "it was refused, at whatever time", says: untested, history: `
			w1 -> WATCH rv=1 timeout=1
			w1 <- ERROR 410 Expired
			w2 -> WATCH rv=9 timeout=1
			... 3s
			w2 <- ERROR 504 Timeout
			w3 -> WATCH rv=1 timeout=1
			w3 <- 410 Expired`},
		{name: "who is too slow may be told at any time", says: odd, history: written + `
			w1 -> WATCH rv=1 timeout=1
			w1 <- ADDED a/x @2 v=1
			... 1s
			w1 <- ERROR 410 Expired`},
		{name: "none, or one that means another", says: untested, history: `
			w1 -> WATCH rv=1
			w1 -> WATCH rv=1 timeout=0
			... 10m
			w1 <- SETTLED`},
	})
}

func TestWatchStop(t *testing.T) {
	judge(t, "watch/stop", []judged{
		{name: "what is on its way may come", says: good, history: `
			w1 -> WATCH rv=1
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> CREATE a/y v=1
			c1 <- @3
			w1 <- ADDED a/x @2 v=1
			w1 <- STOPPED
			w1 <- ADDED a/y @3 v=1
			w1 <- ENDED`},
		{name: "what was done later", says: bad, history: `
			w1 -> WATCH rv=1
			w1 <- STOPPED
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 <- ADDED a/x @2 v=1`,
			bad: found("nothing of what was done after the watch was stopped", "ADDED a/x @2", 1, 2, 3, 5)},
		{name: "what was done long after, which cannot just be late", says: bad, history: inRealTime + `
			w1 -> WATCH rv=1
			w1 <- STOPPED
			... 3s
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 <- ADDED a/x @2 v=1`,
			bad: found("nothing of what was done after the watch was stopped", "ADDED a/x @2", 1, 2, 3, 5)},
		{name: "what its server found ready beside the stop may be late in real time", says: good, history: inRealTime + `
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- STOPPED
			c1 -> UPDATE a/x @2 v=2
			w1 <- MODIFIED a/x @3 v=2
			c1 <- @3
			w1 <- ENDED`},
		{name: "the channel stays open", says: bad, history: `
			w1 -> WATCH rv=1
			w1 <- STOPPED
			w1 <- LEFT`,
			bad: found("a channel that is closed once the watch is stopped", "it is still open", 1, 2, 3)},
		{name: "two deletes of which one was called before", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 -> WATCH rv=2
			c2 -> DELETE a/x
			w1 <- STOPPED
			c1 -> DELETE a/x
			c1 <- ok
			c2 <- ok
			w1 <- DELETED a/x @3 v=1`},
		{name: "silent ones, and those that nobody looked at any more", says: untested, history: `
			w1 -> WATCH rv=1
			w1 <- STOPPED
			w1 <- ENDED
			w2 -> WATCH rv=1
			c1 -> CREATE a/x v=1
			c1 <- @2
			w2 <- ADDED a/x @2 v=1
			w2 <- STOPPED`},
		{name: "foreign objects", says: odd, history: `
			w1 -> WATCH rv=1
			w1 <- STOPPED
			w1 <- ADDED ~/1 @2
			w1 <- ENDED`},
	})
}

// paused is a reader that stops while n changes are made; the watch is event 3, the first change 5.
func paused(n int) string {
	var b strings.Builder
	b.WriteString("c1 -> CREATE a/x v=1\nc1 <- @2\nw1 -> WATCH rv=2\nw1 <- PAUSED\n")
	for i := range n {
		fmt.Fprintf(&b, "c1 -> UPDATE a/x @%d v=%d\nc1 <- @%d\n", i+2, i+2, i+3)
	}
	return b.String() + "w1 <- RESUMED\n"
}

// given are the changes from one to another, as a watch shows them.
func given(from, upto int) string {
	var b strings.Builder
	for i := from; i <= upto; i++ {
		fmt.Fprintf(&b, "w1 <- MODIFIED a/x @%d v=%d\n", i, i-1)
	}
	return b.String()
}

func TestWatchSlow(t *testing.T) {
	judge(t, "watch/slow", []judged{
		{name: "kept whole", says: good, history: paused(120) + given(3, 122) + "w1 <- SETTLED"},
		{name: "ended after a prefix, and resumed", says: good, history: paused(120) + given(3, 40) + `
			w1 <- ENDED
			w1 -> WATCH rv=40
			` + given(41, 122) + "w1 <- SETTLED"},
		{name: "ended after a prefix, and told that the rest is gone", says: good, history: paused(120) + given(3, 40) + `
			w1 <- ENDED
			w1 -> WATCH rv=40
			w1 <- ERROR 410 Expired`},
		{name: "ended after a prefix, and refused with 410 where it resumes", says: good, history: paused(120) + given(3, 40) + `
			w1 <- ENDED
			w1 -> WATCH rv=40
			w1 <- 410 Expired`},
		{name: "less than every server can hold back, and refused with 410 where it resumes", says: good, history: paused(20) + given(3, 10) + `
			w1 <- ENDED
			w1 -> WATCH rv=10
			w1 <- 410 Expired`},
		{name: "refused with something else where it resumes", says: untested, history: paused(20) + given(3, 10) + `
			w1 <- ENDED
			w1 -> WATCH rv=10
			w1 <- 500 InternalError`},
		{name: "told at once", says: good, history: paused(120) + given(3, 40) + "w1 <- ERROR 410 Expired"},
		{name: "a gap", says: bad, history: paused(120) + given(3, 40) + given(42, 122) + "w1 <- SETTLED",
			bad: found("MODIFIED for a/x @41", "no MODIFIED, though MODIFIED a/x @122 came after it", 81, 3, 364)},
		{name: "a gap where it resumes", says: bad, history: paused(120) + given(3, 40) + `
			w1 <- ENDED
			w1 -> WATCH rv=40
			` + given(42, 122),
			bad: found("MODIFIED for a/x @41", "no MODIFIED, though MODIFIED a/x @122 came after it", 81, 285, 366)},
		{name: "less than every server can hold back", says: untested, history: paused(20) + given(3, 22) + "w1 <- SETTLED"},
		{name: "changes before and after do not count", says: untested, history: paused(60) + given(3, 62) + many(62, 60) + given(63, 122) + "w1 <- SETTLED"},
		{name: "nobody paused", says: untested, history: written + `
			w1 -> WATCH rv=1
			w1 <- ADDED a/y @4 v=3`},
		{name: "it ended, and nobody resumed", says: untested, history: paused(120) + given(3, 40) + "w1 <- ENDED"},
		{name: "overlapping writes without resourceVersions", says: undecided, undecided: "overlaps", history: overlap},
	})
}

// many are n changes after one.
func many(after, n int) string {
	var b strings.Builder
	for i := after; i < after+n; i++ {
		fmt.Fprintf(&b, "c1 -> UPDATE a/x @%d v=%d\nc1 <- @%d\n", i, i, i+1)
	}
	return b.String()
}
