package informer

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// never is a pause that no drive waits for.
const never = 10000 * time.Hour

// The functions on… below have do decide what becomes of a call of one of the informer's functions: right is that function.
// Those named if… have it called at some times alone.

type (
	putFunc     = func(object, bool)
	queueFunc   = func(*handler, change)
	replaceFunc = func([]object, string)
	nextFunc    = func(string, error) time.Duration
	versionFunc = func(kind, version string)
	indexFunc   = func(was, now *object)
	listFunc    = func(context.Context, options) (page, error)
	watchFunc   = func(context.Context, options) (watching, error)
)

func on1[A any](hook func(*informer) *func(A), do func(*informer, A, func(A))) func(*informer) {
	return func(i *informer) {
		right := *hook(i)
		*hook(i) = func(a A) { do(i, a, right) }
	}
}

func on2[A, B any](hook func(*informer) *func(A, B), do func(*informer, A, B, func(A, B))) func(*informer) {
	return func(i *informer) {
		right := *hook(i)
		*hook(i) = func(a A, b B) { do(i, a, b, right) }
	}
}

func if2[A, B any](hook func(*informer) *func(A, B), which func(*informer, A, B) bool) func(*informer) {
	return on2(hook, func(i *informer, a A, b B, right func(A, B)) {
		if which(i, a, b) {
			right(a, b)
		}
	})
}

func gives1[A, R any](hook func(*informer) *func(A) R, do func(*informer, A, func(A) R) R) func(*informer) {
	return func(i *informer) {
		right := *hook(i)
		*hook(i) = func(a A) R { return do(i, a, right) }
	}
}

func asks2[R any](hook func(*informer) *func(context.Context, options) (R, error), do func(*informer, context.Context, options, func(context.Context, options) (R, error)) (R, error)) func(*informer) {
	return func(i *informer) {
		right := *hook(i)
		*hook(i) = func(ctx context.Context, o options) (R, error) { return do(i, ctx, o, right) }
	}
}

func putOf(i *informer) *putFunc                  { return &i.put }
func dropOf(i *informer) *putFunc                 { return &i.drop }
func queuesOf(i *informer) *queueFunc             { return &i.queues }
func reindexOf(i *informer) *indexFunc            { return &i.reindex }
func seenOf(i *informer) *versionFunc             { return &i.seen }
func movesOf(i *informer) *versionFunc            { return &i.moves }
func removedOf(i *informer) *func(*handler, bool) { return &i.removed }

func onPut(do func(*informer, object, bool, putFunc)) func(*informer)  { return on2(putOf, do) }
func onDrop(do func(*informer, object, bool, putFunc)) func(*informer) { return on2(dropOf, do) }
func onQueues(do func(*informer, *handler, change, queueFunc)) func(*informer) {
	return on2(queuesOf, do)
}
func onReindex(do func(i *informer, was, now *object, right indexFunc)) func(*informer) {
	return on2(reindexOf, do)
}
func onSeen(do func(i *informer, kind, version string, right versionFunc)) func(*informer) {
	return on2(seenOf, do)
}
func onRemoved(do func(*informer, *handler, bool, func(*handler, bool))) func(*informer) {
	return on2(removedOf, do)
}
func onDelivers(do func(*informer, *handler, change, queueFunc)) func(*informer) {
	return on2(func(i *informer) *queueFunc { return &i.delivers }, do)
}
func onReplace(do func(*informer, []object, string, replaceFunc)) func(*informer) {
	return on2(func(i *informer) *replaceFunc { return &i.replace }, do)
}
func onJoins(do func(*informer, *handler, func(*handler))) func(*informer) {
	return on1(func(i *informer) *func(*handler) { return &i.joins }, do)
}
func onLeaves(do func(*informer, *handler, func(*handler))) func(*informer) {
	return on1(func(i *informer) *func(*handler) { return &i.leaves }, do)
}
func onResyncs(do func(*informer, *handler, func(*handler))) func(*informer) {
	return on1(func(i *informer) *func(*handler) { return &i.resyncs }, do)
}
func onGrows(do func(*informer, int, func(int) time.Duration) time.Duration) func(*informer) {
	return gives1(func(i *informer) *func(int) time.Duration { return &i.grows }, do)
}
func onUnder(do func(*informer, string, func(string) []object) []object) func(*informer) {
	return gives1(func(i *informer) *func(string) []object { return &i.under }, do)
}
func onNext(do func(*informer, string, error, nextFunc) time.Duration) func(*informer) {
	return func(i *informer) {
		right := i.next
		i.next = func(what string, err error) time.Duration { return do(i, what, err, right) }
	}
}
func onServerList(do func(*informer, context.Context, options, listFunc) (page, error)) func(*informer) {
	return asks2(func(i *informer) *listFunc { return &i.server.list }, do)
}
func onServerWatch(do func(*informer, context.Context, options, watchFunc) (watching, error)) func(*informer) {
	return asks2(func(i *informer) *watchFunc { return &i.server.watch }, do)
}

