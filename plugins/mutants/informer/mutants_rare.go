package informer

import (
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// sleepingOut has it take no stop in the pauses after such failures.
func sleepingOut(after func(what string, err error) bool) func(*informer) {
	return onNext(func(i *informer, what string, err error, next nextFunc) time.Duration {
		d := next(what, err)
		if !after(what, err) {
			return d
		}
		time.Sleep(d)
		return 0
	})
}

// nameless asks without credentials, from its nth request on.
func nameless(nth int64) func(*informer) {
	return wraps(func(next http.RoundTripper) http.RoundTripper {
		var asked atomic.Int64
		return tripper(func(r *http.Request) (*http.Response, error) {
			if asked.Add(1) >= nth {
				r.Header.Del("Authorization")
			}
			return next.RoundTrip(r)
		})
	})
}

// lost asks at a path that does not exist, with its first n requests.
func lost(n int64) func(*informer) {
	return wraps(func(next http.RoundTripper) http.RoundTripper {
		var asked atomic.Int64
		return tripper(func(r *http.Request) (*http.Response, error) {
			if asked.Add(1) <= n {
				r = r.Clone(r.Context())
				r.URL.Path = strings.Replace(r.URL.Path, "configmaps", "configmap", 1)
			}
			return next.RoundTrip(r)
		})
	})
}

type tripper func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (t tripper) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// rareMutants have a fault that shows at one moment alone.
var rareMutants = []variant{
	{"credentials-unsent", "request/credentials", "the token is not sent", wiredLists, nameless(1)},
	{"credentials-unsent-later", "request/credentials", "the token is not sent with requests after the second", wiredLists, nameless(3)},
	{"path-unknown", "request/allowed", "it asks for a resource that does not exist", wiredLists, lost(math.MaxInt64)},
	{"names-collide", "converge/equal", "with all namespaces, objects are kept by their names alone", lists, onPut(func(i *informer, o object, initial bool, put putFunc) {
		if i.config.Namespace == "" {
			o.key = "default/" + o.key[strings.Index(o.key, "/")+1:]
		}
		put(o, initial)
	})},
	{"lapse-lists-at-zero", "converge/no-time-travel", "an ERROR that is no 410 is followed by a list at 0, which is taken as it comes", lists, listingAtZero(of(aWatch, all(isInStream, not(isExpired))))},
	{"refused-lists-at-zero", "converge/no-time-travel", "so is a watch that is refused with 500 or 503", lists, listingAtZero(of(aWatch, refused(500, 503)))},
	{"short-lists-at-zero", "converge/no-time-travel", "so is a watch that ends at once", lists, listingAtZero(isShort)},
	{"adds-unheard", "resume/version", "adds do not count", lists, hearing(replaced, "MODIFIED", "DELETED", bookmarked)},
	{"updates-unheard", "resume/version", "updates do not count", lists, hearing(replaced, "ADDED", "DELETED", bookmarked)},
	{"expired-by-reason", "resume/expired", "a 410 is known by its reason alone", lists, failing(func(what string, err error) bool {
		s, ok := status(err)
		return ok && what == aWatch && s.Code == 410 && s.Reason == ""
	}, watchAgain)},
	{"page-expired-is-mixed", "converge/equal", "the whole list that follows a page which has expired is taken for the rest, where a list at exactly the last version was refused before: client-go asks for one first", lists, mixing},
	{"page-expired-is-end", "pages/complete", "a page that has expired is taken for the end of the list", lists, pageEnds(func(_ *informer, _ []object, err error) bool { return expired(err) })},
	{"joins-unlocked", "notify/late-handler", "what comes between a handler's joining and its first objects is told before them", lists, onJoins(func(i *informer, h *handler, joins func(*handler)) {
		i.handlers = append(i.handlers, h)
		i.lets(5_000)
		handlers := i.handlers
		joins(h)
		i.handlers = handlers
	})},
	{"joins-amid-relist", "notify/late-handler", "a handler that joins while a later list is under way misses what that brings", lists, func(i *informer) {
		joins, replace, amid := i.joins, i.replace, []*handler(nil)
		i.joins = func(h *handler) {
			if joins(h); i.relists {
				amid = append(amid, h)
			}
		}
		i.replace = func(all []object, version string) {
			was := i.handlers
			i.handlers = slices.DeleteFunc(slices.Clone(was), func(h *handler) bool { return slices.Contains(amid, h) })
			replace(all, version)
			i.handlers, amid = was, nil
		}
	}},
	{"removal-before-start", "notify/removed-handler", "a removal before the start is not heard", lists, removing(func(i *informer) bool { return i.state != fresh })},
	{"removal-before-sync", "notify/removed-handler", "nor is one before it has synced", lists, removing(func(i *informer) bool { return i.synced })},
	{"resync-initial-only", "notify/resync", "what the first list did not have is not told again", lists, func(i *informer) {
		replace, resyncs, first := i.replace, i.resync, map[string]bool{}
		i.replace = func(all []object, version string) {
			if replace(all, version); len(first) == 0 {
				for _, o := range all {
					first[o.key] = true
				}
			}
		}
		i.resyncs = func(h *handler) {
			resyncs(h)
			h.queue = slices.DeleteFunc(h.queue, func(c change) bool { return c.resync && !first[c.key] })
		}
	}},
	{"resync-ends-with-relist", "notify/resync", "nothing is told again after the second list", lists, func(i *informer) {
		replace, resyncs, n := i.replace, i.resyncs, 0
		i.replace = func(all []object, version string) { n++; replace(all, version) }
		i.resyncs = func(h *handler) {
			if n < 2 {
				resyncs(h)
			}
		}
	}},
	{"busy-list-slept-out", "stop/prompt", "the pause after a list that was refused with 429 is slept out", lists, sleepingOut(of(aList, refused(429)))},
	{"busy-watch-slept-out", "stop/prompt", "so is that after a watch that was refused with 429", lists, sleepingOut(of(aWatch, refused(429)))},
	{"busy-stream-slept-out", "stop/prompt", "so is that after a watch that ended with a 429 in the stream", lists, sleepingOut(of(aWatch, all(coded(429), isInStream)))},
	{"away-slept-out", "stop/prompt", "so is that after a connection that was refused", lists,
		sleepingOut(func(_ string, err error) bool {
			return err != nil && !errors.Is(err, errShort) && apierrors.ReasonForError(err) == metav1.StatusReasonUnknown
		})},
	{"recreated-waits-for-resync", "converge/recreated", "a handler with a longer period than the informer's hears nothing of an object that another list has as a new one", lists, func(i *informer) {
		queues, put, anew := i.queues, i.put, false
		i.put = func(o object, initial bool) {
			was, there := i.items[o.key]
			anew = there && was.uid != o.uid && i.relists
			put(o, initial)
			anew = false
		}
		i.queues = func(h *handler, c change) {
			if !anew || h.period <= i.config.Resync {
				queues(h, c)
			}
		}
	}},
	{"gone-lists-again", "resume/expired", "a list that is refused with a 410 of another reason than Expired is asked for again as it was", lists, onNext(func(i *informer, what string, err error, next nextFunc) time.Duration {
		recent := i.at.recent
		d := next(what, err)
		if what != aWatch && expired(err) && !apierrors.IsResourceExpired(err) {
			i.at.recent = recent
		}
		return d
	})},
	{"page-ignores-stop", "stop/prompt", "a further page is waited for, for an hour, though it is stopped", lists, onServerList(func(i *informer, ctx context.Context, o options, list listFunc) (page, error) {
		if o.Continue == "" {
			return list(ctx, o)
		}
		long, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Hour)
		defer cancel()
		return list(long, o)
	})},
	{"page-retry-after", "resume/retry-after", "what the error of a further page says of when to come back is ignored", lists, func(i *informer) {
		waits, paged := i.waits, false
		i.breaks = func(_ []object, _ page, err error) error { paged = true; return err }
		i.waits = func(err error) time.Duration {
			if was := paged; was {
				paged = false
				return 0
			}
			return waits(err)
		}
	}},
	{"stream-retry-after", "resume/retry-after", "so is what that of a streaming list says", streams, failing(of(aStream, always), anyway)},
}

