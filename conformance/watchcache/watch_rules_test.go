package watchcache_test

import "testing"

// written is what most histories of watches begin with: x is created, changed
// and deleted, y created.
const written = `
	c1 -> CREATE a/x v=1 app=one
	c1 <- @2
	c1 -> UPDATE a/x v=2 app=one
	c1 <- @3
	c1 -> CREATE a/y v=3 app=two
	c1 <- @4
	c1 -> DELETE a/x
	c1 <- ok
`

func TestWatchOrdered(t *testing.T) {
	judge(t, "watch/ordered", []judged{
		{name: "in order", says: good, history: written + `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- MODIFIED a/x @3 v=2
			w1 <- ADDED a/y @4 v=3
			w1 <- DELETED a/x @5 v=2`},
		{name: "a step back", says: bad, history: written + `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- ADDED a/y @4 v=3
			w1 <- MODIFIED a/x @3 v=2`,
			bad: found("a resourceVersion of at least 4", "MODIFIED a/x @3", 11, 12)},
		{name: "more than 20 digits", says: bad, history: `
			w1 -> WATCH rv=99999999999999999999
			w1 <- ADDED a/x @100000000000000000001
			w1 <- ADDED a/y @100000000000000000000`,
			bad: found("a resourceVersion of at least 100000000000000000001", "ADDED a/y @100000000000000000000", 2, 3)},
		{name: "a step back after the end mark", says: bad, history: `
			w1 -> WATCH bookmarks initial=true
			w1 <- ADDED a/x @5
			w1 <- END-MARK @7
			w1 <- ADDED a/z @4`,
			bad: found("a resourceVersion of at least 5", "ADDED a/z @4", 2, 4)},
		{name: "a step back after initial events without an end mark had settled", says: bad, history: `
			w1 -> WATCH
			w1 <- ADDED a/x @5
			w1 <- ADDED a/y @3
			w1 <- SETTLED
			w1 <- ADDED a/z @4`,
			bad: found("a resourceVersion of at least 5", "ADDED a/z @4", 2, 5)},
		{name: "a step back after what rv=0 begins with had settled", says: bad, history: `
			w1 -> WATCH rv=0
			w1 <- ADDED a/x @5
			w1 <- SETTLED
			w1 <- ADDED a/y @7
			w1 <- ADDED a/z @6`,
			bad: found("a resourceVersion of at least 7", "ADDED a/z @6", 4, 5)},
		{name: "a step back among foreign objects", says: bad, history: `
			w1 -> WATCH rv=1
			w1 <- ADDED ~/1 @5
			w1 <- ADDED ~/2 @4`,
			bad: found("a resourceVersion of at least 5", "ADDED ~/2 @4", 2, 3)},
		{name: "an end mark without initial events does not excuse", says: bad, history: `
			w1 -> WATCH rv=1 initial=false bookmarks
			w1 <- ADDED a/x @5
			w1 <- ADDED a/y @4`,
			bad: found("a resourceVersion of at least 5", "ADDED a/y @4", 2, 3)},
		{name: "initial events in any order", says: odd, history: `
			w1 -> WATCH
			w1 <- ADDED a/x @5
			w1 <- ADDED a/y @3
			w1 <- ADDED a/z @4
			w1 <- MODIFIED a/z @6`},
		{name: "initial events of an older state, rv=0", says: odd, history: `
			w1 -> WATCH rv=0 bookmarks
			w1 <- ADDED a/x @5
			w1 <- ADDED a/y @3
			w1 <- END-MARK @8
			w1 <- ADDED a/z @9`},
		{name: "several deletions of one revision", says: odd, history: `
			w1 -> WATCH rv=1
			w1 <- DELETED a/x @5
			w1 <- DELETED a/y @5
			w1 <- DELETED a/z @5`},
		{name: "each watch of an actor has an order of its own", says: odd, history: `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @5
			w1 <- STOPPED
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @5
			w1 <- #1 ADDED a/y @6`},
		{name: "one event", says: untested, history: written + `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 v=1`},
		{name: "nothing comes", says: untested, history: written + `w1 -> WATCH rv=1`},
		{name: "resourceVersions that cannot be compared", says: untested, history: `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @abc
			w1 <- ADDED a/y @010`},
	})
}