func ifPut(which func(*informer, object, bool) bool) func(*informer)  { return if2(putOf, which) }
func ifDrop(which func(*informer, object, bool) bool) func(*informer) { return if2(dropOf, which) }
func ifQueues(which func(*informer, *handler, change) bool) func(*informer) {
	return if2(queuesOf, which)
}
func ifReindex(which func(i *informer, was, now *object) bool) func(*informer) {
	return if2(reindexOf, which)
}
func ifSeen(which func(i *informer, kind, version string) bool) func(*informer) {
	return if2(seenOf, which)
}
func ifMoves(which func(i *informer, kind, version string) bool) func(*informer) {
	return if2(movesOf, which)
}
func ifRemoved(which func(*informer, *handler, bool) bool) func(*informer) {
	return if2(removedOf, which)
}

// asking changes the options of requests of a sort.
func asking(what string, f func(*informer, *metav1.ListOptions)) func(*informer) {
	return func(i *informer) {
		i.asks = func(is string, o *metav1.ListOptions) {
			if is == what {
				f(i, o)
			}
		}
	}
}

// failing has something else come after requests that failed so: f gives what, and the pause, from the right one.
func failing(so failure, f func(i *informer, pause time.Duration) time.Duration) func(*informer) {
	return func(i *informer) {
		right := i.next
		i.next = func(what string, err error) time.Duration {
			pause := right(what, err)
			if err != nil && so(what, err) {
				pause = f(i, pause)
			}
			return pause
		}
	}
}

// failure says which failures are meant: what was asked for, and the error.
type failure = func(what string, err error) bool

// of are failures of requests of a sort.
func of(what string, so failure) failure {
	return func(is string, err error) bool { return is == what && so(is, err) }
}

// all are failures that are each of these.
func all(so ...failure) failure {
	return func(what string, err error) bool {
		return !slices.ContainsFunc(so, func(is failure) bool { return !is(what, err) })
	}
}

func not(so failure) failure {
	return func(what string, err error) bool { return !so(what, err) }
}

func always(string, error) bool { return true }

func isExpired(_ string, err error) bool    { return expired(err) }
func isTooLarge(_ string, err error) bool   { return tooLarge(err) }
func saysSo(_ string, err error) bool       { return saysTooLarge(err) }
func isInStream(_ string, err error) bool   { return err != nil && inStream(err) }
func isShort(_ string, err error) bool      { return errors.Is(err, errShort) }
func isUnfinished(_ string, err error) bool { return errors.Is(err, errUnfinished) }
func isAway(_ string, err error) bool       { return utilnet.IsConnectionRefused(err) }

// refused are requests that were refused with one of these codes.
func refused(codes ...int32) failure { return all(coded(codes...), not(isInStream)) }

// wedged is what an informer does that has given up.
func wedged(*informer, time.Duration) time.Duration { return never }

// coded says that a request was refused so, or a watch ended with such an ERROR.
func coded(codes ...int32) func(string, error) bool {
	return func(_ string, err error) bool {
		s, ok := status(err)
		return ok && slices.Contains(codes, s.Code)
	}
}

// telling has f decide what becomes of a change that handlers are to be told.
func telling(f func(i *informer, c change, tell func(change))) func(*informer) {
	return func(i *informer) {
		right := i.tell
		i.tell = func(c change) { f(i, c, right) }
	}
}

// untold leaves out some changes.
func untold(which func(change) bool) func(*informer) {
	return untoldOf(func(_ *informer, c change) bool { return which(c) })
}

func untoldOf(which func(*informer, change) bool) func(*informer) {
	return telling(func(i *informer, c change, tell func(change)) {
		if !which(i, c) {
			tell(c)
		}
	})
}

// retold changes what handlers are told.
func retold(f func(i *informer, c *change)) func(*informer) {
	return telling(func(i *informer, c change, tell func(change)) {
		f(i, &c)
		tell(c)
	})
}

// retoldIf changes some of it.
func retoldIf(which func(change) bool, f func(*change)) func(*informer) {
	return retold(func(_ *informer, c *change) {
		if which(*c) {
			f(c)
		}
	})
}

// raw leaves a path out of the transform.
func raw(path string) func(*informer) {
	return func(i *informer) { i.transforms = func(is string) bool { return is != path } }
}

func each(fs ...func(*informer)) func(*informer) {
	return func(i *informer) {
		for _, f := range fs {
			f(i)
		}
	}
}

// lets has all others go on, so often, for an instant that in fake time is none. It is called with the lock, and has it
// again then.
func (i *informer) lets(times int) {
	i.mu.Unlock()
	for range times {
		runtime.Gosched()
	}
	i.mu.Lock()
}
