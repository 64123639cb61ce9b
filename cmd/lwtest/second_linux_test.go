package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness/report"
)

// TestASecondInterruptBesideAHungDocker checks that a second Ctrl-C ends lwtest, names what stays, and leaves no
// waiting docker.
func TestASecondInterruptBesideAHungDocker(t *testing.T) {
	fake, err := filepath.Abs(filepath.Join("..", "..", "plugins", "kind", "testdata"))
	require.NoError(t, err)
	chdir(t)
	state := filepath.Join(t.TempDir(), "clusters")
	require.NoError(t, os.WriteFile(state, nil, 0o666))
	for name, value := range map[string]string{"PATH": fake + ":" + os.Getenv("PATH"), "DOCKER_STATE": state, "DOCKER_SLEEPS": "run rm", "DOCKER_HOST": "", "DOCKER_FAILS": "",
		"DOCKER_HANGS": "", "DOCKER_LATE": "", "DOCKER_LABEL": "", "KIND_EXPERIMENTAL_PROVIDER": "docker", "XDG_CACHE_HOME": t.TempDir(), "KUBECONFIG": filepath.Join(t.TempDir(), "none")} {
		t.Setenv(name, value)
	}
	pids := func() []string {
		b, _ := os.ReadFile(state + ".pids")
		return strings.Fields(string(b))
	}
	cmd, errs := program(t, "run", "watchcache/list/modes", "--target", "kind", "--kind-image", "local/image:1")
	await(t, func() bool { return len(pids()) > 0 })
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	time.Sleep(time.Second) // it tries to delete what is there
	began := time.Now()
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	cmd.Wait()
	assert.Less(t, time.Since(began), time.Minute, "it would hang for longer")
	assert.Equal(t, report.Broken, cmd.ProcessState.ExitCode())
	assert.Regexp(t, "ended at once, at a second signal \\(interrupt\\).*\nlwtest: the kind cluster lwtest-[a-z2-7]{8} is left as it is: ", errs.String())
	for _, pid := range pids() {
		n, err := strconv.Atoi(pid)
		require.NoError(t, err)
		await(t, func() bool { return syscall.Kill(n, 0) != nil })
	}
}
