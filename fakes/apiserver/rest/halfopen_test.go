package rest_test

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/internal/full"
)

// As TestHalfOpenInMemory, over TCP. The clients are a process of their own: one may have 20,000 files.
func TestHalfOpen(t *testing.T) {
	const n = 10_000
	if address := os.Getenv(hold); address != "" {
		require.NoError(t, holdOpen(address, n))
		return
	}
	full.Need(t, "10,000 connections")
	b := open(t, rest.Serve, apiserver.Options{}, rest.Options{})
	defer b.close(t)
	before := inUse()
	clients := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHalfOpen$")
	clients.Env = append(os.Environ(), hold+"="+strings.TrimPrefix(b.URL(), "http://"))
	out, err := clients.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, clients.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "open\n", line)
	each := (inUse() - before) / n
	t.Logf("%d requests half open: %d bytes each", n, each)
	require.Less(t, each, int64(32<<10))
	from := time.Now()
	write(t, b.api, "a", "1")
	res, _ := sending(t, b.Server, "GET /api/v1/namespaces/default/configmaps/a HTTP/1.1\r\nHost: x\r\n\r\n")
	require.Equal(t, 200, res.StatusCode, "others are served")
	t.Logf("another client is served in %v", time.Since(from))
	require.NoError(t, clients.Process.Kill())
	_ = clients.Wait()
}
