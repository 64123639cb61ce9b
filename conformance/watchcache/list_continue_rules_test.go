package watchcache_test

import "testing"

func TestListContinueExpired(t *testing.T) {
	const begun = four + `
		l1 -> LIST ns=a limit=2
		l1 <- @5 [a/a @2, a/b @3] continue=t1
		c1 -> CREATE a/e v=5
		c1 <- @6
	`
	const offered = begun + `
		l1 -> LIST ns=a limit=2 continue=t1
		l1 <- 410 Expired continue=new
	`
	const again = `
		l1 -> LIST ns=a limit=2 continue=t1
		l1 <- 504 Timeout retry=1
	`
	const putOff = begun + `
		admin -> COMPACT
		admin <- @6` + again
	judge(t, "list/continue-expired", []judged{
		{name: "goes on at a newer state, and keeps it", says: good, history: offered + `
			l1 -> LIST ns=a limit=2 continue=new
			l1 <- @6 [a/c @4, a/d @5] continue=t2
			c1 -> CREATE a/f v=6
			c1 <- @7
			l1 -> LIST ns=a limit=2 continue=t2
			l1 <- @6 [a/e @6]`},
		{name: "to be tried again, for ten minutes", says: bad, history: putOff + times(3, "... 5m\n"+again),
			bad: found("410 with a token to go on with, or a page @5", "504 Timeout, for the 4. time in 10m0s", 10, 15, 21, 22)},
		{name: "to be tried again, for less", says: untested, history: putOff + times(3, "... 1m\n"+again)},
		{name: "to be tried again, and nothing was compacted", says: untested, history: begun + again + times(3, "... 5m\n"+again)},
		{name: "to be tried again, in real time, where a cache may be late", says: untested, history: "... real time\n" + putOff + times(3, "... 5m\n"+again)},
		{name: "what was offered expires, too", says: good, history: offered + `
			l1 -> LIST ns=a limit=2 continue=new
			l1 <- 410 Expired continue=newer
			l1 -> LIST ns=a continue=newer
			l1 <- @9 [a/c @4, a/d @5, a/e @6]`},
		{name: "written before the key where it goes on: not seen", says: odd, history: offered + `
			c1 -> CREATE a/aa v=7
			c1 <- @7
			l1 -> LIST ns=a continue=new
			l1 <- @7 [a/c @4, a/d @5, a/e @6]`},
		{name: "two namespaces are offered the same token", says: good, history: begun + `
			c1 -> CREATE ab/a v=7
			c1 <- @7
			c1 -> CREATE ab/c v=8
			c1 <- @8
			l1 -> LIST ns=ab limit=1
			l1 <- @8 [ab/a @7] continue=t1
			l1 -> LIST ns=a limit=2 continue=t1
			l1 <- 410 Expired continue=new
			l1 -> LIST ns=ab limit=2 continue=t1
			l1 <- 410 Expired continue=new
			l1 -> LIST ns=a continue=new
			l1 <- @8 [a/c @4, a/d @5, a/e @6]
			l1 -> LIST ns=ab continue=new
			l1 <- @8 [ab/c @8]`},
		{name: "410 for a token that is not alone, which any 4xx is right for", says: untested, history: begun + `
			l1 -> LIST ns=a continue=t1 rv=2
			l1 <- 410 Expired
			l1 -> LIST ns=a continue=t1 rv=2 match=Exact
			l1 <- 410 Expired`},
		{name: "410 for a token with resourceVersion 0, which is as if there were none", says: bad, history: begun + `
			l1 -> LIST ns=a continue=t1 rv=0
			l1 <- 410 Expired`,
			bad: found("a token to go on with in metadata.continue of the 410", "none", 13, 14)},
		{name: "no expired token, or a made-up one", says: untested, history: begun + `
			l1 -> LIST ns=a limit=1 continue=t1
			l1 <- @5 [a/c @4] continue=t2
			l1 -> LIST ns=a continue=t2
			l1 <- @5 [a/d @5]
			l1 -> LIST ns=a continue=made-up:1
			l1 <- 410 Expired
			l1 -> LIST ns=a rv=2 match=Exact
			l1 <- 410 Expired
			l1 -> LIST ns=a continue=t1
			l1 <- 429 TooManyRequests retry=1
			l1 -> LIST ns=a continue=t1
			l1 <- lost`},
		{name: "of a writer without resourceVersions", says: undecided, undecided: "no resourceVersion", history: overlap},
		{name: "no token", says: bad, history: begun + `
			l1 -> LIST ns=a continue=t1
			l1 <- 410 Expired`,
			bad: found("a token to go on with in metadata.continue of the 410", "none", 13, 14)},
		{name: "the same token", says: bad, history: begun + `
			l1 -> LIST ns=a continue=t1
			l1 <- 410 Expired continue=t1`,
			bad: found("a token to go on with in metadata.continue of the 410", "the one that has expired", 13, 14)},
		{name: "from the start", says: bad, history: offered + `
			l1 -> LIST ns=a limit=2 continue=new
			l1 <- @6 [a/a @2, a/b @3] continue=t2`,
			bad: found("what comes after a/b", "a/a", 10, 15, 16)},
		{name: "at an older state", says: bad, history: offered + `
			l1 -> LIST ns=a limit=1 continue=new
			l1 <- @4 [a/c @4] continue=t2`,
			bad: found("a resourceVersion above 5, which has expired", "a page @4", 14, 15, 16)},
		{name: "with a hole", says: bad, history: offered + `
			l1 -> LIST ns=a limit=2 continue=new
			l1 <- @6 [a/d @5, a/e @6]`,
			bad: found("a/c @4 on one of 1 pages", "it is on none", 5, 16)},
		{name: "served after a compaction, at another state", says: bad, history: begun + `
			admin -> COMPACT
			admin <- @6
			l1 -> LIST ns=a continue=t1
			l1 <- @6 []`,
			bad: found("410 with a token to go on with, or a page @5", "a page @6 of 0 items", 10, 14, 15, 16)},
		{name: "served after a compaction, as it was", says: untested, history: begun + `
			admin -> COMPACT
			admin <- @6
			l1 -> LIST ns=a continue=t1
			l1 <- @5 [a/c @4, a/d @5]`},
		{name: "not kept", says: bad, history: offered + `
			l1 -> LIST ns=a limit=2 continue=new
			l1 <- @6 [a/c @4, a/d @5] continue=t2
			l1 -> LIST ns=a limit=2 continue=t2
			l1 <- @7 [a/e @6]`,
			bad: found("the resourceVersion of the page that the offered token gave, 6", "a page @7", 16, 17, 18)},
	})
}
