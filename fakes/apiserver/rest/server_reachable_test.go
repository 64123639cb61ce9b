package rest

import (
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Clients get an address that they can connect to, also of a listener on every address.
func TestReachable(t *testing.T) {
	for _, c := range []struct{ listens, want string }{
		{"127.0.0.1:80", "127.0.0.1:80"}, {"0.0.0.0:80", "127.0.0.1:80"}, {"[::]:80", "127.0.0.1:80"}, {"[::1]:80", "[::1]:80"}, {"192.0.2.1:80", "192.0.2.1:80"},
	} {
		a, err := net.ResolveTCPAddr("tcp", c.listens)
		assert.NoError(t, err)
		assert.Equal(t, c.want, reachable(a), c.listens)
	}
}
