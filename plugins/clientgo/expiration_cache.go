package clientgo

import (
	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/conformance/store"
)

// openExpiring opens a cache.ExpirationCache. Its clock is the process's, which
// in a bubble is the bubble's.
func openExpiring(o store.Options) (store.Subject, error) {
	return plain{cache.NewTTLStore(keyOf, o.TTL)}, nil
}
