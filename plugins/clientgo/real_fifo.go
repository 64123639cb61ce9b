package clientgo

import (
	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/conformance/store"
)

// realFIFO is a cache.RealFIFO.
type realFIFO struct {
	queue
	f *cache.RealFIFO
}

// openRealFIFO opens one with known objects.
func openRealFIFO(store.Options) (store.Subject, error) {
	known := knownObjects()
	f := cache.NewRealFIFOWithOptions(cache.RealFIFOOptions{KeyFunction: keyOf, KnownObjects: known})
	return realFIFO{queue{f, known}, f}, nil
}

// openAtomicFIFO opens one as informers have it: atomic, unlocked while
// something is processed, with bookmarks.
func openAtomicFIFO(store.Options) (store.Subject, error) {
	f := cache.NewRealFIFOWithOptions(cache.RealFIFOOptions{KeyFunction: keyOf, AtomicEvents: true, UnlockWhileProcessing: true, EmitDeltaTypeBookmark: true})
	return realFIFO{queue{f, nil}, f}, nil
}

func (r realFIFO) Bookmark(rv string) error { return r.f.Bookmark(rv) }

func (r realFIFO) PopBatch() (store.Popped, error) {
	var out store.Popped
	err := r.f.PopBatch(func(deltas []cache.Delta, initial bool) (err error) {
		out, err = r.process(deltas, initial)
		return err
	}, func(x any, initial bool) (err error) {
		out, err = r.process(x.(cache.Deltas), initial)
		return err
	})
	return out, told(err)
}
