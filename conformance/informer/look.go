package informer

import (
	"cmp"
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

// readingBody is the body of a reading of one thing.
type readingBody struct {
	Synced  bool   `json:"synced,omitempty"`
	Version string `json:"version,omitempty"`
}

// look reads all that the informer tells: whether it has synced, its version, and then its store and its index.
// What it says first it must hold to when the store is read.
func (r *running) look() {
	r.readAllSynced()
	if v, ok := r.informer.(Versioned); ok && r.t.Has(Version) {
		r.t.Do(harness.Call{Actor: r.actor, Kind: versionKind}, func(context.Context) harness.Answer {
			return harness.Answer{Body: readingBody{Version: v.Version()}}
		})
	}
	all := r.readStore()
	if r.config.Index != "" {
		r.readIndex(all)
	}
}

// readAllSynced reads HasSynced of it and of its handlers.
func (r *running) readAllSynced() {
	r.readSynced()
	for _, h := range r.handlers {
		h.readSynced()
	}
}

func (r *running) readSynced() {
	if s, ok := r.informer.(Synced); ok && r.t.Has(HasSynced) {
		r.t.Do(harness.Call{Actor: r.actor, Kind: syncedKind}, func(context.Context) harness.Answer {
			return harness.Answer{Body: readingBody{Synced: s.HasSynced()}}
		})
	}
}

func (r *running) readStore() []history.Ref {
	all := r.readBeside()
	for _, o := range all {
		r.listed[o.Key] = true
	}
	return all
}

// readBeside reads it where others read, too.
func (r *running) readBeside() []history.Ref {
	_, a := r.t.Do(harness.Call{Actor: r.actor, Kind: listKind}, func(context.Context) harness.Answer {
		return r.answer(r.informer.List())
	})
	return a.Items
}

func (r *running) answer(all []json.RawMessage, err error) harness.Answer {
	if err != nil {
		return harness.Answer{Err: &history.Error{Msg: err.Error()}}
	}
	return harness.Answer{Items: byKey(r.d.objects(all))}
}

// byKey are objects by their keys: a store is a map, and its order says nothing.
func byKey(all []history.Ref) []history.Ref {
	slices.SortStableFunc(all, func(a, b history.Ref) int { return cmp.Compare(a.Key, b.Key) })
	return all
}

// object is the answer of one.
func (r *running) object(b json.RawMessage, err error) harness.Answer {
	switch {
	case err != nil:
		return harness.Answer{Err: &history.Error{Msg: err.Error()}}
	case b == nil:
		return harness.Answer{}
	}
	return harness.Answer{Obj: rig.Object(r.t, b)}
}

// indexArgs are the arguments of a reading of an index.
type indexArgs struct {
	Value string `json:"value"`
}

// readIndex asks it for each value that an object has, or was ever read to have, and for one that none has.
func (r *running) readIndex(all []history.Ref) {
	for _, o := range all {
		if v := appOf(o.Labels); v != "" {
			r.values[v] = true
		}
	}
	for _, v := range append([]string{"none-has-it"}, slices.Sorted(maps.Keys(r.values))...) {
		r.readValue(v)
	}
}

// readValue asks it for one.
func (r *running) readValue(v string) {
	r.t.Do(harness.Call{Actor: r.actor, Kind: indexKind, Args: indexArgs{v}}, func(context.Context) harness.Answer {
		return r.answer(r.informer.(Indexed).ByIndex(v))
	})
}

// appOf is what the index ByApp makes of an object; "": it has no value.
func appOf(labels *history.Set) string {
	return labels.Get("app")
}

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

func (p *pushed) set(items []history.Ref) {
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
