package store

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
)

// world is what the steps of a story act on: a store, what they have put into it, and the Pops that they have begun.
type world struct {
	*driver
	opens Open
	mu    sync.Mutex
	last  map[string]Object   // by key, what a step has put there last
	pops  map[string]*popping // by actor, the last Pop
}

// play plays a story. Unless its first step opens the store, the store is opened without options.
func play(t *harness.T, open Open, s story.Story) {
	w := &world{driver: newDriver(t), opens: open, last: map[string]Object{}, pops: map[string]*popping{}}
	if len(s.Steps) == 0 || s.Steps[0].Op != "open" {
		if !w.open(open, Options{}) {
			return
		}
	}
	vocabulary.Play(t, w, s)
	if w.s != nil {
		w.allPushed()
	}
}

// by returns a driver for the calls of a step. Those of asynchronous steps let others go on amid them, so that calls overlap.
func (w *world) by(s story.Step) *driver {
	if s.Actor == "" && !s.Async {
		return w.driver
	}
	d := w.as(s.Actor)
	if d.actor == "" {
		d.actor = "u1"
	}
	d.yields = s.Async
	return d
}

// put returns the object that a step puts under a key.
func (w *world) put(key string, c Content) Object {
	o := w.object(key, c)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last[key] = o
	return o
}

// changeOf returns the change that an item asks for.
func (w *world) changeOf(x Item) Change {
	if x.Verb == Delete {
		return Change{Verb: Delete, Object: w.object(x.Obj, x.Content), Unknown: x.Unknown}
	}
	return Change{Verb: cmp.Or(x.Verb, Add), Object: w.put(x.Obj, x.Content)}
}

// objectAt returns an object with a key and nothing else.
func objectAt(key string) Object { return objectOf(history.Ref{Key: key}) }

// object returns an object of a step that puts nothing.
func (w *world) object(key string, c Content) Object {
	w.mu.Lock()
	last, there := w.last[key]
	w.mu.Unlock()
	if c.Same && there {
		return last
	}
	k := objectAt(key)
	o := w.driver.object(k.Namespace, k.Name, c.Values...)
	if c.Body != "" {
		o.Body = c.Body
	}
	if c.Version == same && there {
		o.ResourceVersion = last.ResourceVersion
	}
	o.ResourceVersion = c.Version.of(o.ResourceVersion)
	return o
}

// list returns the objects of a step that puts several, and then n more.
func (w *world) list(items []Item, n int) (out []Object) {
	for _, x := range items {
		out = append(out, w.put(x.Obj, x.Content))
	}
	for i := range n {
		out = append(out, w.put("a/"+nth(i), Content{}))
	}
	return out
}

// popOf returns the last Pop of an actor, or nil.
func (w *world) popOf(actor string) *popping {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pops[actor]
}

// pop begins a Pop.
func (w *world) pop(actor, kind string) {
	p := w.startPopBy(actor, kind)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pops[actor] = p
}

// of returns the resourceVersion: newest, unless it is to be another.
func (v Which) of(newest string) string {
	switch v {
	case older:
		return "50"
	case unset:
		return ""
	}
	return newest
}

// rest waits until each Pop that something was put for has returned, and records of each other Pop that it still waits.
func (w *world) rest() {
	under := w.under()
	if len(under) == 0 {
		return
	}
	if !w.t.Virtual() {
		w.waits(under[0])
		return
	}
	if w.t.Wait(); len(w.under()) > 0 {
		w.t.Idle()
	}
	for _, p := range w.under() {
		w.t.Settled(p.actor, 0, "")
	}
}

// under returns the Pops that have not returned.
func (w *world) under() (out []*popping) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, actor := range slices.Sorted(maps.Keys(w.pops)) {
		if p := w.pops[actor]; !p.returned() {
			out = append(out, p)
		}
	}
	return out
}
