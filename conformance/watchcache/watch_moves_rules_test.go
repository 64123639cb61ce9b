package watchcache_test

import "testing"

// moved goes into the selector, is changed there, goes out, and is changed outside.
const moved = `
	c1 -> CREATE a/x v=1 app=two
	c1 <- @2
	c1 -> UPDATE a/x v=2 app=one
	c1 <- @3
	c1 -> UPDATE a/x v=3 app=one
	c1 <- @4
	c1 -> UPDATE a/x v=4 app=two
	c1 <- @5
	c1 -> UPDATE a/x v=5 app=two
	c1 <- @6
`

func TestWatchSelectorExit(t *testing.T) {
	judge(t, "watch/selector-exit", []judged{
		{name: "in and out", says: good, history: moved + `
			w1 -> WATCH rv=2 labels=app=one
			w1 <- ADDED a/x @3 v=2 app=one
			w1 <- MODIFIED a/x @4 v=3 app=one
			w1 <- DELETED a/x @5 v=3 app=one
			w1 <- SETTLED`},
		{name: "it does not leave", says: bad, history: moved + `
			w1 -> WATCH rv=3 labels=app=one
			w1 <- MODIFIED a/x @4 v=3 app=one
			w1 <- SETTLED`,
			bad: found("DELETED for a/x @5", "no DELETED, though the watch had all the time it needs", 7, 11, 13)},
		{name: "it leaves at the resourceVersion that it had", says: bad, history: moved + `
			w1 -> WATCH rv=4 labels=app=one
			w1 <- DELETED a/x @4 v=3 app=one
			w1 <- SETTLED`,
			bad: found("DELETED for a/x @5", "no DELETED, though the watch had all the time it needs", 7, 11, 13)},
		{name: "it leaves as MODIFIED", says: bad, history: moved + `
			w1 -> WATCH rv=4 labels=app=one
			w1 <- MODIFIED a/x @5 v=4 app=two
			w1 <- SETTLED`,
			bad: found("DELETED for a/x @5, by which it leaves the selector", "MODIFIED a/x @5", 7, 11, 12)},
		{name: "it enters as MODIFIED", says: bad, history: moved + `
			w1 -> WATCH rv=2 labels=app=one
			w1 <- MODIFIED a/x @3 v=2 app=one
			w1 <- SETTLED @3`,
			bad: found("ADDED for a/x @3, by which it enters the selector", "MODIFIED a/x @3", 3, 11, 12)},
		{name: "creations and deletions are others'", says: untested, history: written + `
			w1 -> WATCH rv=1 labels=app=one
			w1 <- ADDED a/x @2 v=1 app=one
			w1 <- MODIFIED a/x @3 v=2 app=one
			w1 <- DELETED a/x @5 v=2 app=one
			w1 <- SETTLED`},
		{name: "no selector", says: untested, history: moved + `
			w1 -> WATCH rv=2
			w1 <- MODIFIED a/x @3 v=2 app=one
			w1 <- SETTLED`},
		{name: "it ended before", says: untested, history: moved + `
			w1 -> WATCH rv=2 labels=app=one
			w1 <- ENDED`},
		{name: "a lost update may have taken it out before", says: odd, history: `
			c1 -> CREATE a/x v=1 app=one
			c1 <- @2
			c2 -> UPDATE a/x v=2 app=two
			c2 <- lost
			w1 -> WATCH rv=2 labels=app=one
			c1 -> UPDATE a/x v=3 app=two
			c1 <- @4
			w1 <- DELETED a/x @3 v=1 app=one
			w1 <- SETTLED`},
		{name: "another client labels it", says: undecided, undecided: "another client", history: inRealTime + `
			c1 -> CREATE a/x v=1 app=one
			c1 <- @2
			w1 -> WATCH rv=2
			w1 <- MODIFIED a/x @3 v=7 app=two`},
		{name: "overlapping writes without resourceVersions", says: undecided, undecided: "overlaps", history: overlap},
	})
}

