package harness

import (
	"sync"
	"time"
)

// Turns gives each actor of a history its own instants in virtual time, and its events are recorded only at these.
// Fake time moves only when every goroutine is blocked, so no two actors ever act at once. The same seed therefore
// gives the same history, however Go schedules the goroutines. The zero value is ready to use. Its methods may be
// called concurrently.
type Turns struct {
	mu    sync.Mutex
	place map[string]int
}

const (
	turnApart = 8 * time.Nanosecond // between two turns: T.Wait takes a nanosecond or more
	// TurnRound is the time in which each actor has one turn. With more than 256 actors, some share a turn.
	TurnRound = 256 * turnApart
)

// Of returns the place of the last of the actors in the round, and gives a place to each that has none. Actors that
// begin at the same instant must have been given theirs before.
func (s *Turns) Of(actors ...string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.place == nil {
		s.place = map[string]int{}
	}
	n := 0
	for _, a := range actors {
		if _, ok := s.place[a]; !ok {
			s.place[a] = len(s.place)
		}
		n = s.place[a]
	}
	return n
}

// Take waits for the next turn of an actor. In real time it does nothing.
func (s *Turns) Take(t *T, actor string) {
	if !t.Virtual() {
		return
	}
	at := time.Duration(s.Of(actor)) * turnApart % TurnRound
	now := time.Duration(time.Now().UnixNano()) % TurnRound
	if wait := (at - now + TurnRound) % TurnRound; wait > 0 {
		time.Sleep(wait)
	}
}
