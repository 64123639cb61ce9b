package watchcache_test

import "testing"

func TestGetMostRecent(t *testing.T) {
	judge(t, "get/most-recent", []judged{
		{name: "as it was written", says: good, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			g1 -> GET a/x
			g1 <- a/x @2 v=1`},
		{name: "deleted, and not found", says: good, history: written + `
			g1 -> GET a/x
			g1 <- 404 NotFound`},
		{name: "while it is written: the one or the other", says: good, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x v=2
			g1 -> GET a/x
			g2 -> GET a/x
			g1 <- a/x @3 v=2
			g2 <- a/x @2 v=1
			c1 <- @3`},
		{name: "while it is deleted: the one or the other", says: good, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> DELETE a/x
			g1 -> GET a/x
			g2 -> GET a/x
			g1 <- 404 NotFound
			g2 <- a/x @2 v=1
			c1 <- ok`},
		{name: "a lost write may have come", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> DELETE a/x
			c1 <- lost
			g1 -> GET a/x
			g1 <- a/x @2 v=1
			g1 -> GET a/x
			g1 <- 404 NotFound`},
		{name: "a write that changed nothing", says: good, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x @2 v=1
			c1 <- @2
			g1 -> GET a/x
			g1 <- a/x @2 v=1`},
		{name: "at a resourceVersion, refused, lost, or of what this run never wrote", says: untested, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			g1 -> GET a/x rv=0
			g1 <- 404 NotFound
			g1 -> GET a/x
			g1 <- 503 retry=1
			g1 -> GET a/x
			g1 <- lost
			g1 -> GET a/other
			g1 <- a/other @1 v=7
			g2 -> GET a/x`},
		{name: "without resourceVersions", says: good, history: `
			c1 -> CREATE a/x v=1
			c1 <- ok
			g1 -> GET a/x
			g1 <- a/x v=1`},
		{name: "without resourceVersions, of old", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- ok
			c1 -> UPDATE a/x v=2
			c1 <- ok
			g1 -> GET a/x
			g1 <- a/x v=1`,
			bad: found("a/x (spec=2)", `a/x with content "spec=1", which was written as "spec=2"`, 5, 6)},
		{name: "overlapping writes without resourceVersions", says: undecided, undecided: "overlaps", history: overlap + `
			g1 -> GET a/x
			g1 <- a/x v=2`},
		{name: "a 404, and nobody else is there", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			g1 -> GET a/x
			g1 <- 404 NotFound`,
			bad: found("a/x @2: it was there all the time", "404", 1, 3, 4)},

		{name: "a version that nobody wrote, and nobody else is there", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> GET a/x
			c1 <- a/x @9 v=9`,
			bad: found("a/x @2", "a/x @9", 3, 4)},
		{name: "another client deletes it, or the server is wrong", says: undecided, undecided: "not there", history: inRealTime + `
			c1 -> CREATE a/x v=1
			c1 <- @2
			g1 -> GET a/x
			g1 <- 404 NotFound`},
		{name: "not found, and there all the time", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			g1 -> GET a/x
			g1 <- 404 NotFound
			c1 -> UPDATE a/x v=2
			c1 <- @3`,
			bad: found("a/x @2: it was there all the time", "404", 1, 3, 4)},
		{name: "what nobody made, also where a write that changes nothing of it follows", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			g1 -> GET a/x
			g1 <- a/x @3 v=2
			c1 -> UPDATE a/x v=2
			c1 <- @3`,
			bad: found("a/x @2", "a/x @3", 3, 4)},
		{name: "the same where others write", says: undecided, undecided: "no write here explains", history: inRealTime + `
			c1 -> CREATE a/x v=1
			c1 <- @2
			g1 -> GET a/x
			g1 <- a/x @3 v=2
			c1 -> UPDATE a/x v=2
			c1 <- @3`},
		{name: "not found: another client deleted it, and made it again", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			g1 -> GET a/x
			g1 <- 404 NotFound
			c1 -> UPDATE a/x v=2
			c1 <- @5 uid=other`},
		{name: "older than what a write was answered with", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x v=2
			c1 <- @3
			g1 -> GET a/x
			g1 <- a/x @2 v=1`,
			bad: found("a/x @3", "a/x @2", 5, 6)},
		{name: "deleted, and found", says: bad, history: written + `
			g1 -> GET a/x
			g1 <- a/x @3 v=2`,
			bad: found("404: it was not there", "a/x @3", 9, 10)},
		{name: "another object", says: bad, history: written + `
			g1 -> GET a/x
			g1 <- a/y @4 v=3`,
			bad: found("the object a/x", "a/y @4", 9, 10)},
		{name: "another content", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			g1 -> GET a/x
			g1 <- a/x @2 v=7`,
			bad: found("a/x @2", `a/x @2 with content "spec=7", which was written as "spec=1"`, 3, 4)},
	})
}

