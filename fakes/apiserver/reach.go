package apiserver

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	pathcontent "k8s.io/apimachinery/pkg/api/validate/content"
)

// find gives the kind that a request is about, if it serves the verb.
func (v *View) find(ctx context.Context, req Request, verb string) (*kind, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if isClosed(v.closed) {
		return nil, down()
	}
	k := v.served.Load().kinds[req.Resource]
	if k == nil || !k.res.Namespaced && req.Namespace != "" {
		return nil, noSuchPath()
	}
	if err := k.res.serves(req.Subresource, verb); err != nil {
		return k, err
	}
	return k, placed(k.res, req, verb)
}

// placed refuses a namespace that no path in the store can have: who creates looks for it first.
func placed(res *Resource, req Request, verb string) error {
	if verb == "create" {
		if wrong := pathcontent.IsPathSegmentName(req.Namespace); len(wrong) > 0 {
			return apierrors.NewInternalError(fmt.Errorf("invalid resource name %q: %v", req.Namespace, wrong))
		}
		return nil
	}
	if req.Namespace != "." && req.Namespace != ".." {
		return nil
	}
	prefix := res.Resource
	switch {
	case res.Custom:
		prefix = res.Group + "/" + res.Resource
	case res.GroupVersionResource == corev1.SchemeGroupVersion.WithResource("services"):
		prefix = "services/specs"
	}
	key := "/" + prefix + "/" + req.Namespace
	if req.Name != "" {
		key += "/" + req.Name
	}
	return bare(fmt.Sprintf("invalid key: %q", key))
}

// findObject is find for a request that must name one object.
func (v *View) findObject(ctx context.Context, req Request, verb string) (*kind, error) {
	k, err := v.find(ctx, req, verb)
	if err == nil && (req.Name == "" || k.res.Namespaced && req.Namespace == "") {
		err = noSuchPath()
	}
	return k, err
}

// reach waits until a cache has come to a revision, for as long as TooLargeWait, or not at all for a kind
// without a cache, and gives the state it is at then. The error is 504, or the context's; 429 if the
// cache is given up meanwhile, 503 if the server is.
func (v *View) reach(ctx context.Context, c *cache, rev uint64) (tree, uint64, error) {
	v.mu.RLock()
	cut := v.cut
	v.mu.RUnlock()
	var patience *time.Timer
	for {
		now := time.Now()
		v.refresh(now)
		v.mu.RLock()
		current, state, moved := v.reached(c), v.stateOf(c), v.moved
		next, more := v.untilNext(now)
		v.mu.RUnlock()
		switch {
		case isClosed(cut) || isClosed(v.closed):
			return tree{}, 0, down()
		case isClosed(c.ended):
			return tree{}, 0, notReady(0)
		case rev <= current:
			return state, current, nil
		case c.kind.direct != nil || v.o.TooLargeWait < 0:
			return tree{}, 0, tooLarge(rev, current, 0)
		}
		if patience == nil {
			patience = time.NewTimer(v.o.TooLargeWait)
			defer patience.Stop()
		}
		select {
		case <-moved:
		case <-later(next, more):
		case <-patience.C:
			return tree{}, 0, tooLarge(rev, current, 1)
		case <-ctx.Done():
			return tree{}, 0, ctx.Err()
		case <-cut:
		case <-v.closed:
		}
	}
}

// later is time.After, or never.
func later(d time.Duration, ever bool) <-chan time.Time {
	if !ever {
		return nil
	}
	return time.After(d)
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// down answers what comes to a server that has been closed, or waits while it goes down.
func down() error { return apierrors.NewServiceUnavailable("the server is closed") }

// notReady is 429; retryAfter in seconds, at least 1.
func notReady(retryAfter int) error {
	return apierrors.NewTooManyRequests("storage is (re)initializing", max(1, retryAfter))
}
