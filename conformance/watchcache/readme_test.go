package watchcache_test

import (
	"testing"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/harness"
)

// mine stands for the package of somebody who tests a server. The README shows the test.
var mine vendor

type vendor struct{}

// New makes a server, which ends with the test.
func (vendor) New(t *testing.T) watchcache.Subject {
	s := apiserver.New(apiserver.Options{})
	t.Cleanup(func() { _ = s.Close() }) // its error is always nil
	return vendorServer{s}
}

type vendorServer struct{ *apiserver.Server }

// In implements watchcache.Subject.
func (s vendorServer) In(namespace string) watchcache.Client {
	return apiserver.ConfigMaps(s, namespace)
}

func TestWatchCache(t *testing.T) {
	watchcache.Test(t, func(t *testing.T) watchcache.Subject { return mine.New(t) },
		harness.VirtualTime, watchcache.ComparableRV, watchcache.Bookmarks, watchcache.LabelWatch)
}