func TestWatchUnique(t *testing.T) {
	judge(t, "watch/unique", []judged{
		{name: "each once", says: good, history: written + `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- MODIFIED a/x @3 v=2`},
		{name: "at once again", says: bad, history: written + `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- ADDED a/x @2 v=1`,
			bad: found("each change once", "ADDED a/x @2 again", 10, 11)},
		{name: "resourceVersions that cannot be compared, and a lost write", says: undecided, undecided: "unknown", history: `
			... has patch
			w1 -> WATCH rv=1
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 <- ADDED a/x @2 v=1
			c1 -> PATCH a/x v=2
			c2 -> PATCH a/x v=3
			w1 <- MODIFIED a/x @3 v=2
			c1 <- lost
			w1 <- MODIFIED a/x @4 v=3
			c2 <- @4`},
		{name: "again after others", says: bad, history: written + `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- MODIFIED a/x @3 v=2
			w1 <- ADDED a/y @4 v=3
			w1 <- ADDED a/x @2 v=1`,
			bad: found("each change once", "ADDED a/x @2 again", 10, 13)},
		{name: "as another type", says: bad, history: written + `
			w1 -> WATCH rv=1
			w1 <- MODIFIED a/x @3 v=2
			w1 <- DELETED a/x @3 v=2`,
			bad: found("each change once", "DELETED a/x @3 again", 10, 11)},
		{name: "a foreign object", says: bad, history: `
			w1 -> WATCH rv=1
			w1 <- ADDED ~/1 @5
			w1 <- ADDED ~/1 @5`,
			bad: found("each change once", "ADDED ~/1 @5 again", 2, 3)},
		{name: "without resourceVersions", says: bad, history: `
			w1 -> WATCH
			c1 -> CREATE a/x v=1
			c1 <- ok
			c1 -> UPDATE a/x v=2
			c1 <- ok
			w1 <- ADDED a/x v=1
			w1 <- MODIFIED a/x v=2
			w1 <- MODIFIED a/x v=2`,
			bad: found("each change once", "MODIFIED a/x again", 7, 8)},
		{name: "without resourceVersions, the same content twice", says: good, history: `
			w1 -> WATCH
			c1 -> CREATE a/x v=1
			c1 <- ok
			c1 -> UPDATE a/x v=2
			c1 <- ok
			c1 -> UPDATE a/x v=1
			c1 <- ok
			w1 <- ADDED a/x v=1
			w1 <- MODIFIED a/x v=2
			w1 <- MODIFIED a/x v=1`},
		{name: "without resourceVersions, an event for a write that changes nothing", says: odd, history: `
			w1 -> WATCH
			c1 -> CREATE a/x v=1
			c1 <- ok
			c1 -> UPDATE a/x v=1
			c1 <- ok
			w1 <- ADDED a/x v=1
			w1 <- MODIFIED a/x v=1`},
		{name: "on two watches", says: odd, history: `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2
			w2 -> WATCH rv=1
			w2 <- ADDED a/x @2
			w2 -> WATCH rv=1
			w2 <- ADDED a/x @2`},
		{name: "several objects of one revision", says: odd, history: `
			w1 -> WATCH rv=1
			w1 <- DELETED a/x @5
			w1 <- DELETED a/y @5`},
		{name: "a step back that is no repeat", says: odd, history: `
			w1 -> WATCH rv=1
			w1 <- MODIFIED a/x @5
			w1 <- MODIFIED a/x @4`},
		{name: "a bookmark repeats", says: odd, history: `
			w1 -> WATCH rv=1 bookmarks
			w1 <- ADDED a/x @5
			w1 <- BOOKMARK @5
			w1 <- BOOKMARK @5`},
		{name: "every object once", says: untested, history: `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @5
			w1 <- ADDED a/y @6`},
	})
}
