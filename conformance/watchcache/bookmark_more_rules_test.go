package watchcache_test

import "testing"

func TestBookmarkAsked(t *testing.T) {
	judge(t, "bookmark/asked", []judged{
		{name: "another got one meanwhile", says: good, history: `
			w1 -> WATCH rv=1
			w2 -> WATCH rv=1 bookmarks
			w2 <- BOOKMARK @5
			w1 <- STOPPED`},
		{name: "an end of initial events that nobody asked for, beside a plain watch", says: good, history: `
			w1 -> WATCH
			w2 -> WATCH bookmarks
			w2 <- END-MARK @5
			w1 <- ENDED`},
		{name: "not allowed", says: bad, history: `
			w1 -> WATCH rv=1
			w1 <- BOOKMARK @5`,
			bad: found("no bookmark: the watch does not allow any", "BOOKMARK @5", 1, 2)},
		{name: "nor at the end of initial events", says: bad, history: `
			w1 -> WATCH initial=true match=NotOlderThan
			w1 <- END-MARK @5`,
			bad: found("no bookmark: the watch does not allow any", "BOOKMARK @5", 1, 2)},
		{name: "nobody gets any", says: untested, history: `
			w1 -> WATCH rv=1
			w2 -> WATCH rv=1 bookmarks
			w2 <- SETTLED
			w1 <- STOPPED`},
		{name: "it was over by then, or refused", says: untested, history: `
			w1 -> WATCH rv=1
			w1 <- ENDED
			w3 -> WATCH rv=1
			w3 <- 410 Expired
			w2 -> WATCH rv=1 bookmarks
			w2 <- BOOKMARK @5`},
	})
}

func TestBookmarkMonotonic(t *testing.T) {
	judge(t, "bookmark/monotonic", []judged{
		{name: "they may repeat, also behind the end mark, and at the start", says: good, history: `
			w1 -> WATCH rv=5 bookmarks
			w1 <- BOOKMARK @5
			w1 <- ADDED a/x @6
			w1 <- BOOKMARK @6
			w1 <- BOOKMARK @6
			w2 -> WATCH bookmarks
			w2 <- ADDED a/x @6
			w2 <- ADDED a/y @2
			w2 <- END-MARK @6
			w2 <- BOOKMARK @6`},
		{name: "each watch by itself", says: good, history: `
			w1 -> WATCH rv=1 bookmarks
			w1 <- BOOKMARK @9
			w1 <- ENDED
			w1 -> WATCH rv=2 bookmarks
			w1 <- BOOKMARK @5`},
		{name: "below a bookmark", says: bad, history: `
			w1 -> WATCH rv=1 bookmarks
			w1 <- BOOKMARK @9
			w1 <- BOOKMARK @10
			w1 <- BOOKMARK @9`,
			bad: found("a resourceVersion of at least 10, that of the bookmark before", "BOOKMARK @9", 3, 4)},
		{name: "below an event", says: bad, history: `
			w1 -> WATCH rv=1 bookmarks
			w1 <- ADDED a/x @6
			w1 <- BOOKMARK @5`,
			bad: found("a resourceVersion of at least 6, that of ADDED a/x @6", "BOOKMARK @5", 2, 3)},
		{name: "below an initial event", says: bad, history: `
			w1 -> WATCH initial=true match=NotOlderThan bookmarks
			w1 <- ADDED a/x @6
			w1 <- ADDED a/y @2
			w1 <- END-MARK @5`,
			bad: found("a resourceVersion of at least 6, that of ADDED a/x @6", "BOOKMARK @5", 2, 4)},
		{name: "below the start", says: bad, history: `
			w1 -> WATCH rv=7 bookmarks
			w1 <- BOOKMARK @6`,
			bad: found("a resourceVersion of at least 7, that of the start of the watch", "BOOKMARK @6", 1, 2)},
		{name: "not comparable: version/comparable judges that", says: untested, history: `
			w1 -> WATCH rv=7 bookmarks
			w1 <- BOOKMARK @abc
			w1 <- BOOKMARK`},
		{name: "no bookmarks", says: untested, history: `
			w1 -> WATCH rv=7 bookmarks
			w1 <- ADDED a/x @6`},
	})
}

