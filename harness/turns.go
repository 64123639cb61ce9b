package harness

import (
	"sync"
	"time"
)

// Turns give each actor of a history instants of its own in virtual time, and what it does is recorded at these alone.
// Fake time moves only when every goroutine is blocked, so no two actors ever act at once, and the same seed gives the
// same history, whenever Go takes the processor from one of them. The zero value is ready, and safe for concurrent use.
type Turns struct {
	mu    sync.Mutex
	place map[string]int
}

const (
	turnApart = 8 * time.Nanosecond // two turns: T.Wait takes a nanosecond or more
	// TurnRound is how long it takes until each has had its turn; more actors share.
	TurnRound = 256 * turnApart
)

// Of is an actor's place in the round, the last one's of several. Those that begin at once must have been given theirs
// before.
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

// Take waits for a turn of an actor. In real time it does nothing.
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
