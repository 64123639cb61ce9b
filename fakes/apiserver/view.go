package apiserver

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// View is one API server of those that stand on one store. Writes go to the store at once; reads and
// watches of kinds with a cache are served from a cache of the view's own, which may lag, not be ready,
// or have begun anew. A view is an API, safe for concurrent use, and its methods never wait.
type View struct {
	*core

	lag    time.Duration // between a commit and its arrival here; negative: nothing arrives
	since  time.Time     // that this is so
	rev    uint64        // that has arrived
	behind []*revision   // what has not, oldest first
	slots  map[*history]*slot

	moved chan struct{} // closed when rev grows, or may sooner than expected
	cut   chan struct{} // closed by a restart: streams break
}

// slot is the place of a kind's cache.
type slot struct {
	kind    *kind
	cache   *cache    // nil: not ready
	stopped bool      // by StopCache: it does not start by itself
	since   time.Time // that it is not ready
}

func (s *core) addView(now time.Time, lag time.Duration) *View {
	v := &View{
		core: s, lag: lag, since: now, rev: s.st.rev, slots: map[*history]*slot{},
		moved: make(chan struct{}), cut: make(chan struct{}),
	}
	for _, k := range s.st.order {
		v.addSlot(now, k)
	}
	s.views = append(s.views, v)
	return v
}

// addSlot makes a place for the cache of a kind, and starts the cache unless it is cold.
func (v *View) addSlot(now time.Time, k *kind) {
	if v.slots[k.history] = (&slot{kind: k, cache: k.direct, since: now}); !k.res.Cold && k.direct == nil {
		v.start(v.slots[k.history])
	}
}

// AddView starts another API server on the same store, as a cluster with several has them: its caches
// begin with the store as it is, do not lag, and go their own way. It is closed with the server.
func (v *View) AddView() *View {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.addView(time.Now(), 0)
}

// SetLag makes every change that has not arrived in the view's caches yet, and every later one, arrive
// so long after it was committed; 0: at once; negative: not before the next SetLag. What has arrived
// stays. Kinds without a cache never lag.
func (v *View) SetLag(lag time.Duration) {
	now := time.Now()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.catchUp(now)
	v.lag, v.since = lag, now
	v.catchUp(now)
	v.wake()
}

// Reached is the resourceVersion that has arrived in the view's caches: that of a list at "0".
func (v *View) Reached() string {
	v.refresh(time.Now())
	v.mu.RLock()
	defer v.mu.RUnlock()
	return format(v.rev)
}

// Restart is a crash and a new start on the same store. Watches break off, calls that wait are refused
// with 503, and every cache begins anew, up to date: a watch from before is 410, while lists of older
// states are served as before. Kinds without a cache lose nothing but their streams.
func (v *View) Restart() {
	now := time.Now()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.restart(now)
}

// ForgetEvents drops the changes of a resource up to and including a resourceVersion ("": all) from the
// watch window, as many later changes would: a watch from before it is 410, one that is open and has
// still to send some of them is ended cleanly. Lists are not concerned. It is an error for a resource
// that is not served, is not ready or has no cache, and for a version that has not arrived.
func (v *View) ForgetEvents(gvr schema.GroupVersionResource, upTo string) error {
	rev, err := parse(upTo)
	if err != nil {
		return err
	}
	v.refresh(time.Now())
	v.mu.Lock()
	defer v.mu.Unlock()
	c, err := v.cacheOf(gvr)
	if err != nil {
		return err
	}
	if upTo == "" {
		rev = v.reached(c)
	}
	if rev > v.reached(c) {
		return fmt.Errorf("forget events up to %d: the cache is at %d", rev, v.reached(c))
	}
	c.win.forget(rev)
	c.wake() // a watch that lags sleeps on it
	return nil
}

// StopCache makes the cache of a resource not ready, as when it has lost its own watch on the store: its
// watches end cleanly; lists, unless they page without a selector, and new watches are refused with 429
// until StartCache; gets and other lists are answered from the store. It is an error for a resource that
// is not served, is not ready already or has no cache.
func (v *View) StopCache(gvr schema.GroupVersionResource) error {
	now := time.Now()
	v.mu.Lock()
	defer v.mu.Unlock()
	c, err := v.cacheOf(gvr)
	if err != nil {
		return err
	}
	close(c.ended)
	s := v.slots[c.kind.history]
	s.cache, s.stopped, s.since = nil, true, now
	v.wake() // who waits for a version looks again
	return nil
}

// StartCache makes it ready again. It begins anew, up to date whatever the lag: a watch from before this
// moment is 410. It is an error for a resource that is not served, is ready or has no cache.
func (v *View) StartCache(gvr schema.GroupVersionResource) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	s := v.slotOf(gvr)
	if s == nil || s.cache != nil {
		return fmt.Errorf("start cache: %s has none that is not ready", gvr)
	}
	v.start(s)
	return nil
}
