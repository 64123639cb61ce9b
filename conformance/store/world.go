package store

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

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
	opens := len(s.Steps) > 0 && s.Steps[0].Op == "open"
	if !opens && !w.open(open, Options{}) {
		return
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
	d := w.as(cmp.Or(s.Actor, "u1"))
	d.yields = s.Async
	return d
}

// objectAt returns an object with a key and nothing else.
func objectAt(key string) Object { return objectOf(history.Ref{Key: key}) }

// change returns the change that an item asks for.
func (w *world) change(x Item) Change {
	w.mu.Lock()
	defer w.mu.Unlock()
	last, there := w.last[x.Obj]
	k := objectAt(x.Obj)
	o := w.object(k.Namespace, k.Name, x.Values...)
	o.Body = cmp.Or(x.Body, o.Body)
	if o.ResourceVersion = x.Version.of(o.ResourceVersion); x.Version == same && there {
		o.ResourceVersion = last.ResourceVersion
	}
	if x.Same && there {
		o = last
	}
	if x.Verb == Delete { // a tombstone has a key of its own, whatever its object is
		return Change{Verb: Delete, Object: o, Unknown: x.Unknown && !keyless(o)}
	}
	w.last[x.Obj] = o
	return Change{Verb: cmp.Or(x.Verb, Add), Object: o}
}

// changes returns those that some items ask for, and the additions of n more objects.
func (w *world) changes(items []Item, n int) (out []Change) {
	for i := range n {
		items = append(slices.Clip(items), Item{Obj: "a/" + nth(i)})
	}
	for _, x := range items {
		out = append(out, w.change(x))
	}
	return out
}

// popOf returns the last Pop of an actor, or nil.
func (w *world) popOf(actor string) *popping {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pops[actor]
}

// begin begins a Pop.
func (w *world) begin(actor, kind string) *popping {
	p := w.startPopBy(actor, kind)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pops[actor] = p
	return p
}

// rest waits until each Pop that something was put for has returned, and records of each other Pop that it still waits.
func (w *world) rest() {
	under := w.under()
	switch {
	case len(under) == 0:
		return
	case !w.t.Virtual():
		w.t.Sleep(50 * time.Millisecond)
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
