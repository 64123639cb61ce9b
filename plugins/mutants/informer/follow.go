package informer

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// What the loop asks for.
const (
	aList   = "list"
	aPage   = "page" // a further one
	aStream = "stream"
	aWatch  = "watch"
)

// position is how far the loop has come.
type position struct {
	version  string // the last seen; "": none
	listed   bool   // a watch may go on from there
	recent   bool   // lists are to ask for the most recent: what they asked for was refused
	streams  bool   // lists are to be streams
	failures int    // in a row
}

func (i *informer) looping() {
	i.follows = i.follow
	i.ask = i.request
	i.asks = func(string, *metav1.ListOptions) {}
	i.next = i.after
	i.grows = func(failures int) time.Duration { return min(time.Second<<min(failures-1, 10), 30*time.Second) }
	i.waits = retryAfter
	i.paged = func([]object, page) {}
	i.breaks = func(_ []object, _ page, err error) error { return err }
	i.unfinished = func(_ []object, err error) error { return err }
	i.seen = func(_, version string) { i.at.version = version }
	i.transforms = func(string) bool { return true }
	i.shapes = func(runtime.Object) {}
	i.closes = func(stop func()) { stop() }
	i.quits = func(watch.Event) bool { return false }
	i.rests = wait
	i.fails = func(_ string, err error) {
		if i.config.Failed != nil && !errors.Is(err, errShort) {
			i.config.Failed(err)
		}
	}
}

// follow is the loop: one list or one watch after the other.
func (i *informer) follow(ctx context.Context) {
	for ctx.Err() == nil {
		what := i.due()
		err := i.ask(ctx, what)
		if ctx.Err() != nil {
			return
		}
		i.rests(ctx, i.next(what, err))
	}
}

func (i *informer) due() string {
	switch {
	case i.at.listed:
		return aWatch
	case i.at.streams:
		return aStream
	}
	return aList
}

func (i *informer) request(ctx context.Context, what string) error {
	if what == aWatch {
		return i.watch(ctx)
	}
	i.locked(func() { i.relists = i.synced })
	defer i.locked(func() { i.relists = false })
	if what == aStream {
		return i.stream(ctx)
	}
	return i.list(ctx)
}

// after takes what became of a request. What is refused for its resourceVersion is asked for otherwise at once, the
// first time; so is a streaming list that failed.
func (i *informer) after(what string, err error) time.Duration {
	if err == nil {
		if i.at.listed = true; what == aWatch {
			i.at.failures = 0
		} else {
			i.at.recent = false
		}
		return 0
	}
	i.fails(what, err)
	i.at.failures++
	refused := expired(err) || saysTooLarge(err)
	switch {
	case what != aWatch:
		i.at.streams = i.at.streams && refused && !i.at.recent
		i.at.recent = i.at.recent || refused
	case refused, !errors.Is(err, errShort) && !apierrors.IsTooManyRequests(err):
		i.at.listed = false
	}
	if i.at.failures == 1 && (refused || what == aStream) {
		return i.waits(err)
	}
	return max(i.waits(err), i.grows(i.at.failures))
}

// wait waits, unless the context ends.
func wait(ctx context.Context, d time.Duration) {
	if d == 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func expired(err error) bool { return apierrors.IsResourceExpired(err) || apierrors.IsGone(err) }

func tooLarge(err error) bool {
	return apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge)
}

// retryAfter is the pause that an error asks for.
func retryAfter(err error) time.Duration {
	s, ok := status(err)
	if !ok || s.Details == nil {
		return 0
	}
	return time.Duration(s.Details.RetryAfterSeconds) * time.Second
}

// status is that of an error of a server.
func status(err error) (metav1.Status, bool) {
	var s apierrors.APIStatus
	if !errors.As(err, &s) {
		return metav1.Status{}, false
	}
	return s.Status(), true
}
