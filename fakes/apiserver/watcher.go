package apiserver

import (
	"context"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// watcher is one open watch: a place in a cache's log, and one goroutine that reads on from there.
type watcher struct {
	view   *View
	kind   *kind // as it is asked for
	cache  *cache
	sel    *selector
	tap    Tap  // nil: everything goes through
	shared bool // objects are not copied

	failure   *metav1.Status // nothing but this ERROR is sent
	whole     bool           // the state comes first
	state     tree           // which one
	bookmarks bool

	start  uint64 // revision: nothing at or before it is sent
	last   uint64 // revision of the last change read
	marked uint64 // revision of the last bookmark that was due
	place  uint64 // in the log, of the next change
	opened uint64 // place of the first change that came after the watch was opened
	sent   int    // changes sent
	buf    [32]*change

	ends     time.Time   // zero: never
	deadline *time.Timer // nil: never
	mark     *time.Timer // of the next bookmark; nil: none
	markDue  bool
	beat     time.Duration // between bookmarks
	before   time.Duration // of the end, for one more; negative: none

	over <-chan struct{} // closed: the cache is given up, a clean end
	cut  <-chan struct{} // closed: the server is gone, the stream breaks off

	begin     sync.Once              // of run
	ctx       context.Context        // of the request
	push      func(watch.Event) bool // nil: events go to out
	flush     func() bool            // before it waits, where there is a push
	pace      time.Duration          // between flushes, for each watch of the cache that is pushed
	next      time.Time              // when it may flush again
	unflushed int                    // events pushed since

	out      chan watch.Event
	stop     chan struct{}
	stopOnce sync.Once
	done     chan struct{}
	broken   bool // written before out is closed
}

var _ watch.Interface = (*watcher)(nil)

func newWatcher(v *View, k *kind, c *cache, sel *selector) *watcher {
	return &watcher{
		view: v, kind: k, cache: c, sel: sel,
		out: make(chan watch.Event), stop: make(chan struct{}), done: make(chan struct{}),
	}
}

// share hands out the store's own objects, some ahead.
func (w *watcher) share() {
	w.shared = true
	w.out = make(chan watch.Event, len(w.buf))
}

// shown is an event of an object of the store as this watch hands it out: an ERROR where no version of it can be made.
func (w *watcher) shown(ctx context.Context, t watch.EventType, r *record) watch.Event {
	all, err := w.kind.inVersions(ctx, []*record{r})
	switch {
	case err != nil:
		return watch.Event{Type: watch.Error, Object: asStatus(err)}
	case w.shared:
		return watch.Event{Type: t, Object: all[0].obj}
	}
	return watch.Event{Type: t, Object: all[0].obj.DeepCopyObject()}
}

// ResultChan implements watch.Interface.
func (w *watcher) ResultChan() <-chan watch.Event {
	w.begin.Do(func() { go w.run(w.ctx) })
	return w.out
}

// Stop implements watch.Interface. It returns when the channel is closed: nothing comes after it.
func (w *watcher) Stop() {
	w.stopOnce.Do(func() { close(w.stop) })
	w.ResultChan()
	<-w.done
}

// pusher is a watcher that does not run before somebody needs it.
type pusher struct{ *watcher }

var _ Pusher = pusher{}

// mostPace bounds how long an event waits for others to be sent with.
const mostPace = 25 * time.Millisecond

// Push implements Pusher.
func (w pusher) Push(pace time.Duration, push func(watch.Event) bool, flush func() bool) {
	w.begin.Do(func() {
		w.push, w.flush, w.pace = push, flush, pace
		w.cache.pushed.Add(1)
		defer w.cache.pushed.Add(-1)
		w.run(w.ctx)
		flush()
	})
}

// flushed flushes, and notes when that may be next.
func (w *watcher) flushed() bool {
	if w.flush == nil || w.unflushed == 0 {
		return true
	}
	pause := min(time.Duration(w.cache.pushed.Load())*w.pace, mostPace)
	if w.unflushed == 1 { // more may not be to come
		pause /= 2
	}
	w.unflushed = 0
	ok := w.flush()
	if pause > 0 {
		w.next = time.Now().Add(pause)
	}
	return ok
}

// Broken says, once the channel is closed, whether the server has gone (a restart) and not ended the watch:
// over a wire the stream breaks off then.
func (w *watcher) Broken() bool { return w.broken }

func (w *watcher) run(ctx context.Context) {
	defer w.end()
	if !w.ends.IsZero() && !time.Now().Before(w.ends) { // a negative timeout: not even what is there
		w.finish(ctx)
		return
	}
	if w.failure != nil {
		w.send(ctx, watch.Event{Type: watch.Error, Object: w.failure})
		return
	}
	if w.bookmarks && !w.cache.kind.res.Uncached && w.beat > 0 {
		w.mark = time.NewTimer(w.untilMark())
	}
	if !w.sendState(ctx) {
		return
	}
	for w.step(ctx) {
	}
}

func (w *watcher) end() {
	for _, t := range []*time.Timer{w.deadline, w.mark} {
		if t != nil {
			t.Stop()
		}
	}
	w.broken = isClosed(w.cut)
	close(w.out)
	close(w.done)
	w.view.watches.Done()
}

// step sends what is there, or waits. It is false when the watch is over.
func (w *watcher) step(ctx context.Context) bool {
	v, now := w.view, time.Now()
	v.refresh(now)
	v.mu.RLock()
	n, wait, gone := w.cache.win.read(w.place, w.buf[:], now, v.o.WatchLag)
	behind := v.o.WatchBehind > 0 && !w.cache.kind.res.Uncached && w.cache.win.end() > max(w.place, w.opened)+uint64(v.o.WatchBehind)
	rev, moved := v.reached(w.cache), w.cache.moved
	next, more := v.untilNext(now)
	v.mu.RUnlock()
	switch {
	case gone, behind: // too slow: what it has got is whole, and it can resume
		return w.finish(ctx)
	case n > 0:
		return w.sendChanges(ctx, w.buf[:n])
	case v.o.Quirks.EndAfter > 0 && w.sent >= v.o.Quirks.EndAfter:
		return w.finish(ctx)
	case w.markDue && (isClosed(w.cut) || isClosed(w.over)): // what came after the end of its cache it is not sent, and no bookmark may cover
		return isClosed(w.over) && w.finish(ctx)
	case w.markDue:
		if wait > 0 {
			rev = w.last // what it does not have yet is not covered
		}
		return w.sendMark(ctx, rev)
	case wait > 0 && (!more || wait < next):
		next, more = wait, true
	}
	return w.wait(ctx, moved, next, more)
}

// wait sleeps until there may be something to do: for sure after a while, where there is more to come. A watch that is pushed may have been
// kept from reading by its client: what came before the end of the cache, or of the server, is sent all the same.
func (w *watcher) wait(ctx context.Context, moved <-chan struct{}, while time.Duration, more bool) bool {
	if !w.flushed() {
		return false
	}
	var young <-chan time.Time
	if more {
		timer := time.NewTimer(while)
		defer timer.Stop()
		young = timer.C
	}
	select {
	case <-moved:
		if w.push != nil {
			time.Sleep(time.Until(w.next)) // not at all in most cases
			w.cache.turn <- struct{}{}
			<-w.cache.turn
		}
	case <-young:
	case <-channel(w.mark):
		w.markDue = true
	case <-channel(w.deadline):
		return w.finish(ctx)
	case <-w.over:
		return w.push != nil && isClosed(moved) || w.finish(ctx)
	case <-w.stop:
		return false
	case <-ctx.Done():
		return false
	case <-w.cut:
		return w.push != nil && isClosed(moved)
	case <-w.view.closed:
		return false
	}
	return true
}

// finish is the clean end by the server.
func (w *watcher) finish(ctx context.Context) bool {
	if w.deadline != nil {
		w.deadline.Stop()
		w.deadline = nil
	}
	w.over = nil
	w.pass(ctx, watch.Event{}, End)
	return false
}

// pass sends an event, or what the tap makes of it.
func (w *watcher) pass(ctx context.Context, e watch.Event, cause Cause) bool {
	if w.tap == nil {
		return cause == End || w.send(ctx, e)
	}
	for _, e := range w.tap(e, cause) {
		if !w.send(ctx, e) {
			return false
		}
	}
	return true
}

// send waits for the reader, or for whatever ends the watch.
func (w *watcher) send(ctx context.Context, e watch.Event) bool {
	if ctx.Err() != nil { // a ready reader does not come first
		return false
	}
	if w.push != nil {
		return w.pushed(ctx, e)
	}
	select {
	case w.out <- e:
		return true
	case <-channel(w.deadline):
		return w.finish(ctx)
	case <-w.over:
		return w.finish(ctx)
	case <-w.stop:
	case <-ctx.Done():
	case <-w.cut:
	case <-w.view.closed:
	}
	return false
}

// pushed pushes an event. From time to time it looks whether the watch is over.
func (w *watcher) pushed(ctx context.Context, e watch.Event) bool {
	if w.unflushed++; w.unflushed%len(w.buf) == 0 {
		select {
		case <-channel(w.deadline):
			return w.finish(ctx)
		case <-w.over:
			return w.finish(ctx)
		case <-w.cut:
			return false
		case <-w.view.closed:
			return false
		default:
		}
	}
	return w.push(e)
}

// channel of a timer that may be none.
func channel(t *time.Timer) <-chan time.Time {
	if t == nil {
		return nil
	}
	return t.C
}
