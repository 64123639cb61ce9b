package rig

import (
	"context"

	"github.com/lwtest/lwtest/harness"
)

// What lies between a client and a server, of which the server's log knows nothing.
const (
	Network = "network" // the actor
	Down    = "DOWN"    // connections are refused from now on, and those that are there broken
	Up      = "UP"
)

// Refuse has a server's connections refused, and those that are there broken, until the function that it gives is called. t
// records both, and gives the check up where the server, which has the feature Cuts, is no Cutter.
func Refuse(t *harness.T, s Server) (end func()) {
	c, ok := Part[Cutter](t, s, Cuts)
	if !ok {
		return func() {}
	}
	is := func(kind string, refused bool) {
		t.Do(harness.Call{Actor: Network, Kind: kind}, func(context.Context) harness.Answer {
			c.Refuse(refused)
			return harness.Answer{}
		})
	}
	is(Down, true)
	return func() { is(Up, false) }
}
