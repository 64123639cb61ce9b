package kind

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An API server may let go of what it serves before it ends.
func TestStopIsGraceful(t *testing.T) {
	dir := t.TempDir()
	server := exec.CommandContext(t.Context(), "sh", "-c", `trap 'echo gracefully >"$1/end"; exit' TERM; echo >"$1/up"; while :; do sleep 0.05; done`, "server", dir)
	require.NoError(t, server.Start())
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	require.Eventually(t, func() bool { _, err := os.Stat(filepath.Join(dir, "up")); return err == nil }, 10e9, 10e6)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pgrep"), fmt.Appendf(nil, "#!/bin/sh\necho %d\n", server.Process.Pid), 0o700))
	cmd := exec.CommandContext(t.Context(), "sh", "-c", stop)
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.NoError(t, <-ended)
	b, err := os.ReadFile(filepath.Join(dir, "end"))
	require.NoError(t, err)
	assert.Equal(t, "gracefully\n", string(b))
}
