package apiserver

import (
	"sort"
	"time"
)

// change is one step of one object. It never changes once it is committed.
type change struct {
	rev     uint64
	old     *record // nil: created
	new     *record // of a deletion: the last state, with the deletion's resourceVersion
	deleted bool
}

// arrival is a change and when it came into a window.
type arrival struct {
	*change
	at time.Time
}

// window is what watches of one kind can still be served from: one log that all of them read, each
// from a place of its own. A watcher that is slow costs no memory but is cut off when its place is gone.
type window struct {
	log   []arrival // oldest first
	first uint64    // place of log[0], counted from the first change ever
	floor uint64    // a watch from this revision is whole, from an older one it is refused

	size  int           // of more changes than this the oldest is dropped; it moves, see fit
	count int           // the least that size can be; negative: no limit
	age   time.Duration // younger changes are not dropped
	whole bool          // keep all until compact (a kind without a cache)
}

// mostDoublings bounds the size of a window: 100 changes become 102,400, as in kube-apiserver.
const mostDoublings = 10

// add appends a change, and drops what size and age no longer cover.
func (w *window) add(c *change, at time.Time) {
	if !w.whole && w.count >= 0 {
		w.fit(at)
		w.cut(max(0, len(w.log)+1-w.size))
	}
	w.log = append(w.log, arrival{c, at})
}

// fit doubles the size of a full window whose oldest change is young, and halves that of one whose newer
// changes are old but for a quarter: the watch cache's rule
// (k8s.io/apiserver/pkg/storage/cacher/watch_cache_history.go#resizeCacheLocked).
func (w *window) fit(now time.Time) {
	switch {
	case len(w.log) == 0 || len(w.log) < w.size:
	case now.Sub(w.log[0].at) < w.age:
		w.size = min(w.size*2, w.count<<mostDoublings)
	case now.Sub(w.log[len(w.log)-max(1, w.size/4)].at) > w.age:
		w.size = max(w.size/2, w.count)
		w.cut(len(w.log) - w.size)
	}
}

// cut drops the n oldest changes, and others of the same revision as the last of them.
func (w *window) cut(n int) {
	if n = min(n, len(w.log)); n <= 0 {
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

// forget drops the changes at and before rev: a watch from before it is refused from now on.
func (w *window) forget(rev uint64) {
	if rev > w.floor {
		w.cut(w.after(rev))
		w.floor = rev
	}
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
		buf[n] = c.change
		n++
	}
	return n, 0, false
}
