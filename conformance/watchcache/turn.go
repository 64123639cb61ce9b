package watchcache

import (
	"sync/atomic"

	"github.com/lwtest/lwtest/harness"
)

// turns has each actor recorded at instants of its own, but for contenders in a burst.
type turns struct {
	harness.Turns
	burst atomic.Bool // contenders wait for no turn, see burst
}

// turn waits for a turn of an actor. In real time it does nothing.
func (d *driver) turn(actor string) {
	if !d.turns.burst.Load() || !isContender(actor) {
		d.turns.Take(d.t, actor)
	}
}
