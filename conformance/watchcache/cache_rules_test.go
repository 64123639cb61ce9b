package watchcache_test

import (
	"strings"
	"testing"
)

// lagging is a change while the cache is behind: @3 is not there yet.
const lagging = `
	c1 -> CREATE a/x v=1
	c1 <- @2
	admin -> LAG
	admin <- ok
	c1 -> UPDATE a/x v=2
	c1 <- @3
`

// troubleCases are those of a cache that lags; one that starts differs in the name alone.
var troubleCases = []judged{
	{name: "it waits, or refuses", says: good, history: lagging + `
		l1 -> LIST
		l1 <- @3 [a/x @3 v=2]
		l1 -> LIST rv=3 match=NotOlderThan
		l1 <- 504 Timeout cause=ResourceVersionTooLarge retry=1
		c1 -> GET a/x
		c1 <- 429 TooManyRequests retry=1
		c1 -> GET a/x
		c1 <- 503`},
	{name: "stale where that is asked for", says: good, history: lagging + `
		l1 -> LIST rv=0
		l1 <- @2 [a/x @2 v=1]`},
	{name: "a resourceVersion that is none", says: good, history: lagging + `
		c1 -> GET a/x rv=xyz
		c1 <- 500`},
	{name: "no trouble", says: untested, history: replaced + `
		l1 -> LIST
		l1 <- @2 [a/x @2 v=1]`},
	{name: "before, and after it", says: untested, history: strings.Replace(lagging, "admin -> LAG", "l1 -> LIST\n l1 <- @1 []\n admin -> LAG", 1) + `
		admin -> LAG-OVER
		admin <- ok
		l1 -> LIST
		l1 <- @2 [a/x @2 v=1]`},
	{name: "nobody knows", says: untested, history: lagging + `
		l1 -> LIST
		l1 <- lost`},
	{name: "a stale list", says: bad, history: lagging + `
		l1 -> LIST
		l1 <- @2 [a/x @2 v=1]`,
		bad: found("list/most-recent: a resourceVersion of at least 3, which a write before it was answered with", "a list @2", 7, 8)},
	{name: "a stale get", says: bad, history: lagging + `
		c1 -> GET a/x
		c1 <- a/x @2 v=1`,
		bad: found("get/most-recent: a/x @3", "a/x @2", 7, 8)},
	{name: "older than was asked for", says: bad, history: lagging + `
		l1 -> LIST rv=3 match=NotOlderThan
		l1 <- @2 [a/x @2 v=1]`,
		bad: found("list/not-older-than: a resourceVersion of at least 3", "a list @2 of 1 items", 7, 8)},
	{name: "a right update and a stale one", says: good, history: lagging + `
		l1 -> LIST rv=0
		l1 <- @2 [a/x @2 v=1]
		c2 -> UPDATE a/x @2 v=3
		c2 <- 409 Conflict
		c1 -> UPDATE a/x @3 v=4
		c1 <- @4`},
	{name: "an update made from what the stale view showed", says: bad, history: lagging + `
		l1 -> LIST rv=0
		l1 <- @2 [a/x @2 v=1]
		c2 -> UPDATE a/x @2 v=3
		c2 <- @4`,
		bad: found("write/conflict: 409 Conflict: a/x was @3, and not of resourceVersion 2", "the UPDATE was accepted", 9, 10)},
	{name: "a right delete is refused", says: bad, history: lagging + `
		c2 -> DELETE a/x @3
		c2 <- 409 Conflict`,
		bad: found("write/no-false-conflict: the DELETE to be taken: a/x was @3 all the time", "409 Conflict", 7, 8)},
	{name: "refused for good", says: bad, history: lagging + `
		l1 -> LIST
		l1 <- 500 InternalError`,
		bad: found("the truth, or an error that says when to try again", "500 InternalError, without a cause", 7, 8)},
}

func TestCacheLag(t *testing.T) { judge(t, "cache/lag", troubleCases) }

func TestCacheStarting(t *testing.T) {
	var cases []judged
	for _, c := range troubleCases {
		c.history = strings.ReplaceAll(c.history, "LAG", "STARTING")
		cases = append(cases, c)
	}
	judge(t, "cache/starting", append(cases, judged{
		name: "less than the truth", says: bad, history: strings.ReplaceAll(lagging, "LAG", "STARTING") + `
			l1 -> LIST
			l1 <- @3 []`,
		bad: found("list/snapshot: a/x @3 in the list, which is the state of a/x at the list's resourceVersion 3", "it is missing", 5, 7, 8)}))
}

// restarted is a server that was restarted when it was at 4.
const restarted = `
	c1 -> CREATE a/x v=1
	c1 <- @3
	c1 -> UPDATE a/x v=2
	c1 <- @4
	admin -> RESTART
	admin <- ok
`

