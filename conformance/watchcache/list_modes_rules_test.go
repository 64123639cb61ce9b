package watchcache_test

import "testing"

func TestListMostRecent(t *testing.T) {
	judge(t, "list/most-recent", []judged{
		{name: "at the last write, or later: others write, too", says: good, history: written + `
			l1 -> LIST ns=a
			l1 <- @4 [a/y @4 v=3]
			l1 -> LIST ns=a limit=1
			l1 <- @900 [a/y @4 v=3]`},
		{name: "writes under way", says: good, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> CREATE a/y v=2
			l1 -> LIST
			c1 <- @3
			c1 -> DELETE a/x
			l2 -> LIST
			c1 <- ok
			l1 <- @2 [a/x @2 v=1]
			l2 <- @3 [a/x @2 v=1, a/y @3 v=2]`},
		{name: "deleted and made again", says: good, history: written + `
			c1 -> CREATE a/x v=4
			c1 <- @7
			l1 -> LIST ns=a
			l1 <- @7 [a/x @7 v=4, a/y @4 v=3]`},
		{name: "a lost write need not be there", says: good, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> DELETE a/x
			c1 <- lost
			l1 -> LIST
			l1 <- @2 [a/x @2 v=1]`},
		{name: "deleted by one of two, of which one is lost", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c2 -> DELETE a/x
			c3 -> DELETE a/x
			l1 -> LIST
			c2 <- ok
			c3 <- lost
			l1 <- @2 [a/x @2 v=1]`},
		{name: "other sorts of list, pages, empty ones, or no write before", says: untested, history: `
			l1 -> LIST
			l1 <- @1 []` + written + `
			l1 -> LIST rv=0
			l1 <- @2 [a/x @2 v=1]
			l1 -> LIST rv=3
			l1 <- @3 [a/x @3 v=2]
			l1 -> LIST continue=tok
			l1 <- @2 [a/x @2 v=1]
			l1 -> LIST ns=b
			l1 <- @4 []
			l1 -> LIST
			l1 <- @x [a/y @4 v=3]
			l1 -> LIST
			l1 <- lost`},
		{name: "of a writer without resourceVersions", says: undecided, undecided: "no resourceVersion", history: overlap},
		{name: "older than a write", says: bad, history: written + `
			l1 -> LIST ns=a
			l1 <- @3 [a/x @3 v=2]`,
			bad: append(found("a resourceVersion of at least 4, which a write before it was answered with", "a list @3", 9, 10),
				found("nothing of a/x: a deletion before the list was answered", "a/x @3", 8, 9, 10)...)},
		{name: "an empty list that is older", says: bad, history: written + `
			l1 -> LIST ns=b limit=3
			l1 <- @3 []`,
			bad: found("a resourceVersion of at least 4, which a write before it was answered with", "a list @3", 9, 10)},
		{name: "what was deleted", says: bad, history: written + `
			l1 -> LIST ns=a
			l1 <- @4 [a/x @3 v=2, a/y @4 v=3]`,
			bad: found("nothing of a/x: a deletion before the list was answered", "a/x @3", 8, 9, 10)},
	})
}

func TestListAny(t *testing.T) {
	judge(t, "list/any", []judged{
		{name: "a state of before, with a limit or without", says: good, history: written + `
			l1 -> LIST ns=a rv=0
			l1 <- @2 [a/x @2 v=1]
			l1 -> LIST ns=a rv=0 limit=1
			l1 <- @4 [a/x @3 v=2, a/y @4 v=3]`},
		{name: "pages: of kinds that have no cache", says: good, history: written + `
			l1 -> LIST ns=a rv=0 limit=1
			l1 <- @4 [a/x @3 v=2] continue=tok
			l1 -> LIST ns=a continue=tok
			l1 <- @4 [a/y @4 v=3]`},
		{name: "other lists, and those that cannot be read", says: untested, history: written + `
			l1 -> LIST ns=a
			l1 <- @2 []
			l1 -> LIST rv=0
			l1 <- 429 TooManyRequests retry=1
			l1 -> LIST rv=0
			l1 <- @x [a/x @2 v=1]
			l1 -> LIST rv=0 ns=b
			l1 <- @2 []`},
		{name: "another client writes it", says: undecided, undecided: "another client", history: inRealTime + `
			c1 -> CREATE a/x v=1
			c1 <- @2
			l1 -> LIST ns=a rv=0
			l1 <- @9 [a/x @9 v=1]`},
		{name: "a mixture of two states", says: bad, history: written + `
			l1 -> LIST ns=a rv=0
			l1 <- @4 [a/x @2 v=1, a/y @4 v=3]`,
			bad: found("a/x @3, which is the state of a/x at the list's resourceVersion 4", "a/x @2", 3, 9, 10)},
		{name: "not all of it", says: bad, history: written + `
			l1 -> LIST ns=a rv=0
			l1 <- @4 [a/x @3 v=2]`,
			bad: found("a/y @4 in the list, which is the state of a/y at the list's resourceVersion 4", "it is missing", 5, 9, 10)},
		{name: "it waits for a state", says: bad, history: written + `
			l1 -> LIST ns=a rv=0
			l1 <- 504 Timeout cause=ResourceVersionTooLarge retry=1`,
			bad: found("any state", "504 Timeout, with the causes ResourceVersionTooLarge", 9, 10)},
		{name: "it is slow", says: untested, history: written + `
			l1 -> LIST ns=a rv=0
			l1 <- 504 Timeout`},
	})
}

func TestListNotOlderThan(t *testing.T) {
	judge(t, "list/not-older-than", []judged{
		{name: "as old, or newer", says: good, history: written + `
			l1 -> LIST ns=a rv=3
			l1 <- @3 [a/x @3 v=2]
			l1 -> LIST ns=a rv=3 match=NotOlderThan limit=1
			l1 <- @900 [a/y @4 v=3]`},
		{name: "exact ones, 0, refused, empty, unreadable", says: untested, history: written + `
			l1 -> LIST rv=3 limit=1
			l1 <- @2 [a/x @2 v=1]
			l1 -> LIST rv=3 match=Exact
			l1 <- @2 [a/x @2 v=1]
			l1 -> LIST rv=0
			l1 <- @2 [a/x @2 v=1]
			l1 -> LIST rv=3
			l1 <- 504 Timeout
			l1 -> LIST rv=3
			l1 <- lost
			l1 -> LIST rv=3 ns=b
			l1 <- @3 []
			l1 -> LIST rv=3 continue=tok
			l1 <- @2 [a/x @2 v=1]
			l1 -> LIST rv=3
			l1 <- @x [a/x @3 v=2]`},
		{name: "of a writer without resourceVersions", says: undecided, undecided: "no resourceVersion", history: overlap},
		{name: "older", says: bad, history: written + `
			l1 -> LIST rv=3
			l1 <- @2 [a/x @2 v=1]`,
			bad: found("a resourceVersion of at least 3", "a list @2 of 1 items", 9, 10)},
		{name: "older by a digit", says: bad, history: `
			l1 -> LIST rv=10 match=NotOlderThan
			l1 <- @9 []`,
			bad: found("a resourceVersion of at least 10", "a list @9 of 0 items", 1, 2)},
	})
}
