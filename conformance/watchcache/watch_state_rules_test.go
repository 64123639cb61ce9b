package watchcache_test

import "testing"

// listed is a list, and what changes between it and the watch from it.
const listed = `
	c1 -> CREATE a/x v=1
	c1 <- @2
	c1 -> CREATE a/y v=2
	c1 <- @3
	l1 -> LIST ns=a
	l1 <- @3 [a/x @2 v=1, a/y @3 v=2]
	c1 -> UPDATE a/x v=3
	c1 <- @4
	c1 -> DELETE a/y
	c1 <- ok
`

func TestWatchFromList(t *testing.T) {
	judge(t, "watch/from-list", []judged{
		{name: "all that changed in between", says: good, history: listed + `
			w1 -> WATCH ns=a rv=3
			w1 <- MODIFIED a/x @4 v=3
			w1 <- DELETED a/y @5 v=2
			w1 <- SETTLED`},
		{name: "the lost delete", says: bad, history: listed + `
			w1 -> WATCH ns=a rv=3
			w1 <- MODIFIED a/x @4 v=3
			w1 <- SETTLED`,
			bad: found("DELETED for the deletion of a/y", "no DELETED, though the watch had all the time it needs", 9, 11, 13)},
		{name: "the lost update", says: bad, history: listed + `
			w1 -> WATCH ns=a rv=3
			w1 <- DELETED a/y @5 v=2`,
			bad: found("MODIFIED for a/x @4", "no MODIFIED, though DELETED a/y @5 came after it", 7, 11, 12)},
		{name: "what the list has comes again", says: bad, history: listed + `
			w1 -> WATCH ns=a rv=3
			w1 <- ADDED a/y @3 v=2`,
			bad: found("only changes after the list's resourceVersion 3", "ADDED a/y @3", 5, 11, 12)},
		{name: "without resourceVersions of objects", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- ok
			l1 -> LIST
			l1 <- @7 [a/x v=1]
			c1 -> DELETE a/x
			c1 <- ok
			w1 -> WATCH rv=7
			w1 <- SETTLED`,
			bad: found("DELETED for the deletion of a/x", "no DELETED, though the watch had all the time it needs", 5, 7, 8)},
		{name: "a list without a resourceVersion, and a watch from none that has what was created since", says: good, history: `
			c1 -> CREATE a/x v=1
			c1 <- ok
			l1 -> LIST ns=a
			l1 <- [a/x v=1]
			c1 -> CREATE a/n v=2
			c1 <- ok
			w1 -> WATCH ns=a
			w1 <- ADDED a/n v=2
			w1 <- ADDED a/x v=1
			w1 <- SETTLED`},
		{name: "a list without a resourceVersion, and a watch from none that begins with nothing", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- ok
			l1 -> LIST ns=a
			l1 <- [a/x v=1]
			c1 -> CREATE a/n v=2
			c1 <- ok
			w1 -> WATCH ns=a
			w1 <- SETTLED`,
			bad: found("ADDED for a/n (spec=2)", "no ADDED, though the watch had all the time it needs", 5, 7, 8)},
		{name: "such a watch, which a change shows to be beyond that", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- ok
			l1 -> LIST ns=a
			l1 <- [a/x v=1]
			c1 -> CREATE a/n v=2
			c1 <- ok
			w1 -> WATCH ns=a
			c1 -> UPDATE a/x v=3
			c1 <- ok
			w1 <- MODIFIED a/x v=3`,
			bad: found("ADDED for a/n (spec=2)", "no ADDED, though MODIFIED a/x came after it", 5, 7, 10)},
		{name: "such a watch, of which more may come", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- ok
			l1 -> LIST ns=a
			l1 <- [a/x v=1]
			c1 -> CREATE a/n v=2
			c1 <- ok
			w1 -> WATCH ns=a
			w1 <- ADDED a/x v=1`},
		{name: "such a watch of another scope", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- ok
			l1 -> LIST ns=a
			l1 <- [a/x v=1]
			c1 -> CREATE a/n v=2
			c1 <- ok
			w1 -> WATCH ns=b
			w1 <- SETTLED`},
		{name: "what such a watch need not show is gone before it, or may be", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- ok
			l1 -> LIST ns=a
			l1 <- [a/x v=1]
			c1 -> CREATE a/n v=2
			c1 <- ok
			c1 -> DELETE a/n
			c1 <- ok
			w1 -> WATCH ns=a
			w1 <- ADDED a/x v=1
			w1 <- SETTLED`},
		{name: "or goes while it begins", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- ok
			l1 -> LIST ns=a
			l1 <- [a/x v=1]
			c1 -> CREATE a/n v=2
			c1 <- ok
			w1 -> WATCH ns=a
			c1 -> DELETE a/n
			c1 <- ok
			w1 <- ADDED a/x v=1
			w1 <- SETTLED`},
		{name: "a list with a resourceVersion, and a watch from none", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- ok
			l1 -> LIST ns=a
			l1 <- @7 [a/x v=1]
			c1 -> CREATE a/n v=2
			c1 <- ok
			w1 -> WATCH ns=a
			w1 <- SETTLED`},
		{name: "a change after the watch began is watch/reliable's", says: odd, history: listed + `
			w1 -> WATCH ns=a rv=3
			w1 <- MODIFIED a/x @4 v=3
			w1 <- DELETED a/y @5 v=2
			c1 -> CREATE a/z v=4
			c1 <- @6
			w1 <- SETTLED`},
		{name: "the list's resourceVersion is gone for watches", says: odd, history: listed + `
			w1 -> WATCH ns=a rv=3
			w1 <- 410 Expired`},
		{name: "foreign objects at or before the list", says: odd, history: listed + `
			w1 -> WATCH rv=3
			w1 <- ADDED ~/1 @2`},
		{name: "not from a list", says: untested, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- SETTLED`},
		{name: "initial events are from no list", says: untested, history: listed + `
			w1 -> WATCH ns=a rv=3 initial=true bookmarks
			w1 <- ADDED a/x @4 v=3
			w1 <- END-MARK @5`},
		{name: "nothing in between", says: untested, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			l1 -> LIST
			l1 <- @2 [a/x @2 v=1]
			w1 -> WATCH rv=2
			w1 <- SETTLED`},
		{name: "a list that overlapped a write without resourceVersions", says: untested, history: `
			c1 -> CREATE a/x v=1
			l1 -> LIST
			c1 <- ok
			l1 <- @7 []
			w1 -> WATCH rv=7
			w1 <- SETTLED`},
		{name: "overlapping writes without resourceVersions", says: undecided, undecided: "overlaps", history: overlap},
	})
}

