package clientgo

import (
	"fmt"
	"slices"

	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/conformance/store"
)

// queue is a cache.Queue, with a consumer that applies to the known objects
// what it pops, as controllers do.
type queue struct {
	q     cache.Queue
	known cache.Store // nil: the queue has none
}

// sorted is a store whose keys come in order: it says in which order a queue
// finds what it knows, and the same seed is to give the same history.
type sorted struct{ cache.Store }

func (s sorted) ListKeys() []string { return slices.Sorted(slices.Values(s.Store.ListKeys())) }

func knownObjects() cache.Store { return sorted{cache.NewStore(keyOf)} }

func (q queue) Apply(c store.Change) error {
	do := map[store.Verb]func(any) error{store.Add: q.q.Add, store.Update: q.q.Update, store.Delete: q.q.Delete}[c.Verb]
	return told(do(given(c)))
}

func (q queue) Replace(list []store.Object, rv string) error {
	return told(q.q.Replace(madeAll(list), rv))
}

func (q queue) Resync() error { return told(q.q.Resync()) }

func (q queue) Synced() (bool, error) { return q.q.HasSynced(), nil }

func (q queue) Close() error {
	q.q.Close()
	return nil
}

func (q queue) Pop() (store.Popped, error) {
	var out store.Popped
	_, err := q.q.Pop(func(x any, initial bool) (err error) {
		deltas, ok := x.(cache.Deltas)
		if !ok {
			return fmt.Errorf("it popped a %T", x)
		}
		out, err = q.process(deltas, initial)
		return err
	})
	return out, told(err)
}

// process is the consumer.
func (q queue) process(deltas []cache.Delta, initial bool) (store.Popped, error) {
	out := store.Popped{Initial: initial}
	for _, d := range deltas {
		t, err := delta(d)
		if err != nil {
			return out, err
		}
		out.Deltas = append(out.Deltas, t)
		if q.known == nil {
			continue
		}
		if err := q.consume(d); err != nil {
			return out, err
		}
	}
	return out, nil
}

func (q queue) consume(d cache.Delta) error {
	if d.Type == cache.Deleted {
		return q.known.Delete(d.Object)
	}
	return q.known.Update(d.Object)
}

// delta is one of client-go's in the words of the suite.
func delta(d cache.Delta) (store.Delta, error) {
	out := store.Delta{Type: string(d.Type)}
	x := d.Object
	switch o := x.(type) {
	case cache.ReplacedAllInfo:
		all, err := backAll(o.Objects)
		out.Objects, out.ResourceVersion = all, o.ResourceVersion
		return out, err
	case cache.SyncAllInfo:
		return out, nil
	case cache.BookmarkInfo:
		out.ResourceVersion = o.ResourceVersion
		return out, nil
	case cache.DeletedFinalStateUnknown:
		out.Unknown = true
		x = o.Obj
	}
	o, err := back(x)
	out.Object = &o
	return out, err
}
