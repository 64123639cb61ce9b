package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/internal/nth"
)

// Set is faults with what has become of them: how many requests each has met, how often it struck. It is
// safe for concurrent use, and by several APIs, which it then counts together.
type Set struct {
	mu    sync.Mutex
	rand  *rand.Rand
	armed []*armed
}

type armed struct {
	Fault
	nth.Count
}

// New makes a set of faults. The same seed and the same requests, one after another, meet the same faults.
func New(seed uint64, all ...Fault) (*Set, error) {
	s := &Set{rand: rand.New(rand.NewPCG(seed, 2))}
	for i, f := range all {
		if f.Name == "" {
			f.Name = fmt.Sprint("fault-", i+1)
		}
		if err := f.check(); err != nil {
			return nil, fmt.Errorf("%s (the %d. of them): %w", f.Name, i+1, err)
		}
		if slices.ContainsFunc(s.armed, func(a *armed) bool { return a.Name == f.Name }) {
			return nil, fmt.Errorf("two faults are called %s: the log could not tell them apart", f.Name)
		}
		s.armed = append(s.armed, &armed{Fault: f})
	}
	return s, nil
}

// Add makes one more fault, which strikes from now on; an empty name is refused, and so is a stale one, which
// needs a view that was there from the beginning.
func (s *Set) Add(f Fault) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch err := f.check(); {
	case err != nil:
		return fmt.Errorf("%s: %w", f.Name, err)
	case f.Name == "":
		return errors.New("a fault that is added needs a name, by which it can be removed")
	case f.Stale != nil:
		return fmt.Errorf("%s: stale: it cannot be added to what is there: give it to New", f.Name)
	case slices.ContainsFunc(s.armed, func(a *armed) bool { return a.Name == f.Name }):
		return fmt.Errorf("two faults are called %s: the log could not tell them apart", f.Name)
	}
	s.armed = append(s.armed, &armed{Fault: f})
	return nil
}

// Remove takes a fault away: no request that comes from now on meets it. What it does to a request or watch
// that is under way goes on.
func (s *Set) Remove(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.armed = slices.DeleteFunc(s.armed, func(a *armed) bool { return a.Name == name })
}

// Struck is how often a fault has struck; 0 for one that is not in the set.
func (s *Set) Struck(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.armed {
		if a.Name == name {
			return a.Struck
		}
	}
	return 0
}

// asked is what faults choose requests by.
type asked struct {
	verb      string
	req       apiserver.Request
	view      string
	wire      bool
	streaming bool
	continued bool
	versioned bool
}

// choose gives the faults that strike a request.
func (s *Set) choose(ctx context.Context, q asked) []*Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*Fault
	by := apiserver.CallerOf(ctx)
	for _, a := range s.armed {
		if !by.Internal && a.matches(q, by.UserAgent) && a.Strikes(a.Nth, a.Times, a.Probability, s.rand) {
			out = append(out, &a.Fault)
		}
	}
	return out
}

func (f *Fault) matches(q asked, agent string) bool {
	among := f.Verbs
	if len(among) == 0 {
		among = f.possible()
	}
	return slices.Contains(among, q.verb) && (q.wire || !f.needsWire(q.verb)) &&
		(f.Resource == "" || f.Resource == q.req.Resource.GroupResource().String()) &&
		(f.Subresource == "" || f.Subresource == q.req.Subresource) &&
		(f.Namespace == "" || f.Namespace == q.req.Namespace) &&
		(f.Object == "" || f.Object == q.req.Name) &&
		(f.View == "" || f.View == q.view) &&
		(f.Streaming == nil || q.verb == "watch" && *f.Streaming == q.streaming) &&
		(f.Continued == nil || q.verb == "list" && *f.Continued == q.continued) &&
		(f.Versioned == nil || (q.verb == "list" || q.verb == "watch") && *f.Versioned == q.versioned) &&
		strings.Contains(agent, f.UserAgent)
}

// needsWire says that a fault cannot be had without bytes.
func (f *Fault) needsWire(verb string) bool {
	switch {
	case f.Events != nil:
		return slices.Contains(bytely, f.Events.Do)
	case f.Hang == Body, f.Reset == Body:
		return verb != "watch"
	}
	return f.Reset == Headers || f.Answer != nil || f.Wire != nil
}

// seed is one for the events of a watch.
func (s *Set) seed() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rand.Uint64()
}
