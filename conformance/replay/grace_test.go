package replay_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/replay/handmade"
)

func TestLeft(t *testing.T) {
	assert.EqualValues(t, 30, replay.Left("spec=1 node=n grace=30 deleting"))
	assert.EqualValues(t, 0, replay.Left("spec=1 node=n deleting"))
	assert.True(t, replay.OnNode("spec=1 node=n"))
	assert.False(t, replay.OnNode("spec=node=n"))
	assert.Equal(t, "spec=1 node=n", replay.Unmarked("spec=1 node=n grace=30 deleting"))
	assert.Equal(t, "spec=1", replay.Unmarked("spec=1"))
}

// A deletion of such a kind is two versions; with time left it is one, and the object stays.
func TestDeletionsInTwoSteps(t *testing.T) {
	r := replay.Of(handmade.History(t, `
		... has comparable-rv grace
		c1 -> CREATE a/x body=spec=1+node=n
		c1 <- @2
		w1 -> WATCH rv=2
		c1 -> DELETE a/x
		c1 <- ok
		w1 <- MODIFIED a/x @3 body=spec=1+node=n+grace=30+deleting
		c1 -> DELETE a/x grace=0
		c1 <- ok
		w1 <- MODIFIED a/x @4 body=spec=1+node=n+deleting
		w1 <- DELETED a/x @5 body=spec=1+node=n+deleting`))
	k, _ := r.H.KeyOf("a/x")
	require.True(t, r.Own(k), r.Disturbed)
	require.Len(t, r.Writes, 3, "the steps are taken out again")
	assert.True(t, r.Writes[1].Marks())
	assert.Equal(t, "spec=1 node=n grace=30 deleting", r.Writes[1].Mark())
	assert.True(t, r.Writes[2].Ends())
	of := r.OfKey(k)
	require.Len(t, of, 4)
	for n, gone := range []bool{false, false, false, true} {
		assert.Equal(t, gone, r.Versions[of[n]].Gone, "version %d", n)
	}
	assert.EqualValues(t, 7, r.Versions[of[2]].Call, "the first step is of the delete that ended it")
	assert.EqualValues(t, 7, r.Versions[of[3]].Call)
}

// What ended an object and is no delete has no steps: neither has the write before it.
func TestEndsWithoutSteps(t *testing.T) {
	const end = `
		c1 -> PATCH a/x v=1
		c1 <- @3 body=spec=1+deleting
		w1 -> WATCH rv=2
		w1 <- MODIFIED a/x @3 body=spec=1+deleting
		w1 <- DELETED a/x @5 body=spec=1+deleting`
	for name, before := range map[string]string{"the first write": "", "another object's": `
		c2 -> CREATE b/y v=1`} {
		r := replay.Of(handmade.History(t, "... has comparable-rv grace\n"+before+end))
		for i := range r.Versions {
			v := &r.Versions[i]
			assert.True(t, v.Call == 0 || r.H.Event(v.Call).Obj.Key == "a/x", name)
		}
	}
}
