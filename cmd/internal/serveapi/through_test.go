package serveapi

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Addresses of the prefix are reached through the proxy, which says why one cannot be; others are connected to without it.
func TestThrough(t *testing.T) {
	server := httptest.NewServer(Proxy(func(_ context.Context, _, address string) (net.Conn, error) {
		if address != "10.88.0.2:80" {
			return nil, errors.New("no node has the pod " + address)
		}
		here, there := net.Pipe()
		go func() {
			defer there.Close()
			b := make([]byte, 4)
			if _, err := io.ReadFull(there, b); err == nil {
				_, _ = there.Write([]byte(strings.ToUpper(string(b)))) // the test reads it
			}
		}()
		return here, nil
	}))
	defer server.Close()
	dial, err := through("10.88.0.0/13=" + server.Listener.Addr().String())
	require.NoError(t, err)

	conn, err := dial(t.Context(), "tcp", "10.88.0.2:80")
	require.NoError(t, err)
	_, err = conn.Write([]byte("ping"))
	require.NoError(t, err)
	answer, err := io.ReadAll(conn)
	require.NoError(t, err)
	assert.Equal(t, "PING", string(answer))
	require.NoError(t, conn.Close())

	_, err = dial(t.Context(), "tcp", "10.88.0.3:80")
	require.ErrorContains(t, err, "no node has the pod 10.88.0.3:80")
	_, err = dial(t.Context(), "tcp", "192.0.2.1:80")
	require.ErrorContains(t, err, "neither a private address nor one of this machine")
	_, err = through("10.88.0.0/13")
	require.ErrorAs(t, err, &UsageError{})

	res, err := server.Client().Get(server.URL)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	assert.Equal(t, http.StatusMethodNotAllowed, res.StatusCode)
}
