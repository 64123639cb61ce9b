package replay_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/replay/handmade"
)

// TestChainBefore: what becomes of a/x where an event shows more than its writes explain by then.
func TestChainBefore(t *testing.T) {
	for _, c := range []struct{ name, history, want string }{
		{"a lost create, and what another client made of that, which is seen first", `
			... real time
			w1 -> WATCH
			w2 -> WATCH rv=1
			c1 -> CREATE a/x v=1
			c1 <- lost
			w1 <- ADDED a/x @3 body=spec=1+annotation:n=1
			w2 <- ADDED a/x @2 v=1
			w2 <- MODIFIED a/x @3 body=spec=1+annotation:n=1`, "@2?"},
		{"a delete that asks for what is being created", `
			c1 -> CREATE a/x v=1
			c2 -> DELETE a/x @2
			c1 <- @2 uid=u1
			c2 <- ok
			c1 -> CREATE a/x v=2
			c2 -> DELETE a/x uid=u2
			c2 <- ok
			c1 <- @5 uid=u2
			c1 -> CREATE a/x v=3
			c1 <- @8 uid=u3`, "@2 -(2,5) @5 -(5,8) @8"},
		{"a patch that changes nothing is answered before the update that it found", `
			c1 -> CREATE a/x v=1
			c1 <- @11
			w1 -> WATCH rv=11
			c1 -> UPDATE a/x v=2
			w1 <- MODIFIED a/x @12 v=2
			c2 -> PATCH a/x
			c2 <- @12 v=2
			c1 <- @12`, "@11 @12"},
		{"what nobody made, and a write that changes nothing of it", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			l1 -> LIST
			l1 <- @3 [a/x @3 v=2]
			c1 -> UPDATE a/x v=2
			c1 <- @3`, "@2"},
		{"the same of what was there before, whose first state this is", `
			... real time
			l1 -> LIST
			l1 <- @3 [a/x @3 v=2]
			c1 -> UPDATE a/x v=2
			c1 <- @3`, "@3?~"},
	} {
		t.Run(c.name, func(t *testing.T) { becomes(t, c.history, c.want) })
	}
}

// becomes holds what the replay makes of a/x to what it should.
func becomes(t *testing.T, history, want string) {
	t.Helper()
	r := replay.Of(handmade.History(t, history))
	assert.Equal(t, want, chain(r, "a/x"))
	for i := range r.Writes {
		w := &r.Writes[i]
		if w.Version != replay.None {
			assert.Equal(t, w.K, r.Versions[w.Version].K, "a write and its version are of one key")
		}
	}
}
