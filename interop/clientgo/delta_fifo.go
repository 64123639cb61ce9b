//go:build !before_0_19

package main

import (
	"fmt"

	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/plugins/adapter"
)

func offerDeltaFIFO(a *adapter.Adapter) {
	a.Store = adapter.StoreOffer{Features: append([]string{"client-go-semantics", "queue", "delta", "keys"}, popFeatures...),
		Open: func(adapter.StoreOptions) (adapter.Store, error) {
			known := cache.NewStore(keyOf)
			return deltaFIFO{cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KeyFunction: keyOf, KnownObjects: known, EmitDeltaTypeReplaced: true}), known}, nil
		}}
}

// deltaFIFO is a cache.DeltaFIFO, with a consumer that applies to the known objects what it pops, as controllers do.
type deltaFIFO struct {
	*cache.DeltaFIFO
	known cache.Store
}

func (q deltaFIFO) Apply(c adapter.Change) error {
	do := map[adapter.Verb]func(any) error{adapter.Add: q.Add, adapter.Update: q.Update, adapter.Delete: q.Delete}[c.Verb]
	return told(do(given(c)))
}

func (q deltaFIFO) Replace(list []adapter.Object, resourceVersion string) error {
	return told(q.DeltaFIFO.Replace(madeAll(list), resourceVersion))
}

func (q deltaFIFO) Resync() error { return told(q.DeltaFIFO.Resync()) }

func (q deltaFIFO) Synced() (bool, error) { return q.HasSynced(), nil }

func (q deltaFIFO) Close() error {
	q.DeltaFIFO.Close()
	return nil
}

func (q deltaFIFO) Pop() (adapter.Popped, error) {
	var out adapter.Popped
	_, err := q.DeltaFIFO.Pop(process(func(x any, initial bool) error {
		out.Initial = initial
		deltas, ok := x.(cache.Deltas)
		if !ok {
			return fmt.Errorf("it popped a %T", x)
		}
		for _, d := range deltas {
			t, err := delta(d)
			if err != nil {
				return err
			}
			out.Deltas = append(out.Deltas, t)
			if err := q.consume(d); err != nil {
				return err
			}
		}
		return nil
	}))
	return out, told(err)
}

func (q deltaFIFO) consume(d cache.Delta) error {
	if d.Type == cache.Deleted {
		return q.known.Delete(d.Object)
	}
	return q.known.Update(d.Object)
}

// delta is one of client-go's in the words of the suite.
func delta(d cache.Delta) (adapter.Delta, error) {
	out := adapter.Delta{Type: string(d.Type)}
	x := d.Object
	if gone, ok := x.(cache.DeletedFinalStateUnknown); ok {
		out.Unknown, x = true, gone.Obj
	}
	o, err := back(x)
	out.Object = &o
	return out, err
}
