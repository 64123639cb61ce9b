package watchcache_test

import "testing"

// The time of a deletion stays.
func TestWriteFinalizersTime(t *testing.T) {
	const marked = `
		c1 -> CREATE a/x body=spec=1+finalizers=f
		c1 <- @2 uid=u
		c1 -> DELETE a/x
		c1 <- ok
		g1 -> GET a/x
		g1 <- a/x @3 uid=u body=spec=1+finalizers=f+deleting deleted=2026-03-14T00:00:10Z
		c1 -> UPDATE a/x @3 body=spec=2+finalizers=f`
	judge(t, "write/finalizers", []judged{
		{name: "no delete", says: untested, history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @2 uid=u`},
		{name: "it stays", says: good, history: marked + `
			c1 <- @4 uid=u body=spec=2+finalizers=f+deleting deleted=2026-03-14T00:00:10Z`},
		{name: "not everybody tells it", says: good, history: marked + `
			c1 <- @4 uid=u body=spec=2+finalizers=f+deleting`},
		{name: "of a shorter period it moves", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2 uid=u
			w1 -> WATCH rv=2
			w1 <- MODIFIED a/x @3 uid=u body=spec=1+grace=30+deleting deleted=2026-03-14T00:00:40Z
			w1 <- MODIFIED a/x @4 uid=u body=spec=1+grace=5+deleting deleted=2026-03-14T00:00:15Z`},
		{name: "a delete asks for another period, and nothing tells what is left", says: undecided, undecided: "waits for something", history: `
			c1 -> CREATE a/x v=1
			c1 <- @2 uid=u
			w1 -> WATCH rv=2
			c1 -> DELETE a/x
			w1 <- MODIFIED a/x @3 uid=u body=spec=1+deleting deleted=2026-03-14T00:00:40Z
			c1 <- ok
			c1 -> DELETE a/x grace=5
			w1 <- MODIFIED a/x @4 uid=u body=spec=1+deleting deleted=2026-03-14T00:00:15Z
			c1 <- ok`},
		{name: "it is later", says: bad, history: marked + `
			c1 <- @4 uid=u body=spec=2+finalizers=f+deleting deleted=2026-03-14T00:00:11Z`,
			bad: found("a/x with its deletionTimestamp 2026-03-14T00:00:10Z", "2026-03-14T00:00:11Z", 7, 8)},
		{name: "it is earlier, for nothing", says: bad, history: marked + `
			c1 <- @4 uid=u body=spec=2+finalizers=f+deleting deleted=2026-03-14T00:00:09Z`,
			bad: found("a/x with its deletionTimestamp 2026-03-14T00:00:10Z", "2026-03-14T00:00:09Z", 7, 8)},
	})
}
