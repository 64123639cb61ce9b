package clientgo

import (
	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/conformance/store"
)

// openUndelta opens a cache.UndeltaStore, as the kubelet has one for its pods.
func openUndelta(o store.Options) (store.Subject, error) {
	push := func(all []any) {
		list, err := backAll(all)
		if err != nil {
			panic(err) // nobody else puts anything there
		}
		o.Push(list)
	}
	return plain{cache.NewUndeltaStore(push, keyOf)}, nil
}
