// Package informer has informers of our own: correct ones, ones with exactly one fault each, and ones that are odd but
// correct.
package informer

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	conformance "github.com/lwtest/lwtest/conformance/informer"
)

// informer is a correct one. Its functions are there to be replaced.
type informer struct {
	config   conformance.Config
	server   server
	at       position // of the loop alone
	eldest   bool     // of those made in one case it is the first
	streams  bool     // whether it asks for streaming lists at all
	stays    bool     // a streaming list goes on as a watch
	heard    bool     // and so has the last one
	limit    int64    // of a page
	patience time.Duration
	enough   time.Duration // a watch that lasts so long is none that failed
	silence  time.Duration // so long may nothing come of a watch
	opening  time.Duration // so long may its opening take
	answers  time.Duration // and so long of a list

	// Of the loop, what it asks and what it makes of the answer.
	follows    func(ctx context.Context)
	ask        func(ctx context.Context, what string) error
	asks       func(what string, o *metav1.ListOptions)   // before a request is sent
	next       func(what string, err error) time.Duration // after it: what comes next, and in how long
	grows      func(failures int) time.Duration           // the pause after so many failures in a row
	waits      func(err error) time.Duration              // the pause that an error asks for
	paged      func(so []object, p page)                  // a page has come, or an event of a streaming list
	breaks     func(so []object, p page, err error) error // the next one has not; p is the last that came
	unfinished func(so []object, err error) error         // a streaming list has failed
	seen       func(kind, version string)                 // where a watch would go on
	transforms func(path string) bool
	shapes     func(o runtime.Object)   // what is kept of one
	closes     func(stop func())        // a watch that is not needed any more
	quits      func(e watch.Event) bool // whether the watch is not needed any more after an event
	rests      func(ctx context.Context, d time.Duration)
	fails      func(what string, err error)

	// Of the content. These are called with the lock.
	replace func(all []object, version string)
	put     func(o object, initial bool)
	drop    func(last object, unknown bool)
	reindex func(was, now *object)
	moves   func(kind, version string) // which version is told
	tell    func(c change)

	// Of handlers, the first three with the lock.
	queues   func(h *handler, c change)
	joins    func(h *handler)
	leaves   func(h *handler)
	first    func(h *handler, c change) bool // what it is told of an add
	delivers func(h *handler, c change)
	ticks    func(h *handler) time.Duration // until the next resync; 0: never
	resyncs  func(h *handler)               // with the lock
	backlog  func(h *handler)               // what is left of it when the run ends

	// Of the whole.
	gets      func(key string) json.RawMessage // with the lock
	lists     func() []object                  // with the lock
	under     func(value string) []object      // with the lock
	hasSynced func() bool                      // with the lock
	handled   func(h *handler) bool
	refuses   func(s state) error
	removed   func(h *handler, wait bool)
	removes   func(h *handler, wait bool) error
	keeps     func(o object) bool                // whether the answer to a write of ours is kept, with the lock; nil: never
	reflects  func(key string) bool              // whether a write of ours has come back, with the lock
	again     func(ctx context.Context, s state) // another Run
	ends      func()                             // when everything has stopped

	mu       sync.Mutex
	state    state
	ctx      context.Context // while it runs
	workers  sync.WaitGroup
	items    map[string]object
	index    map[string]map[string]bool // keys by app
	version  string
	synced   bool
	relists  bool          // a list is being taken, and not the first
	changed  chan struct{} // closed at the next change of the version
	handlers []*handler
	wrote    map[string]string // by key: the resourceVersion of our last write
}

type state int

const (
	fresh state = iota
	running
	stopped
)

var errStopped = errors.New("the informer has stopped")

// newInformer is one with nothing replaced.
func newInformer(c conformance.Config) (*informer, error) {
	s, err := serverOf(c, nil)
	if err != nil {
		return nil, err
	}
	i := &informer{config: c, server: s, limit: 500, patience: time.Minute, enough: time.Second, silence: watchTime + 30*time.Second, opening: watchTime, answers: watchTime,
		items: map[string]object{}, index: map[string]map[string]bool{}, changed: make(chan struct{}), wrote: map[string]string{}}
	if c.PageSize > 0 {
		i.limit = c.PageSize
	}
	i.looping()
	i.containing()
	i.handling()
	i.gets = func(key string) json.RawMessage { return i.items[key].raw }
	i.lists = i.all
	i.under = i.indexed
	i.hasSynced = func() bool { return i.synced }
	i.handled = func(h *handler) bool { return h.joined && h.initial == 0 }
	i.refuses = func(s state) error {
		if s == stopped {
			return errStopped
		}
		return nil
	}
	i.removed = i.remove
	i.removes = func(h *handler, wait bool) error { i.removed(h, wait); return nil }
	i.reflects = i.has
	i.again = func(context.Context, state) {}
	i.ends = func() {}
	return i, nil
}

// Run implements informer.Informer. It does nothing where it has run before.
func (i *informer) Run(ctx context.Context) {
	i.mu.Lock()
	was := i.state
	if was == fresh {
		i.state, i.ctx = running, ctx
		for _, h := range i.handlers {
			i.work(h)
		}
	}
	i.mu.Unlock()
	if was != fresh {
		i.again(ctx, was)
		return
	}
	i.follows(ctx)
	i.mu.Lock()
	i.state = stopped
	i.mu.Unlock()
	i.workers.Wait()
	i.server.close()
	i.ends()
}

// locked does something with the lock.
func (i *informer) locked(f func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	f()
}

// Get implements informer.Informer.
func (i *informer) Get(key string) (json.RawMessage, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.gets(key), nil
}

// List implements informer.Informer.
func (i *informer) List() ([]json.RawMessage, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return raws(i.lists()), nil
}

// ByIndex implements informer.Indexed.
func (i *informer) ByIndex(value string) ([]json.RawMessage, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return raws(sorted(i.under(value))), nil
}

// HasSynced implements informer.Synced.
func (i *informer) HasSynced() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.hasSynced()
}

// Version implements informer.Versioned.
func (i *informer) Version() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.version
}
