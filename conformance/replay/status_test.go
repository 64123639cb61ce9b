package replay_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/replay/handmade"
)

// Where status has a subresource, what is shown tells which lost write made it: that of the status, or of
// the rest.
func TestLostWritesOfStatus(t *testing.T) {
	r := replay.Of(handmade.History(t, `
		... has comparable-rv status-subresource
		c1 -> CREATE a/x v=1
		c1 <- @2
		c2 -> UPDATE a/x @2 body=spec=9+status=s status
		c2 <- lost
		c1 -> UPDATE a/x body=spec=3+status=old
		c1 <- lost
		w1 -> WATCH rv=2
		w1 <- MODIFIED a/x @3 body=spec=1+status=s
		w1 <- MODIFIED a/x @4 body=spec=3+status=s`))
	k, _ := r.H.KeyOf("a/x")
	require.Empty(t, r.Phantoms)
	of := r.OfKey(k)
	require.Len(t, of, 3)
	assert.EqualValues(t, 3, r.Versions[of[1]].Call)
	assert.EqualValues(t, 5, r.Versions[of[2]].Call)
}

// What a write asks to be stored is made of what it sent and of what was there.
func TestSends(t *testing.T) {
	const object = `
		c1 -> CREATE a/x body=spec=1+status=no
		c1 <- @2 v=1
		c2 -> UPDATE a/x @2 body=spec=7+status=s status
		c2 <- @3 body=spec=1+status=s
		c1 -> UPDATE a/x @2 body=spec=2+status=old
		c1 <- 409 Conflict
		c2 -> PATCH a/x body=status=t status
		c2 <- 409 Conflict`
	sends := func(header string) (out []string) {
		r := replay.Of(handmade.History(t, header+object))
		for i := range r.Writes {
			out = append(out, r.Sends(&r.Writes[i]))
		}
		return out
	}
	assert.Equal(t, []string{"spec=1", "spec=1 status=s", "spec=2 status=s", "spec=1 status=t"}, sends("... has comparable-rv status-subresource"))
	assert.Equal(t, "spec=1 status=no", sends("... has comparable-rv")[0], "status is as all else")
}

// The scorecard tells writes of status from others.
func TestScoreOfStatus(t *testing.T) {
	s := replay.Score(handmade.History(t, `
		... has comparable-rv status-subresource
		c1 -> CREATE a/x v=1
		c1 <- @2
		c2 -> UPDATE a/x @2 body=spec=1+status=s status
		c2 <- @3
		c2 -> PATCH a/x @2 body=status=t status
		c2 <- 409 Conflict`))
	assert.Equal(t, 1, s["UPDATE sub=status rv=right uid=none dry=false outcome=ok"])
	assert.Equal(t, 1, s["PATCH sub=status rv=stale uid=none dry=false outcome=409"])
}
