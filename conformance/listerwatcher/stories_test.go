package listerwatcher_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/listerwatcher"
)

// Every check is a story that can be written as JSON, read again, and said in plain sentences.
func TestChecksAreStories(t *testing.T) {
	kind := listerwatcher.Suite.Describe()
	for _, c := range listerwatcher.Suite.Checks() {
		require.NotNil(t, c.Script, c.Name)
		b, err := c.Script.JSON()
		require.NoError(t, err, c.Name)
		again, err := kind.Story(b)
		require.NoError(t, err, c.Name)
		b2, err := again.JSON()
		require.NoError(t, err, c.Name)
		assert.Equal(t, string(b), string(b2), c.Name)
		assert.Equal(t, c.Script.Text(), again.Text(), c.Name)
		assert.Equal(t, len(c.Rules), len(again.Rules()), c.Name)
		assert.True(t, strings.HasSuffix(c.About, "."), "%s: its description is no sentence", c.Name)
	}
}

// Every word of this kind is used by a check.
func TestVocabulary(t *testing.T) {
	used := map[string]bool{}
	for _, c := range listerwatcher.Suite.Checks() {
		b, err := c.Script.JSON()
		require.NoError(t, err)
		var s struct{ Steps []struct{ Op string } }
		require.NoError(t, json.Unmarshal(b, &s))
		for _, step := range s.Steps {
			used[step.Op] = true
		}
	}
	for _, op := range []string{"open", "list", "watch", "read", "stop", "cancel", "until", "settle", "await"} {
		assert.True(t, used[op], "no check uses the word %s", op)
	}
}
