package history

import (
	"encoding/json"
	"reflect"
	"slices"
	"sync"
)

// Header says where a history comes from.
type Header struct {
	Format   string   `json:"lwtest"`            // Format
	Kind     string   `json:"kind"`              // kind of the subject: "watchcache" …
	Check    string   `json:"check,omitempty"`   // address of the check that recorded it
	Target   string   `json:"target,omitempty"`  // connect string, without secrets
	Plugin   string   `json:"plugin,omitempty"`  // plugin, and the version of what it ran if known
	Features []string `json:"features,omitzero"` // features that the plugin declares: empty for none, nil if not known
	Time     string   `json:"time"`              // VirtualTime or RealTime
	Seed     int64    `json:"seed,omitempty"`
	Contract string   `json:"contract,omitempty"` // version of the contract
	// Story is the story that was played, as harness/story writes it. It is nil if a drive in Go recorded the history.
	Story json.RawMessage `json:"story,omitempty"`
}

const (
	Format      = "history/v1"
	VirtualTime = "virtual"
	RealTime    = "real"
)

// History is a complete list of events with its indexes. It is immutable and may be read concurrently.
type History struct {
	Header    Header
	Truncated bool // the file ended without a footer
	Events    []Event
	Steps     []Step // of the story, in order; they are not events, and no rule reads them

	briefs []Brief
	keys   texts // by K
	uids   map[string]int32
	kinds  []string // by Brief.Kind
	pages  []page   // of resourceVersions, in order
	blank  []int    // for each line without an event between header and footer, the number of events before it
	sets   int      // number of distinct label and field sets, an upper bound of Set.ID

	mu      sync.Mutex
	derived map[reflect.Type]any // func() D by type D
}

// Step says when the drive came to a step of its story.
type Step struct {
	Num     int32  `json:"step"`              // from 1
	At      int64  `json:"at,omitempty"`      // in ns, like Event.At
	Text    string `json:"text,omitempty"`    // what it does, in a sentence
	Skipped string `json:"skipped,omitempty"` // why it did nothing; empty if it ran
	After   int32  `json:"-"`                 // how many events came before it
}

// New makes a history from events in their order. It numbers them, sets K and N, and returns an error if calls and
// returns do not pair. It keeps the slice.
func New(h Header, events []Event) (*History, error) {
	if h.Format == "" {
		h.Format = Format
	}
	ix := newIndexer(len(events))
	for i := range events {
		events[i].Num = int32(i + 1)
		if err := ix.add(events[:i+1]); err != nil {
			return nil, err
		}
	}
	return ix.finish(h, events), nil
}

// Event returns the event with this number.
func (h *History) Event(num int32) *Event { return &h.Events[num-1] }

// Line returns the line of the file that holds the event with this number.
func (h *History) Line(num int32) int {
	line := int(num) + 1 // after the header
	for _, before := range h.blank {
		if before < int(num) {
			line++
		}
	}
	return line
}

// Briefs returns a Brief of each event, in order. The caller must not change it.
func (h *History) Briefs() []Brief { return h.briefs }

// Kinds returns the kinds of event, indexed by Brief.Kind.
func (h *History) Kinds() []string { return h.kinds }

// Actors returns the actors in order of their first event.
func (h *History) Actors() []string { return Derive(h, byActor).actors }

// By returns the events of one actor, in order.
func (h *History) By(actor string) []Event { return Derive(h, byActor).events[actor] }

type views struct {
	actors []string
	events map[string][]Event
}

func byActor(h *History) *views {
	v := &views{events: map[string][]Event{}}
	for i := range h.Events {
		e := &h.Events[i]
		if v.events[e.Actor] == nil {
			v.actors = append(v.actors, e.Actor)
		}
		v.events[e.Actor] = append(v.events[e.Actor], *e)
	}
	return v
}

// Keys returns one more than the largest K.
func (h *History) Keys() int { return len(h.keys.all) }

// KeyOf returns the K of a key, and whether the history has the key.
func (h *History) KeyOf(key string) (k int32, ok bool) {
	k, ok = h.keys.numbers[key]
	return k, ok && key != ""
}

// Key returns the key with number k.
func (h *History) Key(k int32) string { return h.keys.all[k] }

// UIDOf returns the number of a uid, or 0 if the history does not have it.
func (h *History) UIDOf(uid string) int32 { return h.uids[uid] }

// Sets returns one more than the largest Set.ID.
func (h *History) Sets() int { return h.sets }

// Derive returns what build makes of h. It calls build once for each type D; concurrent callers wait for that call. If
// build panics, so does every caller.
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

// Without returns the history without some events, and without the returns of calls and the events of watches that belong to them.
// The rest is numbered anew.
func (h *History) Without(nums []int32) (*History, error) {
	gone := make([]bool, len(h.Events)+1)
	for _, n := range nums {
		gone[n] = true
	}
	now := make([]int32, len(h.Events)+1) // by old number; how many are left so far
	var events []Event
	for i := range h.Events {
		e := h.Events[i]
		if gone[e.Num] = gone[e.Num] || e.Call > 0 && gone[e.Call]; !gone[e.Num] {
			e.Call = now[e.Call]
			if e.X != nil && e.X.Items != nil { // New ranks them anew
				x := *e.X
				x.Items = slices.Clone(x.Items)
				e.X = &x
			}
			events = append(events, e)
		}
		now[i+1] = int32(len(events))
	}
	return New(h.Header, events)
}
