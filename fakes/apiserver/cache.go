package apiserver

import (
	"sync/atomic"
	"time"
)

// cache is what one API server knows of one kind: a state, and the last changes that led to it. It has
// no lock of its own. For a kind without a cache it stands for the store's own history of changes.
type cache struct {
	kind *kind
	from uint64 // revision of the list it began with
	tree tree   // the state it has come to; not kept for a kind without a cache
	win  window

	moved chan struct{} // closed by the next change, and where a watch must look again
	ended chan struct{} // closed when it is given up: its watches end

	pushed atomic.Int64  // its open watches by Pusher
	turn   chan struct{} // through which they go one by one: else a change makes them all ready at once, and requests wait behind them
}

// newCache begins with the kind's present state, at the store's revision.
func newCache(k *kind, rev uint64, win window) *cache {
	win.floor, win.size = rev, win.count
	return &cache{kind: k, from: rev, tree: k.Now(), win: win, moved: make(chan struct{}), ended: make(chan struct{}), turn: make(chan struct{}, 1)}
}

// add takes over a change that arrives at a time. What the first list had is not a change.
func (c *cache) add(w *write, at time.Time) {
	if w.rev <= c.from {
		return
	}
	c.win.add(w.change, at)
	if c.kind.direct == nil {
		c.tree = w.after
	}
	c.wake()
}

func (c *cache) wake() {
	close(c.moved)
	c.moved = make(chan struct{})
}
