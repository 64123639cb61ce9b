package watchcache_test

import "testing"

// oneName is an object without a namespace under a watch of its name.
const oneName = `
	c1 -> CREATE (cluster)/x v=1
	c1 <- @4
	w1 -> WATCH rv=4 fields=metadata.name=x
	c1 -> UPDATE (cluster)/x @4 v=2
	c1 <- @5`

func TestWatchClusterScoped(t *testing.T) {
	const changed = `
		w1 <- MODIFIED (cluster)/x @5 v=2`
	judge(t, "watch/cluster-scoped", []judged{
		{name: "in a namespace", says: untested, history: `
			c1 -> CREATE a/x v=1
			c1 <- @4
			w1 -> WATCH rv=4
			c1 -> UPDATE a/x @4 v=2
			c1 <- @5
			w1 <- MODIFIED a/x @5 v=2
			w1 <- SETTLED`},
		{name: "a change", says: good, history: oneName + changed + `
			w1 <- SETTLED`},
		{name: "a watch of all", says: good, history: `
			w1 -> WATCH rv=1
			c1 -> CREATE (cluster)/x v=1
			c1 <- @4
			w1 <- ADDED (cluster)/x @4 v=1
			w1 <- SETTLED`},
		{name: "no change", says: bad, history: oneName + `
			w1 <- SETTLED`, bad: found("MODIFIED for (cluster)/x @5", "no MODIFIED, though the watch had all the time it needs", 4, 3, 6)},
		{name: "a later one alone", says: bad, history: oneName + `
			c1 -> UPDATE (cluster)/x @5 v=3
			c1 <- @6
			w1 <- MODIFIED (cluster)/x @6 v=3`, bad: found("MODIFIED for (cluster)/x @5", "no MODIFIED, though MODIFIED (cluster)/x @6 came after it", 4, 3, 8)},
		{name: "another name", says: odd, history: `
			w1 -> WATCH rv=1 fields=metadata.name=x
			c1 -> CREATE (cluster)/xy v=1
			c1 <- @4
			w1 <- SETTLED`},
		{name: "the watch ended before", says: odd, history: oneName + `
			w1 <- ENDED`},
	})
}