func TestBookmarkShape(t *testing.T) {
	judge(t, "bookmark/shape", []judged{
		{name: "a resourceVersion, and perhaps the annotation", says: good, history: `
			w1 -> WATCH bookmarks
			w1 <- END-MARK @5
			w1 <- BOOKMARK @5`},
		{name: "an object's name and data", says: bad, history: `
			w1 -> WATCH bookmarks
			w1 <- BOOKMARK @5 body=data+metadata.name`,
			bad: found("nothing but a resourceVersion and the annotation", "BOOKMARK @5 with data metadata.name", 1, 2)},
		{name: "none", says: untested, history: `
			w1 -> WATCH bookmarks
			w1 <- ADDED a/x @5 v=1`},
	})
}

func TestBookmarkIdle(t *testing.T) {
	const others = `
		w1 -> WATCH ns=b rv=1 bookmarks
		... 30s
		c1 -> CREATE a/x v=1
		c1 <- @2
	`
	const streamed = `
		c1 -> CREATE b/x v=1
		c1 <- @2
		w1 -> WATCH ns=b initial=true bookmarks
		w1 <- ADDED b/x @2 v=1
		w1 <- END-MARK @2
		... 1s
		c1 -> CREATE a/x v=1
		c1 <- @3
		... 1m
	`
	const opened = `
		w1 -> WATCH ns=b bookmarks
		w1 <- ok
		... 1s
		c1 -> CREATE a/x v=1
		c1 <- @2
	`
	judge(t, "bookmark/idle", []judged{
		{name: "one in time", says: good, history: others + `
			... 1m
			w1 <- BOOKMARK @2
			... 2m
			w1 <- SETTLED`},
		{name: "after two beats with their jitter: the first says no more than the start did", says: good, history: others + `
			... 121s
			w1 <- BOOKMARK @2
			w1 <- SETTLED`},
		{name: "none", says: bad, history: others + `
			... 3m
			w1 <- SETTLED`,
			bad: found("a bookmark within 2m30s of a change of something else", "none", 1)},
		{name: "too late", says: bad, history: others + `
			... 3m
			w1 <- BOOKMARK @2`,
			bad: found("a bookmark within 2m30s of a change of something else", "none", 1)},
		{name: "none after a change since the last", says: bad, history: others + `
			w1 <- BOOKMARK @2
			c1 -> CREATE a/y v=1
			c1 <- @3
			... 3m
			w1 <- SETTLED`,
			bad: found("a bookmark within 2m30s of a change of something else", "none", 4)},
		{name: "as long as nothing changes since the last", says: good, history: others + `
			w1 <- BOOKMARK @2
			... 20m
			w1 <- SETTLED`},
		{name: "none that says more", says: bad, history: others + `
			... 1m
			w1 <- BOOKMARK @1
			... 5m
			w1 <- SETTLED`,
			bad: found("a bookmark above @1 within 5m0s of a change of something else", "none that says more", 1)},
		{name: "one that says more late", says: good, history: others + `
			... 1m
			w1 <- BOOKMARK @1
			... 3m
			w1 <- BOOKMARK @2
			w1 <- SETTLED`},
		{name: "of what changed before it says nothing", says: bad, history: `
			w1 -> WATCH ns=b rv=1 bookmarks
			w1 <- BOOKMARK @1
			... 1s
			c1 -> CREATE a/x v=1
			c1 <- @2
			... 3m
			w1 <- SETTLED`,
			bad: found("a bookmark within 2m30s of a change of something else", "none", 1)},
		{name: "watches that end and go on, with one at last", says: good, history: others + `
			... 1m
			w1 <- ENDED
			w1 -> WATCH ns=b rv=1 bookmarks
			... 30s
			w1 <- BOOKMARK @2
			w1 <- ENDED`},
		{name: "watches that end before one is due, and go on", says: untested, history: others + `
			... 1m
			w1 <- ENDED
			w1 -> WATCH ns=b rv=1 bookmarks
			... 1m
			w1 <- ENDED
			w1 -> WATCH ns=b rv=1 bookmarks
			... 1m
			w1 <- ENDED`},
		{name: "watches that end and go on, with none on the last, which was open for long", says: bad, history: others + `
			... 1m
			w1 <- ENDED
			w1 -> WATCH ns=b rv=1 bookmarks
			... 3m
			w1 <- ENDED`,
			bad: found("a bookmark within 2m30s of a change of something else", "none", 1)},
		{name: "watches that end, of which the next is another", says: untested, history: others + `
			... 1m
			w1 <- ENDED
			w1 -> WATCH ns=c rv=1 bookmarks
			... 1m
			w1 <- ENDED
			w1 -> WATCH ns=b rv=2 bookmarks
			... 20m
			w1 <- ENDED`},
		{name: "the watch that goes on was let go, and had not ended", says: untested, history: others + `
			w1 <- STOPPED
			w1 -> WATCH ns=b rv=1 bookmarks
			... 20m
			w1 <- SETTLED`},
		{name: "in real time it may only be late", says: untested, history: `... real time` + others + `
			... 3m
			w1 <- SETTLED`},
		{name: "the store has moved on only lately", says: untested, history: `
			w1 -> WATCH ns=b rv=1 bookmarks
			... 20m
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 <- SETTLED`},
		{name: "nothing has changed", says: untested, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 -> WATCH ns=b rv=2 bookmarks
			... 20m
			w1 <- SETTLED`},
		{name: "it is not idle", says: untested, history: others + `
			... 10s
			c1 -> CREATE b/x v=1
			c1 <- @3
			w1 <- ADDED b/x @3 v=1
			... 20m
			w1 <- SETTLED`},
		{name: "it is not idle, though it is told late", says: untested, history: others + `
			... 10s
			c1 -> CREATE b/x v=1
			c1 <- @3
			... 3m
			w1 <- ADDED b/x @3 v=1
			w1 <- SETTLED`},
		{name: "it ended, failed, or was let go", says: untested, history: others + `
			... 1m
			w1 <- ENDED
			w2 -> WATCH ns=b rv=1 bookmarks
			c1 -> CREATE a/y v=1
			c1 <- @3
			w2 <- ERROR 410 Expired
			... 20m
			w2 <- STOPPED`},
		{name: "it starts beyond all there is", says: untested, history: `
			w1 -> WATCH ns=b rv=1000 bookmarks
			c1 -> CREATE a/x v=1
			c1 <- @2
			... 20m
			w1 <- SETTLED`},
		{name: "it does not allow any", says: untested, history: `
			w1 -> WATCH ns=b rv=1
			c1 -> CREATE a/x v=1
			c1 <- @2
			... 20m
			w1 <- SETTLED`},
		{name: "one after a state", says: good, history: streamed + `
			w1 <- BOOKMARK @3
			w1 <- SETTLED`},
		{name: "none after a state", says: bad, history: streamed + `
			... 3m
			w1 <- SETTLED`,
			bad: found("a bookmark within 2m30s of a change of something else", "none", 5)},
		{name: "after a state none that says more", says: bad, history: streamed + `
			w1 <- BOOKMARK @2
			... 6m
			w1 <- SETTLED`,
			bad: found("a bookmark above @2 within 5m0s of a change of something else", "none that says more", 5)},
		{name: "what comes before the end of a state says nothing", says: untested, history: `
			w1 -> WATCH ns=b initial=true bookmarks
			c1 -> CREATE a/x v=1
			c1 <- @2
			... 20m
			w1 <- SETTLED`},
		{name: "it begins at the state, and there is nothing there", says: good, history: opened + `
			w1 <- BOOKMARK @1
			... 2m
			w1 <- SETTLED`},
		{name: "it begins at the state, and there is nothing there, nor then", says: bad, history: opened + `
			... 3m
			w1 <- SETTLED`,
			bad: found("a bookmark within 2m30s of a change of something else", "none", 2)},
		{name: "it begins at the state, of which it cannot be told what was there", says: untested, history: opened + `
			w1 <- ADDED b/x @1 v=1
			... 3m
			w1 <- SETTLED`},
		{name: "nothing changes after it was opened", says: untested, history: `
			w1 -> WATCH ns=b bookmarks
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 <- #1 ok
			... 20m
			w1 <- SETTLED`},
	})
}
