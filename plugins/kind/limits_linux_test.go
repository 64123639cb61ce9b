package kind

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/internal/full"
)

// noneLeft demands that no docker that was given up goes on.
func noneLeft(t *testing.T, state string) {
	t.Helper()
	b, err := os.ReadFile(state + ".pids")
	require.NoError(t, err)
	for _, pid := range strings.Fields(string(b)) {
		n, err := strconv.Atoi(pid)
		require.NoError(t, err)
		assert.Eventually(t, func() bool { return syscall.Kill(n, 0) != nil }, 5*time.Second, 10*time.Millisecond, "docker %s goes on", pid)
	}
}

// A docker that does not answer ends nothing but what was asked, within the limit, and is told as what it is.
func TestHangs(t *testing.T) {
	full.Need(t, "it waits for seconds")
	for name, c := range map[string]struct {
		sleeps string
		do     func(*Cluster) error
	}{
		"alive":           {"version", func(c *Cluster) error { return c.Alive(t.Context()) }},
		"alive, nodes":    {"ps", func(c *Cluster) error { return c.Alive(t.Context()) }},
		"logs":            {"logs", func(c *Cluster) error { return c.Logs(t.Context(), filepath.Join(t.TempDir(), "logs")) }},
		"logs, at once":   {"version", func(c *Cluster) error { return c.Logs(t.Context(), filepath.Join(t.TempDir(), "logs")) }},
		"kubeconfig":      {"exec", func(c *Cluster) error { _, err := c.Config(t.Context()); return err }},
		"restart":         {"exec", func(c *Cluster) error { return c.Restart(t.Context()) }},
		"restart, nodes":  {"ps", func(c *Cluster) error { return c.Restart(t.Context()) }},
		"etcd":            {"exec", func(c *Cluster) error { _, _, err := c.Etcd(t.Context()); return err }},
		"find":            {"ps", func(*Cluster) error { _, err := Find(t.Context(), "one", Options{Say: (&lines{}).say}); return err }},
		"remove":          {"rm", func(c *Cluster) error { return c.engine.remove(t.Context(), "one") }},
		"remove, at once": {"version", func(c *Cluster) error { return c.engine.remove(t.Context(), "one") }},
		"delete":          {"rm", func(*Cluster) error { return Delete(t.Context(), []string{"lwtest-aaaa2222"}, (&lines{}).say) }},
		"clean":           {"ps", func(*Cluster) error { return Clean(t.Context(), false, (&lines{}).say) }},
	} {
		t.Run(name, func(t *testing.T) {
			state := fakeDocker(t, "one", "lwtest-aaaa2222")
			claimed(t, told{Cluster: "lwtest-left"})
			o, err := Find(t.Context(), "one", Options{Say: (&lines{}).say})
			require.NoError(t, err)
			brief(t, &answerLimit, 500*time.Millisecond)
			brief(t, &workLimit, 500*time.Millisecond)
			brief(t, &logsLimit, 500*time.Millisecond)
			brief(t, &removeLimit, 0)
			t.Setenv("DOCKER_SLEEPS", c.sleeps)
			began := time.Now()
			require.ErrorContains(t, c.do(o), "docker did not answer within 500ms: it hangs")
			assert.Less(t, time.Since(began), 5*time.Minute)
			noneLeft(t, state)
		})
	}
}

// Whoever calls off does not wait for a docker that hangs.
func TestHangsCalledOff(t *testing.T) {
	state := fakeDocker(t, "one")
	c, err := Find(t.Context(), "one", Options{Say: (&lines{}).say})
	require.NoError(t, err)
	t.Setenv("DOCKER_SLEEPS", "logs")
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	began := time.Now()
	require.ErrorIs(t, c.Logs(ctx, filepath.Join(t.TempDir(), "logs")), context.DeadlineExceeded)
	assert.Less(t, time.Since(began), answerLimit)
	noneLeft(t, state)
}

// A docker that hangs while it creates a cluster ends that, and the claim stays for what may come.
func TestHangsCreating(t *testing.T) {
	full.Need(t, "it waits for seconds")
	state := fakeDocker(t, "kind")
	brief(t, &answerLimit, time.Second)
	brief(t, &guardEvery, 100*time.Millisecond)
	brief(t, &callOffLimit, time.Second)
	t.Setenv("DOCKER_SLEEPS", "run")
	say := func(line string) {
		if strings.HasPrefix(line, "Preparing nodes") {
			os.Setenv("DOCKER_SLEEPS", "run version ps rm")
		}
	}
	began := time.Now()
	_, err := Create(t.Context(), Options{Image: "local/image:1", Say: say})
	require.ErrorContains(t, err, "docker did not answer within 1s")
	require.ErrorContains(t, err, "was not deleted")
	assert.Less(t, time.Since(began), 5*time.Minute)
	noneLeft(t, state)
	dir, err := claims()
	require.NoError(t, err)
	all, _, err := abandoned(dir)
	require.NoError(t, err)
	require.Len(t, all, 1)
	assert.True(t, all[0].Creating)
	require.NoError(t, all[0].letGo())
}

// What docker says of a call that failed is told in its own words.
func TestAliveInDockersWords(t *testing.T) {
	fakeDocker(t, "one")
	c, err := Find(t.Context(), "one", Options{Say: (&lines{}).say})
	require.NoError(t, err)
	t.Setenv("DOCKER_FAILS", "ps")
	assert.EqualError(t, c.Alive(t.Context()), "lwtest has lost sight of the kind cluster one: docker: Error response from daemon: no room left")
}

// Who ends at once is told which clusters of its own stay, and no others.
func TestGiveUp(t *testing.T) {
	state := fakeDocker(t, "one")
	c, err := Find(t.Context(), "one", Options{Say: (&lines{}).say})
	require.NoError(t, err)
	dir, err := claims()
	require.NoError(t, err)
	for name, process := range map[string]int{"lwtest-aaaa2222": os.Getpid(), "lwtest-bbbb3333": os.Getpid() + 1} {
		held, err := stake(dir, told{Cluster: name, Process: process})
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, held.drop()) })
	}
	t.Setenv("DOCKER_SLEEPS", "exec")
	asked := make(chan error, 1)
	go func() { _, err := c.Config(t.Context()); asked <- err }()
	require.Eventually(t, func() bool { _, err := os.Stat(state + ".pids"); return err == nil }, 10*time.Second, 10*time.Millisecond)
	var said lines
	GiveUp(said.say)
	assert.Equal(t, lines{"the kind cluster lwtest-aaaa2222 is left as it is: the next run with --target kind, or `lwtest clean`, deletes it"}, said)
	noneLeft(t, state)
	require.Error(t, <-asked)
}

// What has ended well has answered, also where something of its still holds the pipe.
func TestHeldPipe(t *testing.T) {
	full.Need(t, "it waits for seconds")
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "docker"), []byte("#!/bin/sh\necho yes\nsleep 30 &\n"), 0o700))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := engine{name: "docker"}.ask(t.Context(), "version")
	require.NoError(t, err)
	assert.Equal(t, "yes\n", string(out))
}
