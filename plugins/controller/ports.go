package controller

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync/atomic"
)

// Ports of lives are between these. Systems give later ones to clients: between the moment at which such a port is found free and the one
// at which the life listens, a connection of another life may take it.
const (
	firstPort = 10000
	mostPorts = 20000
)

// lastPort counts ports, from a random one on: other processes of lwtest look for ports at the same time.
var lastPort = func() *atomic.Uint32 {
	n := &atomic.Uint32{}
	n.Store(rand.Uint32N(mostPorts))
	return n
}()

// freePort returns a port of loopback at which nobody listens. It returns none again before it has returned all others.
func freePort() (int, error) {
	for range mostPorts {
		port := firstPort + int(lastPort.Add(1)%mostPorts)
		if l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			return port, l.Close()
		}
	}
	return 0, fmt.Errorf("no port from %d to %d is free", firstPort, firstPort+mostPorts-1)
}
