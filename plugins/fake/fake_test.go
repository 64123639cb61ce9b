package fake_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/plugins/fake"
)

// Every fake can be opened by the name it goes by, and a wrong name teaches.
func TestOpen(t *testing.T) {
	_, err := fake.Open(t.Context(), "nosuch")
	require.ErrorContains(t, err, "lwtest mutants")
	for arg, want := range map[string]string{"": "fake", "mutant/lost-deleted": "fake:mutant/lost-deleted", "null/mute": "fake:null/mute"} {
		target, err := fake.Open(t.Context(), arg)
		require.NoError(t, err)
		assert.Equal(t, want, target.Name)
		assert.NotEmpty(t, target.Cases)
	}
}
