package watchcache_test

import "testing"

// declared are two objects on a server with what most have.
const declared = "... has comparable-rv label-selectors field-selectors watchlist patch delete-preconditions deletecollection dry-run sole-writer\n" + `
	c1 -> CREATE a/x v=1
	c1 <- @2
	c1 -> CREATE a/y v=1
	c1 <- @3
`

func TestGetAnswered(t *testing.T) {
	const wrong = "an answer: nothing is wrong with this GET"
	judge(t, "get/answered", []judged{
		{name: "answered in each way", says: good, history: declared + `
			g1 -> GET a/x
			g1 <- a/x @2 v=1
			g1 -> GET a/x rv=0
			g1 <- a/x @2 v=1
			g1 -> GET a/x rv=3
			g1 <- a/x @2 v=1`},
		{name: "in trouble once, and forbidden", says: good, history: declared + `
			g1 -> GET a/x
			g1 <- 500 InternalError
			g1 -> GET a/x
			g1 <- 403 Forbidden
			g1 -> GET a/x
			g1 <- a/x @2 v=1`},
		{name: "what is gone, and what is not there yet", says: good, history: declared + `
			g1 -> GET a/x rv=2
			g1 <- 410 Expired
			g1 -> GET a/x rv=3
			g1 <- a/x @2 v=1
			g1 -> GET a/x rv=1000
			g1 <- 400 BadRequest`},
		{name: "not found, and unreadable", says: untested, history: declared + `
			g1 -> GET a/z
			g1 <- 404 NotFound
			g1 -> GET a/x rv=nonsense
			g1 <- 400 BadRequest`},
		{name: "never at \"0\"", says: undecided, undecided: `no GET at "0" was answered: 500 InternalError`, history: declared + `
			g1 -> GET a/x rv=0
			g1 <- 500 InternalError
			g1 -> GET a/x rv=0
			g1 <- 504 Timeout`},
		{name: "400", says: bad, history: declared + `
			g1 -> GET a/x rv=3
			g1 <- 400 BadRequest
			g1 -> GET a/x rv=3
			g1 <- a/x @2 v=1`,
			bad: found(wrong, "400 BadRequest, without a cause", 5, 6)},
		{name: "410 of what cannot be gone", says: bad, history: declared + `
			g1 -> GET a/x
			g1 <- 410 Expired
			g1 -> GET a/x
			g1 <- a/x @2 v=1`,
			bad: found(wrong, "410 Expired, without a cause", 5, 6)},
	})
}

func TestListAnswered(t *testing.T) {
	const (
		wrong = "an answer: nothing is wrong with this LIST"
		all   = `
			l1 -> LIST ns=a
			l1 <- @3 [a/x @2 v=1, a/y @3 v=1]
		`
	)
	judge(t, "list/answered", []judged{
		{name: "answered", says: good, history: declared + all},
		{name: "refused for what is wrong with it", says: good, history: declared + all + `
			l1 -> LIST ns=a match=Exact
			l1 <- 422 Invalid
			l1 -> LIST ns=a continue=made-up:1
			l1 <- 400 BadRequest
			l1 -> LIST ns=a fields=spec.x=1
			l1 <- 400 BadRequest
			l1 -> LIST ns=a rv=1000
			l1 <- 400 BadRequest
			l1 -> LIST ns=not-there
			l1 <- 404 NotFound`},
		{name: "by a namespace, of what is in none", says: untested, history: "... has label-selectors field-selectors\n" + `
			c1 -> CREATE n v=1
			c1 <- @2
			l1 -> LIST fields=metadata.namespace=a
			l1 <- 400 BadRequest`},
		{name: "by a namespace, of what is in one", says: bad, history: declared + all + `
			l1 -> LIST fields=metadata.name=y
			l1 <- @3 [a/y @3 v=1]
			l1 -> LIST fields=metadata.namespace=a
			l1 <- 400 BadRequest`,
			bad: found(wrong, "400 BadRequest, without a cause", 9, 10)},
		{name: "gone once", says: good, history: declared + all + `
			l1 -> LIST ns=a rv=2 match=Exact
			l1 <- 410 Expired
			l1 -> LIST ns=a rv=3 match=Exact
			l1 <- @3 [a/x @2 v=1, a/y @3 v=1]`},
		{name: "nothing there", says: untested, history: declared + `
			l1 -> LIST ns=b
			l1 <- @3 []`},
		{name: "selectors that are not declared", says: untested, history: written + `
			l1 -> LIST ns=a labels=app=one
			l1 <- 400 BadRequest`},
		{name: "always gone", says: undecided, undecided: "no LIST at a resourceVersion Exact was answered: 410 Expired", history: declared + `
			l1 -> LIST ns=a rv=2 match=Exact
			l1 <- 410 Expired`},
		{name: "405 by label", says: bad, history: declared + all + `
			l1 -> LIST ns=a labels=app=one
			l1 <- 405 MethodNotAllowed
			l1 -> LIST ns=a labels=app=one
			l1 <- @3 []`,
			bad: found(wrong, "405 MethodNotAllowed, without a cause", 7, 8)},
		{name: "404 of a namespace that is there", says: bad, history: declared + all + `
			l1 -> LIST ns=a
			l1 <- 404 NotFound`,
			bad: found(wrong, "404 NotFound, without a cause", 7, 8)},
		{name: "a token that was given", says: bad, history: declared + `
			l1 -> LIST ns=a limit=1
			l1 <- @3 [a/x @2 v=1] continue=t1
			l1 -> LIST ns=a continue=t1
			l1 <- 400 BadRequest
			l1 -> LIST ns=a continue=t1
			l1 <- @3 [a/y @3 v=1]`,
			bad: found(wrong, "400 BadRequest, without a cause", 7, 8)},
	})
}

