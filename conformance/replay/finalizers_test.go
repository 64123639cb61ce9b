package replay_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/replay/handmade"
)

func TestFinalizersOf(t *testing.T) {
	assert.Equal(t, []string{"f", "g"}, replay.FinalizersOf("spec=1 finalizers=f,g deleting"))
	assert.Empty(t, replay.FinalizersOf("spec=1 deleting"))
	assert.True(t, replay.IsDeleting("spec=1 deleting"))
	assert.True(t, replay.IsDeleting("deleting"))
	assert.False(t, replay.IsDeleting("spec=deleting2"))
}

// Of a key whose writes came one after the other it is known what each did.
func TestRoles(t *testing.T) {
	r := replay.Of(handmade.History(t, `
		c1 -> CREATE a/x body=spec=1+finalizers=f
		c1 <- @2
		c1 -> DELETE a/x
		c1 <- ok
		c1 -> DELETE a/x
		c1 <- ok
		w1 -> WATCH rv=2
		w1 <- MODIFIED a/x @3 body=spec=1+finalizers=f+deleting
		c1 -> PATCH a/x body=spec=1
		c1 <- @3 body=spec=1+deleting
		c1 -> CREATE a/x v=2
		c1 <- @5`))
	k, _ := r.H.KeyOf("a/x")
	require.True(t, r.Own(k), r.Disturbed)
	assert.True(t, r.Writes[1].Marks())
	assert.False(t, r.Writes[1].Ends())
	assert.False(t, r.Writes[2].Marks(), "it changes nothing")
	assert.True(t, r.Writes[3].Ends())
	assert.Equal(t, replay.Patch, r.Writes[3].Verb(), "that is what it was")
	of := r.OfKey(k)
	require.Len(t, of, 4)
	mark, gone := &r.Versions[of[1]], &r.Versions[of[2]]
	assert.True(t, mark.Sure && !mark.Gone)
	assert.EqualValues(t, 4, mark.By)
	assert.True(t, gone.Sure && gone.Unseen())
	assert.EqualValues(t, 9, gone.Call)
}

// Where that is not known, nothing is said of the key.
func TestRolesUnclear(t *testing.T) {
	for name, text := range map[string]string{
		"an update at the same time": `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @2
			c1 -> DELETE a/x
			c2 -> UPDATE a/x body=spec=2
			c1 <- ok
			c2 <- @3`,
		"the delete's answer is lost": `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @2
			c1 -> DELETE a/x
			c1 <- lost`,
		"an update before it was lost": `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @2
			c2 -> UPDATE a/x v=2
			c2 <- lost
			c1 -> DELETE a/x
			c1 <- ok`,
		"the create was lost, and seen": `
			w1 -> WATCH rv=1
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- lost
			w1 <- ADDED a/x @2 body=spec=1+finalizers=f
			c1 -> DELETE a/x
			c1 <- ok
			w1 <- MODIFIED a/x @3 body=spec=1+finalizers=f+deleting`,
		"the update was lost, and listed": `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x body=spec=1+finalizers=f
			l1 -> LIST ns=a
			l1 <- @3 [a/x @3 body=spec=1+finalizers=f]
			c2 -> DELETE a/x
			c2 <- ok`,
		"a patch of what was there before takes the last finalizer": `
			... real time
			c1 -> PATCH a/x v=2
			c1 <- a/x @3 body=spec=2+deleting`,
		"somebody else has written what a delete asks for": `
			... real time
			c1 -> CREATE a/x body=spec=1+finalizers=g
			c1 <- @2
			c1 -> DELETE a/x @4
			c1 <- ok`,
		"somebody else made it, and only a list tells": `
			... real time
			l1 -> LIST ns=a
			l1 <- @2 [a/x @2 body=spec=1+finalizers=f]
			c1 -> DELETE a/x
			c1 <- ok`,
	} {
		t.Run(name, func(t *testing.T) {
			r := replay.Of(handmade.History(t, text))
			k, _ := r.H.KeyOf("a/x")
			assert.False(t, r.Own(k))
			assert.Contains(t, r.Disturbed, "has had finalizers")
		})
	}
}

func TestCollections(t *testing.T) {
	r := replay.Of(handmade.History(t, `
		c1 -> CREATE a/x v=1 app=one
		c1 <- @2
		c1 -> CREATE a/y v=2
		c1 <- @3
		c1 -> CREATE a/z body=spec=3+finalizers=f app=one
		c1 <- @4
		c1 -> CREATE a/gone v=4 app=one
		c1 <- @5
		c1 -> DELETE a/gone
		c1 <- ok
		c2 -> CREATE a/late v=5 app=one
		c1 -> DELETECOLLECTION ns=a labels=app=one
		c1 <- ok
		c2 <- @9
		c1 -> CREATE b/x v=6
		c1 <- @10`))
	require.Len(t, r.Collections, 1)
	c := r.Collections[0]
	got := map[string]replay.Fate{}
	for _, s := range c.Keys {
		got[r.H.Key(s.K)] = s.Fate
	}
	assert.Equal(t, map[string]replay.Fate{"a/x": replay.Ended, "a/y": replay.Spared, "a/z": replay.Marked, "a/gone": replay.Absent, "a/late": replay.Maybe}, got)
	assert.Len(t, r.Writes, 7, "its deletions are no writes of their own")
	k, _ := r.H.KeyOf("a/x")
	s := r.StateAt(k, r.Acked(17))
	assert.True(t, r.Own(k))
	assert.EqualValues(t, replay.None, s.Version)
}