// listingAtZero lists at 0 after what became so of a request.
func listingAtZero(so func(what string, err error) bool) func(*informer) {
	return func(i *informer) {
		next, zero := i.next, false
		i.next = func(what string, err error) time.Duration {
			pause := next(what, err)
			if zero = so(what, err); zero {
				i.at.listed = false
			}
			return pause
		}
		asking(aList, func(_ *informer, o *metav1.ListOptions) {
			if zero {
				o.ResourceVersion, o.ResourceVersionMatch, o.Limit = "0", "", 0
			}
		})(i)
	}
}

// removing hears a removal at some times alone.
func removing(when func(*informer) bool) func(*informer) {
	return ifRemoved(func(i *informer, h *handler, wait bool) bool { return when(i) })
}

// mixing asks for a list at exactly where it was, unless it was just told that nobody has that any more; of the list after
// such a refusal it takes a whole one for the rest of what has expired.
func mixing(i *informer) {
	expiredBefore, refused := false, false
	fails := i.fails
	i.fails = func(what string, err error) {
		expiredBefore, refused = expired(err), expired(err) && what == aList
		fails(what, err)
	}
	asking(aList, func(_ *informer, o *metav1.ListOptions) {
		if !expiredBefore {
			o.ResourceVersionMatch = ""
		}
	})(i)
	right := i.server.list
	i.server.list = func(ctx context.Context, o metav1.ListOptions) (page, error) {
		p, err := right(ctx, o)
		if o.Continue != "" && expired(err) && refused {
			return right(ctx, metav1.ListOptions{})
		}
		return p, err
	}
}
