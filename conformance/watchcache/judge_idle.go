package watchcache

import (
	"fmt"
	"iter"
	"reflect"
	"time"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// How long an idle watch must be able to resume: kube-apiserver keeps events
// for 75 seconds, etcd is compacted each five minutes.
const (
	markTime = 150 * time.Second // for a bookmark: two of the minutes between them, with their jitter, of which the first says nothing new
	moreTime = 5 * time.Minute   // for one that says more: what comes late must not be covered by one
)

// judgeBookmarkIdle looks at watches that allow bookmarks and bring nothing
// else, as long as the store moves on.
func judgeBookmarkIdle(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	for _, c := range reopened(r) {
		if w := c.ws[0]; w.Args.Options.AllowWatchBookmarks && !startsBeyond(h, w) {
			judgeIdle(r, c.ws, &j)
		}
	}
	return j
}

// judgeIdle: each time that the store has moved on from what a watch was told last. A server may end a watch when it
// likes, and says no goodbye: only one that was open so long had to be given a bookmark.
func judgeIdle(r *replay.Replay, ws []*replay.WatchCall, j *harness.Judgement) {
	known, knownAt := toldFirst(r.H, ws[0])
	marked := false
	if knownAt == 0 {
		return
	}
	moved, ok := movedOn(r, knownAt)
	for w, e := range eventsOf(ws, r.H) {
		if e.Num <= knownAt {
			continue // it begins with a state
		}
		since := max(moved, r.H.Event(w.Call).At)
		limit, want, got := markTime, "a bookmark", "none"
		if marked {
			limit, want, got = moreTime, "a bookmark above @"+known, "none that says more"
		}
		switch {
		case !ok || e.Kind == replay.Paused: // who does not read sees no bookmark
			return
		case e.At > since+int64(limit):
			if r.H.Header.Time == history.VirtualTime && !changed(r, ws[0], since+int64(limit)) { // else it may only be late
				j.Tested++
				j.Fail(fmt.Sprintf("%s within %s of a change of something else", want, limit), got, knownAt)
			}
			return
		case isEvent(e) || e.Kind == replay.Errored:
			return
		case e.Kind != replay.Bookmark:
		case !saysMore(r, e.Obj.RV, known):
			marked = marked || e.At >= moved
		default:
			j.Tested++
			known, knownAt, marked = e.Obj.RV, e.Num, false
			moved, ok = movedOn(r, knownAt)
		}
	}
}

// toldFirst is the resourceVersion that a watch begins at, as far as its client is told, and the event that says so; 0 if
// none does. One that begins with a state says it with the bookmark that ends that; else, of nothing, only that it was opened.
func toldFirst(h *history.History, w *replay.WatchCall) (rv string, num int32) {
	switch o := &w.Args.Options; {
	case !w.Initial():
		return o.ResourceVersion, w.Call
	case o.SendInitialEvents != nil:
		if w.Mark == 0 {
			return "", 0
		}
		return h.Event(w.Mark).Obj.RV, w.Mark
	}
	for num := w.Call + 1; int(num) <= len(h.Events); num++ {
		if e := h.Event(num); e.Phase == history.Return && e.Call == w.Call {
			return "", num
		}
	}
	return "", 0
}

// saysMore: where resourceVersions have no order, what differs does.
func saysMore(r *replay.Replay, rv, known string) bool {
	if !r.ByOrder && history.Comparable(rv) && history.Comparable(known) {
		return history.CompareRV(rv, known) > 0
	}
	return rv != known
}

// following are watches of which each goes on where the one before was, which ended cleanly.
type following struct {
	ws    []*replay.WatchCall
	at    string // the last resourceVersion that it was told
	ended bool   // cleanly
}

// reopened are the watches, those together that follow on each other.
func reopened(r *replay.Replay) []*following {
	var all []*following
	last := map[string]*following{} // by actor
	for i := range r.Watches {
		w := &r.Watches[i]
		c := last[w.Actor]
		if c == nil || !c.goesOn(w) {
			c = &following{at: w.Args.Options.ResourceVersion}
			last[w.Actor], all = c, append(all, c)
		}
		c.add(r, w)
	}
	return all
}

func (c *following) add(r *replay.Replay, w *replay.WatchCall) {
	c.ws = append(c.ws, w)
	for e := range w.All(r.H) {
		if c.ended = e.Kind == history.Ended; (isEvent(e) || e.Kind == replay.Bookmark) && e.Obj.RV != "" {
			c.at = e.Obj.RV
		}
	}
}

// goesOn says that a watch asks for the same, from where the last was.
func (c *following) goesOn(w *replay.WatchCall) bool {
	before, now := c.ws[0].Args, w.Args
	at := now.Options.ResourceVersion
	before.Options.ResourceVersion, now.Options.ResourceVersion = "", ""
	return c.ended && at == c.at && !c.ws[0].Initial() && reflect.DeepEqual(before, now)
}

// eventsOf are what watches brought, one after the other.
func eventsOf(ws []*replay.WatchCall, h *history.History) iter.Seq2[*replay.WatchCall, *history.Event] {
	return func(yield func(*replay.WatchCall, *history.Event) bool) {
		for _, w := range ws {
			for e := range w.All(h) {
				if !yield(w, e) {
					return
				}
			}
		}
	}
}

// changed says that something of a watch's own scope was changed before an
// instant: such a watch is not idle, however late it is told.
func changed(r *replay.Replay, w *replay.WatchCall, upto int64) bool {
	m := replay.NewMatcher(r.H, w.Scope)
	for i := range r.Versions {
		v := &r.Versions[i]
		if v.By <= w.Call || r.H.Event(v.By).At > upto || !m.MatchesKey(v.K) {
			continue
		}
		if _, ok := r.Transition(m, int32(i)); ok {
			return true
		}
	}
	return false
}

// movedOn is when the first write was answered of all that were after an
// event; ok is false if there was none.
func movedOn(r *replay.Replay, num int32) (at int64, ok bool) {
	base := r.Acked(num)
	for n := num; int(n) <= len(r.H.Events); n++ {
		if r.Acked(n) > base {
			return r.H.Event(n - 1).At, true
		}
	}
	return 0, false
}

// startsBeyond says that a watch starts above all that there is in the history.
func startsBeyond(h *history.History, w *replay.WatchCall) bool {
	rv := w.Args.Options.ResourceVersion
	return history.Comparable(rv) && (h.Ranks() < 2 || history.CompareRV(rv, h.RV(int32(h.Ranks()-1))) > 0)
}
