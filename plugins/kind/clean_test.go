package kind

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// brief sets a limit for a test.
func brief(t *testing.T, limit *time.Duration, to time.Duration) {
	before := *limit
	*limit = to
	t.Cleanup(func() { *limit = before })
}

// What docker is still starting when its run is killed is deleted by one clean.
func TestCleanWaits(t *testing.T) {
	state := fakeDocker(t, "lwtest-left")
	claimed(t, told{Cluster: "lwtest-left", Made: time.Now()})
	require.NoError(t, os.WriteFile(state+".stays", nil, 0o600))
	time.AfterFunc(time.Second, func() { os.Remove(state + ".stays") })
	var said lines
	require.NoError(t, Clean(t.Context(), false, said.say))
	assert.Empty(t, left(t, state))
	assert.Len(t, said, 1)
}

// A node that comes up only while clean is at work is deleted too.
func TestCleanLateNode(t *testing.T) {
	state := fakeDocker(t)
	claim := claimed(t, told{Cluster: "lwtest-left", Made: time.Now()})
	time.AfterFunc(time.Second, func() { os.WriteFile(state, []byte("lwtest-left\n"), 0o600) })
	var said lines
	require.NoError(t, Clean(t.Context(), false, said.say))
	assert.Empty(t, left(t, state))
	assert.Len(t, said, 1)
	assert.NoFileExists(t, claim)
}

// What does not go is told, within the limit.
func TestCleanStays(t *testing.T) {
	state := fakeDocker(t, "lwtest-left")
	claim := claimed(t, told{Cluster: "lwtest-left"})
	require.NoError(t, os.WriteFile(state+".stays", nil, 0o600))
	brief(t, &removeLimit, time.Second)
	require.ErrorContains(t, Clean(t.Context(), false, (&lines{}).say), "it is still there after 1s")
	assert.FileExists(t, claim)
}

// Where nothing can be written any more it is deleted all the same.
func TestCleanOnAFullDisk(t *testing.T) {
	state := fakeDocker(t, "lwtest-left")
	claim := claimed(t, told{Cluster: "lwtest-left"})
	require.NoError(t, os.WriteFile(privately(filepath.Dir(claim), "lwtest-left"), nil, 0o600)) // so that no folder can be made
	require.NoError(t, Clean(t.Context(), false, (&lines{}).say))
	assert.Empty(t, left(t, state))
	assert.NoFileExists(t, claim)
}

// What claims do not know is told, and deleted only by its name.
func TestCleanStrangers(t *testing.T) {
	state := fakeDocker(t, "lwtest-aaaa2222", "lwtest-bbbb3333", "lwtest-users", "kind")
	dir, err := claims()
	require.NoError(t, err)
	alive, err := stake(dir, told{Cluster: "lwtest-bbbb3333", Engine: "docker"})
	require.NoError(t, err)
	var said lines
	err = Clean(t.Context(), true, said.say)
	require.ErrorContains(t, err, "when their run is over, `lwtest clean --cluster lwtest-aaaa2222`")
	assert.NotContains(t, err.Error(), "bbbb3333")
	assert.NotContains(t, err.Error(), "users")
	require.Len(t, said, 1)
	assert.Contains(t, said[0], "a run that has not ended uses them")
	said = nil

	require.ErrorContains(t, Delete(t.Context(), []string{"lwtest-bbbb3333"}, said.say), "a run that has not ended uses it")
	require.ErrorContains(t, Delete(t.Context(), []string{"lwtest-users"}, said.say), "no cluster such a name")
	require.ErrorContains(t, Delete(t.Context(), []string{"lwtest-cccc4444"}, said.say), "there is no cluster with that name")
	require.NoError(t, Delete(t.Context(), []string{"lwtest-aaaa2222"}, said.say))
	assert.Equal(t, []string{"lwtest-bbbb3333", "lwtest-users", "kind"}, left(t, state))
	assert.Equal(t, lines{"deleted the kind cluster lwtest-aaaa2222"}, said)
	require.NoError(t, Clean(t.Context(), true, said.say))

	require.NoError(t, alive.letGo())
	require.NoError(t, Delete(t.Context(), []string{"lwtest-bbbb3333"}, said.say))
	assert.NoFileExists(t, alive.path)
}
