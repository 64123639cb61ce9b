package informer

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// readingBody is the body of a SYNCED or VERSION.
type readingBody struct {
	Synced  bool   `json:"synced,omitempty"`
	Version string `json:"version,omitempty"`
}

// indexArgs are the arguments of an INDEX.
type indexArgs struct {
	Value string `json:"value"`
}

// look reads everything that the informer shows: whether it has synced and its version, and then its store and its index,
// which must agree with what it said before.
func (r *running) look() {
	r.readAllSynced()
	if v, ok := r.informer.(Versioned); ok && r.t.Has(Version) {
		r.read(harness.Call{Kind: versionKind}, func() harness.Answer { return harness.Answer{Body: readingBody{Version: v.Version()}} })
	}
	all := r.readStore()
	if r.config.Index != "" {
		r.readIndex(all)
	}
}

// read records a call of a reading method, and returns its answer.
func (r *running) read(c harness.Call, f func() harness.Answer) harness.Answer {
	c.Actor = r.actor
	_, a := r.t.Do(c, func(context.Context) harness.Answer { return f() })
	return a
}

// readAllSynced reads HasSynced of the informer and of its handlers.
func (r *running) readAllSynced() {
	if s, ok := r.informer.(Synced); ok && r.t.Has(HasSynced) {
		r.read(harness.Call{Kind: syncedKind}, func() harness.Answer { return harness.Answer{Body: readingBody{Synced: s.HasSynced()}} })
	}
	for _, h := range r.handlers {
		h.readSynced()
	}
}

// readStore reads the store, and remembers the keys that it has.
func (r *running) readStore() []history.Ref {
	all := r.readBeside()
	for _, o := range all {
		r.listed[o.Key] = true
	}
	return all
}

// readBeside reads the store, and may be called concurrently.
func (r *running) readBeside() []history.Ref {
	return r.read(harness.Call{Kind: listKind}, func() harness.Answer { return r.items(r.informer.List()) }).Items
}

// items returns an answer with objects.
func (r *running) items(all []json.RawMessage, err error) harness.Answer {
	if err != nil {
		return answerOf(err)
	}
	return harness.Answer{Items: byKey(r.d.objects(all))}
}

// answerOf returns the answer of a call that returned err; nil is no error.
func answerOf(err error) (a harness.Answer) {
	if err != nil {
		a.Err = &history.Error{Msg: err.Error()}
	}
	return a
}

// byKey sorts objects by key: the order of a store says nothing.
func byKey(all []history.Ref) []history.Ref {
	slices.SortStableFunc(all, func(a, b history.Ref) int { return cmp.Compare(a.Key, b.Key) })
	return all
}

// object returns an answer with one object, or with none.
func (r *running) object(b json.RawMessage, err error) harness.Answer {
	if err != nil || b == nil {
		return answerOf(err)
	}
	return harness.Answer{Obj: rig.Object(r.t, b)}
}

// readIndex reads the index for each value that an object was ever read to have, and for one that none has.
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

func (r *running) readValue(v string) {
	r.read(harness.Call{Kind: indexKind, Args: indexArgs{v}}, func() harness.Answer { return r.items(r.informer.(Indexed).ByIndex(v)) })
}

// appOf returns the value of an object in the index ByApp; "": none.
func appOf(labels *history.Set) string { return labels.Get("app") }

// readAtMost limits the keys that are read one by one.
const readAtMost = 8

// readEach reads each of the first keys that the store was ever read to have, and one that nothing has.
func (r *running) readEach() {
	keys := slices.Sorted(maps.Keys(r.listed))
	for _, key := range append(keys[:min(len(keys), readAtMost)], r.config.Namespace+"/none-has-it") {
		r.get(key)
	}
}

func (r *running) get(key string) {
	r.read(harness.Call{Kind: getKind, Obj: history.Ref{Key: key}}, func() harness.Answer { return r.object(r.informer.Get(key)) })
}

// has reports whether the store has an object, by Get or by List: a rule judges whether these agree.
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

// coming returns has for a caller that repeats it until an object is there. A List may be megabytes over a pipe: it takes at
// most a fiftieth of the time.
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

// pushed are the keys of the last push. It may be used concurrently.
type pushed struct {
	keys atomic.Pointer[map[string]bool]
}

func (p *pushed) set(items []history.Ref) {
	keys := map[string]bool{}
	for _, o := range items {
		keys[o.Key] = true
	}
	p.keys.Store(&keys)
}

func (p *pushed) has(key string) bool {
	keys := p.keys.Load()
	return keys != nil && (*keys)[key]
}
