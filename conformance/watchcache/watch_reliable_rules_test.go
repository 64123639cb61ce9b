package watchcache_test

import "testing"

// endedUnheard is an object whose delete got no answer, and another of its name.
const endedUnheard = `
	w1 -> WATCH rv=1
	c1 -> CREATE a/x v=1
	c1 <- @2 uid=u1
	w1 <- ADDED a/x @2 uid=u1 v=1
	c1 -> DELETE a/x
	c1 <- lost
	c1 -> CREATE a/x v=2
	c1 <- @5 uid=u2`

func TestWatchReliable(t *testing.T) {
	judge(t, "watch/reliable", []judged{
		{name: "one is missing, though another event nobody can explain", says: bad, history: written + `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- ADDED a/y @4 v=3
			w1 <- MODIFIED a/y @9 v=9`,
			bad: append(found("MODIFIED for a/x @3", "no MODIFIED, though MODIFIED a/y @9 came after it", 3, 9, 12),
				found("only changes that were made", "MODIFIED a/y @9: nobody here made it", 9, 12)...)},
		{name: "after a bookmark of a watch whose start is not known", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @4
			w1 -> WATCH initial=false match=NotOlderThan bookmarks
			w1 <- BOOKMARK @4
			c1 -> UPDATE a/x v=2
			c1 <- @5
			w1 <- BOOKMARK @5
			w1 <- SETTLED`,
			bad: found("MODIFIED for a/x @5", "no MODIFIED, though the watch had all the time it needs", 5, 3, 8)},
		{name: "one that nobody made", says: bad, history: written + `
			w1 -> WATCH rv=4
			w1 <- MODIFIED a/y @9 v=9`,
			bad: found("only changes that were made", "MODIFIED a/y @9: nobody here made it", 9, 10)},
		{name: "an object that nobody made", says: bad, history: ofSole + written + `
			w1 -> WATCH rv=4
			w1 <- ADDED a/odd @9 v=9`,
			bad: found("only changes that were made", "ADDED a/odd @9: nobody here made it", 9, 10)},
		{name: "a deletion that nobody made", says: bad, history: written + `
			w1 -> WATCH rv=4
			w1 <- DELETED a/y @9 v=3`,
			bad: found("only changes that were made", "DELETED a/y @9: nobody here made it", 9, 10)},
		{name: "one that another client may have made", says: undecided, undecided: "another client writes it", history: inRealTime + written + `
			w1 -> WATCH rv=4
			w1 <- MODIFIED a/y @9 v=9`},
		{name: "a lost create in two states of one resourceVersion", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- lost
			w1 -> WATCH
			w1 <- ADDED a/x @2 v=1
			w2 -> WATCH
			w2 <- ADDED a/x @2 v=9`,
			bad: found("a/x @2 as #4 shows it: it has one state", "ADDED a/x @2 with another", 4, 5, 6)},
		{name: "a deletion whose answer was lost, and that another object proves", says: bad, history: endedUnheard + `
			w1 <- ADDED a/x @5 uid=u2 v=2`,
			bad: found("DELETED for the deletion of a/x", "no DELETED, though ADDED a/x @5 came after it", 5, 1, 9)},
		{name: "the same, and it comes", says: good, history: endedUnheard + `
			w1 <- DELETED a/x @4 uid=u1 v=1
			w1 <- ADDED a/x @5 uid=u2 v=2`},
		{name: "a deletion whose answer was lost, and an answer without a uid", says: good, history: `
			w1 -> WATCH rv=1
			c1 -> CREATE a/x v=1
			c1 <- @2 uid=u1
			w1 <- ADDED a/x @2 uid=u1 v=1
			c1 -> DELETE a/x
			c1 <- lost
			c1 -> UPDATE a/x v=2
			c1 <- @5 uid=-
			w1 <- MODIFIED a/x @5 uid=u1 v=2`},
		{name: "one of a lost write, which a list shows", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2 uid=u1
			c1 -> UPDATE a/x v=2
			c1 <- lost
			l1 -> LIST
			l1 <- @3 [a/x @3 uid=u1 v=2]
			c1 -> UPDATE a/x @3 v=3
			c1 <- @4 uid=u1
			w1 -> WATCH rv=2
			w1 <- MODIFIED a/x @4 uid=u1 v=3`,
			bad: found("MODIFIED for a/x @3", "no MODIFIED, though MODIFIED a/x @4 came after it", 3, 9, 10)},
		{name: "what a patch whose answer was lost made of what is being deleted", says: odd, history: `
			c1 -> CREATE a/x body=spec=4+finalizers=f
			c1 <- @10 uid=u1
			c1 -> DELETE a/x
			c1 <- ok
			w1 -> WATCH rv=10
			w1 <- MODIFIED a/x @11 uid=u1 body=spec=4+finalizers=f+deleting
			c2 -> PATCH a/x v=9
			c2 <- lost
			w1 <- MODIFIED a/x @13 uid=u1 body=spec=9+finalizers=f+deleting
			c2 -> UPDATE a/x v=19
			c2 <- lost
			w1 <- DELETED a/x @17 uid=u1 body=spec=9+finalizers=f+deleting`},
		{name: "what a patch under way made of an update's", says: undecided, undecided: "nobody knows", history: `
			c2 -> CREATE a/x v=6 app=two
			c2 <- @4 uid=u1
			w1 -> WATCH rv=4
			c3 -> PATCH a/x app=one body=annotation:n=q
			c0 -> UPDATE a/x v=7 app=two
			w1 <- MODIFIED a/x @5 uid=u1 v=7 app=two
			w1 <- MODIFIED a/x @6 uid=u1 body=spec=7+annotation:n=q app=one
			c0 <- @5 uid=u1 v=7 app=two
			c0 -> UPDATE a/x @5 uid=u1 v=7 app=two
			c0 <- lost`},
		{name: "of a watch from about now, a change after its first event", says: bad, history: `
			w1 -> WATCH
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 <- ADDED a/x @2 v=1
			c1 -> UPDATE a/x v=2
			c1 <- @3
			c1 -> DELETE a/x
			c1 <- ok
			w1 <- DELETED a/x @4 v=2`,
			bad: found("MODIFIED for a/x @3", "no MODIFIED, though DELETED a/x @4 came after it", 5, 1, 9)},
		{name: "of a watch from about now, a change before its first event", says: good, history: `
			w1 -> WATCH
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x v=2
			c1 <- @3
			w1 <- ADDED a/x @3 v=2
			c1 -> DELETE a/x
			c1 <- ok
			w1 <- DELETED a/x @4 v=2
			w1 <- SETTLED`},
		{name: "a change after its first event, without resourceVersions", says: bad, history: `
			w1 -> WATCH
			c1 -> CREATE a/x v=1
			c1 <- v=1
			w1 <- ADDED a/x v=1
			c1 -> UPDATE a/x v=2
			c1 <- v=2
			c1 -> DELETE a/x
			c1 <- ok
			w1 <- DELETED a/x v=2
			w1 <- SETTLED`,
			bad: found("MODIFIED for a/x (spec=2)", "no MODIFIED, though DELETED a/x came after it", 5, 1, 9)},
		{name: "all come", says: good, history: written + `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- MODIFIED a/x @3 v=2
			w1 <- ADDED a/y @4 v=3
			w1 <- DELETED a/x @5 v=2
			w1 <- SETTLED`},
		{name: "a gap", says: bad, history: written + `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- ADDED a/y @4 v=3`,
			bad: found("MODIFIED for a/x @3", "no MODIFIED, though ADDED a/y @4 came after it", 3, 9, 11)},
		{name: "nothing, up to SETTLED", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 -> WATCH rv=1
			w1 <- SETTLED`,
			bad: found("ADDED for a/x @2", "no ADDED, though the watch had all the time it needs", 1, 3, 4)},
		{name: "a delete that nobody shows", says: bad, history: written + `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- MODIFIED a/x @3 v=2
			w1 <- ADDED a/y @4 v=3
			w1 <- SETTLED`,
			bad: found("DELETED for the deletion of a/x", "no DELETED, though the watch had all the time it needs", 7, 9, 13)},
		{name: "a delete that another watch shows", says: bad, history: written + `
			w2 -> WATCH rv=4
			w2 <- DELETED a/x @5 v=2
			c1 -> CREATE a/z v=1
			c1 <- @6
			w1 -> WATCH rv=4
			w1 <- ADDED a/z @6 v=1`,
			bad: found("DELETED for the deletion of a/x @5", "no DELETED, though ADDED a/z @6 came after it", 7, 13, 14)},
		{name: "leaving the selector is not shown", says: bad, history: `
			c1 -> CREATE a/x v=1 app=one
			c1 <- @2
			w1 -> WATCH rv=2 labels=app=one
			c1 -> UPDATE a/x v=2 app=two
			c1 <- @3
			w1 <- SETTLED`,
			bad: found("DELETED for a/x @3", "no DELETED, though the watch had all the time it needs", 4, 3, 6)},
		{name: "SETTLED up to a resourceVersion", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> CREATE a/y v=2
			c1 <- @3
			w1 -> WATCH rv=1
			w1 <- SETTLED @2`,
			bad: found("ADDED for a/x @2", "no ADDED, though the watch had all the time it needs", 1, 5, 6)},
		{name: "without resourceVersions", says: bad, history: `
			w1 -> WATCH
			w1 <- SETTLED
			c1 -> CREATE a/x v=1
			c1 <- ok
			w1 <- SETTLED`,
			bad: found("ADDED for a/x (spec=1)", "no ADDED, though the watch had all the time it needs", 3, 1, 5)},
		{name: "from a resourceVersion of more than 20 digits", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @100000000000000000001
			c1 -> CREATE a/y v=1
			c1 <- @100000000000000000002
			w1 -> WATCH rv=99999999999999999999
			w1 <- ADDED a/y @100000000000000000002 v=1`,
			bad: found("ADDED for a/x @100000000000000000001", "no ADDED, though ADDED a/y @100000000000000000002 came after it", 1, 5, 6)},
		{name: "the content of another version, in the initial state", says: bad, history: written + `
			w1 -> WATCH rv=0
			w1 <- ADDED a/x @3 v=1 app=one`,
			bad: found("a/x @3 as it was written", `a/x @3 with content "spec=1", which was written as "spec=2"`, 3, 9, 10)},
		{name: "the content of a later version, in the last event", says: bad, history: written + `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 v=2 app=one`,
			bad: found("a/x @2 as it was written", `a/x @2 with content "spec=2", which was written as "spec=1"`, 1, 9, 10)},
		{name: "the labels of another object", says: bad, history: written + `
			w1 -> WATCH
			w1 <- ADDED a/y @4 v=3 app=one`,
			bad: found("a/y @4 as it was written", `a/y @4 with labels "app=one", which was written as "app=two"`, 5, 9, 10)},
		{name: "SETTLED after an ERROR says nothing", says: good, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- SETTLED
			c1 -> CREATE a/y v=2
			c1 <- @3
			w1 <- ERROR 500 InternalError
			w1 <- SETTLED`},
		{name: "nor does an event after an ERROR", says: untested, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> CREATE a/y v=2
			c1 <- @3
			w1 -> WATCH rv=1
			w1 <- ERROR 500 InternalError
			w1 <- ADDED a/y @3 v=2`},
		{name: "what comes after the last event is not missing", says: good, history: written + `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- MODIFIED a/x @3 v=2`},
		{name: "a lost write is never missing", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- lost
			w2 -> WATCH rv=1
			w2 <- ADDED a/x @2 v=1 uid=u2
			w1 -> WATCH rv=1
			w1 <- SETTLED`},
		{name: "one of several deletions of a revision is not the others", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> CREATE a/y v=1
			c1 <- @3
			c1 -> DELETE a/x
			c2 -> DELETE a/y
			c1 <- ok
			c2 <- ok
			w2 -> WATCH rv=3
			w2 <- DELETED a/x @4 v=1
			w2 <- DELETED a/y @4 v=1
			w1 -> WATCH rv=3
			w1 <- DELETED a/y @4 v=1`},
		{name: "a deletion with another version's number", says: odd, history: written + `
			w1 -> WATCH rv=3
			w1 <- ADDED a/y @4 v=3
			w1 <- DELETED a/x @3 v=2
			w1 <- SETTLED`},
		{name: "from the future", says: odd, history: written + `
			w1 -> WATCH rv=1000
			w1 <- SETTLED`},
		{name: "a stale start of rv unset", says: odd, history: written + `
			w1 -> WATCH
			w1 <- ADDED a/x @2 v=1
			w1 <- MODIFIED a/x @3 v=2
			w1 <- ADDED a/y @4 v=3`},
		{name: "refused, and an ERROR after some events", says: odd, history: written + `
			w1 -> WATCH rv=1
			w1 <- 410 Expired
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- ERROR 410 Expired`},
		{name: "a dry run is not a write", says: odd, history: `
			c1 -> CREATE a/x v=1 dry
			c1 <- ok
			c1 -> CREATE a/y v=1
			c1 <- @3
			w1 -> WATCH rv=1
			w1 <- ADDED a/y @3 v=1
			w1 <- SETTLED`},
		{name: "a bookmark is no event", says: untested, history: written + `
			w1 -> WATCH rv=1 bookmarks
			w1 <- BOOKMARK @9`},
		{name: "nobody knows where it starts", says: untested, history: written + `
			w1 -> WATCH rv=0
			w1 <- ADDED a/x @3 v=2`},
		{name: "overlapping writes without resourceVersions", says: undecided, undecided: "overlaps", history: overlap},
		{name: "a lost write without resourceVersions", says: undecided, undecided: "unknown", history: `
			c1 -> CREATE a/x v=1
			c1 <- ok
			c1 -> CREATE a/y v=1
			c1 <- lost`},
	})
}
