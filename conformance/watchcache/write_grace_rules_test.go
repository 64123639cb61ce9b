package watchcache_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/conformance/replay/handmade"
)

// onNode is an object on a node, and a watch of it.
const onNode = `
	... has comparable-rv grace
	c1 -> CREATE a/x body=spec=1+node=n
	c1 <- @2
	w1 -> WATCH rv=2
`

// graced is one that was deleted, and has 30 s left.
const graced = onNode + `
	c1 -> DELETE a/x
	c1 <- @3 body=spec=1+node=n+grace=30+deleting
	w1 <- MODIFIED a/x @3 body=spec=1+node=n+grace=30+deleting
`

// soon is one that has 5 s left, after a second delete.
const soon = graced + `
	c1 -> DELETE a/x grace=5
	c1 <- @4 body=spec=1+node=n+grace=5+deleting
	w1 <- MODIFIED a/x @4 body=spec=1+node=n+grace=5+deleting
`

// noTime are the two steps of its end.
const noTime = `
	c1 -> DELETE a/x grace=0
	c1 <- ok
	w1 <- MODIFIED a/x @5 body=spec=1+node=n+deleting
	w1 <- DELETED a/x @6 body=spec=1+node=n+deleting
`

func TestWriteGrace(t *testing.T) {
	judge(t, "write/grace", []judged{
		{name: "marked, with the kind's period, and shown so", says: good, history: graced + `
			c1 -> GET a/x
			c1 <- a/x @3 body=spec=1+node=n+grace=30+deleting
			w1 <- SETTLED`},
		{name: "with a period of its own", says: good, history: onNode + `
			c1 -> DELETE a/x grace=7
			c1 <- ok
			w1 <- MODIFIED a/x @3 body=spec=1+node=n+grace=7+deleting
			w1 <- SETTLED`},
		{name: "a negative one is a second", says: good, history: onNode + `
			c1 -> DELETE a/x grace=-4
			c1 <- ok
			w1 <- MODIFIED a/x @3 body=spec=1+node=n+grace=1+deleting`},
		{name: "the mark is not on the watch", says: bad, history: onNode + `
			c1 -> DELETE a/x grace=7
			c1 <- ok
			w1 <- SETTLED`,
			bad: found("MODIFIED for the mark of a/x, which was deleted, and stays", "no MODIFIED, though the watch had all the time it needs", 4, 3, 6)},
		{name: "another period than was asked for", says: bad, history: onNode + `
			c1 -> DELETE a/x grace=7
			c1 <- ok
			w1 <- MODIFIED a/x @3 body=spec=1+node=n+grace=30+deleting`,
			bad: found("a/x to be deleted in 7 s", "MODIFIED @3 with 30 s left", 4, 3, 6)},
		{name: "no mark", says: bad, history: onNode + `
			c1 -> DELETE a/x grace=7
			c1 <- ok
			c2 -> GET a/x
			c2 <- a/x @2 body=spec=1+node=n`,
			bad: found("a/x to be deleted in 7 s", "GET @2 without a deletionTimestamp", 4, 6, 7)},
		{name: "on no node", says: untested, history: `
			... has comparable-rv grace
			c1 -> CREATE a/x body=spec=1
			c1 <- @2
			c1 -> DELETE a/x
			c1 <- ok`},
		{name: "with period 0", says: untested, history: onNode + `
			c1 -> DELETE a/x grace=0
			c1 <- ok`},
		{name: "a kind without grace periods", says: untested, history: `
			... has comparable-rv
			c1 -> CREATE a/x body=spec=1+node=n
			c1 <- @2
			c1 -> DELETE a/x grace=7
			c1 <- ok`},
		{name: "refused", says: untested, history: onNode + `
			c1 -> DELETE a/x @1 grace=7
			c1 <- 409 Conflict`},
		{name: "a dry run", says: untested, history: onNode + `
			c1 -> DELETE a/x grace=7 dry
			c1 <- ok`},
	})
}

func TestWriteGraceStays(t *testing.T) {
	const stays = "a/x to stay: it has time left"
	judge(t, "write/grace/stays", []judged{
		{name: "until a delete with period 0", says: good, history: graced + `
			... 1h
			c1 -> GET a/x
			c1 <- a/x @3 body=spec=1+node=n+grace=30+deleting` + noTime},
		{name: "gone at once", says: bad, history: graced + `
			c1 -> GET a/x
			c1 <- 404 NotFound`,
			bad: found(stays, "404 NotFound", 4, 7, 8)},
		{name: "not in a list", says: bad, history: graced + `
			l1 -> LIST
			l1 <- @4 []`,
			bad: found(stays, "a list without it", 4, 7, 8)},
		{name: "DELETED when its time is over", says: bad, history: graced + `
			... 30s
			w1 <- DELETED a/x @4 body=spec=1+node=n+grace=30+deleting`,
			bad: found(stays, "DELETED a/x @4", 4, 3, 7)},
		{name: "until a collection is deleted with period 0", says: good, history: graced + `
			c1 -> GET a/x
			c1 <- a/x @3 body=spec=1+node=n+grace=30+deleting
			c1 -> DELETECOLLECTION ns=a grace=0
			c1 <- ok
			w1 <- DELETED a/x @4 body=spec=1+node=n+deleting
			l1 -> LIST
			l1 <- @4 []`},
		{name: "a collection that gives it time", says: bad, history: onNode + `
			c1 -> DELETECOLLECTION ns=a grace=7
			c1 <- ok
			w1 <- MODIFIED a/x @3 body=spec=1+node=n+grace=7+deleting
			l1 -> LIST
			l1 <- @4 []`,
			bad: found(stays, "a list without it", 4, 7, 8)},
		{name: "a collection with period 0", says: untested, history: onNode + `
			c1 -> DELETECOLLECTION ns=a grace=0
			c1 <- ok
			w1 <- MODIFIED a/x @3 body=spec=1+node=n+deleting
			w1 <- DELETED a/x @4 body=spec=1+node=n+deleting
			l1 -> LIST
			l1 <- @4 []`},
		{name: "a get that overlaps its end", says: untested, history: graced + `
			c2 -> GET a/x
			c1 -> DELETE a/x grace=0
			c1 <- ok
			c2 <- 404 NotFound`},
	})
}

