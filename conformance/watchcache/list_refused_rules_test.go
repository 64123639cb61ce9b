package watchcache_test

import "testing"

func TestListFuture(t *testing.T) {
	judge(t, "list/future", []judged{
		{name: "refused, and it may be tried again", says: good, history: written + `
			l1 -> LIST ns=a rv=1000
			l1 <- 504 Timeout cause=ResourceVersionTooLarge retry=1
			l1 -> LIST ns=a rv=1000 limit=2
			l1 <- 500 retry=1`},
		{name: "waited for", says: good, history: written + `
			l1 -> LIST rv=5
			c1 -> CREATE a/z v=4
			c1 <- @6
			l1 <- @6 [a/y @4 v=3, a/z @6 v=4]`},
		{name: "throttled", says: untested, history: written + `
			l1 -> LIST rv=1000
			l1 <- 429 TooManyRequests retry=1`},
		{name: "refused for what no list may ask for", says: untested, history: written + `
			l1 -> LIST ns=a rv=1000 initial=true
			l1 <- 422 Invalid
			c1 -> CREATE a/z v=4
			c1 <- @6`},
		{name: "not in the future", says: untested, history: written + `
			l1 -> LIST rv=4
			l1 <- 504 Timeout
			l1 -> LIST rv=xyz
			l1 <- 400
			l1 -> LIST rv=0
			l1 <- @4 []`},
		{name: "nobody knows", says: untested, history: written + `
			l1 -> LIST rv=1000
			l1 <- lost`},
		{name: "older data", says: bad, history: written + `
			l1 -> LIST ns=a rv=1000
			l1 <- @5 [a/y @4 v=3]`,
			bad: found("nothing but the state at 1000, or an error that says when to try again", "a list @5 of 1 items", 9, 10)},
		{name: "another state than exactly that", says: bad, history: written + `
			l1 -> LIST rv=5 match=Exact
			c1 -> CREATE a/z v=4
			c1 <- @6
			l1 <- @6 [a/y @4 v=3, a/z @6 v=4]`,
			bad: found("nothing but the state at 5, or an error that says when to try again", "a list @6 of 2 items", 9, 12)},
		{name: "refused for good, of what others may have written and let go", says: untested, history: written + `
			l1 -> LIST ns=a rv=1000 match=Exact
			l1 <- 410 Expired`},
		{name: "of a writer without resourceVersions", says: undecided, undecided: "no resourceVersion", history: overlap},
		{name: "what is not there is made up", says: bad, history: written + `
			l1 -> LIST ns=a rv=1000
			l1 <- @1000 [a/y @4 v=3]
			c1 -> CREATE a/z v=4
			c1 <- @6`,
			bad: found("nothing but the state at 1000, or an error that says when to try again", "a list @1000 of 1 items", 9, 10)},
		{name: "the storage may be the cause", says: untested, history: written + `
			admin -> STORAGE
			admin <- ok
			l1 -> LIST ns=a rv=1000
			l1 <- 500 InternalError
			c1 -> CREATE a/z v=4
			c1 <- @6`},
		{name: "refused for good", says: bad, history: written + `
			l1 -> LIST ns=a rv=1000
			l1 <- 410 Expired
			c1 -> CREATE a/z v=4
			c1 <- @6`,
			bad: found("504, or an error that says when to try again: 1000 is not there yet", "410 Expired, without a cause", 9, 10)},
	})
}

func TestListFutureCause(t *testing.T) {
	judge(t, "list/future-cause", []judged{
		{name: "named", says: good, history: written + `
			l1 -> LIST rv=1000
			l1 <- 504 Timeout cause=ResourceVersionTooLarge`},
		{name: "served, or throttled", says: untested, history: written + `
			l1 -> LIST rv=5
			l1 <- @9 []
			l1 -> LIST rv=1000
			l1 <- 429 TooManyRequests retry=1
			l1 -> LIST rv=1000
			l1 <- 410 Expired`},
		{name: "not named", says: bad, history: written + `
			l1 -> LIST rv=1000
			l1 <- 504 Timeout retry=1`,
			bad: found("the cause ResourceVersionTooLarge", "504 Timeout, without a cause", 9, 10)},
	})
}

