package informer

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	conformance "github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/plugins/mutants"
)

// Pairs are the mutants whose fault shows only where two things meet. Random stories find them; the checks of the suite may not.
func (s Servers) Pairs() []mutants.Target { return s.targets("mutant", pairMutants) }

// such faults are there only with some options.
func such(when func(conformance.Config) bool, fault func(*informer)) func(*informer) {
	return func(i *informer) {
		if when(i.config) {
			fault(i)
		}
	}
}

// afterFailure notes whether a request failed so. What it returns reports whether the last one of its sort did.
func afterFailure(i *informer, so failure) func() bool {
	fails, failed := i.fails, false
	i.fails = func(what string, err error) {
		failed = err != nil && so(what, err)
		fails(what, err)
	}
	return func() bool { return failed }
}

func (o object) has(text string) bool { return bytes.Contains(o.raw, []byte(text)) }

var pairMutants = []variant{
	{"second-handler-never-resync", "notify/resync", "with a resync period only the first handler is told again", lists, onResyncs(func(i *informer, h *handler, resyncs func(*handler)) {
		if i.config.Resync == 0 || slices.Index(i.handlers, h) == 0 {
			resyncs(h)
		}
	})},
	{"index-after-relist", "store/index", "a later list does not change the index", lists, ifReindex(func(i *informer, was, now *object) bool { return !i.relists || was == nil || now == nil })},
	{"late-handler-untransformed", "notify/late-handler", "with a transform a late handler is told the first objects after those that come next", lists, func(i *informer) {
		joins := i.joins
		i.joins = func(h *handler) {
			joins(h)
			if h.late && i.config.Transform != "" {
				h.queue = nil
			}
		}
	}},
	{"small-pages-end", "pages/complete", "with a page size of its own it takes twenty pages", lists, such(func(c conformance.Config) bool { return c.PageSize > 0 }, func(i *informer) {
		pages, list := 0, i.server.list
		i.server.list = func(ctx context.Context, o options) (page, error) {
			p, err := list(ctx, o)
			if pages++; o.Continue == "" {
				pages = 1
			}
			if pages == 20 {
				p.token = ""
			}
			return p, err
		}
	})},
	{"adds-of-others", "converge/equal", "with all namespaces what is created in another one is not seen by watches", lists, such(func(c conformance.Config) bool { return c.Namespace == "" }, ifPut(func(i *informer, o object, _ bool) bool {
		_, there := i.items[o.key]
		return there || !i.synced || i.relists || !strings.Contains(o.key, "/x")
	}))},
	{"finalized-is-gone", "converge/equal", "an object that waits for its finalizer is gone", lists, onPut(func(i *informer, o object, initial bool, put putFunc) {
		if o.has(`"deletionTimestamp"`) {
			i.drop(o, false)
			return
		}
		put(o, initial)
	})},
	{"second-handler-after-410", "notify/complete", "what a list brings after a 410 only the first handler is told", lists, func(i *informer) {
		expiredBefore, queues := afterFailure(i, isExpired), i.queues
		i.queues = func(h *handler, c change) {
			if !expiredBefore() || !i.relists || slices.Index(i.handlers, h) < 1 {
				queues(h, c)
			}
		}
	}},

	{"page-waits", "resume/silence", "it waits for ever for what comes of a further page", lists, func(i *informer) {
		list := i.server.list
		i.server.list = func(ctx context.Context, o options) (page, error) {
			if o.Continue != "" {
				return list(onlyStopped(i, ctx), o)
			}
			return list(ctx, o)
		}
	}},
	{"list-waits", "resume/silence", "it waits for ever for what comes of a first page", lists, func(i *informer) {
		list := i.server.list
		i.server.list = func(ctx context.Context, o options) (page, error) {
			if o.Continue == "" {
				return list(onlyStopped(i, ctx), o)
			}
			return list(ctx, o)
		}
	}},
	{"opening-waits", "resume/silence", "it waits for ever for the answer to a watch", lists, func(i *informer) { i.opening = forEver }},
	{"stream-waits", "resume/silence", "it waits for ever for what comes of a streaming list", streams, func(i *informer) { i.patience = forEver }},

	{"chunk-ends-at-delete", "converge/deletes", "of a chunk of a watch what comes after a second event is lost", wiredLists, wraps(func(next http.RoundTripper) http.RoundTripper {
		return mutants.DropsAfter(`"type":"DELETED"`)(mutants.InJSON(next))
	})},
	{"text-cut-in-streams", "converge/no-time-travel", "what is cut within a character of a streaming list is replaced", wired, wraps(func(next http.RoundTripper) http.RoundTripper {
		decodes := mutants.DecodesChunks(mutants.InJSON(next))
		return tripper(func(r *http.Request) (*http.Response, error) {
			if r.URL.Query().Has("sendInitialEvents") {
				return decodes.RoundTrip(r)
			}
			return next.RoundTrip(r)
		})
	})},
	{"gone-stream-wedges", "converge/equal", "a streaming list that is refused with a 410 of the reason Gone is the end", streams, failing(of(aStream, all(coded(410), notExpiredReason)), wedged)},
	{"expired-resync-stops", "notify/resync", "after a 410 nothing is told again", lists, func(i *informer) {
		expiredBefore, resyncs, over := afterFailure(i, isExpired), i.resyncs, false
		i.resyncs = func(h *handler) {
			if over = over || expiredBefore(); !over {
				resyncs(h)
			}
		}
	}},
	{"expired-unselected", "converge/equal", "after a 410 the field selector is forgotten", lists, func(i *informer) {
		expiredBefore := afterFailure(i, isExpired)
		i.asks = func(what string, o *metav1.ListOptions) {
			if what == aList && expiredBefore() {
				o.FieldSelector = ""
			}
		}
	}},
	{"expired-page-size", "pages/complete", "after a 410 a list has no further page", lists, func(i *informer) {
		expiredBefore, list := afterFailure(i, isExpired), i.server.list
		i.server.list = func(ctx context.Context, o options) (page, error) {
			p, err := list(ctx, o)
			if expiredBefore() {
				p.token = ""
			}
			return p, err
		}
	}},
	{"expired-index-stays", "store/index", "a list after a 410 does not take what is gone out of the index", lists, func(i *informer) {
		expiredBefore, reindex := afterFailure(i, isExpired), i.reindex
		i.reindex = func(was, now *object) {
			if now != nil || !expiredBefore() {
				reindex(was, now)
			}
		}
	}},
}

func notExpiredReason(_ string, err error) bool {
	s, ok := status(err)
	return ok && s.Reason != metav1.StatusReasonExpired
}

// onlyStopped returns a context that ends with the run of an informer, and not sooner.
func onlyStopped(i *informer, ctx context.Context) context.Context {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.ctx == nil {
		return ctx
	}
	return i.ctx
}
