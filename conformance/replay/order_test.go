package replay_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/conformance/replay"
)

func TestUnordered(t *testing.T) {
	for _, c := range []struct{ name, history, want string }{
		{"one after the other", `
			c1 -> CREATE a/x v=1
			c1 <- ok
			c2 -> CREATE a/y v=1
			c2 <- ok`, ""},
		{"refused ones may overlap", `
			c1 -> CREATE a/x v=1
			c2 -> CREATE a/x v=2
			c1 <- ok
			c2 <- 409 AlreadyExists`, ""},
		{"overlapping", `
			c1 -> CREATE a/x v=1
			c2 -> CREATE a/y v=1
			c1 <- ok
			c2 <- ok`, "the write #2 overlaps the one before it, and writes return no resourceVersion to order them by"},
		{"lost", `
			c1 -> CREATE a/x v=1
			c1 <- ok
			c1 -> DELETE a/x
			c1 <- lost`, "the outcome of the write #3 is unknown, and writes return no resourceVersion to tell it by"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := of(t, c.history)
			assert.True(t, r.ByOrder)
			assert.Equal(t, c.want, r.Unordered)
		})
	}
}

// Without resourceVersions an event is matched with the next change of its key
// that it can be.
func TestMatchByOrder(t *testing.T) {
	r := of(t, `
		w1 -> WATCH labels=app=one
		c1 -> CREATE a/x v=1 app=one
		c1 <- ok
		c1 -> UPDATE a/x v=2 app=two
		c1 <- ok
		c1 -> UPDATE a/x v=1 app=one
		c1 <- ok
		c1 -> DELETE a/x
		c1 <- ok
		w1 <- ADDED a/x v=1 app=one
		w1 <- DELETED a/x v=1 app=one
		w1 <- ADDED a/x v=1 app=one
		w1 <- DELETED a/x v=1 app=one
		w1 <- DELETED a/x v=1 app=one
		w1 <- MODIFIED a/x v=9 app=one`)
	want := []int32{0, 1, 2, 3, 3, replay.None}
	for i, v := range want {
		assert.Equal(t, v, r.VersionOf(r.H.Event(int32(10+i))), "event %d", 10+i)
	}
}

// What differs in labels alone is told apart by them; where none has such labels
// the content decides.
func TestMatchByOrderLooksAtLabels(t *testing.T) {
	r := of(t, `
		c1 -> CREATE a/x v=1
		c1 <- ok
		c1 -> UPDATE a/x v=1 app=two
		c1 <- ok
		c1 -> UPDATE a/x v=1 app=one
		c1 <- ok
		w1 -> WATCH
		w1 <- ADDED a/x v=1 app=one
		w2 -> WATCH labels=app=two
		w2 <- ADDED a/x v=1 app=two
		w2 <- DELETED a/x v=1 app=one
		w3 -> WATCH
		w3 <- ADDED a/x v=1 app=three
		w3 <- MODIFIED a/x v=1 app=two`)
	for event, v := range map[int32]int32{8: 2, 10: 1, 11: 2, 13: 0, 14: 1} {
		assert.Equal(t, v, r.VersionOf(r.H.Event(event)), "event %d", event)
	}
}