func TestListCombinations(t *testing.T) {
	judge(t, "list/combinations", []judged{
		{name: "refused", says: good, history: `
			l1 -> LIST match=Exact
			l1 <- 422 Invalid cause=FieldValueForbidden:resourceVersionMatch
			l1 -> LIST match=Exact rv=0
			l1 <- 400 BadRequest
			l1 -> LIST match=Nonsense rv=5
			l1 <- 422 Invalid`},
		{name: "allowed, or judged elsewhere", says: untested, history: `
			l1 -> LIST match=NotOlderThan rv=0
			l1 <- @1 []
			l1 -> LIST match=Exact rv=1
			l1 <- @1 []
			l1 -> LIST match=Exact continue=tok
			l1 <- @1 []
			l1 -> LIST match=Exact
			l1 <- 503 retry=1`},
		{name: "served", says: bad, history: `
			l1 -> LIST match=Exact rv=0
			l1 <- @1 []`,
			bad: found("refused with 4xx", "a list @1 of 0 items", 1, 2)},
		{name: "broken by it", says: bad, history: `
			l1 -> LIST match=Nonsense
			l1 <- 500 InternalError`,
			bad: found("refused with 4xx", "500 InternalError, without a cause", 1, 2)},
	})
	judge(t, "list/combinations-cause", []judged{
		{name: "named", says: good, history: `
			l1 -> LIST match=Exact
			l1 <- 422 Invalid cause=FieldValueForbidden:resourceVersionMatch`},
		{name: "served: list/combinations judges that", says: untested, history: `
			l1 -> LIST match=Exact rv=0
			l1 <- @1 []`},
		{name: "refused for who asks", says: untested, history: `
			l1 -> LIST match=Exact
			l1 <- 403 Forbidden
			l1 -> LIST match=Exact
			l1 <- 404 NotFound`},
		{name: "another field", says: bad, history: `
			l1 -> LIST match=Exact
			l1 <- 422 Invalid cause=FieldValueForbidden:limit`,
			bad: found("422 Invalid with a cause for resourceVersionMatch", "422 Invalid, with the causes FieldValueForbidden limit", 1, 2)},
		{name: "another code", says: bad, history: `
			l1 -> LIST match=Exact
			l1 <- 400 BadRequest`,
			bad: found("422 Invalid with a cause for resourceVersionMatch", "400 BadRequest, without a cause", 1, 2)},
	})
}

func TestListContinue(t *testing.T) {
	judge(t, "list/continue-alone", []judged{
		{name: "refused", says: good, history: `
			l1 -> LIST continue=tok rv=5
			l1 <- 400 BadRequest`},
		{name: "alone, with 0, or with a match", says: untested, history: `
			l1 -> LIST continue=tok
			l1 <- @1 []
			l1 -> LIST continue=tok rv=0
			l1 <- @1 []
			l1 -> LIST continue=tok rv=5 match=Exact
			l1 <- @5 []`},
		{name: "served", says: bad, history: `
			l1 -> LIST continue=tok rv=5
			l1 <- @5 []`,
			bad: found("refused with 4xx", "a list @5 of 0 items", 1, 2)},
	})
	judge(t, "list/continue-match", []judged{
		{name: "refused", says: good, history: `
			l1 -> LIST continue=tok match=NotOlderThan
			l1 <- 422 Invalid`},
		{name: "without a match", says: untested, history: `
			l1 -> LIST continue=tok rv=5
			l1 <- 400`},
		{name: "served", says: bad, history: `
			l1 -> LIST continue=tok rv=5 match=Exact
			l1 <- @5 []`,
			bad: found("refused with 4xx", "a list @5 of 0 items", 1, 2)},
	})
	judge(t, "list/bad-token", []judged{
		{name: "refused", says: good, history: `
			l1 -> LIST continue=made-up:1
			l1 <- 400 BadRequest
			l1 -> LIST continue=made-up:2
			l1 <- 410 Expired`},
		{name: "given, or beside a resourceVersion", says: untested, history: `
			l1 -> LIST continue=tok
			l1 <- @1 []
			l1 -> LIST continue=made-up:1 rv=5
			l1 <- @5 []`},
		{name: "the end of the list", says: bad, history: `
			l1 -> LIST continue=made-up:1
			l1 <- @1 []`,
			bad: found("400 or 410", "a list @1 of 0 items", 1, 2)},
		{name: "another code", says: bad, history: `
			l1 -> LIST continue=made-up:1
			l1 <- 500`,
			bad: found("400 or 410", "500, without a cause", 1, 2)},
	})
}

func TestListBadVersion(t *testing.T) {
	judge(t, "list/bad-version", []judged{
		{name: "refused", says: good, history: `
			l1 -> LIST rv=xyz
			l1 <- 400 BadRequest
			c1 -> GET a/x rv=-1
			c1 <- 500
			w1 -> WATCH rv=xyz
			w1 <- 500
			w2 -> WATCH rv=0x10
			w2 <- ok
			w2 <- ERROR 400 BadRequest`},
		{name: "readable, throttled, or not known", says: untested, history: `
			l1 -> LIST rv=5
			l1 <- @5 []
			l1 -> LIST rv=007
			l1 <- @9 []
			l1 -> LIST rv=xyz
			l1 <- 429 retry=1
			w1 -> WATCH rv=xyz
			w1 <- ok
			w1 <- ENDED`},
		{name: "a list", says: bad, history: `
			l1 -> LIST rv=xyz
			l1 <- @5 []`,
			bad: found(`an error: "xyz" is no resourceVersion`, "a list @5 of 0 items", 1, 2)},
		{name: "a get", says: bad, history: `
			c1 -> GET a/x rv=xyz
			c1 <- a/x @2`,
			bad: found(`an error: "xyz" is no resourceVersion`, "the object @2", 1, 2)},
		{name: "a watch", says: bad, history: `
			w1 -> WATCH rv=xyz
			w1 <- ok
			w1 <- ADDED a/x @2`,
			bad: found(`an error: "xyz" is no resourceVersion`, "a watch, with ADDED a/x @2", 1, 3)},
	})
}
