package resources

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// Controls are what can be done to lwtest's own API server beside any request of its API, as the optional
// interfaces of watchcache.Subject: for subjects to embed. It is safe for concurrent use, as the server is.
type Controls struct {
	Server *apiserver.Server
	Of     schema.GroupVersionResource // what is tested: whose cache is meant
}

// Compact implements watchcache.Compactor.
func (c Controls) Compact(context.Context) (string, error) {
	rv := c.Server.Revision()
	return rv, c.Server.Compact(rv)
}

// MoveWindow implements watchcache.WindowMover.
func (c Controls) MoveWindow(context.Context) error {
	return c.Server.ForgetEvents(c.Of, "")
}

// Restart implements watchcache.Restarter.
func (c Controls) Restart(context.Context) error {
	c.Server.Restart()
	return nil
}

// DeleteTogether implements watchcache.Deleter.
func (c Controls) DeleteTogether(namespace string, names ...string) error {
	var reqs []apiserver.Request
	for _, n := range names {
		reqs = append(reqs, apiserver.Request{Resource: c.Of, Namespace: namespace, Name: n})
	}
	return c.Server.DeleteTogether(reqs...)
}

// SetLag implements watchcache.Lagger.
func (c Controls) SetLag(_ context.Context, lag time.Duration) error {
	c.Server.SetLag(lag)
	return nil
}

// SetReady implements watchcache.Starter.
func (c Controls) SetReady(_ context.Context, ready bool) error {
	if ready {
		return c.Server.StartCache(c.Of)
	}
	return c.Server.StopCache(c.Of)
}
