package watchcache_test

import "testing"

func TestWatchResumable(t *testing.T) {
	judge(t, "watch/resumable", []judged{
		{name: "from the last event", says: good, history: written + `
			w1 -> WATCH ns=a rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- STOPPED
			w1 -> WATCH ns=a rv=2
			w1 <- MODIFIED a/x @3 v=2
			w1 <- ADDED a/y @4 v=3
			w1 <- SETTLED @4`},
		{name: "from the last bookmark, by somebody else", says: good, history: written + `
			w1 -> WATCH ns=a rv=1 bookmarks
			w1 <- ADDED a/x @2 v=1
			w1 <- BOOKMARK @3
			w1 <- ENDED
			w2 -> WATCH ns=a rv=3
			w2 <- ADDED a/y @4 v=3
			w2 <- SETTLED @4`},
		{name: "several deletions of one revision, all of which came", says: good, history: together + `
			w1 -> WATCH rv=3
			w1 <- DELETED a/x @4 v=1
			w1 <- DELETED a/y @4 v=2
			w1 <- ENDED
			w1 -> WATCH rv=4
			c1 -> CREATE a/z v=4
			c1 <- @5
			w1 <- ADDED a/z @5 v=4
			w1 <- SETTLED @5`},
		{name: "cut off in the midst of several deletions: nobody can resume without loss", says: odd, history: together + `
			w1 -> WATCH rv=3
			w1 <- DELETED a/x @4 v=1
			w1 <- ENDED
			w1 -> WATCH rv=4
			w1 <- SETTLED
			w2 -> WATCH rv=3
			w2 <- DELETED a/x @4 v=1
			w2 <- DELETED a/y @4 v=2`},
		{name: "a gap", says: bad, history: written + `
			w1 -> WATCH ns=a rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- ENDED
			w1 -> WATCH ns=a rv=2
			w1 <- ADDED a/y @4 v=3`,
			bad: found("MODIFIED for a/x @3", "no MODIFIED, though ADDED a/y @4 came after it", 3, 12, 13)},
		{name: "a repeat", says: bad, history: written + `
			w1 -> WATCH ns=a rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- ENDED
			w1 -> WATCH ns=a rv=2
			w1 <- ADDED a/x @2 v=1
			w1 <- MODIFIED a/x @3 v=2`,
			bad: found("only changes after 2, where the watch before it ended", "ADDED a/x @2", 12, 13)},
		{name: "the resourceVersion is gone", says: untested, history: written + `
			w1 -> WATCH ns=a rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- ENDED
			w1 -> WATCH ns=a rv=2
			w1 <- ERROR 410 Expired
			w1 <- ENDED
			w1 -> WATCH ns=a rv=2
			w1 <- 410 Expired`},
		{name: "an ERROR in between: what follows it tells nothing", says: untested, history: written + `
			w1 -> WATCH ns=a rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- ENDED
			w1 -> WATCH ns=a rv=2
			w1 <- ERROR 500 InternalError
			w1 <- ADDED a/y @4 v=3`},
		{name: "of another scope, or from a list", says: untested, history: written + `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- ENDED
			w2 -> WATCH ns=a rv=2
			w2 <- ADDED a/y @4 v=3`},
		{name: "it ends at once", says: untested, history: written + `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- ENDED
			w1 -> WATCH rv=2
			w1 <- ENDED`},
		{name: "a lost answer", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- ENDED
			c1 -> UPDATE a/x @2 v=2
			c1 <- lost
			w1 -> WATCH rv=2
			w1 <- SETTLED`},
		{name: "foreign objects", says: odd, history: written + `
			w1 -> WATCH rv=1
			w1 <- ADDED ~/1 @2
			w1 <- ENDED
			w1 -> WATCH rv=2
			w1 <- ADDED ~/1 @2`},
		{name: "another client writes the same object", says: undecided, undecided: "another client", history: inRealTime + `
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- ENDED
			w1 -> WATCH rv=2
			w1 <- MODIFIED a/x @3 v=9`},
		{name: "overlapping writes without resourceVersions", says: undecided, undecided: "overlaps", history: overlap},
	})
}

// together is a deletion of two objects in one revision, as a watch shows it.
const together = `
	c1 -> CREATE a/x v=1
	c1 <- @2
	c1 -> CREATE a/y v=2
	c1 <- @3
	c1 -> DELETE a/x
	c2 -> DELETE a/y
	c1 <- ok
	c2 <- ok
`
