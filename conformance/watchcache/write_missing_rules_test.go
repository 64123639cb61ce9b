package watchcache_test

import (
	"strings"
	"testing"
)

const onceMade = `
	c1 -> CREATE a/x v=1
	c1 <- @2 uid=u1`

// endedOnce is what was deleted, of a kind that an update does not create.
const endedOnce = "... has update-needs-object comparable-rv" + onceMade + `
	w1 -> WATCH rv=2
	c1 -> DELETE a/x
	c1 <- ok
	w1 <- DELETED a/x @4 uid=u1 v=1
`

// twoDeletes are under way at once, and both answered.
const twoDeletes = `
	c1 -> DELETE a/x
	c2 -> DELETE a/x
	c1 <- ok
	c2 <- ok`

func TestWriteMissing(t *testing.T) {
	const stale = deleted + `
		c2 -> UPDATE a/x @2 v=2
		c2 <- 409 Conflict`
	precondition := judged{name: "409 for a precondition", says: bad, history: stale, bad: found("404 NotFound: a/x was not there", "409 Conflict", 5, 6)}
	judge(t, "write/missing/update", append(missingCases[:len(missingCases):len(missingCases)], precondition))
	judge(t, "write/missing/update", []judged{
		{name: "a 404 from before the deletion", says: bad, history: "... has update-needs-object comparable-rv" + onceMade + `
			c1 -> CREATE a/y v=2
			c1 <- @5
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> UPDATE a/x v=2
			c1 <- 404 NotFound rv=4`,
			bad: found("a resourceVersion of at least 5, which a write before it was answered with", "404 at 4", 7, 8)},
		{name: "of what was deleted, with its resourceVersion, and it lives on", says: bad, history: endedOnce + `
			c1 -> UPDATE a/x @2 uid=u1 v=2
			c1 <- @5 uid=u1`,
			bad: found("404 NotFound: a/x was deleted, and nobody has created it since", "the UPDATE was answered", 4, 7, 8)},
		{name: "the same, and a create that may have been before it", says: untested, history: endedOnce + `
			c2 -> CREATE a/x v=3
			c1 -> UPDATE a/x v=2
			c1 <- @6 uid=u1
			c2 <- @5 uid=u1`},
		{name: "the same, and a create during it", says: untested, history: endedOnce + `
			c1 -> UPDATE a/x v=2
			c2 -> CREATE a/x v=3
			c1 <- @6 uid=u1
			c2 <- @5 uid=u1`},
		{name: "the same, and a create whose answer was lost", says: untested, history: endedOnce + `
			c2 -> CREATE a/x v=3
			c2 <- lost
			c1 -> UPDATE a/x v=2
			c1 <- @6 uid=u2`},
		{name: "the same, and a create before it whose answer was lost", says: untested, history: "... has update-needs-object comparable-rv" + onceMade + `
			c2 -> CREATE a/x v=3
			c2 <- lost
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> UPDATE a/x v=2
			c1 <- @6 uid=u2`},
		{name: "of what was deleted, and is", says: good, history: endedOnce + `
			c1 -> UPDATE a/x @2 uid=u1 v=2
			c1 <- 404 NotFound`},
		{name: "404 because of a delete meanwhile, of what was there before the run", says: odd, history: "... has update-needs-object comparable-rv" + `
			... real time
			c1 -> UPDATE a/x v=1
			c0 -> UPDATE a/x v=2
			c0 <- @11 uid=u1
			c2 -> DELETE a/x
			c2 <- ok
			c1 <- 404 NotFound`},
		{name: "of what waits for its finalizer", says: untested, history: "... has update-needs-object comparable-rv" + `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @2 uid=u1
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> UPDATE a/x uid=u1 body=spec=2+finalizers=f
			c1 <- @5 uid=u1 body=spec=2+finalizers=f+deleting`},
		{name: "during the delete", says: untested, history: "... has update-needs-object comparable-rv" + onceMade + `
			c1 -> DELETE a/x
			c2 -> UPDATE a/x @2 uid=u1 v=2
			c2 <- @5 uid=u1
			c1 <- ok`},
	})
	others := append(missingCases[:len(missingCases):len(missingCases)], precondition)
	judge(t, "write/missing/update", verbal("PATCH", others))
	judge(t, "write/missing/delete", verbal("DELETE", others))
	judge(t, "write/missing/delete", []judged{
		{name: "a delete that may have been of what was there before a create", says: odd, history: `
			... real time
			c2 -> DELETE a/x
			c1 -> CREATE a/x v=1
			c1 <- @5
			c2 <- ok
			c1 -> DELETE a/x @5
			c1 <- ok`},
		{name: "a get", says: good, history: deleted + `
			c1 -> GET a/x
			c1 <- 404 NotFound`},
		{name: "a get is answered", says: bad, history: deleted + `
			c1 -> GET a/x
			c1 <- a/x @2 v=1`,
			bad: found("404 NotFound: a/x was not there", "the GET was answered", 5, 6)},
		{name: "a get of what was there before, and after", says: bad, history: replaced + `
			c2 -> GET a/x
			c2 <- 404 NotFound
			c1 -> UPDATE a/x @3 v=3
			c1 <- @4`,
			bad: found("no 404: a/x was there all the time, and is later", "404 NotFound", 5, 6, 8)},
		{name: "gets of older states", says: untested, history: replaced + `
			c2 -> GET a/x rv=0
			c2 <- 404 NotFound
			c1 -> UPDATE a/x @3 v=3
			c1 <- @4`},
		{name: "two at once", says: bad, history: onceMade + twoDeletes,
			bad: found("404 NotFound for one of them: nothing was left of a/x to be deleted", "the DELETE was answered", 3, 4, 6)},
		{name: "two at once, by its uid", says: bad, history: onceMade + strings.ReplaceAll(twoDeletes, "DELETE a/x", "DELETE a/x uid=u1"),
			bad: found("404 NotFound for one of them: nothing was left of a/x to be deleted", "the DELETE was answered", 3, 4, 6)},
		{name: "two at once, of what may have been there and what was created since", says: undecided, undecided: "nobody knows which of the DELETEs", history: `
			c1 -> DELETE a/x
			c2 -> DELETE a/x
			c3 -> CREATE a/x v=2
			c1 <- ok
			c3 <- @3
			c2 <- ok`},
		{name: "two at once, and a create whose answer was lost", says: good, history: onceMade + `
			c3 -> CREATE a/x v=2
			c3 <- lost` + twoDeletes},
		{name: "two at once, and another client may have created it anew", says: untested, history: inRealTime + onceMade + twoDeletes},
		{name: "two at once, of which one is a dry run", says: untested, history: onceMade + `
			c1 -> DELETE a/x
			c2 -> DELETE a/x dry
			c1 <- ok
			c2 <- ok`},
		{name: "two at once, with a period that may be one of grace", says: untested, history: onceMade + strings.ReplaceAll(twoDeletes, "DELETE a/x", "DELETE a/x grace=7")},
		{name: "two at once, of what an update may have made anew", says: good, history: onceMade + `
			c3 -> UPDATE a/x v=3
			c3 <- 404 NotFound
			c3 -> UPDATE a/x v=3
			c3 <- lost` + twoDeletes},
		{name: "two at once, and another before the create", says: bad, history: `
			c0 -> DELETE a/x
			c0 <- ok` + onceMade + twoDeletes,
			bad: found("404 NotFound for one of them: nothing was left of a/x to be deleted", "the DELETE was answered", 5, 6, 8)},
		{name: "two at once, of what has a finalizer", says: undecided, undecided: "has had finalizers", history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @2` + twoDeletes},
		{name: "two at once, of what is shown to have a finalizer", says: undecided, undecided: "waits for something", history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @2 uid=u1
			w1 -> WATCH rv=2` + twoDeletes + `
			w1 <- MODIFIED a/x @3 uid=u1 body=spec=1+finalizers=f+deleting
			c1 -> GET a/x
			c1 <- a/x @3 uid=u1 body=spec=1+finalizers=f+deleting`},
		{name: "the marks of a deletion", says: odd, history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @2
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> GET a/x
			c1 <- a/x @3 body=spec=1+finalizers=f+deleting`},
	})
}
