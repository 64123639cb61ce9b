package watchcache_test

import "testing"

// read is an object that three clients have read.
const read = `
	c0 -> CREATE a/x v=1
	c0 <- @4
	c0 -> GET a/x
	c0 <- a/x @4 v=1`

// racing are two updates of it at once.
const racing = read + `
	c1 -> UPDATE a/x @4 v=2
	c2 -> UPDATE a/x @4 v=3`

func TestWriteContended(t *testing.T) {
	const conflict, accepted = "409 Conflict: another update from @4 was accepted", "the UPDATE was accepted"
	const one, none = "one of the updates from @4 to be accepted", "409 Conflict for all"
	judge(t, "write/contended", []judged{
		{name: "no contest", says: untested, history: read + `
			c1 -> UPDATE a/x @4 v=2
			c1 <- @5`},
		{name: "one wins", says: good, history: racing + `
			c1 <- @5
			c2 <- 409 Conflict`},
		{name: "the object is created again, and its resourceVersions begin anew", says: untested, history: `
			c0 -> CREATE a/x v=1
			c0 <- @1
			c1 -> UPDATE a/x @1 v=2
			c1 <- @2
			c0 -> DELETE a/x
			c0 <- ok
			c0 -> CREATE a/x v=3
			c0 <- @1
			c1 -> UPDATE a/x @1 v=4
			c1 <- @2`},
		{name: "resourceVersions that cannot be compared", says: good, history: `
			c0 -> CREATE a/x v=1
			c0 <- @k9
			c1 -> UPDATE a/x @k9 v=2
			c2 -> UPDATE a/x @k9 v=3
			c2 <- @b2
			c1 <- 409 Conflict`},
		{name: "two win", says: bad, history: racing + `
			c1 <- @5
			c2 <- @6`, bad: found(conflict, accepted, 7, 6, 8)},
		{name: "two win, and nobody can compare", says: bad, history: `
			c0 -> CREATE a/x v=1
			c0 <- @k9
			c1 -> UPDATE a/x @k9 v=2
			c2 -> UPDATE a/x @k9 v=3
			c2 <- @b2
			c1 <- @a7`, bad: found("409 Conflict: another update from @k9 was accepted", accepted, 6, 4, 5)},
		{name: "the second long after the first", says: bad, history: read + `
			c1 -> UPDATE a/x @4 v=2
			c1 <- @5
			... 90s
			c2 -> UPDATE a/x @4 v=3
			c2 <- @6`, bad: found(conflict, accepted, 6, 7, 8)},
		{name: "the resourceVersion stays", says: bad, history: racing + `
			c1 <- @4
			c2 <- @4
			c3 -> UPDATE a/x @4 v=5
			c3 <- @4`, bad: found(conflict, accepted, 8, 9, 10)},
		{name: "one changed nothing", says: odd, history: read + `
			c1 -> UPDATE a/x @4 v=1
			c1 <- @4
			c2 -> UPDATE a/x @4 v=3
			c2 <- @5`},
		{name: "a dry run", says: odd, history: read + `
			c1 -> UPDATE a/x @4 v=2 dry
			c1 <- @4
			c2 -> UPDATE a/x @4 v=3
			c2 <- @5`},
		{name: "an answer that was lost", says: odd, history: racing + `
			c1 <- lost
			c2 <- 409 Conflict`},
		{name: "made anew by an update", says: odd, history: `
			c0 -> CREATE a/x v=1
			c0 <- @4 uid=u1
			c0 -> DELETE a/x
			c0 <- ok
			c1 -> UPDATE a/x @4 v=2
			c1 <- @6 uid=u2
			c0 -> DELETE a/x
			c0 <- ok
			c2 -> UPDATE a/x @4 v=3
			c2 <- @8 uid=u3`},
		{name: "none wins", says: bad, history: racing + `
			c1 <- 409 Conflict
			c2 <- 409 Conflict`, bad: found(one, none, 5, 7)},
		{name: "none wins, as another has written", says: odd, history: racing + `
			c3 -> PATCH a/x v=4
			c1 <- 409 Conflict
			c2 <- 409 Conflict
			c3 <- @5`},
		{name: "none wins, as another may have written", says: odd, history: "... real time" + racing + `
			c1 <- 409 Conflict
			c2 <- 409 Conflict`},
		{name: "none wins, from what was stale already", says: odd, history: `
			c0 -> CREATE a/x v=1
			c0 <- @4
			c0 -> UPDATE a/x @4 v=2
			c0 <- @5
			c1 -> UPDATE a/x @3 v=3
			c2 -> UPDATE a/x @3 v=4
			c1 <- 409 Conflict
			c2 <- 409 Conflict`},
		{name: "none wins, with a wrong uid", says: odd, history: read + `
			c1 -> UPDATE a/x @4 uid=u9 v=2
			c2 -> UPDATE a/x @4 uid=u9 v=3
			c1 <- 409 Conflict
			c2 <- 409 Conflict`},
	})
}
