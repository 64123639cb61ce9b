package informer

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// readAtMost is how many keys are asked for one by one: of a store of hundreds the first must do.
const readAtMost = 8

// readEach asks it for each key that it was ever read to have, and for one that nothing has.
func (r *running) readEach() {
	keys := slices.Sorted(maps.Keys(r.listed))
	for _, key := range append(keys[:min(len(keys), readAtMost)], r.config.Namespace+"/none-has-it") {
		r.get(key)
	}
}

func (r *running) get(key string) {
	r.t.Do(harness.Call{Actor: r.actor, Kind: getKind, Obj: history.Ref{Key: key}}, func(context.Context) harness.Answer {
		return r.object(r.informer.Get(key))
	})
}

// has says that the store has an object, by Get or, where that is not so, by List: whether these agree is judged.
func (r *running) has(key string) bool { return r.gets(key) || r.lists(key) }

func (r *running) gets(key string) (there bool) {
	r.t.Try(r.actor, r.call, func() {
		b, _ := r.informer.Get(key)
		there = b != nil
	})
	return there
}

func (r *running) lists(key string) (there bool) {
	r.t.Try(r.actor, r.call, func() {
		all, _ := r.informer.List()
		there = slices.ContainsFunc(all, func(b json.RawMessage) bool { return rig.Object(r.t, b).Key == key })
	})
	return there
}

// coming is has for who asks until an object is there. A List may be of megabytes, over a pipe: it takes a fiftieth of the
// time at most.
func (r *running) coming(key string) func() bool {
	var next time.Time
	return func() bool {
		began := time.Now()
		if r.gets(key) {
			return true
		}
		if began.Before(next) {
			return false
		}
		there := r.lists(key)
		next = time.Now().Add(50 * time.Since(began))
		return there
	}
}

// pushed are the keys of the last push.
type pushed struct {
	mu   sync.Mutex
	keys map[string]bool
}

func (p *pushed) is(items []history.Ref) {
	keys := map[string]bool{}
	for _, o := range items {
		keys[o.Key] = true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = keys
}

func (p *pushed) has(key string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.keys[key]
}