func TestWatchTypes(t *testing.T) {
	judge(t, "watch/types", []judged{
		{name: "what was there before the run, deleted while a create is under way", says: odd, history: `
			... real time
			c1 -> CREATE a/x v=1
			c3 -> DELETE a/x
			c3 <- ok
			w1 -> WATCH rv=9
			c1 <- @11 uid=u2
			w1 <- DELETED a/x @10 uid=u1 v=0
			w1 <- ADDED a/x @11 uid=u2 v=1`},
		{name: "what was there before the run, and an update that came too late", says: odd, history: `
			... real time
			c1 -> UPDATE a/x v=1
			c0 -> UPDATE a/x v=2
			c0 <- @11 uid=u1
			c2 -> DELETE a/x
			c2 <- ok
			c1 <- 404 NotFound
			w1 -> WATCH rv=10
			w1 <- MODIFIED a/x @11 uid=u1 v=2
			w1 <- DELETED a/x @12 uid=u1 v=2`},
		{name: "MODIFIED where in real time another client may have written", says: undecided, undecided: "another client", history: inRealTime + written + `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- MODIFIED a/x @3 v=2
			w1 <- MODIFIED a/x @5 v=2`},
		{name: "a deletion comes as MODIFIED", says: bad, history: written + `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- MODIFIED a/x @3 v=2
			w1 <- ADDED a/y @4 v=3
			w1 <- MODIFIED a/x @5 v=2`,
			bad: found("DELETED: a/x was deleted, and nobody wrote it at that resourceVersion", "MODIFIED a/x @5", 9, 11, 13)},
		{name: "the life of an object", says: good, history: written + `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- MODIFIED a/x @3 v=2
			w1 <- DELETED a/x @5 v=2`},
		{name: "into the selector and out of it", says: good, history: `
			c1 -> CREATE a/x v=1 app=two
			c1 <- @2
			w1 -> WATCH rv=2 labels=app=one
			c1 -> UPDATE a/x v=2 app=one
			c1 <- @3
			w1 <- ADDED a/x @3 v=2 app=one
			c1 -> UPDATE a/x v=3 app=two
			c1 <- @4
			w1 <- DELETED a/x @4 v=2 app=one`},
		{name: "a creation as MODIFIED", says: bad, history: `
			w1 -> WATCH rv=1
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 <- MODIFIED a/x @2 v=1`,
			bad: found("ADDED: the watcher does not have a/x", "MODIFIED a/x @2", 1, 4)},
		{name: "a creation as MODIFIED, wherever the watch begins", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 -> WATCH rv=0
			w1 <- MODIFIED a/x @2 v=1`,
			bad: found("ADDED: the watcher does not have a/x", "MODIFIED a/x @2", 3, 4)},
		{name: "a change as ADDED, where that may be what the watch begins with", says: odd, history: written + `
			w1 -> WATCH rv=0
			w1 <- ADDED a/x @3 v=2`},
		{name: "a change as ADDED", says: bad, history: written + `
			w1 -> WATCH rv=2
			w1 <- ADDED a/x @3 v=2`,
			bad: found("MODIFIED: the watcher has a/x", "ADDED a/x @3", 9, 10)},
		{name: "a deletion as MODIFIED", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			w2 -> WATCH rv=2
			w1 -> WATCH rv=2
			c1 -> DELETE a/x
			c1 <- ok
			w2 <- DELETED a/x @3 v=1
			w1 <- MODIFIED a/x @3 v=1`,
			bad: found("DELETED: a/x leaves what is watched", "MODIFIED a/x @3", 4, 8)},
		{name: "entering the selector as MODIFIED", says: bad, history: `
			c1 -> CREATE a/x v=1 app=two
			c1 <- @2
			w1 -> WATCH rv=2 labels=app=one
			c1 -> UPDATE a/x v=2 app=one
			c1 <- @3
			w1 <- MODIFIED a/x @3 v=2 app=one`,
			bad: found("ADDED: the watcher does not have a/x", "MODIFIED a/x @3", 3, 6)},
		{name: "deleted twice, after the end mark", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 -> WATCH initial=true bookmarks
			w1 <- ADDED a/x @2 v=1
			w1 <- END-MARK @2
			c1 -> DELETE a/x
			c1 <- ok
			w1 <- DELETED a/x @3 v=1
			w1 <- DELETED a/x @4 v=1`,
			bad: found("ADDED: the watcher does not have a/x", "DELETED a/x @4", 3, 8, 9)},
		{name: "without resourceVersions", says: bad, history: `
			w1 -> WATCH
			c1 -> CREATE a/x v=1
			c1 <- ok
			w1 <- ADDED a/x v=1
			c1 -> UPDATE a/x v=2
			c1 <- ok
			w1 <- ADDED a/x v=2`,
			bad: found("MODIFIED: the watcher has a/x", "ADDED a/x", 1, 4, 7)},
		{name: "a repeat does not mislead it", says: odd, history: written + `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- MODIFIED a/x @3 v=2
			w1 <- MODIFIED a/x @3 v=2`},
		{name: "a change of what was and stays outside of the selector is watch/scope's", says: odd, history: `
			c1 -> CREATE a/x v=1 app=two
			c1 <- @2
			w1 -> WATCH rv=2 labels=app=one
			c1 -> UPDATE a/x v=2 app=three
			c1 <- @3
			w1 <- MODIFIED a/x @3 v=2 app=three`},
		{name: "such a change as ADDED, where the watcher was not told that it had left", says: bad, history: `
			c1 -> CREATE a/x v=1 app=one
			c1 <- @2
			w1 -> WATCH rv=2 labels=app=one
			c1 -> UPDATE a/x v=2 app=two
			c1 <- @3
			c1 -> UPDATE a/x v=3 app=three
			c1 <- @4
			w1 <- ADDED a/x @4 v=3 app=three`,
			bad: found("MODIFIED: the watcher has a/x", "ADDED a/x @4", 3, 8)},
		{name: "a change of what a watch that begins with all there is has not brought", says: bad, history: written + `
			w1 -> WATCH
			w1 <- MODIFIED a/x @3 v=2`,
			bad: found("ADDED: the watcher does not have a/x", "MODIFIED a/x @3", 9, 10)},
		{name: "a deletion of what lives, on a watch that began somewhere", says: bad, history: written + `
			w1 -> WATCH initial=false match=NotOlderThan
			w1 <- DELETED a/x @3 v=2`,
			bad: found("MODIFIED: the watcher has a/x", "DELETED a/x @3", 9, 10)},
		{name: "a lost update may have taken it out and in", says: odd, history: `
			c1 -> CREATE a/x v=1 app=one
			c1 <- @2
			c2 -> UPDATE a/x v=2 app=two
			c2 <- lost
			w1 -> WATCH rv=3 labels=app=one
			c1 -> UPDATE a/x v=3 app=one
			c1 <- @4
			w1 <- ADDED a/x @4 v=3 app=one`},
		{name: "an exit that only this watch shows", says: odd, history: `
			c1 -> CREATE a/x v=1 app=one
			c1 <- @2
			w1 -> WATCH rv=2 labels=app=one
			c2 -> UPDATE a/x @2 v=2 app=two
			c2 <- lost
			w1 <- DELETED a/x @3 v=1 app=one
			c1 -> DELETE a/x
			c1 <- ok
			w2 -> WATCH rv=2
			w2 <- MODIFIED a/x @3 v=2 app=two
			w2 <- DELETED a/x @4 v=2 app=two`},
		{name: "a deletion at an unknown place before the start", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> DELETE a/x
			c1 <- ok
			w1 -> WATCH rv=3
			c1 -> CREATE a/x v=2
			c1 <- @4
			w1 <- ADDED a/x @4 v=2`},
		{name: "an object that may be older than the run", says: odd, history: `
			w1 -> WATCH rv=4
			c1 -> UPDATE a/x @3 v=2
			c1 <- @5
			w1 <- MODIFIED a/x @5 v=2
			c1 -> DELETE a/x
			c1 <- ok
			w1 <- DELETED a/x @6 v=2`},
		{name: "a pod: marked, then deleted", says: undecided, undecided: "waits for something", history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 -> WATCH rv=2
			c1 -> DELETE a/x
			c1 <- ok
			w1 <- MODIFIED a/x @3 body=spec=1+deleting
			w1 <- DELETED a/x @4 body=spec=1+deleting`},
		{name: "deleted and created again while nobody looked", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2 uid=-
			c1 -> DELETE a/x
			c1 <- ok
			l1 -> LIST
			l1 <- @3 []
			w1 -> WATCH rv=3
			c1 -> CREATE a/x v=2
			c1 <- @4 uid=-
			w1 <- ADDED a/x @4 v=2 uid=-`},
		{name: "nothing comes", says: untested, history: written + `w1 -> WATCH rv=1`},
		{name: "foreign objects", says: untested, history: written + `
			w1 -> WATCH rv=1
			w1 <- MODIFIED ~/1 @4`},
		{name: "the first event of a watch that begins with all there is", says: good, history: written + `
			w1 -> WATCH rv=0
			w1 <- ADDED a/y @4 v=3`},
		{name: "overlapping writes without resourceVersions", says: undecided, undecided: "overlaps", history: overlap},
	})
}
