package replay_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/replay/handmade"
)

// Of a key that may have been there before the run nothing is held against what
// came before the run's first write; what comes after it, and no write here
// explains, is somebody else's.
func TestOlder(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		own  bool
	}{
		"before the first write": {`
			... real time
			l1 -> LIST ns=a
			l1 <- @5 [a/x @5 v=1]
			c1 -> UPDATE a/x v=2
			c1 <- @6`, true},
		"after it": {`
			... real time
			c1 -> UPDATE a/x v=2
			c1 <- @6
			l1 -> LIST ns=a
			l1 <- @8 [a/x @8 v=3]`, false},
		"after it, and it leaves a selector, and a lost delete is for what is there then": {`
			... real time
			c1 -> UPDATE a/x v=2 app=one
			c1 <- @6 uid=u1
			l1 -> GET a/x
			l1 <- a/x @8 uid=u1 v=3 app=two
			c3 -> DELETE a/x @8
			c3 <- lost
			w1 -> WATCH rv=6 labels=app=one
			w1 <- DELETED a/x @8 uid=u1 v=2 app=one`, false},
		"after a create that was lost, and listed": {`
			... real time
			c1 -> CREATE a/x v=1
			l1 -> LIST ns=a
			l1 <- @6 [a/x @6 v=1]
			c2 -> CREATE a/x v=5
			c2 <- 409 AlreadyExists
			l1 -> LIST ns=a
			l1 <- @8 [a/x @8 v=2]`, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := replay.Of(handmade.History(t, c.text))
			k, _ := r.H.KeyOf("a/x")
			assert.Equal(t, c.own, r.Own(k), r.Disturbed)
		})
	}
}
