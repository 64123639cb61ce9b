package watchcache

import (
	"sync"
	"sync/atomic"
	"time"
)

// In virtual time each actor has instants of its own, its turns, and what it
// does is recorded at these alone. Fake time moves only when every goroutine is
// blocked, so no two actors ever act at once, and the same seed gives the same
// history, whenever Go takes the processor from one of them.
const (
	turnApart = 8 * time.Nanosecond // two turns: T.Wait takes a nanosecond or more
	turnRound = 256 * turnApart     // after that all have had theirs; more actors share
)

// turns gives actors their places in the round.
type turns struct {
	mu    sync.Mutex
	place map[string]int
	burst atomic.Bool // contenders wait for no turn, see burst
}

// of is an actor's place. Those that begin at once must have been given theirs before.
func (t *turns) of(actors ...string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.place == nil {
		t.place = map[string]int{}
	}
	n := 0
	for _, a := range actors {
		if _, ok := t.place[a]; !ok {
			t.place[a] = len(t.place)
		}
		n = t.place[a]
	}
	return n
}

// turn waits for a turn of an actor. In real time it does nothing.
func (d *driver) turn(actor string) {
	if !d.t.Virtual() || d.turns.burst.Load() && isContender(actor) {
		return
	}
	at := time.Duration(d.turns.of(actor)) * turnApart % turnRound
	now := time.Duration(time.Now().UnixNano()) % turnRound
	if wait := (at - now + turnRound) % turnRound; wait > 0 {
		time.Sleep(wait)
	}
}