func TestGetNotOlderThan(t *testing.T) {
	const changed = `
		c1 -> CREATE a/x v=1
		c1 <- @2
		c1 -> UPDATE a/x v=2
		c1 <- @5
	`
	judge(t, "get/not-older-than", []judged{
		{name: "as old as that, or newer", says: good, history: changed + `
			g1 -> GET a/x rv=2
			g1 <- a/x @2 v=1
			g1 -> GET a/x rv=2
			g1 <- a/x @5 v=2
			g1 -> GET a/x rv=4
			g1 <- a/x @2 v=1`},
		{name: "another object", says: bad, history: changed + `
			g1 -> GET a/x rv=2
			g1 <- a/y @5 v=2`,
			bad: found("the object a/x", "a/y @5", 5, 6)},
		{name: "with another content", says: bad, history: changed + `
			g1 -> GET a/x rv=2
			g1 <- a/x @5 v=1`,
			bad: found("a/x @5 as it was written", "a/x @5", 5, 6)},
		{name: "a state that nobody wrote", says: bad, history: changed + `
			g1 -> GET a/x rv=2
			g1 <- a/x @6 v=2`,
			bad: found("a/x as somebody wrote it", "a/x @6", 5, 6)},
		{name: "a state that another client may have written", says: undecided, undecided: "another client", history: inRealTime + changed + `
			g1 -> GET a/x rv=2
			g1 <- a/x @6 v=2`},
		{name: "deleted since, or created since", says: odd, history: written + `
			g1 -> GET a/x rv=2
			g1 <- 404 NotFound
			g1 -> GET a/y rv=3
			g1 <- 404 NotFound
			g1 -> GET a/y rv=3
			g1 <- a/y @4 v=3`},
		{name: "deleted before, and not found", says: good, history: written + `
			c1 -> CREATE a/z v=4
			c1 <- @6
			g1 -> GET a/x rv=6
			g1 <- 404 NotFound`},
		{name: "a delete of unknown outcome", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> DELETE a/x
			c1 <- lost
			g1 -> GET a/x rv=2
			g1 <- 404 NotFound
			g1 -> GET a/x rv=2
			g1 <- a/x @2 v=1`},
		{name: "a delete of unknown outcome, and it was there later", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2 uid=-
			c1 -> DELETE a/x
			c1 <- lost
			g1 -> GET a/x rv=2
			g1 <- 404 NotFound
			c1 -> PATCH a/x v=2
			c1 <- @4 uid=-`},
		{name: "at 0: any that was", says: good, history: changed + `
			g1 -> GET a/x rv=0
			g1 <- a/x @2 v=1`},
		{name: "at 0: none that was", says: bad, history: changed + `
			g1 -> GET a/x rv=0
			g1 <- a/x @2 v=7`,
			bad: found("a/x @2 as it was written", "a/x @2", 5, 6)},
		{name: "unset, refused, lost, unreadable", says: untested, history: changed + `
			g1 -> GET a/x
			g1 <- a/x @2 v=1
			g1 -> GET a/x rv=0
			g1 <- 404 NotFound
			g1 -> GET a/x rv=5
			g1 <- 504 Timeout cause=ResourceVersionTooLarge retry=1
			g1 -> GET a/x rv=5
			g1 <- lost
			g1 -> GET a/x rv=x
			g1 <- a/x @2 v=1`},
		{name: "of a writer without resourceVersions", says: undecided, undecided: "no resourceVersion", history: overlap},
		{name: "older", says: bad, history: changed + `
			g1 -> GET a/x rv=5
			g1 <- a/x @2 v=1`,
			bad: found("a/x @5, or a newer one: it is the state at 5", "a/x @2", 3, 5, 6)},
		{name: "not found, and there all the time", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			g1 -> GET a/x rv=2
			g1 <- 404 NotFound
			c1 -> UPDATE a/x v=2
			c1 <- @5`,
			bad: found("a/x @2: it was there from 2 on", "404", 3, 4)},
		{name: "not found, and deleted only later", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			g1 -> GET a/x rv=2
			g1 <- 404 NotFound
			c1 -> DELETE a/x
			c1 <- ok`,
			bad: found("a/x @2: it was there from 2 on", "404", 3, 4)},
		{name: "deleted before, and found", says: bad, history: written + `
			c1 -> CREATE a/z v=4
			c1 <- @6
			g1 -> GET a/x rv=6
			g1 <- a/x @3 v=2`,
			bad: found("404, or what was created later: it was not there at 6", "a/x @3", 11, 12)},
		{name: "deleted before, and created again", says: good, history: written + `
			c1 -> CREATE a/z v=4
			c1 <- @6
			c1 -> CREATE a/x v=5
			c1 <- @8
			g1 -> GET a/x rv=6
			g1 <- a/x @8 v=5`},
	})
}
