package golden

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness/history"
)

// Perturbation is a history with a single thing changed that the subject delivered.
type Perturbation struct {
	How     string // in which way: drop, double, swap …
	Class   string // of what was changed
	At      int32  // number of the event in the history that was perturbed
	Item    int    // of a list, from 0; -1: not of a list's items
	History *history.History
}

func (p Perturbation) String() string {
	s := fmt.Sprintf("%s of %s at #%d", p.How, p.Class, p.At)
	if p.Item >= 0 {
		s += fmt.Sprintf(", item %d", p.Item)
	}
	return s
}

// Sample is how many of the perturbations of each way and class are taken.
type Sample uint8

const (
	Some  Sample = iota // the first, fourth, sixteenth and so on
	First               // one
	Every
)

// Choose returns the recordings to perturb in a test, and how many perturbations of each to take: of one recording in n the
// first of each way and class, in full some of all recordings, or every one.
func Choose(all Recordings, n int, full, every bool) (Recordings, Sample) {
	switch {
	case every:
		return all, Every
	case full:
		return all, Some
	}
	out, i := Recordings{}, 0
	for _, from := range slices.Sorted(maps.Keys(all)) {
		out[from] = map[string]*history.History{}
		for _, check := range slices.Sorted(maps.Keys(all[from])) {
			if i++; i%n == 0 {
				out[from][check] = all[from][check]
			}
		}
	}
	return out, First
}

// Perturber perturbs a history, one thing at a time.
type Perturber struct {
	H       *history.History
	Yield   func(Perturbation) bool
	Classes []string // by number of event
	Sample  Sample
	count   map[string]int // by way and class
}

// takes says whether the next one of a way and class is looked at.
func (p *Perturber) takes(how, class string) bool {
	if p.count == nil {
		p.count = map[string]int{}
	}
	p.count[how+"|"+class]++
	n := p.count[how+"|"+class]
	every := p.Sample == Every && !strings.HasPrefix(how, fieldOf) // of twenty fields some of each are enough
	for n%4 == 0 && p.Sample != First {
		n /= 4
	}
	return every || n == 1
}

// With changes a copy of an event.
func (p *Perturber) With(how string, e *history.Event, change func(*history.Event)) bool {
	return p.WithItem(how, e, -1, change)
}

// WithItem does so with an item of a list.
func (p *Perturber) WithItem(how string, e *history.Event, item int, change func(*history.Event)) bool {
	return p.Emit(how, e, item, func() []history.Event {
		c := *e
		if e.X != nil {
			x := *e.X
			c.X = &x
		}
		change(&c)
		return Rebuild(p.H, e.Num, []history.Event{c})
	})
}

// Emit gives the history of these events, unless the sample leaves it out. It says whether to go on.
func (p *Perturber) Emit(how string, e *history.Event, item int, events func() []history.Event) bool {
	class := p.Classes[e.Num]
	if item >= 0 {
		class = "item of " + class
	}
	if !p.takes(how, class) {
		return true
	}
	h, err := history.New(p.H.Header, events())
	if err != nil {
		panic(fmt.Sprintf("golden: a perturbation left no history: %v", err)) // a bug of Rebuild
	}
	return p.Yield(Perturbation{how, class, e.Num, item, h})
}

// Rebuild is h with one event replaced by some, and calls renumbered.
func Rebuild(h *history.History, num int32, by []history.Event) []history.Event {
	out := make([]history.Event, 0, len(h.Events)+1)
	shift := int32(len(by) - 1)
	add := func(e history.Event) {
		if e.Call > num {
			e.Call += shift
		}
		out = append(out, e)
	}
	for _, e := range h.Events {
		if e.Num != num {
			add(e)
			continue
		}
		for _, c := range by {
			add(c)
		}
	}
	return out
}

// Swapped is h with two events swapped.
func Swapped(h *history.History, a, b int32) []history.Event {
	out := slices.Clone(h.Events)
	out[a-1], out[b-1] = out[b-1], out[a-1]
	return out
}

// Without is h with these events gone, and calls renumbered. What answers one that is gone has to go with it.
func Without(h *history.History, gone ...int32) []history.Event {
	out := make([]history.Event, 0, len(h.Events))
	for _, e := range h.Events {
		if slices.Contains(gone, e.Num) {
			continue
		}
		call := e.Call
		for _, num := range gone {
			if num < call {
				e.Call--
			}
		}
		out = append(out, e)
	}
	return out
}

// Again is h with a call, and the return that answers it, a second time, right after that return.
func Again(h *history.History, call, ret int32) []history.Event {
	second, answer := *h.Event(call), *h.Event(ret)
	out := Rebuild(h, ret, []history.Event{answer, second, answer})
	out[ret].At, out[ret+1].Call = answer.At, ret+1
	return out
}
