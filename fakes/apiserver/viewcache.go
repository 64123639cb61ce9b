package apiserver

import (
	"fmt"
	"math"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// What follows runs under the lock, unless it says otherwise.

// start makes a cache ready: it lists the store, and its window begins there.
func (v *View) start(s *slot) {
	s.cache = newCache(s.kind, v.st.rev, window{count: v.o.WindowCount, age: v.o.WindowAge})
	s.stopped = false
}

func (v *View) restart(now time.Time) {
	close(v.cut)
	v.cut = make(chan struct{})
	v.behind, v.rev, v.since = nil, v.st.rev, now
	for _, s := range v.slots {
		switch {
		case s.kind.direct != nil:
		case s.kind.res.Cold:
			s.cache, s.stopped, s.since = nil, false, now
		default:
			v.start(s)
		}
	}
	v.wake()
}

// receive is told of each commit.
func (v *View) receive(now time.Time, r *revision) {
	v.catchUp(now)
	if v.lag == 0 {
		v.arrive(r, now)
		v.advance()
		return
	}
	if v.behind = append(v.behind, r); len(v.behind) == 1 {
		v.wake() // who sleeps with nothing to come has to look when this does
	}
}

// refresh takes the lock, and lets arrive what the clock says is due.
func (v *View) refresh(now time.Time) {
	v.mu.RLock()
	wait, more := v.untilNext(now)
	v.mu.RUnlock()
	if more && wait <= 0 {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.catchUp(now)
	}
}

// untilNext is the time to the next arrival; false: none is to come.
func (v *View) untilNext(now time.Time) (time.Duration, bool) {
	if len(v.behind) == 0 || v.lag < 0 {
		return 0, false
	}
	return v.due(v.behind[0]).Sub(now), true
}

// due is when a revision arrives.
func (v *View) due(r *revision) time.Time {
	if at := r.at.Add(v.lag); at.After(v.since) {
		return at
	}
	return v.since
}

// catchUp lets arrive what is due. It is called before what could tell the difference, so no timer is
// needed but those of who waits.
func (v *View) catchUp(now time.Time) {
	n := 0
	for ; n < len(v.behind) && v.lag >= 0; n++ {
		at := v.due(v.behind[n])
		if at.After(now) {
			break
		}
		v.arrive(v.behind[n], at)
	}
	if n > 0 {
		clear(v.behind[:n])
		v.behind = v.behind[n:]
		v.advance()
	}
}

func (v *View) arrive(r *revision, at time.Time) {
	v.rev = r.rev
	for i := range r.writes {
		w := &r.writes[i]
		if c := v.cacheAt(w.kind.history); c != nil && w.kind.direct == nil {
			c.add(w, at)
		}
	}
}

// advance wakes who waits for a version.
func (v *View) advance() {
	close(v.moved)
	v.moved = make(chan struct{})
}

// wake makes everybody look again.
func (v *View) wake() {
	v.advance()
	for _, s := range v.slots {
		if s.cache != nil && s.kind.direct == nil {
			s.cache.wake()
		}
	}
}

// reached is the revision that a cache has come to.
func (v *View) reached(c *cache) uint64 {
	if c.kind.direct != nil {
		return v.st.rev
	}
	return max(c.from, v.rev)
}

// stateOf is the state that a cache has come to.
func (v *View) stateOf(c *cache) tree {
	if c.kind.direct != nil {
		return c.kind.Now()
	}
	return c.tree
}

// cacheAt is the cache of a history; nil: it is not ready, or its definition is deleted.
func (v *View) cacheAt(h *history) *cache {
	if s := v.slots[h]; s != nil {
		return s.cache
	}
	return nil
}

// slotOf is the place of a resource's cache; nil: there is no such resource.
func (v *View) slotOf(gvr schema.GroupVersionResource) *slot {
	if k := v.st.kinds[gvr]; k != nil {
		return v.slots[k.history]
	}
	return nil
}

// cacheOf is the cache of a resource that has one, ready.
func (v *View) cacheOf(gvr schema.GroupVersionResource) (*cache, error) {
	s := v.slotOf(gvr)
	if s == nil || s.cache == nil || s.kind.direct != nil {
		return nil, fmt.Errorf("%s has no cache that is ready", gvr)
	}
	return s.cache, nil
}

// ready takes the lock and gives the cache of a kind (of one without: the store's own history), or 429.
// A cold cache starts with the first request that needs it, which is refused.
func (v *View) ready(now time.Time, k *kind) (*cache, error) {
	v.mu.RLock()
	s := v.slots[k.history]
	if s == nil { // its definition has just been deleted
		v.mu.RUnlock()
		return nil, noSuchPath()
	}
	c, stopped, since := s.cache, s.stopped, s.since
	v.mu.RUnlock()
	if c != nil {
		return c, nil
	}
	if !stopped {
		v.mu.Lock()
		defer v.mu.Unlock()
		if s.cache == nil && !s.stopped {
			v.start(s)
		}
	}
	return nil, notReady(int(min(30, math.Exp(0.06*now.Sub(since).Seconds())))) // kube-apiserver's formula
}
