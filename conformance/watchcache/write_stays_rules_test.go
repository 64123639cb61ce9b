package watchcache_test

import "testing"

// held is an object with a finalizer, and its delete.
const held = `
	c1 -> CREATE a/x body=spec=1+finalizers=f app=one
	c1 <- @4 uid=u1 created=2026-03-14T00:00:00Z
	w1 -> WATCH rv=4
	c1 -> DELETE a/x
	c1 <- ok`

// What stays is in every list, and as it was.
func TestWriteFinalizersStands(t *testing.T) {
	const stay, asWas = "a/x to stay: it has finalizers", "a/x as it was, with the mark of its deletion"
	const mark = "uid=u1 app=one body=spec=1+finalizers=f+deleting"
	judge(t, "write/finalizers", []judged{
		{name: "no finalizer", says: untested, history: `
			c1 -> CREATE a/x v=1
			c1 <- @4
			l1 -> LIST
			l1 <- @4 []`},
		{name: "listed, also as it was before", says: good, history: held + `
			l1 -> LIST
			l1 <- @5 [a/x @5 ` + mark + `]
			l1 -> LIST rv=4 match=Exact
			l1 <- @4 [a/x @4 uid=u1 app=one body=spec=1+finalizers=f]`},
		{name: "a page, a selection and another namespace need not have it", says: good, history: held + `
			w1 <- MODIFIED a/x @5 ` + mark + `
			l1 -> LIST limit=1
			l1 <- @5 []
			l1 -> LIST labels=app=two
			l1 <- @5 []
			l1 -> LIST ns=b
			l1 <- @5 []`},
		{name: "an older list need not have it", says: good, history: held + `
			w1 <- MODIFIED a/x @5 ` + mark + `
			l1 -> LIST rv=0
			l1 <- @3 []`},
		{name: "a list without it", says: bad, history: held + `
			l1 -> LIST ns=a
			l1 <- @5 []`, bad: found(stay, "a list without it", 4, 6, 7)},
		{name: "a list from a state that had it, without it", says: bad, history: held + `
			l1 -> LIST rv=0
			l1 <- @4 []`, bad: found(stay, "a list without it", 4, 6, 7)},
		{name: "a list of now without its mark", says: bad, history: held + `
			l1 -> LIST
			l1 <- @4 [a/x @4 uid=u1 app=one body=spec=1+finalizers=f]`,
			bad: found("a/x with a deletionTimestamp", "a/x @4 without", 4, 6, 7)},
		{name: "initial events without it", says: bad, history: held + `
			w2 -> WATCH initial=true match=NotOlderThan bookmarks=true
			w2 <- BOOKMARK @5 .k8s.io/initial-events-end=true`, bad: found(stay, "initial events without it", 4, 6, 7)},
		{name: "with another content", says: bad, history: held + `
			l1 -> LIST
			l1 <- @5 [a/x @5 uid=u1 app=one body=spec=2+finalizers=f+deleting]`,
			bad: found(asWas, "LIST a/x @5 with another content", 4, 7)},
		{name: "without its labels", says: bad, history: held + `
			w1 <- MODIFIED a/x @5 uid=u1 body=spec=1+finalizers=f+deleting`,
			bad: found(asWas, "MODIFIED a/x @5 with other labels", 4, 6)},
		{name: "with another uid", says: bad, history: held + `
			w1 <- MODIFIED a/x @5 uid=u2 app=one body=spec=1+finalizers=f+deleting`,
			bad: found(asWas, "MODIFIED a/x @5 with another uid", 4, 6)},
		{name: "made at another time", says: bad, history: held + `
			w1 <- MODIFIED a/x @5 ` + mark + ` created=2026-03-14T00:00:09Z`,
			bad: found(asWas, "MODIFIED a/x @5 with another creationTimestamp", 4, 6)},
		{name: "a finalizer that the policy asks for", says: odd, history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @4 uid=u1
			c1 -> DELETE a/x policy=Foreground
			c1 <- ok
			g1 -> GET a/x
			g1 <- a/x @5 uid=u1 body=spec=1+finalizers=f,foregroundDeletion+deleting`},
		{name: "somebody has written to it since", says: good, history: held + `
			c2 -> UPDATE a/x body=spec=2+finalizers=f
			w1 <- MODIFIED a/x @5 ` + mark + `
			w1 <- MODIFIED a/x @6 uid=u1 body=spec=2+finalizers=f+deleting
			c2 <- @6 uid=u1 body=spec=2+finalizers=f+deleting`},
		{name: "somebody may have taken it", says: good, history: held + `
			w1 <- MODIFIED a/x @5 ` + mark + `
			c2 -> UPDATE a/x v=1
			l1 -> LIST
			l1 <- @6 []
			c2 <- @5 uid=u1 body=spec=1+deleting`},
		{name: "another client may have taken it", says: odd, history: "... real time" + held + `
			w1 <- MODIFIED a/x @5 ` + mark + `
			l1 -> LIST
			l1 <- @6 []`},
		{name: "a watch from before the mark, opened after it", says: bad, history: held + `
			w1 <- MODIFIED a/x @5 ` + mark + `
			w2 -> WATCH rv=4
			w2 <- SETTLED`, bad: found("MODIFIED for a/x @5", "no MODIFIED, though the watch had all the time it needs", 4, 7, 8)},
		{name: "the same, and nobody shows the mark", says: bad, history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @4
			c1 -> DELETE a/x
			c1 <- ok
			w2 -> WATCH rv=4
			w2 <- SETTLED`, bad: found("MODIFIED for the mark of a/x, which was deleted, and stays", "no MODIFIED, though the watch had all the time it needs", 3, 5, 6)},
		{name: "settled up to what came before the mark", says: odd, history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @4
			w1 -> WATCH rv=4
			c1 -> DELETE a/x
			c1 <- ok
			w1 <- SETTLED @4`},
		{name: "a watch from the future", says: odd, history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @10
			w1 -> WATCH rv=12
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> CREATE a/z v=1
			c1 <- @13
			w1 <- ADDED a/z @13 v=1
			w1 <- SETTLED`},
	})
}
