package apiserver

import (
	"context"
	"fmt"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// Watch implements API. The channel is unbuffered: what has not been received has not been sent.
func (v *View) Watch(ctx context.Context, req Request, opts metav1.ListOptions) (watch.Interface, error) {
	return v.watch(ctx, req, opts, false)
}

// WatchShared is Watch for one who sends events on as bytes: their objects may be the store's own, the same
// for all watches, and must not be changed; and some events are handed out ahead, so that they can be sent
// together.
func (v *View) WatchShared(ctx context.Context, req Request, opts metav1.ListOptions) (watch.Interface, error) {
	return v.watch(ctx, req, opts, true)
}

func (v *View) watch(ctx context.Context, req Request, opts metav1.ListOptions, shared bool) (watch.Interface, error) {
	k, err := v.find(ctx, req, "watch")
	if err != nil {
		return nil, err
	}
	var tap Tap
	if v.o.OnWatch != nil {
		tap = v.o.OnWatch(&req, &opts)
	}
	lo, sel, err := v.query(k, req, opts, true)
	if err != nil {
		return nil, err
	}
	rev, err := parse(lo.ResourceVersion)
	if err != nil {
		return nil, bare(unreadable(lo.ResourceVersion, err))
	}
	v.keepAge(time.Now())
	c, err := v.ready(time.Now(), k)
	if err != nil {
		return nil, err
	}
	w := newWatcher(v, k, c, sel)
	if w.tap = tap; shared && tap == nil { // a tap may change what it gets
		w.share()
	}
	w.bookmarks = lo.AllowWatchBookmarks
	w.whole = lo.SendInitialEvents != nil && *lo.SendInitialEvents
	if w.whole {
		if err := v.fresh(ctx, w, lo.ResourceVersion == "", rev); err != nil {
			return nil, err
		}
	}
	if err := v.open(w, lo, rev); err != nil {
		return nil, err
	}
	if w.ctx = ctx; shared {
		return pusher{w}, nil
	}
	w.ResultChan()
	return w, nil
}

// fresh waits until the cache has the state that a watch must start with. That it did not get there in
// time is told in the stream.
func (v *View) fresh(ctx context.Context, w *watcher, recent bool, rev uint64) error {
	if recent {
		v.mu.RLock()
		rev = v.st.rev
		v.mu.RUnlock()
	}
	_, _, err := v.reach(ctx, w.cache, rev)
	if !apierrors.IsTimeout(err) {
		return err
	}
	w.failure = asStatus(err)
	if w.cache.kind.direct != nil { // etcd's watch asks for a retry, its lists do not
		w.failure.Details.RetryAfterSeconds = 1
	}
	return nil
}

// open decides, in one moment, where the watch starts, and when it will end.
func (v *View) open(w *watcher, lo *internalversion.ListOptions, rev uint64) error {
	v.refresh(time.Now())
	v.mu.Lock()
	defer v.mu.Unlock()
	c := w.cache
	switch {
	case v.ended:
		return down()
	case isClosed(c.ended):
		return notReady(0)
	}
	v.watches.Add(1)
	w.setTimeout(v.core, lo.TimeoutSeconds)
	w.beat, w.before = v.jitter(v.o.BookmarkEvery), v.jitter(v.o.BookmarkBefore)
	w.cut, w.over = v.cut, c.ended
	switch {
	case w.failure != nil:
	case w.whole:
		w.start, w.state = v.reached(c), v.stateOf(c)
	case lo.ResourceVersion == "": // without the state, so from the present
		w.start = v.st.rev
	case rev == 0:
		w.start = v.reached(c)
	default:
		w.start, w.failure = rev, v.tooOld(c, w.sel, rev)
	}
	w.opened = c.win.end()
	w.place, w.last = c.win.first+uint64(c.win.after(w.start)), w.start
	return nil
}

// tooOld is the status of a watch that cannot start at rev any more, or nil.
func (s *core) tooOld(c *cache, sel *selector, rev uint64) *metav1.Status {
	k, win := c.kind, &c.win
	switch {
	case rev >= win.floor && (!k.res.Uncached || rev >= s.st.compacted):
		return nil
	case !k.res.Uncached:
		return asStatus(apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", rev, win.floor)))
	case rev < win.floor:
		return asStatus(apierrors.NewResourceExpired(watchTooOld))
	}
	// etcd has the changes at the compacted revision, but no longer what was before them.
	for _, lost := range win.log[:win.after(s.st.compacted)] {
		if lost.old == nil || !sel.covers(lost.new.key) {
			continue
		}
		key, what := "/registry/"+k.res.Resource+"/"+lost.new.key, "PUT"
		if lost.deleted {
			what = "DELETE"
		}
		err := fmt.Errorf("etcd event received with PrevKv=nil (key=%s, modRevision=%d, type=%s)", strconv.Quote(key), lost.rev, what)
		return asStatus(apierrors.NewInternalError(err))
	}
	return nil // nothing that was compacted is needed
}

// setTimeout makes the timer that ends the watch: at the seconds asked for, or else at random, so that
// many watches opened together do not end together.
func (w *watcher) setTimeout(s *core, seconds *int64) {
	timeout := s.o.WatchTimeout
	if seconds != nil && *seconds != 0 {
		timeout = time.Duration(max(*seconds, 0)) * time.Second
	} else if timeout > 0 {
		timeout += time.Duration(s.rand.Int64N(int64(timeout)))
	}
	if timeout >= 0 {
		w.ends = time.Now().Add(timeout)
		w.deadline = time.NewTimer(timeout)
	}
}

// jitter makes a duration longer by up to a fortieth, so that bookmarks do not coincide with what a
// test does at round times. The lock is held.
func (s *core) jitter(d time.Duration) time.Duration {
	if d <= 0 {
		return d
	}
	return d + time.Duration(s.rand.Int64N(int64(d)/40+1))
}
