package watchcache_test

import (
	"strings"
	"testing"
)

const (
	// updatedOnce is what c1 has updated, with a precondition and without, and then deleted: it is seen to be gone.
	updatedOnce = `
	c1 -> CREATE a/x v=1
	c1 <- @2
	c1 -> UPDATE a/x v=2
	c1 <- @3
	c1 -> UPDATE a/x @3 v=3
	c1 <- @4
	c1 -> DELETE a/x
	c1 <- ok
	g1 -> GET a/x
	g1 <- 404 NotFound`
	// seenGone is a look at what is not there.
	seenGone = `
	g1 -> GET a/x
	g1 <- 404 NotFound`
)

// times is a text so often.
func times(n int, text string) string { return strings.Repeat(text, n) }

func TestWriteMissingMistaken(t *testing.T) {
	const gone = "404 NotFound: a/x was not there before, nor after"
	const refused = `
		c1 -> UPDATE a/x v=4
		c1 <- `
	judge(t, "write/missing/update", []judged{
		{name: "422, where updates are done", says: bad, history: ofCheck + updatedOnce + refused + "422 Invalid" + seenGone,
			bad: found(gone, "422 Invalid", 11, 12)},
		{name: "501, and lists show that it is not there", says: bad, history: ofCheck + updatedOnce + `
			l1 -> LIST ns=a
			l1 <- @5 []` + refused + `501 NotImplemented
			l1 -> LIST ns=a
			l1 <- @5 []`,
			bad: found(gone, "501 NotImplemented", 13, 14)},
		{name: "422 of a trace, of a content that was never taken", says: untested, history: updatedOnce + refused + "422 Invalid" + seenGone},
		{name: "405, and no update was ever done", says: untested, history: deleted + seenGone + refused + "405 MethodNotAllowed" + seenGone},
		{name: "422, and only updates with a precondition were ever done", says: untested, history: strings.Replace(updatedOnce, "UPDATE a/x v=2", "UPDATE a/x @2 v=2", 1) + refused + "422 Invalid" + seenGone},
		{name: "422, and it may have been created meanwhile", says: untested, history: updatedOnce + `
			c2 -> CREATE a/x v=5` + refused + `422 Invalid
			c2 <- @6
			c2 -> DELETE a/x
			c2 <- ok` + seenGone},
		{name: "422, and nobody has looked since", says: untested, history: updatedOnce + refused + "422 Invalid"},
		{name: "it is to be tried again", says: untested, history: updatedOnce + times(5, refused+"503 ServiceUnavailable"+seenGone)},
		{name: "500, each time", says: bad, history: ofCheck + updatedOnce + times(4, refused+"500 InternalError"+seenGone),
			bad: append(append(append(found(gone, "500 InternalError, and never anything else", 11, 12), found(gone, "500 InternalError, and never anything else", 15, 16)...),
				found(gone, "500 InternalError, and never anything else", 19, 20)...), found(gone, "500 InternalError, and never anything else", 23, 24)...)},
		{name: "500, three times", says: untested, history: updatedOnce + times(3, refused+"500 InternalError"+seenGone)},
		{name: "500, and once as it should be", says: good, history: updatedOnce + refused + "404 NotFound" + seenGone + times(4, refused+"500 InternalError"+seenGone)},
		{name: "500, each time, and also where it could be done", says: untested, history: updatedOnce + times(4, refused+"500 InternalError"+seenGone) + `
			c1 -> CREATE a/y v=1
			c1 <- @7
			c1 -> UPDATE a/y v=2
			c1 <- 500 InternalError
			g1 -> GET a/y
			g1 <- a/y @7 v=1`},
		{name: "403 for one who may not update", says: untested, history: updatedOnce + times(5, strings.ReplaceAll(refused, "c1", "c2")+"403 Forbidden"+seenGone)},
		{name: "an apply creates", says: untested, history: updatedOnce + `
			c1 -> PATCH a/y by=m v=1
			c1 <- @7
			c1 -> PATCH a/x by=m v=1
			c1 <- 422 Invalid` + seenGone},
	})
	judge(t, "write/missing/delete", []judged{
		{name: "a get at a resourceVersion: 500, each time", says: bad, history: ofCheck + `
			c1 -> CREATE a/x v=1
			c1 <- @2
			g1 -> GET a/x rv=2
			g1 <- a/x @2 v=1
			c1 -> DELETE a/x
			c1 <- ok` + times(4, seenGone+`
			g2 -> GET a/x rv=2
			g2 <- 500 InternalError`) + seenGone,
			bad: append(append(append(found(gone, "500 InternalError, and never anything else", 9, 10), found(gone, "500 InternalError, and never anything else", 13, 14)...),
				found(gone, "500 InternalError, and never anything else", 17, 18)...), found(gone, "500 InternalError, and never anything else", 21, 22)...)},
		{name: "a delete: 405, where they are done", says: bad, history: updatedOnce + `
			c1 -> DELETE a/x
			c1 <- 405 MethodNotAllowed` + seenGone,
			bad: found(gone, "405 MethodNotAllowed", 11, 12)},
		{name: "404", says: good, history: updatedOnce + `
			c1 -> DELETE a/x
			c1 <- 404 NotFound`},
		{name: "a delete by uid: 405, and none was ever done", says: odd, history: updatedOnce + `
			c1 -> DELETE a/x uid=u1
			c1 <- 405 MethodNotAllowed` + seenGone},
		{name: "nothing", says: untested, history: replaced},
	})
}

