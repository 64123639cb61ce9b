package kind

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/internal/full"
)

// What is cut off while nodes are being started keeps its claim, by which late ones are found, until none can come.
func TestCleanKeepsWhatMayCome(t *testing.T) {
	state := fakeDocker(t)
	claim := claimed(t, told{Cluster: "lwtest-aaaa2222", Made: time.Now(), Creating: true})
	brief(t, &settle, 10*time.Millisecond)
	var said lines
	require.NoError(t, Clean(t.Context(), false, said.say))
	require.Len(t, said, 1)
	assert.Regexp(t, "^kept the claim file of the kind cluster lwtest-aaaa2222: its creation was interrupted, and a node may still appear; `lwtest clean` after ..:..:.., or", said[0])
	noted := readClaim(t, claim).CutOff
	assert.WithinDuration(t, time.Now(), noted, 10*time.Second)
	brief(t, &settle, time.Hour) // which was waited for
	require.NoError(t, Clean(t.Context(), false, said.say))
	assert.Equal(t, noted, readClaim(t, claim).CutOff)
	settle = 10 * time.Millisecond
	said = said[:1]

	require.NoError(t, os.WriteFile(state, []byte("lwtest-aaaa2222\n"), 0o600))
	require.NoError(t, Clean(t.Context(), false, said.say))
	assert.Empty(t, left(t, state))
	require.Len(t, said, 3)
	assert.Contains(t, said[1], "deleted the kind cluster lwtest-aaaa2222")
	assert.True(t, readClaim(t, claim).CutOff.After(noted), "a second node may come")

	brief(t, &late, 0)
	require.NoError(t, Clean(t.Context(), false, said.say))
	assert.Len(t, said, 3)
	assert.NoFileExists(t, claim)
}

func readClaim(t *testing.T, path string) *claim {
	t.Helper()
	c, err := grab(path)
	require.NoError(t, err)
	require.NotNil(t, c)
	require.NoError(t, c.letGo())
	return c
}

// A claim of long ago, and one of a cluster that was made, are dropped at once.
func TestCleanDropsWhatCannotCome(t *testing.T) {
	fakeDocker(t)
	brief(t, &settle, 10*time.Millisecond)
	old := claimed(t, told{Cluster: "lwtest-aaaa2222", Made: time.Now().Add(-2 * young), Creating: true})
	made := claimed(t, told{Cluster: "lwtest-bbbb3333", Made: time.Now()})
	require.NoError(t, Clean(t.Context(), false, (&lines{}).say))
	assert.NoFileExists(t, old)
	assert.NoFileExists(t, made)
}

// What kind wrote of a cluster goes with the first clean, also where the claim stays.
func TestCleanForgetsKubeconfig(t *testing.T) {
	for name, of := range map[string]told{
		"made":    {Cluster: "lwtest-aaaa2222", Made: time.Now()},
		"cut off": {Cluster: "lwtest-aaaa2222", Made: time.Now(), Creating: true},
	} {
		t.Run(name, func(t *testing.T) {
			fakeDocker(t)
			brief(t, &settle, 10*time.Millisecond)
			dir := filepath.Dir(claimed(t, of))
			path, _ := private(dir, of.Cluster)
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
			require.NoError(t, os.WriteFile(path, []byte("secret"), 0o600))
			require.NoError(t, Clean(t.Context(), false, (&lines{}).say))
			all, err := os.ReadDir(dir)
			require.NoError(t, err)
			for _, e := range all {
				assert.Equal(t, "lwtest-aaaa2222.json", e.Name())
				assert.True(t, of.Creating)
			}
		})
	}
}

// The second node, which comes up after the first was deleted, goes with the same clean.
func TestCleanSecondNode(t *testing.T) {
	full.Need(t, "it waits for seconds")
	state := fakeDocker(t, "lwtest-aaaa2222")
	claimed(t, told{Cluster: "lwtest-aaaa2222", Made: time.Now(), Creating: true})
	came := make(chan error, 1)
	go func() {
		for range 500 {
			if b, _ := os.ReadFile(state); len(strings.Fields(string(b))) == 0 {
				time.Sleep(time.Second)
				came <- os.WriteFile(state, []byte("lwtest-aaaa2222\n"), 0o600)
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		came <- errors.New("the first was not deleted")
	}()
	require.NoError(t, Clean(t.Context(), false, (&lines{}).say))
	require.NoError(t, <-came)
	assert.Empty(t, left(t, state))
}

// What a killed run has asked for, and nobody waits for, is ended.
func TestCleanEndsStarters(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes cannot be looked at")
	}
	fakeDocker(t)
	brief(t, &settle, 10*time.Millisecond)
	claimed(t, told{Cluster: "lwtest-aaaa2222", Made: time.Now(), Creating: true})
	ended := map[string]chan error{}
	for _, name := range []string{"lwtest-aaaa2222", "lwtest-bbbb3333"} {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", "sleep 600; true", "docker", "run", "--label", "io.x-k8s.kind.cluster="+name)
		require.NoError(t, cmd.Start())
		end := make(chan error, 1)
		go func() { end <- cmd.Wait() }()
		ended[name] = end
	}
	require.NoError(t, Clean(t.Context(), false, (&lines{}).say))
	select {
	case <-ended["lwtest-aaaa2222"]:
	case <-time.After(10 * time.Second):
		t.Error("it goes on")
	}
	assert.Empty(t, ended["lwtest-bbbb3333"], "it is of another cluster")
}

// kind gives up at the first node that cannot be started: the other, which comes up later, is deleted all the same.
func TestCreateFailsBesideALateNode(t *testing.T) {
	full.Need(t, "it waits for seconds")
	state := fakeDocker(t, "kind")
	t.Setenv("DOCKER_LATE", "yes")
	file := filepath.Join(t.TempDir(), "c.yaml")
	require.NoError(t, os.WriteFile(file, []byte("kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\nnodes: [{role: control-plane}, {role: worker}]\n"), 0o600))
	_, err := Create(t.Context(), Options{Image: "local/image:1", Config: file, Say: (&lines{}).say})
	require.ErrorContains(t, err, "cannot be created")
	calls, err := os.ReadFile(state + ".calls")
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(strings.Split(string(calls), "\n"), func(l string) bool { return strings.HasPrefix(l, "run ") && strings.Contains(l, "worker") }))
	time.Sleep(2500 * time.Millisecond) // it has come, if it was not ended
	assert.Equal(t, []string{"kind"}, left(t, state))
}

// A claim that is changed stays held, and can be read.
func TestClaimUpdate(t *testing.T) {
	dir := t.TempDir()
	c, err := stake(dir, told{Cluster: "a", Creating: true})
	require.NoError(t, err)
	c.Creating = false
	require.NoError(t, c.update())
	other, err := grab(c.path)
	require.NoError(t, err)
	require.Nil(t, other)
	require.NoError(t, c.letGo())
	other, err = grab(c.path)
	require.NoError(t, err)
	assert.False(t, other.Creating)
	other.Creating, other.CutOff = true, time.Now()
	require.NoError(t, other.update())
	require.NoError(t, other.letGo())
	other, err = grab(c.path)
	require.NoError(t, err)
	assert.False(t, other.CutOff.IsZero())
}