func TestWatchDeleteVersion(t *testing.T) {
	judge(t, "watch/delete-version", []judged{
		{name: "its own, and the last state", says: good, history: written + `
			w1 -> WATCH rv=4
			w1 <- DELETED a/x @5 v=2 app=one`},
		{name: "several of one revision", says: good, history: together + `
			w1 -> WATCH rv=3
			w1 <- DELETED a/y @4 v=2
			w1 <- DELETED a/x @4 v=1`},
		{name: "out of the selector: as it was before", says: good, history: moved + `
			w1 -> WATCH rv=4 labels=app=one
			w1 <- DELETED a/x @5 v=3 app=one`},
		{name: "marked as deleted, which nothing has shown", says: odd, history: `
			... has comparable-rv grace
			c1 -> CREATE a/x v=1
			c1 <- @2 v=1 generation=1
			c1 -> DELETE a/x
			c1 <- ok
			w1 -> WATCH rv=3
			w1 <- DELETED a/x @4 body=spec=1+deleting generation=2`},
		{name: "of another generation, and not marked", says: bad, history: `
			... has comparable-rv grace
			c1 -> CREATE a/x v=1
			c1 <- @2 v=1 generation=1
			c1 -> DELETE a/x
			c1 <- ok
			w1 -> WATCH rv=3
			w1 <- DELETED a/x @4 v=1 generation=2`,
			bad: found("the last state, as it was before the change", `a/x @4 with metadata "generation=2", which was written as "generation=1"`, 1, 5, 6)},
		{name: "of another uid than the watcher has", says: bad, history: inRealTime + `
			c1 -> CREATE a/x v=1
			c1 <- @2 uid=u1
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 v=1 uid=u1
			w1 <- DELETED a/x @5 v=1 uid=u2`,
			bad: found("the object that the watcher has, of uid u1", "DELETED a/x @5 of uid u2", 3, 5)},
		{name: "of another uid than was deleted", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2 uid=u1
			c1 -> DELETE a/x
			c1 <- ok
			w1 -> WATCH rv=2
			w1 <- DELETED a/x @3 v=1 uid=u2`,
			bad: append(found("the object that the watcher has, of uid u1", "DELETED a/x @3 of uid u2", 5, 6),
				found("the last state, as it was before the change", `a/x @3 with uid "u2", which was written as "u1"`, 1, 5, 6)...)},
		{name: "that of the last state", says: bad, history: written + `
			w1 -> WATCH rv=1
			w1 <- DELETED a/x @3 v=2 app=one`,
			bad: found("the resourceVersion of the deletion", "DELETED a/x @3, which is that of a state that lived", 3, 9, 10)},
		{name: "one that was known before the delete", says: bad, history: written + `
			w1 -> WATCH rv=1
			w1 <- DELETED a/x @4 v=2 app=one`,
			bad: found("the resourceVersion of the deletion: more than 4, which was known before it", "DELETED a/x @4", 7, 9, 10)},
		{name: "an older state", says: bad, history: written + `
			w1 -> WATCH rv=4
			w1 <- DELETED a/x @5 v=1 app=one`,
			bad: found("the last state, as it was before the change", `a/x @5 with content "spec=1", which was written as "spec=2"`, 3, 9, 10)},
		{name: "out of the selector, with its new labels", says: bad, history: moved + `
			w1 -> WATCH rv=4 labels=app=one
			w1 <- DELETED a/x @5 v=3 app=two`,
			bad: found("the last state, as it was before the change", `a/x @5 with labels "app=two", which was written as "app=one"`, 5, 11, 12)},
		{name: "out of the selector, perhaps by a lost update", says: odd, history: `
			c1 -> CREATE a/x v=1 app=one
			c1 <- @2
			c2 -> UPDATE a/x v=2 app=one
			c2 <- lost
			w1 -> WATCH rv=2 labels=app=one
			c1 -> UPDATE a/x v=3 app=two
			c1 <- @4
			w1 <- DELETED a/x @4 v=2 app=one`},
		{name: "two deletes at once, and a create between", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> DELETE a/x
			c2 -> DELETE a/x
			c1 <- ok
			c3 -> CREATE a/x v=2
			c3 <- @4
			c2 <- ok
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- DELETED a/x @3 v=1
			w1 <- ADDED a/x @4 v=2
			w1 <- DELETED a/x @5 v=2`},
		{name: "a lost delete", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> DELETE a/x
			c1 <- lost
			c1 -> CREATE a/y v=2
			c1 <- @4
			w1 -> WATCH rv=2
			w1 <- DELETED a/x @3 v=1
			w1 <- ADDED a/y @4 v=2`},
		{name: "another name than the watch's is watch/scope's", says: untested, history: written + `
			w1 -> WATCH rv=1 fields=metadata.name=y
			w1 <- DELETED a/x @3 v=2 app=one`},
		{name: "a pod: marked, then deleted", says: undecided, undecided: "waits for something", history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 -> WATCH rv=2
			c1 -> DELETE a/x
			c1 <- ok
			w1 <- MODIFIED a/x @3 body=spec=1+deleting
			w1 <- DELETED a/x @4 body=spec=1+deleting`},
		{name: "no deletion, and foreign ones", says: untested, history: written + `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 v=1 app=one
			w1 <- DELETED ~/1 @3`},
		{name: "writes without resourceVersions", says: undecided, undecided: "no resourceVersion", history: `
			c1 -> CREATE a/x v=1
			c1 <- ok`},
	})
}

