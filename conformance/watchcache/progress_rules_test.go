package watchcache_test

import "testing"

// otherMoved is an object, and another resource that has moved on to 9.
const otherMoved = `
	c1 -> CREATE a/x v=1
	c1 <- @4
	admin -> WRITE-OTHER
	admin <- @9`

func TestCacheProgress(t *testing.T) {
	const refusedList = `
	l1 -> LIST ns=a rv=9 match=NotOlderThan
	l1 <- 504 Timeout cause=ResourceVersionTooLarge retry=1`
	const refusedStream = `
	w1 -> WATCH ns=a rv=9 initial=true match=NotOlderThan bookmarks
	w1 <- ok
	w1 <- ERROR 504 Timeout cause=ResourceVersionTooLarge`
	const later = `
	... 8s`
	const want = "an answer within 15s: the server has answered with @9, for another resource"
	judge(t, "cache/progress", []judged{
		{name: "nobody asks for it", says: untested, history: otherMoved + `
			l1 -> LIST ns=a rv=4
			l1 <- @4 [a/x @4 v=1]`},
		{name: "a list", says: good, history: otherMoved + `
			l1 -> LIST ns=a rv=9 match=NotOlderThan
			l1 <- @9 [a/x @4 v=1]`},
		{name: "a get", says: good, history: otherMoved + `
			g1 -> GET a/x rv=9
			g1 <- a/x @4 v=1`},
		{name: "a streaming list", says: good, history: otherMoved + `
			w1 -> WATCH ns=a rv=9 initial=true match=NotOlderThan bookmarks
			w1 <- ADDED a/x @4 v=1
			w1 <- END-MARK @9`},
		{name: "late", says: good, history: otherMoved + refusedList + refusedList + later + refusedList + `
			... 5s
			l1 -> LIST ns=a rv=9 match=NotOlderThan
			l1 <- @9 [a/x @4 v=1]`},
		{name: "never", says: bad, history: otherMoved + refusedList + later + refusedList + later + refusedList,
			bad: found(want, "504 for 3 requests in a row", 5, 9)},
		{name: "never, as a streaming list", says: bad, history: otherMoved + refusedStream + later + refusedStream + later + refusedStream,
			bad: found(want, "504 for 3 requests in a row", 5, 11)},
		{name: "now and then", says: good, history: otherMoved + refusedList + later + refusedList + `
			l1 -> LIST ns=a rv=4 match=NotOlderThan
			l1 <- @4 [a/x @4 v=1]` + later + refusedList + refusedList + `
			l1 -> LIST ns=a rv=9 match=NotOlderThan
			l1 <- @9 [a/x @4 v=1]`},
		{name: "a streaming list in between has no mark of its end", says: odd, history: otherMoved + refusedList + later + refusedList + `
			w2 -> WATCH ns=a rv=9 initial=true match=NotOlderThan
			w2 <- ADDED a/x @4 v=1` + later + refusedList},
		{name: "twice only", says: odd, history: otherMoved + refusedList + later + later + refusedList},
		{name: "a version that nobody has", says: odd, history: otherMoved + `
			l1 -> LIST ns=a rv=20 match=NotOlderThan
			l1 <- 504 Timeout cause=ResourceVersionTooLarge retry=1
			... 61s
			l1 -> LIST ns=a rv=20 match=NotOlderThan
			l1 <- 504 Timeout cause=ResourceVersionTooLarge retry=1
			l1 -> LIST ns=a rv=20 match=NotOlderThan
			l1 <- 504 Timeout cause=ResourceVersionTooLarge retry=1`},
		{name: "the cache lags on purpose", says: odd, history: otherMoved + `
			admin -> LAG
			admin <- ok` + refusedList + later + refusedList + later + refusedList},
		{name: "refused for another reason", says: odd, history: otherMoved + `
			l1 -> LIST ns=a rv=9 match=NotOlderThan
			l1 <- 429 TooManyRequests retry=1
			... 61s
			l1 -> LIST ns=a rv=9 match=NotOlderThan
			l1 <- 429 TooManyRequests retry=1
			l1 -> LIST ns=a rv=9 match=NotOlderThan
			l1 <- 429 TooManyRequests retry=1`},
	})
}
