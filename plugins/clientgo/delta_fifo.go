package clientgo

import (
	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/conformance/store"
)

// openDeltaFIFO opens a cache.DeltaFIFO with known objects.
func openDeltaFIFO(store.Options) (store.Subject, error) {
	known := knownObjects()
	q := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KeyFunction: keyOf, KnownObjects: known, EmitDeltaTypeReplaced: true})
	return queue{q, known}, nil
}