func TestCacheRestart(t *testing.T) {
	judge(t, "cache/restart", []judged{
		{name: "it goes on", says: good, history: restarted + `
			l1 -> LIST
			l1 <- @4 [a/x @4 v=2]
			w1 -> WATCH rv=3
			w1 <- MODIFIED a/x @4 v=2
			w1 <- SETTLED
			c1 -> CREATE a/y v=3
			c1 <- @5`},
		{name: "410", says: good, history: restarted + `
			w1 -> WATCH rv=3
			w1 <- ERROR 410 Expired
			w2 -> WATCH rv=4
			w2 <- 410 Gone`},
		{name: "refused after the server may have compacted by itself", says: untested, history: restarted + `
			... 6m
			w1 -> WATCH rv=3
			w1 <- ERROR 500 InternalError`},
		{name: "refused", says: bad, history: restarted + `
			w1 -> WATCH rv=3
			w1 <- ERROR 500 InternalError`,
			bad: found("a watch that goes on, or 410", "500 InternalError", 7)},
		{name: "asked for later, or of itself", says: untested, history: restarted + `
			w1 -> WATCH rv=3
			w1 <- 429 TooManyRequests retry=1
			w2 -> WATCH rv=3
			w2 <- 403 Forbidden
			w3 -> WATCH rv=xyz
			w3 <- 400 BadRequest
			w4 -> WATCH rv=3 match=Exact
			w4 <- 422 Invalid
			w5 -> WATCH rv=3
			w5 <- 504 Timeout
			w6 -> WATCH
			w6 <- 400 BadRequest
			w7 -> WATCH rv=3
			w7 <- ENDED
			l1 -> LIST rv=0
			l1 <- @3 [a/x @3 v=1]`},
		{name: "no restart", says: untested, history: replaced + `
			l1 -> LIST
			l1 <- @2 [a/x @2 v=1]`},
		{name: "called before", says: untested, history: strings.Replace(restarted, "admin -> RESTART", "l1 -> LIST\n admin -> RESTART", 1) + `
			l1 <- @3 [a/x @3 v=1]`},
		{name: "a creation at what was there before", says: bad, history: restarted + `
			c1 -> CREATE a/y v=3
			c1 <- @4`,
			bad: found("a resourceVersion above 4, which was there before the restart", "a/y created @4", 6, 7, 8)},
		{name: "lists go back", says: bad, history: restarted + `
			l1 -> LIST
			l1 <- @3 [a/x @3 v=1]`,
			bad: found("a resourceVersion of at least 4, which was there before the restart", "a list @3", 6, 7, 8)},
		{name: "behind what a watch had shown", says: bad, history: strings.Replace(restarted, "admin -> RESTART", "w1 -> WATCH rv=4\n c2 -> CREATE a/z v=9\n c2 <- lost\n w1 <- ADDED a/z @5 v=9\n admin -> RESTART", 1) + `
			l1 -> LIST
			l1 <- @4 [a/x @4 v=2]`,
			bad: found("a resourceVersion of at least 5, which was there before the restart", "a list @4", 10, 11, 12)},
		{name: "behind a bookmark", says: bad, history: strings.Replace(restarted, "admin -> RESTART", "w1 -> WATCH rv=4 bookmarks\n w1 <- BOOKMARK @7\n admin -> RESTART", 1) + `
			l1 -> LIST
			l1 <- @6 [a/x @4 v=2]`,
			bad: found("a resourceVersion of at least 7, which was there before the restart", "a list @6", 8, 9, 10)},
		{name: "versions begin anew", says: bad, history: restarted + `
			c1 -> CREATE a/y v=3
			c1 <- @2`,
			bad: found("a resourceVersion above 4, which was there before the restart", "a/y created @2", 6, 7, 8)},
		{name: "a gap", says: bad, history: restarted + `
			w1 -> WATCH rv=3
			c1 -> CREATE a/y v=3
			c1 <- @5
			w1 <- ADDED a/y @5 v=3`,
			bad: found("MODIFIED for a/x @4", "no MODIFIED, though ADDED a/y @5 came after it", 3, 7, 10)},
		{name: "a gap without initial events", says: bad, history: restarted + `
			w1 -> WATCH rv=3 match=NotOlderThan initial=false
			c1 -> CREATE a/y v=3
			c1 <- @5
			w1 <- ADDED a/y @5 v=3`,
			bad: found("MODIFIED for a/x @4", "no MODIFIED, though ADDED a/y @5 came after it", 3, 7, 10)},
		{name: "another refusal", says: bad, history: restarted + `
			w1 -> WATCH rv=3
			w1 <- ERROR 400 BadRequest`,
			bad: found("a watch that goes on, or 410", "400 BadRequest", 7)},
		{name: "writes without resourceVersions", says: undecided, undecided: "no resourceVersion", history: overlap},
	})
}

func TestCacheWindow(t *testing.T) {
	moved := strings.ReplaceAll(restarted, "RESTART", "MOVE-WINDOW")
	judge(t, "cache/window", []judged{
		{name: "410, while a list is served", says: good, history: moved + `
			w1 -> WATCH rv=3
			w1 <- ERROR 410 Expired
			l1 -> LIST rv=3 match=Exact
			l1 <- @3 [a/x @3 v=1]`},
		{name: "it was kept", says: untested, history: moved + `
			w1 -> WATCH rv=3
			w1 <- MODIFIED a/x @4 v=2
			w1 <- SETTLED`},
		{name: "not moved, or from after it", says: untested, history: replaced + `
			w1 -> WATCH rv=2
			w1 <- ERROR 410 Expired
			admin -> MOVE-WINDOW
			admin <- ok
			w2 -> WATCH rv=3
			w2 <- ERROR 410 Expired`},
		{name: "a gap", says: bad, history: moved + `
			w1 -> WATCH rv=3
			w1 <- SETTLED`,
			bad: found("MODIFIED for a/x @4", "no MODIFIED, though the watch had all the time it needs", 3, 7, 8)},
	})
}
