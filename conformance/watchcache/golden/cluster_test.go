package golden_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/watchcache/golden"
)

// What a kind cluster answers is what a kube-apiserver without controllers does, but for what these write, and each
// difference has its reason. (Judged they were when they were recorded: without the versions of what others write, as
// normalised histories are, a rule may see one change twice.)
func TestClustersAreLikeServers(t *testing.T) {
	bare := load(t)[golden.Reference]
	all, err := golden.Clusters()
	require.NoError(t, err)
	for from, hs := range all {
		assert.Greater(t, len(hs), 70, from)
		for name, h := range hs {
			if slices.Contains(golden.Concurrent, name) || golden.Timed[name] != "" {
				continue
			}
			require.NotNil(t, bare[name], name)
			differs := golden.Compare(bare[name], golden.Bare(h))
			if golden.Differ[name] == "" {
				assert.Empty(t, differs, "%s, %s", from, name)
			} else {
				assert.NotEmpty(t, differs, "%s, %s: it differs no longer", from, name)
			}
		}
		for name := range golden.Differ {
			assert.NotNil(t, hs[name], "%s has no %s", from, name)
		}
	}
}