func TestWatchAnswered(t *testing.T) {
	const wrong = "an answer: nothing is wrong with this WATCH"
	judge(t, "watch/answered", []judged{
		{name: "given something", says: good, history: declared + `
			w1 -> WATCH ns=a rv=2
			w1 <- ADDED a/y @3 v=1`},
		{name: "gone once, and wrong in itself", says: good, history: declared + `
			w1 -> WATCH ns=a rv=1
			w1 <- 410 Expired
			w2 -> WATCH ns=a rv=2 match=NotOlderThan
			w2 <- 422 Invalid
			w3 -> WATCH ns=a rv=2
			w3 <- ADDED a/y @3 v=1`},
		{name: "silent", says: untested, history: declared + `
			w1 -> WATCH ns=a rv=3
			w1 <- SETTLED`},
		{name: "always refused for its troubles", says: undecided, undecided: "no WATCH at a resourceVersion was answered: 500 InternalError", history: declared + `
			w1 -> WATCH ns=a rv=3
			w1 <- 500 InternalError`},
		{name: "refused at once", says: bad, history: declared + `
			w1 -> WATCH ns=a rv=0
			w1 <- 422 Invalid
			w2 -> WATCH ns=a rv=0
			w2 <- ADDED a/x @2 v=1`,
			bad: found(wrong, "422 Invalid, without a cause", 5, 6)},
		{name: "refused by its first event", says: bad, history: declared + `
			w1 -> WATCH ns=a rv=2
			w1 <- ERROR 400 BadRequest
			w2 -> WATCH ns=a rv=2
			w2 <- ADDED a/y @3 v=1`,
			bad: found(wrong, "400 BadRequest, without a cause", 5, 6)},
	})
}

func TestWriteAnswered(t *testing.T) {
	const shown = declared + `
		g1 -> GET a/x
		g1 <- a/x @2 v=1
	`
	const going = shown + `
		c1 -> CREATE a/h body=spec=1+finalizers=f
		c1 <- @4 uid=u1
		c1 -> UPDATE a/x @2 v=2
		c1 <- @5
		c1 -> DELETE a/h
		c1 <- ok
		g1 -> GET a/h
		g1 <- a/h @6 uid=u1 body=spec=1+finalizers=f+deleting
	`
	judge(t, "write/answered", []judged{
		{name: "done", says: good, history: shown + `
			c1 -> UPDATE a/x @2 v=2
			c1 <- @4
			c1 -> DELETE a/x
			c1 <- ok`},
		{name: "refused for what is wrong with it", says: good, history: shown + `
			c1 -> UPDATE a/z @2 v=2
			c1 <- 404 NotFound
			c1 -> CREATE a/x v=2
			c1 <- 409 AlreadyExists
			c1 -> UPDATE a/x v=2
			c1 <- 422 Invalid
			c1 -> DELETE a/x @1
			c1 <- 400 BadRequest`},
		{name: "of nothing that anybody was shown", says: untested, history: declared},
		{name: "never in this way", says: undecided, undecided: "no DELETE was answered: 403 Forbidden", history: "... has comparable-rv sole-writer\n" + written + `
			c1 -> DELETE a/y
			c1 <- 403 Forbidden`},
		{name: "an update of anybody: a webhook may be against it, or its content wrong", says: good, history: shown + `
			c1 -> UPDATE a/x @2 v=2
			c1 <- 400 BadRequest
			c1 -> UPDATE a/x @2 v=3
			c1 <- 422 Invalid`},
		{name: "an update", says: bad, history: ofCheck + shown + `
			c1 -> UPDATE a/x @2 v=2
			c1 <- 400 BadRequest
			c1 -> UPDATE a/x @2 v=2
			c1 <- @4`,
			bad: found("the UPDATE to be done: nothing is wrong with it", "400 BadRequest, without a cause", 7, 8)},
		{name: "an update of what is being deleted", says: bad, history: ofCheck + going + `
			c1 -> UPDATE a/h @6 uid=u1 body=spec=2+finalizers=f
			c1 <- 400 BadRequest`,
			bad: found("the UPDATE to be done: nothing is wrong with it", "400 BadRequest, without a cause", 15, 16)},
		{name: "an update that gives a finalizer to what is being deleted", says: good, history: going + `
			c1 -> UPDATE a/h @6 uid=u1 body=spec=2+finalizers=f,g
			c1 <- 422 Invalid`},
		{name: "a create where others were created", says: bad, history: shown + `
			c1 -> CREATE a/z v=1
			c1 <- 404 NotFound`,
			bad: found("the CREATE to be done: nothing is wrong with it", "404 NotFound, without a cause", 7, 8)},
		{name: "a collection that is in conflict with nothing", says: bad, history: shown + `
			c1 -> DELETECOLLECTION ns=a
			c1 <- 409 Conflict
			c1 -> DELETECOLLECTION ns=a
			c1 <- ok`,
			bad: found("the DELETECOLLECTION to be done: nothing is wrong with it", "409 Conflict, without a cause", 7, 8)},
	})
}