func TestWatchSameForAll(t *testing.T) {
	judge(t, "watch/same-for-all", []judged{
		{name: "from different starts, and one goes on longer", says: good, history: written + `
			w1 -> WATCH rv=1
			w2 -> WATCH rv=2
			w1 <- ADDED a/x @2 v=1 app=one
			w1 <- MODIFIED a/x @3 v=2 app=one
			w2 <- MODIFIED a/x @3 v=2 app=one
			w1 <- ADDED a/y @4 v=3 app=two
			w2 <- ADDED a/y @4 v=3 app=two
			w1 <- DELETED a/x @5 v=2 app=one`},
		{name: "foreign objects are told to all, too", says: good, history: `
			w1 -> WATCH rv=1
			w2 -> WATCH rv=1
			w1 <- ADDED ~/1 @2
			w2 <- ADDED ~/1 @2
			w1 <- ADDED ~/2 @3
			w2 <- ADDED ~/2 @3`},
		{name: "deletions of one revision have no order", says: good, history: together + `
			w1 -> WATCH rv=2
			w2 -> WATCH rv=2
			w1 <- ADDED a/y @3 v=2
			w2 <- ADDED a/y @3 v=2
			w1 <- DELETED a/x @4 v=1
			w1 <- DELETED a/y @4 v=2
			w1 <- ADDED ~/1 @5
			w2 <- DELETED a/y @4 v=2
			w2 <- DELETED a/x @4 v=1
			w2 <- ADDED ~/1 @5`},
		{name: "one was cut off in the midst of a revision", says: odd, history: together + `
			w1 -> WATCH rv=2
			w2 -> WATCH rv=2
			w1 <- ADDED a/y @3 v=2
			w2 <- ADDED a/y @3 v=2
			w1 <- DELETED a/x @4 v=1
			w1 <- ENDED
			w1 -> WATCH rv=4
			w2 <- DELETED a/y @4 v=2
			w2 <- DELETED a/x @4 v=1
			w2 <- ADDED ~/1 @5
			w1 <- ADDED ~/1 @5`},
		{name: "only one gets it", says: bad, history: written + `
			w1 -> WATCH rv=2
			w2 -> WATCH rv=2
			w1 <- MODIFIED a/x @3 v=2
			w1 <- ADDED a/y @4 v=3
			w2 <- ADDED a/y @4 v=3`,
			bad: found("MODIFIED a/x @3, as w1 was given it", "no MODIFIED", 9, 11, 10)},
		{name: "the other has more", says: bad, history: written + `
			w1 -> WATCH rv=2
			w2 -> WATCH rv=2
			w2 <- MODIFIED a/x @3 v=2
			w2 <- ADDED a/y @4 v=3
			w1 <- ADDED a/y @4 v=3`,
			bad: found("what w1 was given: nothing more up to 4", "MODIFIED a/x @3", 9, 10, 11)},
		{name: "under another name", says: bad, history: written + `
			w1 -> WATCH rv=1
			w2 -> WATCH rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- MODIFIED a/x @3 v=2
			w2 <- MODIFIED a/x @2 v=1
			w2 <- MODIFIED a/x @3 v=2`,
			bad: found("ADDED a/x @2 next, as w1 was given it", "MODIFIED a/x @2", 9, 11, 10, 13)},
		{name: "with another content", says: bad, history: written + `
			w1 -> WATCH rv=2
			w2 -> WATCH rv=2
			w1 <- MODIFIED a/x @3 v=2
			w2 <- MODIFIED a/x @3 v=9`,
			bad: found("MODIFIED a/x @3, as the other watch was given it", "MODIFIED a/x @3 with another content, labels, fields or uid", 11, 12)},
		{name: "with another uid", says: bad, history: written + `
			w1 -> WATCH rv=2
			w2 -> WATCH rv=2
			w1 <- DELETED a/x @5 v=2 uid=u1
			w2 <- DELETED a/x @5 v=2 uid=u2`,
			bad: found("DELETED a/x @5, as the other watch was given it", "DELETED a/x @5 with another content, labels, fields or uid", 11, 12)},
		{name: "of different scopes", says: untested, history: written + `
			w1 -> WATCH rv=2
			w2 -> WATCH rv=2 ns=a
			w1 <- MODIFIED a/x @3 v=2
			w1 <- ADDED a/y @4 v=3
			w2 <- ADDED a/y @4 v=3`},
		{name: "the last of each may have come half", says: untested, history: written + `
			w1 -> WATCH rv=2
			w2 -> WATCH rv=2
			w1 <- MODIFIED a/x @3 v=2
			w1 <- ENDED
			w2 <- STOPPED`},
		{name: "what they begin with may differ", says: untested, history: written + `
			w1 -> WATCH
			w2 -> WATCH
			w1 <- ADDED a/x @2 v=1
			w1 <- MODIFIED a/x @3 v=2
			w1 <- ADDED a/y @4 v=3
			w2 <- ADDED a/x @3 v=2
			w2 <- ADDED a/y @4 v=3`},
		{name: "overlapping writes without resourceVersions", says: undecided, undecided: "overlaps", history: overlap},
	})
}

