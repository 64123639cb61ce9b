package watchcache_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/conformance/replay/handmade"
)

// twoLabelled are two objects of which one has been changed.
const twoLabelled = `
	c1 -> CREATE a/x v=1 app=one
	c1 <- @2 uid=u1
	c1 -> CREATE a/y v=2 app=two
	c1 <- @3 uid=u2
	c1 -> UPDATE a/x @2 v=3 app=one
	c1 <- @4 uid=u1
	w1 -> WATCH rv=4
`

func TestWriteCollectionPreconditions(t *testing.T) {
	judge(t, "write/collection/preconditions", []judged{
		{name: "refused, and all is there", says: good, history: twoLabelled + `
			c1 -> DELETECOLLECTION ns=a pre=@2
			c1 <- 409 Conflict
			c1 -> GET a/x
			c1 <- a/x @4 uid=u1 v=3 app=one`},
		{name: "they hold", says: untested, history: twoLabelled + `
			c1 -> DELETECOLLECTION ns=a labels=app=one pre=u1@4
			c1 <- ok
			w1 <- DELETED a/x @5 uid=u1 v=3 app=one`},
		{name: "another may have deleted it", says: untested, history: inRealTime + twoLabelled + `
			c1 -> DELETECOLLECTION ns=a labels=app=one pre=u9
			c1 <- ok`},
		{name: "not selected", says: untested, history: twoLabelled + `
			c1 -> DELETECOLLECTION ns=a labels=app=none pre=u9
			c1 <- ok`},
		{name: "accepted", says: bad, history: twoLabelled + `
			c1 -> DELETECOLLECTION ns=a labels=app=one pre=u1@2
			c1 <- ok
			c1 -> GET a/x
			c1 <- a/x @4 uid=u1 v=3 app=one`,
			bad: found("409 Conflict for a/x: a precondition does not hold of it", "the DELETECOLLECTION was accepted", 8, 9)},
		{name: "refused, and done", says: bad, history: twoLabelled + `
			c1 -> DELETECOLLECTION ns=a labels=app=two pre=u1
			c1 <- 409 Conflict
			c1 -> GET a/y
			c1 <- 404 NotFound`,
			bad: found("a/y to stay: a precondition does not hold of it", "404", 8, 11)},
		{name: "refused, and a watch shows its end", says: bad, history: twoLabelled + `
			c1 -> DELETECOLLECTION ns=a labels=app=two pre=u1
			c1 <- 409 Conflict
			w1 <- DELETED a/y @5 uid=u2 v=2 app=two`,
			bad: found("a/y to stay: a precondition does not hold of it", "DELETED a/y @5", 8, 10)},
	})
}

// Of what they do hold nobody knows whether it came before the refusal.
func TestWriteCollectionRefusedInTheMidst(t *testing.T) {
	j := ruleAt(t, "write/collection/preconditions").Judge(handmade.History(t, twoLabelled+`
		c1 -> DELETECOLLECTION ns=a pre=u1
		c1 <- 409 Conflict
		w1 <- DELETED a/x @5 uid=u1 v=3 app=one
		c1 -> GET a/y
		c1 <- a/y @3 uid=u2 v=2 app=two`))
	assert.Empty(t, j.Bad)
	assert.Contains(t, j.Undecided, "may have deleted a/x or not")
}
