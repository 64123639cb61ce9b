package history

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is left is numbered anew and refers to its calls; the history itself stays as it is.
func TestOnly(t *testing.T) {
	h, err := New(Header{Kind: "toy"}, []Event{
		{Actor: "a", Kind: "GONE", Phase: Call},
		{Actor: "b", Kind: "LIST", Phase: Call},
		{Actor: "a", Kind: "GONE", Phase: Return, Call: 1, Obj: Ref{Key: "x", RV: "3"}},
		{Actor: "b", Kind: "LIST", Phase: Return, Call: 2, X: &Ext{Items: []Ref{{Key: "z", RV: "7"}}}},
	})
	require.NoError(t, err)
	h.Truncated = true
	part, nums, err := h.Only(func(n int32) bool { return n != 1 })
	require.NoError(t, err)
	assert.Equal(t, []int32{2, 4}, nums, "the return goes with its call")
	assert.Equal(t, int32(1), part.Event(2).Call)
	assert.Equal(t, int32(1), part.Event(2).X.Items[0].K)
	assert.Equal(t, int32(2), h.Event(4).X.Items[0].K, "of the whole")
	assert.True(t, part.Truncated)
	assert.Equal(t, "toy", part.Header.Kind)
}
