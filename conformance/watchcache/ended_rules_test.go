package watchcache_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/conformance/replay/handmade"
)

// twoLives: a/x of uid u2 ends and u4 begins while the DELETE of c0, event 4, is under way; c1 has another.
const twoLives = `
	c1 -> CREATE a/x v=1
	c1 <- @2
	w1 -> WATCH rv=2
	c0 -> DELETE a/x PRE
	c1 -> DELETE a/x
	c1 <- ok
	w1 <- DELETED a/x @3 v=1
	c1 -> CREATE a/x v=2
	c1 <- @4
	w1 <- ADDED a/x @4 v=2
	c0 <- ok
	w1 <- DELETED a/x @5 v=2 uid=u4
`

// asks is such a history with what its first DELETE names, and then with other changes.
func asks(history, pre string, oldnew ...string) string {
	return strings.NewReplacer(append([]string{"PRE", pre}, oldnew...)...).Replace(history)
}

func TestWriteConflictEndedUID(t *testing.T) {
	const second = "c1 -> DELETE a/x\n"
	ended := found("409 Conflict: a/x was of uid u4, and not of uid u2", "the DELETE was accepted, and ended it: nothing else can have", 4, 11, 12)
	judge(t, "write/conflict/uid", []judged{
		{name: "it named the one before", says: bad, history: asks(twoLives, "uid=u2"), bad: ended},
		{name: "so did the other", says: bad, history: asks(twoLives, "uid=u2", second, "c1 -> DELETE a/x uid=u2\n"), bad: append(ended,
			found("409 Conflict, or 404, for one of the DELETEs of a/x with uid u2: it ends once", "both were accepted", 4, 11, 5, 6)...)},
		{name: "the answer of the other says that it had ended by then", says: bad, history: asks(twoLives, "uid=u2", second, "c1 -> DELETE a/x @2\n"), bad: ended},
		{name: "on a server to which others write", says: untested, history: inRealTime + asks(twoLives, "uid=u2")},
		{name: "refused, and gone", says: bad, history: asks(twoLives, "uid=u2", "c0 <- ok", "c0 <- 409 Conflict"),
			bad: found("a refused DELETE changes nothing", "a/x @4 is gone, and nothing else can have deleted it", 4, 11, 12)},
		{name: "twice, and nobody watches", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c0 -> DELETE a/x uid=u2
			c1 -> DELETE a/x uid=u2
			c1 <- ok
			c0 <- ok`,
			bad: found("409 Conflict, or 404, for one of the DELETEs of a/x with uid u2: it ends once", "both were accepted", 3, 6, 4, 5)},
		{name: "twice, of what a finalizer holds", says: undecided, undecided: "has had finalizers", history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @2
			c0 -> DELETE a/x uid=u2
			c1 -> DELETE a/x uid=u2
			c1 <- ok
			c0 <- ok`},
		{name: "twice, of what has a grace period", says: untested, history: "... has comparable-rv grace\n" + `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c0 -> DELETE a/x uid=u2
			c1 -> DELETE a/x uid=u2
			c1 <- ok
			c0 <- ok`},
		{name: "twice on a server to which others write, who may have given it a finalizer", says: untested, history: inRealTime + `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c0 -> DELETE a/x uid=u2
			c1 -> DELETE a/x uid=u2
			c1 <- ok
			c0 <- ok`},
		{name: "twice, the second refused", says: untested, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c0 -> DELETE a/x uid=u2
			c1 -> DELETE a/x uid=u2
			c1 <- ok
			c0 <- 409 Conflict`},
		{name: "the other was under way, too, when both ended", says: good, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 -> WATCH rv=2
			c0 -> DELETE a/x uid=u2
			c2 -> DELETE a/x
			w1 <- DELETED a/x @3 v=1
			c1 -> CREATE a/x v=2
			c1 <- @4
			c0 <- ok
			w1 <- DELETED a/x @5 v=2 uid=u4
			c2 <- ok`},
		{name: "another names the second", says: good, history: asks(twoLives, "uid=u2", second, "c1 -> DELETE a/x uid=u2\n", "c0 <- ok", "c0 <- 409 Conflict\nc2 -> DELETE a/x uid=u4\nc2 <- ok")},
		{name: "the answer of one that does not say what it wants was lost long before", says: good, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c2 -> DELETE a/x
			c2 <- lost` + strings.Replace(asks(twoLives, "uid=u2", "c0 <- ok", "c0 <- 409 Conflict"), `
	c1 -> CREATE a/x v=1
	c1 <- @2`, "", 1)},
		{name: "the answer of one that names the second was lost", says: good, history: asks(twoLives, "uid=u2", "c0 <- ok", "c0 <- 409 Conflict\nc2 -> DELETE a/x uid=u4\nc2 <- lost")},
		{name: "its own answer was lost: that it was wrong nobody knows", says: untested, history: asks(twoLives, "uid=u2", "c0 <- ok", "c0 <- lost")},
		{name: "a finalizer held it: the delete of it was answered long before it ended", says: good, history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @2
			w1 -> WATCH rv=2
			c2 -> DELETE a/x uid=u2
			c2 <- ok
			w1 <- MODIFIED a/x @3 body=spec=1+finalizers=f+deleting
			c0 -> DELETE a/x uid=other
			c0 <- 409 Conflict
			c1 -> UPDATE a/x @3 body=spec=1
			c1 <- @3 body=spec=1+deleting
			w1 <- DELETED a/x @4 body=spec=1+deleting`},
		{name: "a collection was deleted", says: undecided, undecided: "may have deleted a/x or not", history: asks(twoLives, "uid=u2", "c0 <- ok", "c2 -> DELETECOLLECTION ns=a\nc2 <- ok\nc0 <- lost")},
		{name: "a collection was deleted, and it was answered", says: undecided, undecided: "may have deleted a/x or not", history: asks(twoLives, "uid=u2", "c0 <- ok", "c2 -> DELETECOLLECTION ns=a\nc2 <- ok\nc0 <- ok")},
		{name: "it was a dry run", says: untested, history: asks(twoLives, "uid=u2 dry", "c0 <- ok", "c2 -> DELETE a/x\nc2 <- ok\nc0 <- ok")},
		{name: "dry runs of one object", says: untested, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c0 -> DELETE a/x uid=u2 dry
			c0 <- ok
			c1 -> DELETE a/x uid=u2 dry
			c1 <- ok`},
		{name: "one was refused, and it is who was accepted", says: bad,
			history: asks(twoLives, "uid=u2", second, "c2 -> DELETE a/x uid=u2\nc1 -> DELETE a/x\n", "c0 <- ok", "c0 <- 409 Conflict\nc2 <- ok"),
			bad:     found("409 Conflict: a/x was of uid u4, and not of uid u2", "the DELETE was accepted, and ended it: nothing else can have", 5, 13, 14)},
		{name: "it may have been of before the run", says: untested, history: `
			w1 -> WATCH rv=1
			c0 -> DELETE a/x uid=u1
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> CREATE a/x v=2
			c1 <- @4
			w1 <- ADDED a/x @4 v=2
			c0 <- 409 Conflict`},
	})
}

func TestWriteConflictEndedVersion(t *testing.T) {
	const second = "c1 -> DELETE a/x\n"
	judge(t, "write/conflict/delete", []judged{
		{name: "it named the one before", says: bad, history: asks(twoLives, "@2"),
			bad: found("409 Conflict: a/x was @4, and not of resourceVersion 2", "the DELETE was accepted, and ended it: nothing else can have", 4, 11, 12)},
		{name: "by one that nothing ever had", says: bad, history: asks(twoLives, "@1"),
			bad: found("409 Conflict: a/x was @4, and not of resourceVersion 1", "the DELETE was accepted", 4, 11)},
		{name: "by one from before the second that a lost answer may have told", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 -> WATCH rv=2
			c3 -> UPDATE a/x v=3
			c3 <- lost
			c0 -> DELETE a/x @3
			c1 -> DELETE a/x
			c1 <- ok
			w1 <- DELETED a/x @5 v=1
			c1 -> CREATE a/x v=2
			c1 <- @6
			w1 <- ADDED a/x @6 v=2
			c0 <- ok
			w1 <- DELETED a/x @7 v=2 uid=u6`,
			bad: found("409 Conflict: a/x was @6, and not of resourceVersion 3", "the DELETE was accepted, and ended it: nothing else can have", 6, 13, 14)},
		{name: "by one of which the uid is not known", says: untested, history: asks(twoLives, "@2", "c1 <- @2", "c1 <- @2 uid=-")},
		{name: "by both", says: bad, history: asks(twoLives, "@2 uid=u2"),
			bad: found("409 Conflict: a/x was @4, and not of resourceVersion 2", "the DELETE was accepted, and ended it: nothing else can have", 4, 11, 12)},
		{name: "by a uid alone: see there", says: untested, history: asks(twoLives, "uid=u2")},
		{name: "refused", says: bad, history: asks(twoLives, "@2", "c0 <- ok", "c0 <- 409 Conflict"),
			bad: found("a refused DELETE changes nothing", "a/x @5 shows what it wrote", 4, 11, 12)},
		{name: "twice, and nobody watches", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c0 -> DELETE a/x @2
			c1 -> DELETE a/x @2
			c1 <- ok
			c0 <- ok`,
			bad: found("409 Conflict, or 404, for one of the DELETEs of a/x with resourceVersion 2: it ends once", "both were accepted", 3, 6, 4, 5)},
		{name: "another names the second", says: good, history: asks(twoLives, "@2", second, "c1 -> DELETE a/x @2\n", "c0 <- ok", "c0 <- 409 Conflict\nc2 -> DELETE a/x @4\nc2 <- ok")},
		{name: "what it names is not known: a change whose answer was lost may have made it", says: odd, history: asks(twoLives, "uid=u2", "c0 <- ok",
			"c0 <- 409 Conflict\nc3 -> UPDATE a/x v=3\nc3 <- lost\nc4 -> GET a/z\nc4 <- 404 NotFound\nc2 -> DELETE a/x @5\nc2 <- ok", "DELETED a/x @5 v=2", "DELETED a/x @6 v=3")},
		{name: "the second is of who creates on update", says: odd, history: "... has comparable-rv create-on-update\n" + asks(twoLives, "@2", second, "c1 -> DELETE a/x @2\n", "c0 <- ok", "c0 <- 409 Conflict\nc2 -> DELETE a/x @4\nc2 <- ok",
			"CREATE a/x v=2", "UPDATE a/x v=2")},
	})
}

// Of deletions in two steps the mark of one object is of no delete that names the one before.
func TestMarkOfAnother(t *testing.T) {
	const marked = "... has comparable-rv grace delete-preconditions\n" + `
		c1 -> CREATE a/x v=1
		c1 <- @2
		w1 -> WATCH rv=2
		c1 -> DELETE a/x
		c2 -> DELETE a/x uid=u2
		w1 <- MODIFIED a/x @3 body=spec=1+deleting
		c1 <- ok
		c1 -> CREATE a/x v=2
		c2 <- ok
		w1 <- DELETED a/x @4 body=spec=1+deleting
		c1 <- @5
		w1 <- ADDED a/x @5 v=2
		c0 -> GET a/x
		c0 <- a/x @5 v=2
		c2 -> DELETE a/x @5
		c3 -> DELETE a/x
		w1 <- MODIFIED a/x @6 body=spec=2+deleting
		c3 <- ok
		c2 <- ok
		w1 <- DELETED a/x @7 body=spec=2+deleting`
	for _, address := range []string{"write/conflict/delete", "write/conflict/uid", "get/most-recent", "watch/reliable", "watch/types"} {
		assert.Empty(t, ruleAt(t, address).Judge(handmade.History(t, marked)).Bad, address)
	}
}