func TestWriteExistsMistaken(t *testing.T) {
	const refused = `
		c1 -> CREATE a/x v=2
		c1 <- `
	const there = `
		c1 -> CREATE a/x v=1
		c1 <- @2 uid=u1`
	const look = `
		l1 -> LIST ns=a
		l1 <- @9 [a/x @2 v=1 uid=u1]`
	const elsewhere = `
		c1 -> CREATE b/x v=2
		c1 <- @3 uid=u2`
	const taken = "409 AlreadyExists: a/x was there before and after, @2"
	judge(t, "write/exists", []judged{
		{name: "422, and the same is created elsewhere", says: bad, history: there + refused + "422 Invalid" + look + elsewhere, bad: found(taken, "422 Invalid", 3, 4)},
		{name: "422, and something else is created elsewhere", says: untested, history: there + refused + "422 Invalid" + look + strings.ReplaceAll(elsewhere, "v=2", "v=3")},
		{name: "403, and the quota is for one", says: untested, history: there + times(5, refused+"403 Forbidden"+look) + elsewhere},
		{name: "409", says: good, history: there + refused + "409 AlreadyExists" + look},
	})
}

func TestWriteConflictMistaken(t *testing.T) {
	const look = `
		g1 -> GET a/x
		g1 <- a/x @4 v=3 uid=u1`
	const made = `
		c1 -> CREATE a/x v=1
		c1 <- @2 uid=u1
		c1 -> UPDATE a/x @2 v=2
		c1 <- @3 uid=u1
		c1 -> UPDATE a/x @3 v=3
		c1 <- @4 uid=u1`
	const refused = `
		c2 -> UPDATE a/x @2 v=4
		c2 <- `
	const stale = "409 Conflict: a/x was @4 before and after, and not of resourceVersion 2"
	judge(t, "write/conflict/update", []judged{
		{name: "405, where such updates are done", says: bad, history: ofCheck + made + refused + "405 MethodNotAllowed" + look, bad: found(stale, "405 MethodNotAllowed", 7, 8)},
		{name: "405, and it was changed meanwhile", says: untested, history: made + refused + "405 MethodNotAllowed" + strings.ReplaceAll(look, "@4", "@5")},
		{name: "500, three times", says: untested, history: made + times(3, refused+"500 InternalError"+look)},
		{name: "409", says: good, history: made + refused + "409 Conflict" + look},
	})
}
