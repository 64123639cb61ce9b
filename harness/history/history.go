package history

import (
	"fmt"
	"reflect"
	"sync"
)

// Header says where a history comes from.
type Header struct {
	Format   string   `json:"lwtest"`             // Format
	Kind     string   `json:"kind"`               // kind of the subject: "watchcache" …
	Check    string   `json:"check,omitempty"`    // address of the check that recorded it
	Target   string   `json:"target,omitempty"`   // connect string, without secrets
	Plugin   string   `json:"plugin,omitempty"`   // plugin, and version of what it ran where known
	Features []string `json:"features,omitempty"` // what the plugin declared
	Time     string   `json:"time"`               // VirtualTime or RealTime
	Seed     int64    `json:"seed,omitempty"`
	Contract string   `json:"contract,omitempty"` // version of the contract
}

const (
	Format      = "history/v1"
	VirtualTime = "virtual"
	RealTime    = "real"
)

// History is a finished list of events with its indexes. It is immutable and
// safe for concurrent readers.
type History struct {
	Header    Header
	Truncated bool // the file ended without a footer
	Events    []Event

	keys    []string         // of K
	numbers map[string]int32 // K of a key
	rvs     []rv             // of N
	sets    int              // number of distinct label and field sets, an upper bound of Set.ID
	actors  []string
	by      map[string][]Event

	mu      sync.Mutex
	derived map[reflect.Type]any // func() D by D
}

// New makes a history of events in the order given: it numbers them, fills K
// and N, and checks that calls and returns pair. It keeps the slice.
func New(h Header, events []Event) (*History, error) {
	if h.Format == "" {
		h.Format = Format
	}
	out := &History{Header: h, Events: events}
	var p pairs
	for i := range events {
		events[i].Num = int32(i + 1)
		if err := p.add(events[:i+1]); err != nil {
			return nil, err
		}
	}
	out.index()
	return out, nil
}

// pairs checks that each return follows a call of its own, each call at most once returned.
type pairs struct{ returned []bool }

// add checks the last of the events.
func (p *pairs) add(events []Event) error {
	p.returned = append(p.returned, false)
	e := &events[len(events)-1]
	switch {
	case e.Call < 0 || e.Call >= e.Num && e.Call != 0:
		return fmt.Errorf("event #%d belongs to call #%d, which is not before it", e.Num, e.Call)
	case e.Phase == Return && e.Call == 0:
		return fmt.Errorf("event #%d is a return without a call: set \"call\" to the number of its call event", e.Num)
	case e.Call == 0:
		return nil
	}
	c := &events[e.Call-1]
	switch {
	case c.Phase != Call:
		return fmt.Errorf("event #%d belongs to #%d, which is a %s and not a call", e.Num, e.Call, c.Phase)
	case e.Phase != Return:
		return nil
	case p.returned[e.Call-1]:
		return fmt.Errorf("event #%d: call #%d has returned before", e.Num, e.Call)
	case c.Actor != e.Actor || c.Kind != e.Kind:
		return fmt.Errorf("event #%d is the return of %s by %s, but call #%d is %s by %s", e.Num, e.Kind, e.Actor, c.Num, c.Kind, c.Actor)
	}
	p.returned[e.Call-1] = true
	return nil
}

// Event is the event with this number.
func (h *History) Event(num int32) *Event { return &h.Events[num-1] }

// Actors are those seen, in order of their first event.
func (h *History) Actors() []string { return h.actors }

// By is what one actor saw, in order, in one piece of memory.
func (h *History) By(actor string) []Event { return h.by[actor] }

// Keys is one more than the largest K.
func (h *History) Keys() int { return len(h.keys) }

// KeyOf is the K of a key's text, if the history has it.
func (h *History) KeyOf(key string) (k int32, ok bool) {
	k, ok = h.numbers[key]
	return k, ok && key != ""
}

// Key is the text of K.
func (h *History) Key(k int32) string { return h.keys[k] }

// Ranks is one more than the largest N.
func (h *History) Ranks() int { return len(h.rvs) }

// RV is the text of rank n.
func (h *History) RV(n int32) string { return h.rvs[n].text }

// Sets is one more than the largest Set.ID.
func (h *History) Sets() int { return h.sets }

// Derive gives what build makes of h, built once for each type D; concurrent
// callers wait for the one that builds. If build panics, so does every caller.
func Derive[D any](h *History, build func(*History) D) D {
	t := reflect.TypeFor[D]()
	h.mu.Lock()
	if h.derived == nil {
		h.derived = map[reflect.Type]any{}
	}
	d, ok := h.derived[t].(func() D)
	if !ok {
		d = sync.OnceValue(func() D { return build(h) })
		h.derived[t] = d
	}
	h.mu.Unlock()
	return d()
}
