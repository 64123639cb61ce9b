package watchcache_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/conformance/replay/handmade"
	"github.com/lwtest/lwtest/conformance/watchcache"
)

// afterCompaction is a history in which the states before the last change are dropped.
const afterCompaction = ofCheck + `
	c1 -> CREATE a/x v=1
	c1 <- @2
	c1 -> CREATE a/y v=1
	c1 <- @3
	l1 -> LIST ns=a limit=1
	l1 <- @3 [a/x @2 v=1] continue=tok remaining=1
	c1 -> UPDATE a/x v=2
	c1 <- @4
	admin -> COMPACT
	admin <- @4
`

// An expired resourceVersion is never answered with 200 and nothing (kubernetes#104171): not on watch, not by a list at exactly it, and
// not by the rest of a list. What is refused with 410, or answered whole, raises no alarm.
func TestExpiredIsNeverEmpty(t *testing.T) {
	for name, c := range map[string]struct {
		history string
		broken  string // a rule; empty: none
	}{
		"watch: 410":                  {"w1 -> WATCH ns=a rv=2\nw1 <- ERROR 410 Expired", ""},
		"watch: whole":                {"w1 -> WATCH ns=a rv=2\nw1 <- ADDED a/y @3 v=1\nw1 <- MODIFIED a/x @4 v=2\nw1 <- SETTLED", ""},
		"watch: 200 and nothing":      {"w1 -> WATCH ns=a rv=2\nw1 <- SETTLED", "watch/reliable"},
		"watch: 200 and the last":     {"w1 -> WATCH ns=a rv=2\nw1 <- MODIFIED a/x @4 v=2\nw1 <- SETTLED", "watch/reliable"},
		"ancient: 200 and nothing":    {"w1 -> WATCH ns=a rv=1\nw1 <- SETTLED", "watch/expired"},
		"ancient: 500":                {"w1 -> WATCH ns=a rv=1\nw1 <- ERROR 500 InternalError", "watch/expired"},
		"exact: 410":                  {"l1 -> LIST ns=a rv=3 match=Exact\nl1 <- 410 Expired", ""},
		"exact: whole":                {"l1 -> LIST ns=a rv=3 match=Exact\nl1 <- @3 [a/x @2 v=1, a/y @3 v=1]", ""},
		"exact: 200 and nothing":      {"l1 -> LIST ns=a rv=3 match=Exact\nl1 <- @3 []", "list/snapshot"},
		"exact: 200 and the present":  {"l1 -> LIST ns=a rv=3 match=Exact\nl1 <- @4 [a/x @4 v=2, a/y @3 v=1]", "list/exact"},
		"exact: ancient, empty":       {"l1 -> LIST ns=a rv=1 match=Exact\nl1 <- @1 []", ""},
		"exact: ancient, the present": {"l1 -> LIST ns=a rv=1 match=Exact\nl1 <- @1 [a/x @4 v=2, a/y @3 v=1]", "list/snapshot"},
		"continue: 410":               {"l1 -> LIST ns=a limit=1 continue=tok\nl1 <- 410 Expired continue=tok2", ""},
		"continue: the rest":          {"l1 -> LIST ns=a limit=1 continue=tok\nl1 <- @3 [a/y @3 v=1]", ""},
		"continue: 200 and nothing":   {"l1 -> LIST ns=a limit=1 continue=tok\nl1 <- @3 []", "list/snapshot"},
		"a Table: 200 and nothing":    {"l1 -> LIST ns=a rv=3 match=Exact form=table\nl1 <- @3 []", "list/snapshot"},
	} {
		t.Run(name, func(t *testing.T) {
			h := handmade.History(t, afterCompaction+c.history)
			broken := map[string]bool{}
			for _, r := range watchcache.Suite.Rules {
				if len(r.Judge(h).Bad) > 0 {
					broken[r.Address()] = true
				}
			}
			if c.broken == "" {
				assert.Empty(t, broken)
			} else {
				assert.Contains(t, broken, c.broken)
			}
		})
	}
}
