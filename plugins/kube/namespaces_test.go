package kube

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The second namespace begins like the first, and the third ends like it; all
// differ, and in the order of their names are as those of a subject without any
// of its own: a, ab, abb, ba, bab.
func TestNamespacesAreAlike(t *testing.T) {
	base := baseName("run/check")
	var names []string
	for i := range 5 {
		names = append(names, nameLike(base, i))
	}
	require.Equal(t, base, names[0])
	require.True(t, strings.HasPrefix(names[1], base))
	require.True(t, strings.HasSuffix(names[2], base))
	sorted := slices.Compact(slices.Sorted(slices.Values(names)))
	require.Equal(t, []string{names[0], names[1], names[3], names[2], names[4]}, sorted)
}
