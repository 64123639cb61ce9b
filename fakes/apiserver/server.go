package apiserver

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Server is the store with the behaviour of a kube-apiserver. It is an API, safe for concurrent use.
// Beside its watches, one goroutine each, it runs nothing in the background.
type Server struct {
	o Options

	mu     sync.RWMutex // held only for moments, never while waiting
	st     store
	rand   *rand.Rand
	ended  bool
	closed chan struct{}

	watches sync.WaitGroup
}

var _ API = (*Server)(nil)

// New makes an empty server, ready at once. It must be closed, within the bubble it was made in.
func New(o Options) *Server {
	o = o.withDefaults()
	s := &Server{
		o: o, st: newStore(o, time.Now()), closed: make(chan struct{}),
		rand: rand.New(rand.NewPCG(o.Seed, 0)),
	}
	if o.Namespaces {
		for _, name := range []string{"default", "kube-node-lease", "kube-public", "kube-system"} {
			ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
			req := Request{Resource: corev1.SchemeGroupVersion.WithResource("namespaces"), Name: name}
			if _, err := s.Create(context.Background(), req, ns, metav1.CreateOptions{}); err != nil {
				panic(fmt.Sprintf("apiserver: Options.Namespaces: %v", err)) // they are not in Options.Resources
			}
		}
	}
	return s
}

// Close ends every watch cleanly and waits until their goroutines are gone. Calls after it are refused
// with 503. It may be called twice; its error is always nil.
func (s *Server) Close() error {
	s.mu.Lock()
	if !s.ended {
		s.ended = true
		close(s.closed)
	}
	s.mu.Unlock()
	s.watches.Wait()
	return nil
}

// Revision is the resourceVersion of the last write of any kind.
func (s *Server) Revision() string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return format(s.st.rev)
}

// Compact forgets every state older than that at a resourceVersion ("": the present one), as compacting
// etcd does: exact lists and continue tokens older than it are 410, and so are watches of kinds without
// a cache. Watches of other kinds are not concerned. A resourceVersion in the future is an error.
func (s *Server) Compact(resourceVersion string) error {
	rev, err := parse(resourceVersion)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if resourceVersion == "" {
		rev = s.st.rev
	}
	if rev > s.st.rev {
		return fmt.Errorf("compact at %d: the store is at %d", rev, s.st.rev)
	}
	s.st.compact(rev)
	return nil
}

// ExpireWindow empties the watch window of a resource: a watch from any resourceVersion before now is
// 410, one that is open and behind is ended cleanly. Lists are not concerned. It is an error for a
// resource that is not served, or has no cache.
func (s *Server) ExpireWindow(gvr schema.GroupVersionResource) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.st.kinds[gvr]
	if k == nil || k.res.Uncached {
		return fmt.Errorf("expire window: %s has no watch window", gvr)
	}
	k.win.expire(s.st.rev)
	close(k.moved) // a watch that lags sleeps on it
	k.moved = make(chan struct{})
	return nil
}

// find gives the kind that a request is about.
func (s *Server) find(ctx context.Context, req Request) (*kind, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case <-s.closed:
		return nil, apierrors.NewServiceUnavailable("the server is closed")
	default:
	}
	k := s.st.kinds[req.Resource] // the map never changes
	if k == nil || req.Subresource != "" || !k.res.Namespaced && req.Namespace != "" {
		return nil, noSuchPath()
	}
	return k, nil
}

// findObject is find for a request that must name one object.
func (s *Server) findObject(ctx context.Context, req Request) (*kind, error) {
	k, err := s.find(ctx, req)
	if err == nil && (req.Name == "" || k.res.Namespaced && req.Namespace == "") {
		err = noSuchPath()
	}
	return k, err
}

// keepAge compacts what the clock says is due.
func (s *Server) keepAge(now time.Time) {
	s.mu.RLock()
	overdue := s.st.overdue(now)
	s.mu.RUnlock()
	if !overdue {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.st.overdue(now) {
		s.st.age(now)
	}
}

// reach waits until the store has a revision, for as long as TooLargeWait, or not at all for a kind
// without a cache. The error is 504, or the context's.
func (s *Server) reach(ctx context.Context, k *kind, rev uint64) error {
	retryAfter, patience := 0, (<-chan time.Time)(nil)
	for {
		s.mu.RLock()
		current, moved := s.st.rev, s.st.moved
		s.mu.RUnlock()
		if rev <= current {
			return nil
		}
		if k.res.Uncached || s.o.TooLargeWait < 0 {
			return tooLarge(rev, current, retryAfter)
		}
		if patience == nil {
			timer := time.NewTimer(s.o.TooLargeWait)
			defer timer.Stop()
			retryAfter, patience = 1, timer.C
		}
		select {
		case <-moved:
		case <-patience:
			return tooLarge(rev, current, retryAfter)
		case <-ctx.Done():
			return ctx.Err()
		case <-s.closed:
			return apierrors.NewServiceUnavailable("the server is closed")
		}
	}
}
