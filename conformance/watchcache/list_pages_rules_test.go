package watchcache_test

import "testing"

// four are objects of which a/b and a/d are selected.
const four = `
	c1 -> CREATE a/a v=1 app=two
	c1 <- @2
	c1 -> CREATE a/b v=2 app=one
	c1 <- @3
	c1 -> CREATE a/c v=3 app=two
	c1 <- @4
	c1 -> CREATE a/d v=4 app=one
	c1 <- @5
`

func TestListPages(t *testing.T) {
	judge(t, "list/pages", []judged{
		{name: "one state, whatever is written meanwhile", says: good, history: four + `
			l1 -> LIST ns=a limit=2
			l1 <- @5 [a/a @2 v=1, a/b @3 v=2] continue=t1
			c1 -> UPDATE a/c v=9
			c1 <- @6
			l1 -> LIST ns=a limit=2 continue=t1
			l1 <- @5 [a/c @4 v=3, a/d @5 v=4]`},
		{name: "short pages, empty ones, and an empty last one", says: good, history: four + `
			l1 -> LIST ns=a limit=3
			l1 <- @5 [a/a @2 v=1] continue=t1
			l1 -> LIST ns=a limit=3 continue=t1
			l1 <- @5 [] continue=t2
			l1 -> LIST ns=a limit=3 continue=t2
			l1 <- @5 [a/b @3 v=2, a/c @4 v=3, a/d @5 v=4] continue=t3
			l1 -> LIST ns=a limit=3 continue=t3
			l1 <- @5 []`},
		{name: "a token that a shard has, too, whose list does not say that it is of one", says: good, history: four + `
			l1 -> LIST ns=a limit=2
			l1 <- @5 [a/a @2 v=1, a/b @3 v=2] continue=t1
			l1 -> LIST ns=a limit=1 shard=low
			l1 <- @5 [a/b @3 v=2] continue=t1
			l1 -> LIST ns=a limit=2 continue=t1
			l1 <- @5 [a/c @4 v=3, a/d @5 v=4]`},
		{name: "a token used twice", says: good, history: four + `
			l1 -> LIST ns=a limit=2
			l1 <- @5 [a/a @2 v=1, a/b @3 v=2] continue=t1
			l1 -> LIST ns=a limit=1 continue=t1
			l1 <- @5 [a/c @4 v=3] continue=t2
			l1 -> LIST ns=a limit=1 continue=t2
			l1 <- @5 [a/d @5 v=4]
			l1 -> LIST ns=a continue=t1
			l1 <- @5 [a/c @4 v=3, a/d @5 v=4]`},
		{name: "the same token of two lists at one resourceVersion", says: good, history: four + `
			l1 -> LIST ns=a limit=2
			l1 <- @5 [a/a @2 v=1, a/b @3 v=2] continue=t1
			l1 -> LIST ns=a limit=2
			l1 <- @5 [a/a @2 v=1, a/b @3 v=2] continue=t1
			l1 -> LIST ns=a continue=t1
			l1 <- @5 [a/c @4 v=3, a/d @5 v=4]
			l1 -> LIST ns=a continue=t1
			l1 <- @5 [a/c @4 v=3, a/d @5 v=4]`},
		{name: "asked for again after it was throttled", says: good, history: four + `
			l1 -> LIST ns=a limit=2
			l1 <- @5 [a/a @2 v=1, a/b @3 v=2] continue=t1
			l1 -> LIST ns=a continue=t1
			l1 <- 429 TooManyRequests retry=1
			l1 -> LIST ns=a continue=t1
			l1 <- lost
			l1 -> LIST ns=a continue=t1
			l1 <- @5 [a/c @4 v=3, a/d @5 v=4]`},
		{name: "foreign objects, in an order of their own", says: good, history: four + `
			l1 -> LIST limit=3
			l1 <- @9 [~/9 @1, a/a @2 v=1, ~/3 @8] continue=t1
			l1 -> LIST continue=t1
			l1 <- @9 [~/1 @7, a/b @3 v=2, a/c @4 v=3, a/d @5 v=4]`},
		{name: "left in the midst", says: good, history: four + `
			l1 -> LIST ns=a limit=1
			l1 <- @5 [a/a @2 v=1] continue=t1
			l1 -> LIST ns=a limit=1 continue=t1
			l1 <- @5 [a/b @3 v=2] continue=t2`},
		{name: "a deletion of unknown revision may have come", says: odd, history: four + `
			c1 -> DELETE a/d
			c1 <- ok
			l1 -> LIST ns=a limit=2
			l1 <- @6 [a/a @2 v=1, a/b @3 v=2] continue=t1
			l1 -> LIST ns=a continue=t1
			l1 <- @6 [a/c @4 v=3]`},
		{name: "after an expired token the newer state is another rule's", says: untested, history: four + `
			l1 -> LIST ns=a limit=2
			l1 <- @5 [a/a @2 v=1, a/b @3 v=2] continue=t1
			l1 -> LIST ns=a continue=t1
			l1 <- 410 Expired continue=new
			l1 -> LIST ns=a limit=1 continue=new
			l1 <- @9 [a/c @4 v=3] continue=t2
			l1 -> LIST ns=a continue=t2
			l1 <- @9 [a/d @5 v=4]`},
		{name: "one page, a page of which the list is not here, or with a selector", says: untested, history: four + `
			l1 -> LIST ns=a limit=9
			l1 <- @5 [a/a @2 v=1, a/b @3 v=2, a/c @4 v=3, a/d @5 v=4]
			l2 -> LIST ns=a continue=t1
			l2 <- @5 [a/d @5 v=4]
			l1 -> LIST ns=a limit=1 labels=app=one
			l1 <- @5 [a/b @3 v=2] continue=t2
			l1 -> LIST ns=a labels=app=one continue=t2
			l1 <- @5 [a/d @5 v=4]`},
		{name: "another client writes it", says: undecided, undecided: "another client", history: inRealTime + `
			c1 -> CREATE a/x v=1
			c1 <- @2
			l1 -> LIST ns=a
			l1 <- @9 [a/x @9 v=1]`},
		{name: "another resourceVersion", says: bad, history: four + `
			l1 -> LIST ns=a limit=2
			l1 <- @5 [a/a @2 v=1, a/b @3 v=2] continue=t1
			l1 -> LIST ns=a continue=t1
			l1 <- @6 [a/c @4 v=3, a/d @5 v=4]`,
			bad: found("the resourceVersion of the first page, 5", "a page @6", 10, 11, 12)},
		{name: "out of order", says: bad, history: four + `
			l1 -> LIST ns=a limit=2
			l1 <- @5 [a/b @3 v=2, a/a @2 v=1] continue=t1
			l1 -> LIST ns=a continue=t1
			l1 <- @5 [a/c @4 v=3, a/d @5 v=4]`,
			bad: found("what comes after a/b in key order", "a/a", 10, 9, 10)},
		{name: "one of them twice", says: bad, history: four + `
			l1 -> LIST ns=a limit=2
			l1 <- @5 [a/a @2 v=1, a/b @3 v=2] continue=t1
			l1 -> LIST ns=a continue=t1
			l1 <- @5 [a/b @3 v=2, a/c @4 v=3, a/d @5 v=4]`,
			bad: found("what comes after a/b in key order", "a/b", 10, 11, 12)},
		{name: "one of them on no page", says: bad, history: four + `
			l1 -> LIST ns=a limit=2
			l1 <- @5 [a/a @2 v=1, a/b @3 v=2] continue=t1
			l1 -> LIST ns=a continue=t1
			l1 <- @5 [a/d @5 v=4]`,
			bad: found("a/c @4 on one of 2 pages", "it is on none", 5, 10, 12)},
	})
}
