package watchcache_test

import "testing"

func TestGetFuture(t *testing.T) {
	const later = `
		c1 -> CREATE a/later v=9
		c1 <- @20
	`
	judge(t, "get/future", []judged{
		{name: "refused, and it may be tried again", says: good, history: written + `
			g1 -> GET a/y rv=1000
			g1 <- 504 Timeout cause=ResourceVersionTooLarge retry=1
			g1 -> GET a/y rv=1000
			g1 <- 500 retry=1` + later},
		{name: "waited for: the object itself may be older", says: odd, history: written + `
			g1 -> GET a/y rv=6
			c1 -> CREATE a/z v=4
			c1 <- @6
			g1 <- a/y @4 v=3`},
		{name: "waited for, and deleted meanwhile", says: odd, history: written + `
			g1 -> GET a/y rv=6
			c1 -> DELETE a/y
			c1 <- ok
			c1 -> CREATE a/z v=4
			c1 <- @6
			g1 <- 404 NotFound` + later},
		{name: "others may have written that much", says: untested, history: written + `
			g1 -> GET a/y rv=15
			g1 <- a/y @4 v=3
			g1 -> GET a/y rv=15
			g1 <- 410 Expired` + later},
		{name: "not in the future, throttled, or lost", says: untested, history: written + `
			g1 -> GET a/y rv=4
			g1 <- a/y @4 v=3
			g1 -> GET a/y rv=1000
			g1 <- 429 TooManyRequests retry=1
			g1 -> GET a/y rv=1000
			g1 <- lost`},
		{name: "of a writer without resourceVersions", says: undecided, undecided: "no resourceVersion", history: overlap},
		{name: "answered", says: bad, history: written + `
			g1 -> GET a/y rv=1000
			g1 <- a/y @4 v=3` + later,
			bad: found("nothing, or an error that says when to try again: 1000 is not there yet", "the object @4", 9, 10)},
		{name: "not found", says: bad, history: written + `
			g1 -> GET a/nothing rv=1000
			g1 <- 404 NotFound` + later,
			bad: found("nothing, or an error that says when to try again: 1000 is not there yet", "404 NotFound, without a cause", 9, 10)},
		{name: "refused for good", says: bad, history: written + `
			g1 -> GET a/y rv=1000
			g1 <- 410 Expired` + later,
			bad: found("504, or an error that says when to try again: 1000 is not there yet", "410 Expired, without a cause", 9, 10)},
	})
}
