package controllerruntime_test

import (
	"testing"

	"github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/harness"
	cr "github.com/lwtest/lwtest/interop/controllerruntime"
	"github.com/lwtest/lwtest/plugins/clientgo"
	"github.com/lwtest/lwtest/plugins/fake"
)

// A cache and the client that reads from it, against lwtest's own API server.
func TestCache(t *testing.T) {
	clientgo.Quiet()
	t.Setenv("LWTEST_KNOWN", "known-cache.json")
	informer.Test(t, fake.Server, func(*testing.T) informer.Subject { return cr.Caches{} },
		append(append([]harness.Feature{harness.VirtualTime}, cr.CacheFeatures...), fake.ServerFeatures...)...)
}
