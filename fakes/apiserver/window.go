package apiserver

import (
	"sort"
	"time"
)

// change is one step of one object. It never changes once it is committed.
type change struct {
	rev     uint64
	at      time.Time
	old     *record // nil: created
	new     *record // of a deletion: the last state, with the deletion's resourceVersion
	deleted bool
}

// window is what watches of one kind can still be served from: one log that all of them read, each
// from a place of its own. A watcher that is slow costs no memory but is cut off when its place is gone.
type window struct {
	log   []*change // oldest first
	first uint64    // place of log[0], counted from the first change ever
	floor uint64    // a watch from this revision is whole, from an older one it is refused

	count int           // of more changes than this …
	age   time.Duration // … those older than this are dropped
	whole bool          // keep all until compact (a kind without a cache)
}

// add appends c and drops what count and age no longer cover.
func (w *window) add(c *change) {
	w.log = append(w.log, c)
	if w.whole || w.count < 0 {
		return
	}
	n := 0
	for len(w.log)-n > w.count && c.at.Sub(w.log[n].at) > w.age {
		n++
	}
	w.cut(n)
}

// cut drops the n oldest changes, and others of the same revision as the last of them.
func (w *window) cut(n int) {
	if n == 0 {
		return
	}
	for n < len(w.log) && w.log[n].rev == w.log[n-1].rev {
		n++
	}
	w.floor = w.log[n-1].rev
	clear(w.log[:n])
	w.log = w.log[n:]
	w.first += uint64(n)
	if len(w.log) > 0 {
		w.floor = w.log[0].rev - 1 // as the watch cache counts
	}
}

// expire drops everything; now is the store's revision.
func (w *window) expire(now uint64) {
	w.cut(len(w.log))
	w.floor = now
}

// compact drops what is older than rev. The change at rev is kept: a watch from rev-1 asks for it.
func (w *window) compact(rev uint64) {
	w.cut(w.after(rev - 1))
	w.floor = rev - 1
}

// after is how many of the kept changes are at or before rev.
func (w *window) after(rev uint64) int {
	return sort.Search(len(w.log), func(i int) bool { return w.log[i].rev > rev })
}

// end is the place after the last change.
func (w *window) end() uint64 { return w.first + uint64(len(w.log)) }

// read fills buf with the changes from place on that are at least lag old. gone: place has been dropped.
// wait is how long the first change that is still too young needs; 0: there is none.
func (w *window) read(place uint64, buf []*change, now time.Time, lag time.Duration) (n int, wait time.Duration, gone bool) {
	if place < w.first {
		return 0, 0, true
	}
	for _, c := range w.log[place-w.first:] {
		if wait = lag - now.Sub(c.at); lag > 0 && wait > 0 {
			return n, wait, false
		}
		if n == len(buf) {
			break
		}
		buf[n] = c
		n++
	}
	return n, 0, false
}
