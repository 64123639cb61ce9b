package kind

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A restart ends the API server of the control plane's node, and says so where it cannot.
func TestRestart(t *testing.T) {
	state := fakeDocker(t, "one")
	c, err := Find(t.Context(), "one", Options{Say: (&lines{}).say})
	require.NoError(t, err)
	require.NoError(t, c.Restart(t.Context()))
	calls, err := os.ReadFile(state + ".calls")
	require.NoError(t, err)
	assert.Regexp(t, `exec --privileged one-control-plane sh -c for p in \$\(pgrep -x kube-apiserver\)`, string(calls))
	t.Setenv("DOCKER_FAILS", "exec")
	assert.ErrorContains(t, c.Restart(t.Context()), "the API server on one-control-plane")
}