// On a real server a kubelet may end it.
func TestWriteGraceOfOthers(t *testing.T) {
	j := ruleAt(t, "write/grace/stays").Judge(handmade.History(t, inRealTime+graced+`
		w1 <- MODIFIED a/x @4 body=spec=1+node=n+deleting
		w1 <- DELETED a/x @5 body=spec=1+node=n+deleting
		c1 -> GET a/x
		c1 <- 404 NotFound`))
	assert.Empty(t, j.Bad)
	assert.Contains(t, j.Undecided, "no write here explains")
}

// Of what deletes did that overlapped nobody knows enough; what a slow watch shows may be from then.
func TestWriteGraceAfterOverlaps(t *testing.T) {
	h := handmade.History(t, onNode+`
		c1 -> DELETE a/x grace=3600
		c2 -> DELETE a/x grace=5
		c2 <- ok
		c1 <- ok
		c1 -> UPDATE a/x v=2
		c1 <- @5 body=spec=2+node=n+grace=5+deleting
		c1 -> DELETE a/x grace=1
		c1 <- ok
		w1 <- MODIFIED a/x @5 body=spec=2+node=n+grace=5+deleting`)
	for _, address := range []string{"write/grace", "write/grace/shorter"} {
		assert.Empty(t, ruleAt(t, address).Judge(h).Bad)
	}
}

func TestWriteGraceShorter(t *testing.T) {
	judge(t, "write/grace/shorter", []judged{
		{name: "a shorter one is taken, a longer one is not", says: good, history: soon + `
			c1 -> DELETE a/x grace=60
			c1 <- @4 body=spec=1+node=n+grace=5+deleting
			c1 -> DELETE a/x
			c1 <- @4 body=spec=1+node=n+grace=5+deleting
			c1 -> GET a/x
			c1 <- a/x @4 body=spec=1+node=n+grace=5+deleting
			w1 <- SETTLED`},
		{name: "longer", says: bad, history: graced + `
			c1 -> DELETE a/x grace=60
			c1 <- ok
			w1 <- MODIFIED a/x @4 body=spec=1+node=n+grace=60+deleting`,
			bad: found("a/x to be deleted in 30 s", "MODIFIED @4 with 60 s left", 4, 7, 3, 9)},
		{name: "not shorter", says: bad, history: graced + `
			c1 -> DELETE a/x grace=5
			c1 <- ok
			c2 -> GET a/x
			c2 <- a/x @3 body=spec=1+node=n+grace=30+deleting`,
			bad: found("a/x to be deleted in 5 s", "GET @3 with 30 s left", 4, 7, 9, 10)},
		{name: "two deletes at a time: either", says: undecided, undecided: "a/x ", history: graced + `
			c1 -> DELETE a/x grace=5
			c2 -> DELETE a/x grace=7
			c1 <- ok
			c2 <- ok
			c3 -> GET a/x
			c3 <- a/x @4 body=spec=1+node=n+grace=5+deleting`},
		{name: "one delete", says: untested, history: graced},
	})
}

func TestWriteGraceEnd(t *testing.T) {
	judge(t, "write/grace/end", []judged{
		{name: "MODIFIED without time, and DELETED", says: good, history: soon + noTime + `
			c1 -> GET a/x
			c1 <- 404 NotFound
			w1 <- SETTLED`},
		{name: "a write between the two steps ends it, too", says: undecided, undecided: "a/x ", history: graced + `
			c1 -> DELETE a/x grace=0
			c2 -> PATCH a/x v=2
			w1 <- MODIFIED a/x @5 body=spec=1+node=n+deleting
			c2 <- a/x @5 body=spec=2+node=n+deleting
			c1 <- ok
			w1 <- DELETED a/x @6 body=spec=2+node=n+deleting`},
		{name: "it stays", says: bad, history: graced + `
			c1 -> DELETE a/x grace=0
			c1 <- ok
			c2 -> GET a/x
			c2 <- a/x @4 body=spec=1+node=n+deleting`,
			bad: found("no a/x: it was deleted with period 0", "a/x @4", 4, 8, 9, 10)},
		{name: "no DELETED", says: bad, history: soon + `
			w2 -> WATCH rv=4` + noTime + `
			w2 <- MODIFIED a/x @5 body=spec=1+node=n+deleting
			w2 <- SETTLED`,
			bad: found("DELETED for the deletion of a/x @6", "no DELETED, though the watch had all the time it needs", 11, 10, 16)},
		{name: "it has time left", says: untested, history: graced},
	})
}
