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
func (s *Server) Watch(ctx context.Context, req Request, opts metav1.ListOptions) (watch.Interface, error) {
	k, err := s.find(ctx, req)
	if err != nil {
		return nil, err
	}
	var tap Tap
	if s.o.OnWatch != nil {
		tap = s.o.OnWatch(&req, &opts)
	}
	lo, sel, err := query(k, req, opts, true)
	if err != nil {
		return nil, err
	}
	rev, err := parse(lo.ResourceVersion)
	if err != nil {
		return nil, bare(unreadable(lo.ResourceVersion, err))
	}
	w := newWatcher(s, k, sel)
	w.tap = tap
	w.bookmarks = lo.AllowWatchBookmarks
	w.whole = lo.SendInitialEvents != nil && *lo.SendInitialEvents
	s.keepAge(time.Now())
	if w.whole {
		if err := s.reach(ctx, k, rev); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			w.failure = asStatus(err)
		}
	}
	if !s.open(w, lo, rev) {
		return nil, apierrors.NewServiceUnavailable("the server is closed")
	}
	go w.run(ctx)
	return w, nil
}

// open decides, in one moment, where the watch starts, and when it will end. It is false if the server
// has been closed.
func (s *Server) open(w *watcher, lo *internalversion.ListOptions, rev uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return false
	}
	s.watches.Add(1)
	w.setTimeout(s, lo.TimeoutSeconds)
	w.beat, w.before = s.jitter(s.o.BookmarkEvery), s.jitter(s.o.BookmarkBefore)
	win := &w.kind.win
	switch {
	case w.failure != nil:
	case w.whole:
		w.start, w.place = s.st.rev, win.end()
		w.state = w.kind.now()
	case rev == 0:
		w.start, w.place = s.st.rev, win.end()
	default:
		w.start, w.place = rev, win.first+uint64(win.after(rev))
		w.failure = s.tooOld(w.kind, rev)
	}
	w.last = w.start
	return true
}

// tooOld is the status of a watch that cannot start at rev any more, or nil.
func (s *Server) tooOld(k *kind, rev uint64) *metav1.Status {
	win := &k.win
	switch {
	case rev >= win.floor && (!k.res.Uncached || rev >= s.st.compacted):
		return nil
	case !k.res.Uncached:
		return asStatus(apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", rev, win.floor)))
	case rev < win.floor:
		return asStatus(apierrors.NewResourceExpired(watchTooOld))
	case len(win.log) == 0 || win.log[0].rev != s.st.compacted || win.log[0].old == nil:
		return nil // nothing that was compacted is needed
	}
	// etcd has the change at the compacted revision, but no longer what was before it.
	c, what := win.log[0], "PUT"
	if c.deleted {
		what = "DELETE"
	}
	key := "/registry/" + k.res.Resource + "/" + c.new.key
	err := fmt.Errorf("etcd event received with PrevKv=nil (key=%s, modRevision=%d, type=%s)", strconv.Quote(key), c.rev, what)
	return asStatus(apierrors.NewInternalError(err))
}

// setTimeout makes the timer that ends the watch: at the seconds asked for, or else at random, so that
// many watches opened together do not end together.
func (w *watcher) setTimeout(s *Server, seconds *int64) {
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
func (s *Server) jitter(d time.Duration) time.Duration {
	if d <= 0 {
		return d
	}
	return d + time.Duration(s.rand.Int64N(int64(d)/40+1))
}