func TestWatchAtomic(t *testing.T) {
	judge(t, "watch/atomic", []judged{
		{name: "in one piece, in any order", says: good, history: together + `
			w1 -> WATCH rv=3 bookmarks
			w1 <- BOOKMARK @3
			w1 <- DELETED a/y @4 v=2
			w1 <- DELETED a/x @4 v=1
			w1 <- BOOKMARK @4
			w1 <- BOOKMARK @4
			w1 <- ENDED`},
		{name: "a bookmark between", says: bad, history: together + `
			w1 -> WATCH rv=3 bookmarks
			w1 <- DELETED a/y @4 v=2
			w1 <- BOOKMARK @4
			w1 <- DELETED a/x @4 v=1`,
			bad: found("the changes of the revision 4 in one piece", "DELETED a/x @4, behind a bookmark", 9, 11, 12)},
		{name: "an end between", says: bad, history: together + `
			w1 -> WATCH rv=3
			w1 <- DELETED a/y @4 v=2
			w1 <- ENDED
			w2 -> WATCH rv=3
			w2 <- DELETED a/y @4 v=2
			w2 <- DELETED a/x @4 v=1`,
			bad: found("all 2 changes of the revision 4 before the end", "1 of them", 9, 11)},
		{name: "an end while its reader is away", says: odd, history: together + `
			w1 -> WATCH rv=3
			w1 <- PAUSED
			w1 <- DELETED a/y @4 v=2
			w1 <- ENDED
			w2 -> WATCH rv=3
			w2 <- DELETED a/y @4 v=2
			w2 <- DELETED a/x @4 v=1`},
		{name: "the client let go in between", says: odd, history: together + `
			w1 -> WATCH rv=3
			w1 <- DELETED a/y @4 v=2
			w1 <- STOPPED
			w1 <- ENDED
			w2 -> WATCH rv=3
			w2 <- DELETED a/y @4 v=2
			w2 <- DELETED a/x @4 v=1`},
		{name: "the server was killed in between", says: odd, history: together + `
			w1 -> WATCH rv=3
			w2 -> WATCH rv=3
			w2 <- DELETED a/y @4 v=2
			w2 <- DELETED a/x @4 v=1
			w1 <- DELETED a/y @4 v=2
			admin -> RESTART
			w1 <- ENDED
			admin <- ok`},
		{name: "its cache is made anew in between", says: odd, history: together + `
			w1 -> WATCH rv=3
			w2 -> WATCH rv=3
			w2 <- DELETED a/y @4 v=2
			w2 <- DELETED a/x @4 v=1
			w1 <- DELETED a/y @4 v=2
			admin -> STARTING
			w1 <- ENDED
			admin <- ok`},
		{name: "the selector has only one", says: odd, history: `
			c1 -> CREATE a/x v=1 app=one
			c1 <- @2
			c1 -> CREATE a/y v=2 app=two
			c1 <- @3
			c1 -> DELETE a/x
			c2 -> DELETE a/y
			c1 <- ok
			c2 <- ok
			w1 -> WATCH rv=3 labels=app=one
			w1 <- DELETED a/x @4 v=1 app=one
			w1 <- ENDED
			w2 -> WATCH rv=3
			w2 <- DELETED a/y @4 v=2 app=two
			w2 <- DELETED a/x @4 v=1 app=one`},
		{name: "what others delete in it is not known", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> DELETE a/x
			c1 <- ok
			w1 -> WATCH rv=2 bookmarks
			w1 <- DELETED a/x @4 v=1
			w1 <- BOOKMARK @4
			w1 <- DELETED ~/1 @4`},
		{name: "each has a revision of its own", says: untested, history: written + `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- ENDED`},
		{name: "writes without resourceVersions", says: undecided, undecided: "no resourceVersion", history: `
			c1 -> CREATE a/x v=1
			c1 <- ok`},
	})
}
