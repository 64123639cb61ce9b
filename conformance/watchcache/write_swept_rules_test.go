package watchcache_test

import "testing"

// Without resourceVersions: what is seen after a collection was deleted tells.
func TestWriteCollectionByOrder(t *testing.T) {
	const two = `
		c1 -> CREATE a/x v=1 app=one
		c1 <- ok
		c1 -> CREATE a/y v=2 app=two
		c1 <- ok
		c1 -> DELETECOLLECTION ns=a labels=app=one
		c1 <- ok
	`
	judge(t, "write/collection", []judged{
		{name: "gone", says: good, history: two + `
			c1 -> GET a/x
			c1 <- 404 NotFound
			c1 -> GET a/y
			c1 <- a/y v=2 app=two`},
		{name: "created anew", says: untested, history: two + `
			c1 -> CREATE a/x v=3 app=one
			c1 <- ok
			c1 -> GET a/x
			c1 <- a/x v=3 app=one`},
		{name: "asked before, or for a state of long ago", says: untested, history: `
			c1 -> CREATE a/x v=1
			c1 <- ok
			g1 -> GET a/x
			c1 -> DELETECOLLECTION ns=a
			c1 <- ok
			g1 <- a/x v=1
			g1 -> GET a/x rv=0
			g1 <- a/x v=1
			l1 -> LIST rv=one match=Exact
			l1 <- @one [a/x v=1]`},
		{name: "finalizers keep an object", says: untested, history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- ok
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> DELETECOLLECTION ns=a
			c1 <- ok
			c1 -> GET a/x
			c1 <- a/x body=spec=1+finalizers=f+deleting
			c1 -> UPDATE a/x body=spec=1
			c1 <- body=spec=1+deleting
			c1 -> DELETECOLLECTION ns=a
			c1 <- ok
			c1 -> GET a/x
			c1 <- 404 NotFound`},
		{name: "another object, and one that a lost create may have made", says: untested, history: `
			c1 -> CREATE a/x uid=u1 v=1
			c1 <- ok
			c1 -> CREATE a/y v=1
			c1 <- ok
			c1 -> DELETECOLLECTION ns=a
			c1 <- ok
			c1 -> CREATE a/y v=1
			c1 <- lost
			c1 -> GET a/x
			c1 <- a/x uid=u2 v=1
			c1 -> GET a/y
			c1 <- a/y v=1`},
		{name: "only a part was asked for", says: untested, history: `
			c1 -> CREATE a/x v=1
			c1 <- ok
			c1 -> DELETECOLLECTION ns=a limit=1
			c1 <- ok
			c1 -> GET a/x
			c1 <- a/x v=1`},
		{name: "one that has no finalizers any more", says: bad, history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- ok
			c1 -> UPDATE a/x v=1
			c1 <- ok
			c1 -> DELETECOLLECTION ns=a
			c1 <- ok
			c1 -> GET a/x
			c1 <- a/x v=1`,
			bad: found("no a/x: it was selected", "GET a/x", 5, 7, 8)},
		{name: "one request beside the other", says: undecided, undecided: "overlap", history: overlap + `
			c1 -> DELETECOLLECTION ns=a
			c1 <- ok`},
		{name: "still there", says: bad, history: two + `
			c1 -> GET a/x
			c1 <- a/x v=1 app=one`,
			bad: found("no a/x: it was selected", "GET a/x", 5, 7, 8)},
		{name: "still listed", says: bad, history: two + `
			l1 -> LIST ns=a
			l1 <- [a/x v=1 app=one, a/y v=2 app=two]`,
			bad: found("no a/x: it was selected", "a/x {app=one}", 5, 7, 8)},
	})
}
