package watchcache_test

import "testing"

// evicted is an object of which a subresource has been created.
const evicted = `
	c1 -> CREATE a/x v=1
	c1 <- @4 uid=u1
	c1 -> CREATE-SUBRESOURCE a/x
	c1 <- ok
	l1 -> LIST ns=a`

func TestWriteSubresourceCreate(t *testing.T) {
	judge(t, "write/subresource-create", []judged{
		{name: "no subresource", says: untested, history: `
			c1 -> CREATE a/x v=1
			c1 <- @4
			l1 -> LIST ns=a
			l1 <- @4 [a/x @4 v=1]`},
		{name: "refused", says: untested, history: `
			c1 -> CREATE-SUBRESOURCE a/x
			c1 <- 404 NotFound
			l1 -> LIST ns=a
			l1 <- @4 []`},
		{name: "nothing new", says: good, history: evicted + `
			l1 <- @4 [a/x @4 uid=u1 v=1]`},
		{name: "made anew by a client", says: good, history: evicted + `
			l1 <- @4 [a/x @4 uid=u1 v=1]
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> CREATE a/x v=2
			c1 <- @6 uid=u2
			g1 -> GET a/x
			g1 <- a/x @6 uid=u2 v=2`},
		{name: "an object of its own", says: bad, history: evicted + `
			l1 <- @5 [a/x @4 uid=u1 v=1, a/x-eviction @5]`, bad: found("no object that nobody has created", "a/x-eviction @5", 3, 6)},
		{name: "an event for it", says: bad, history: `
			w1 -> WATCH ns=a rv=1
			c1 -> CREATE a/x v=1
			c1 <- @4 uid=u1
			c1 -> CREATE-SUBRESOURCE a/x
			c1 <- ok
			w1 <- ADDED a/token @5`, bad: found("no object that nobody has created", "a/token @5", 4, 6)},
		{name: "in place of the object", says: bad, history: evicted + `
			l1 <- @5 [a/x @5 uid=u7]`, bad: found("the object a/x that was there", `a/x with the uid "u7"`, 3, 6)},
		{name: "another client may have made it", says: odd, history: "... real time" + evicted + `
			l1 <- @5 [a/x @4 uid=u1 v=1, a/y @5]`},
		{name: "a create whose answer was lost", says: odd, history: `
			c2 -> CREATE a/x v=2
			c2 <- lost` + evicted + `
			l1 <- @5 [a/x @4 uid=u9 v=1]`},
	})
}
