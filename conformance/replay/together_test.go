package replay

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTogetherPanicsWithWhatEitherPanicsWith(t *testing.T) {
	done := false
	assert.PanicsWithValue(t, "g", func() { together(func() { done = true }, func() { panic("g") }) })
	assert.True(t, done, "f has run, too")
	assert.PanicsWithValue(t, "f", func() { together(func() { panic("f") }, func() {}) })
}
