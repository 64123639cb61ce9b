package release_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/release"
)

// upstream matches links to an issue, a pull request, or source at a version. Source on a branch may change.
var upstream = regexp.MustCompile(`^https://github\.com/[^/]+/[^/]+/((issues|pull)/[0-9]+|blob/v?[0-9]+\.[0-9]+\.[0-9]+/[^#]+(#L[0-9]+(-L[0-9]+)?)?)$`)

// Each known failure of this tree links to an explanation.
func TestKnownFailuresHaveLinks(t *testing.T) {
	root, err := release.Root(".")
	require.NoError(t, err)
	lines := 0
	for _, folder := range []string{"interop", "plugins"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.Name() == "node_modules":
				return fs.SkipDir
			case !strings.HasPrefix(d.Name(), "known") || filepath.Ext(path) != ".json":
				return nil
			}
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			known, err := harness.ParseKnown(path, b)
			require.NoError(t, err)
			for i, k := range known {
				assert.Regexp(t, upstream, k.Link, "%s: line %d (%s, %s)", strings.TrimPrefix(path, root), i+1, k.Check, k.Rule)
			}
			lines += len(known)
			return nil
		}))
	}
	assert.Greater(t, lines, 100)
}
