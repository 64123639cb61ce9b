package watchcache_test

import (
	"slices"
	"testing"
)

func TestListExact(t *testing.T) {
	const (
		gone     = "the state at 2, 410 if it is gone, or 504 if it has not been seen"
		troubled = "500 InternalError, without a cause, and never anything else"
	)
	for address, how := range map[string]string{"list/exact": " match=Exact", "list/exact-legacy": " limit=9"} {
		judge(t, address, []judged{
			{name: "that state, or a refusal that says why not", says: good, history: written + `
				l1 -> LIST ns=a rv=3` + how + `
				l1 <- @3 [a/x @3 v=2]
				l1 -> LIST ns=a rv=2` + how + `
				l1 <- 410 Expired
				l1 -> LIST ns=a rv=4` + how + `
				l1 <- 504 Timeout cause=ResourceVersionTooLarge retry=1`},
			{name: "between two writes of this run: others write, too", says: good, history: `
				c1 -> CREATE a/x v=1
				c1 <- @2
				c1 -> UPDATE a/x v=2
				c1 <- @90
				l1 -> LIST ns=a rv=50` + how + `
				l1 <- @50 [a/x @2 v=1]`},
			{name: "refused, for all that can be told, for something else", says: untested, history: written + `
				l1 -> LIST rv=3` + how + `
				l1 <- 410 Expired
				l1 -> LIST rv=3` + how + `
				l1 <- 403 Forbidden
				l1 -> LIST rv=3` + how + `
				l1 <- 404 NotFound
				l1 -> LIST rv=3` + how + `
				l1 <- 500 InternalError
				l1 -> LIST rv=3` + how + `
				l1 <- 429 TooManyRequests retry=1
				l1 -> LIST rv=3 fields=spec.nosuch=1` + how + `
				l1 <- 400 BadRequest
				l1 -> LIST rv=3` + how + `
				l1 <- lost`},
			{name: "in trouble, each time", says: bad, history: ofCheck + written + `
				l1 -> LIST ns=a rv=3` + how + `
				l1 <- @3 [a/x @3 v=2]` + times(4, `
				l1 -> LIST ns=a rv=2`+how+`
				l1 <- 500 InternalError`),
				bad: slices.Concat(found(gone, troubled, 11, 12), found(gone, troubled, 13, 14), found(gone, troubled, 15, 16), found(gone, troubled, 17, 18))},
			{name: "in trouble, and once gone", says: good, history: written + `
				l1 -> LIST ns=a rv=3` + how + `
				l1 <- @3 [a/x @3 v=2]
				l1 -> LIST ns=a rv=2` + how + `
				l1 <- 410 Expired` + times(4, `
				l1 -> LIST ns=a rv=2`+how+`
				l1 <- 500 InternalError`)},
			{name: "forbidden to one who may list nothing", says: good, history: written + `
				l1 -> LIST ns=a rv=3` + how + `
				l1 <- @3 [a/x @3 v=2]` + times(4, `
				l2 -> LIST ns=a rv=2`+how+`
				l2 <- 403 Forbidden`)},
			{name: "unset, 0, or in another way", says: untested, history: written + `
				l1 -> LIST` + how + `
				l1 <- @2 [a/x @2 v=1]
				l1 -> LIST rv=0` + how + `
				l1 <- @2 [a/x @2 v=1]
				l1 -> LIST rv=3
				l1 <- @4 [a/y @4 v=3]
				l1 -> LIST rv=3 match=NotOlderThan limit=2
				l1 <- @4 [a/y @4 v=3]`},
			{name: "of a writer without resourceVersions", says: undecided, undecided: "no resourceVersion", history: overlap},
			{name: "another resourceVersion", says: bad, history: written + `
				l1 -> LIST ns=a rv=3` + how + `
				l1 <- @4 [a/y @4 v=3]`,
				bad: found("the resourceVersion 3, no other", "a list @4 of 1 items", 9, 10)},
			{name: "another state", says: bad, history: written + `
				l1 -> LIST ns=a rv=3` + how + `
				l1 <- @3 [a/x @2 v=1]`,
				bad: found("a/x @3, which is the state of a/x at the list's resourceVersion 3", "a/x @2", 3, 9, 10)},
			{name: "refused for good", says: bad, history: written + `
				l1 -> LIST ns=a rv=3` + how + `
				l1 <- 400 BadRequest`,
				bad: found("the state at 3, 410 if it is gone, or 504 if it has not been seen", "400 BadRequest, without a cause", 9, 10)},
		})
	}
}

func TestListEmptyVersion(t *testing.T) {
	judge(t, "list/empty-version", []judged{
		{name: "a watch from it gives what comes", says: good, history: `
			l1 -> LIST ns=a
			l1 <- @1 []
			w1 -> WATCH ns=a rv=1
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 <- ADDED a/x @2 v=1
			w1 <- SETTLED`},
		{name: "an empty last page, or no watch", says: untested, history: written + `
			l1 -> LIST ns=a limit=2
			l1 <- @4 [a/y @4 v=3] continue=tok
			l1 -> LIST ns=a continue=tok
			l1 <- @4 []
			l1 -> LIST ns=b
			l1 <- @9 []
			l1 -> LIST ns=b limit=1
			l1 <- 504 Timeout`},
		{name: "an empty page that is not the last", says: untested, history: `
			l1 -> LIST ns=a limit=2
			l1 <- ok [] continue=tok`},
		{name: "created while it was listed", says: odd, history: `
			l1 -> LIST ns=a
			c1 -> CREATE a/x v=1
			c1 <- @2
			l1 <- @2 []
			c1 -> DELETE a/x
			c1 <- ok`},
		{name: "overlapping writes without resourceVersions", says: undecided, undecided: "overlaps", history: overlap},
		{name: "none", says: bad, history: `
			l1 -> LIST
			l1 <- ok []`,
			bad: found("a resourceVersion to watch from", `an empty list with the resourceVersion ""`, 1, 2)},
		{name: "0", says: bad, history: `
			l1 -> LIST
			l1 <- @0 []`,
			bad: found("a resourceVersion to watch from", `an empty list with the resourceVersion "0"`, 1, 2)},
		{name: "that of what comes", says: bad, history: `
			l1 -> LIST ns=a
			l1 <- @2 []
			c1 -> CREATE a/x v=1
			c1 <- @2`,
			bad: found("a resourceVersion below 2, at which something was created after it", `an empty list with the resourceVersion "2"`, 1, 2)},
		{name: "a creation is missing", says: bad, history: `
			l1 -> LIST ns=a
			l1 <- @1 []
			w1 -> WATCH ns=a rv=1
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 <- SETTLED`,
			bad: found("ADDED for a/x @2", "no ADDED, though the watch had all the time it needs", 4, 3, 6)},
	})
}
