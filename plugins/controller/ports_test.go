package controller

import (
	"net"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// Lives get ports that no other life has, and that the system gives to no client. One at which somebody listens is left out.
func TestFreePort(t *testing.T) {
	seen := map[int]bool{}
	for range 1000 {
		port, err := freePort()
		require.NoError(t, err)
		require.False(t, seen[port], port)
		require.Less(t, port, 32768, "the first port that Linux gives to clients")
		seen[port] = true
	}
	next := firstPort + int((lastPort.Load()+1)%mostPorts)
	if l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(next))); err == nil {
		defer l.Close()
	}
	port, err := freePort()
	require.NoError(t, err)
	require.NotEqual(t, next, port)
}
