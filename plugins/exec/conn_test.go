package exec

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness/proc"
)

// An adapter that cannot be sent a request, and does not end, is told of, and is killed.
func TestUnsent(t *testing.T) {
	t.Parallel()
	p, err := proc.Start(command(""), proc.Limits{})
	require.NoError(t, err)
	c := talk(p)
	var nonsense *Nonsense
	require.ErrorAs(t, c.unsent(errors.New("full")), &nonsense)
	assert.Equal(t, "it does not read its stdin: full", nonsense.What)
	assert.Equal(t, error(nonsense), c.ended())
	<-p.Gone()
}

// A handler is synced when the drive has been told of what had come by the time at which the adapter said so.
func TestHasFirst(t *testing.T) {
	t.Parallel()
	h := &handler{come: 2, done: 1}
	assert.False(t, h.hasFirst(false))
	assert.False(t, h.hasFirst(true), "one of two")
	h.come, h.done = 3, 2
	assert.True(t, h.hasFirst(true), "of what came later nothing is said")
	assert.False(t, h.hasFirst(false), "it is what the adapter says")
}
