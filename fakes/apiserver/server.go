package apiserver

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Server is a store and one API server on it. It is an API, safe for concurrent use: that of its first
// View, whose methods it has; AddView makes more. Beside its watches, one goroutine each, it runs
// nothing in the background.
type Server struct {
	*View
}

// core is what the views of one store share.
type core struct {
	o Options

	mu     sync.RWMutex // held only for moments, never while waiting
	st     store
	served atomic.Pointer[Defined] // what definitions make of the table
	views  []*View

	defined  map[string]*definition // by the names of CustomResourceDefinitions
	defining bool                   // what is committed is a step of define

	rand   *rand.Rand
	ended  bool
	closed chan struct{}

	watches sync.WaitGroup
}

var (
	_ API = (*Server)(nil)
	_ API = (*View)(nil)
)

// New makes an empty server, ready at once. It must be closed, within the bubble it was made in.
func New(o Options) *Server {
	o = o.withDefaults()
	c := &core{
		o: o, st: newStore(o, time.Now()), closed: make(chan struct{}),
		rand: rand.New(rand.NewPCG(o.Seed, 0)),
	}
	c.serve(nil)
	s := &Server{View: c.addView(time.Now(), o.CacheLag)}
	if o.Namespaces {
		for _, name := range []string{"default", "kube-node-lease", "kube-public", "kube-system"} {
			ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
			req := Request{Resource: corev1.SchemeGroupVersion.WithResource("namespaces"), Name: name}
			if _, err := s.Create(context.Background(), req, ns, metav1.CreateOptions{FieldManager: ServerManager}); err != nil {
				panic(fmt.Sprintf("apiserver: Options.Namespaces: %v", err)) // they are not in Options.Resources
			}
		}
		s.addSystemClasses()
		s.mu.Lock()
		s.addSystemObjects(time.Now())
		s.mu.Unlock()
	}
	return s
}

// Close ends every watch of every view cleanly and waits until their goroutines are gone. Calls after it
// are refused with 503. It may be called twice; its error is always nil.
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

// Restart restarts every view, and leaves the store as it is; see View.Restart.
func (s *Server) Restart() {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.views {
		v.restart(now)
	}
}

// Revision is the resourceVersion of the last write of any kind, whatever a cache knows of it.
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

// commit makes the writes true together, in one revision, and tells the views. The lock is held.
func (s *core) commit(now time.Time, writes ...write) {
	r := s.st.commit(now, writes)
	for _, v := range s.views {
		v.receive(now, r)
	}
	s.define(now, writes)
}

// keepAge compacts what the clock says is due.
func (s *core) keepAge(now time.Time) {
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
