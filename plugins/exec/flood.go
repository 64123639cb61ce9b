package exec

import (
	"fmt"
	"sync"
)

// What an adapter may say in one case. A case lasts half a minute and mostly less, so that this limits its rate, too. What
// real adapters say is far below: at most 2,300 events, or 73 MB.
const (
	maxEvents       = 1 << 16 // a handler's events are two of a history each, which has room for four times as many
	maxBytes        = 256 << 20
	maxWaiting      = 1 << 14 // that came, and that the drive has not taken yet
	maxWaitingBytes = 32 << 20
)

// flow counts the lines of one case, which are kept in memory until they are judged. Without a limit a flood of them ends
// lwtest, or is judged: and it would be the implementation that is blamed.
type flow struct {
	mu             sync.Mutex
	events, bytes  int // of answers, too
	waiting, heavy int // events, and their bytes
}

// came counts a line that has come: an event, or an answer. The text says which limit it breaks; empty: none.
func (f *flow) came(event bool, bytes int) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if event {
		f.events++
	}
	f.bytes += bytes
	switch {
	case f.events > maxEvents:
		return fmt.Sprintf("a flood: it has written more than %d events in one case", maxEvents)
	case f.bytes > maxBytes:
		return fmt.Sprintf("a flood: it has written more than %d bytes in one case", maxBytes)
	}
	return ""
}

// waits counts one that waits to be taken.
func (f *flow) waits(bytes int) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting++
	f.heavy += bytes
	switch {
	case f.waiting > maxWaiting:
		return fmt.Sprintf("a flood: more than %d of its events wait to be taken", maxWaiting)
	case f.heavy > maxWaitingBytes:
		return fmt.Sprintf("a flood: its events that wait to be taken have more than %d bytes", maxWaitingBytes)
	}
	return ""
}

// taken counts one that no longer does.
func (f *flow) taken(bytes int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting--
	f.heavy -= bytes
}

// flowing is the count of the case under way.
func (c *conn) flowing() *flow {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.flow
}

// flowsAnew begins a case's.
func (c *conn) flowsAnew() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flow = &flow{}
	clear(c.stopped)
	clear(c.cancelled)
}
