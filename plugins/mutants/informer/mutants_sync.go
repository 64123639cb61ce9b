package informer

import (
	"context"
	"errors"
	"slices"
	"time"

	conformance "github.com/lwtest/lwtest/conformance/informer"
)

// syncMutants have a fault in how they come to a first copy.
var syncMutants = []variant{
	{"joins-nothing-unsynced", "sync/handler-synced", "a late handler that finds nothing there is never synced", lists, func(i *informer) {
		join, right := i.joins, i.handled
		empty := map[*handler]bool{}
		i.joins = func(h *handler) { join(h); empty[h] = len(i.items) == 0 && h.late }
		i.handled = func(h *handler) bool { return right(h) && !empty[h] }
	}},
	{"initial-for-a-while", "sync/initial-flag", "what comes within 50 ms of the first list is initial, too, as HasSynced is looked at so often", lists, func(i *informer) {
		var at time.Time
		replace, put := i.replace, i.put
		i.replace = func(all []object, v string) {
			if replace(all, v); at.IsZero() {
				at = time.Now()
			}
		}
		i.put = func(o object, initial bool) { put(o, initial || !at.IsZero() && time.Since(at) < 50*time.Millisecond) }
	}},
	{"synced-before-asking", "sync/has-synced", "it has synced before it has asked anything", lists, func(i *informer) {
		i.hasSynced = func() bool { return true }
	}},
	{"synced-by-page", "sync/has-synced", "it has synced with the first page", lists, func(i *informer) {
		paged := false
		i.paged = func([]object, page) { i.locked(func() { paged = true }) }
		i.hasSynced = func() bool { return paged }
	}},
	{"synced-by-first-event", "sync/has-synced", "it has synced with the first event of a streaming list", streams, func(i *informer) {
		came := false
		i.paged = func([]object, page) { i.locked(func() { came = true }) }
		i.hasSynced = func() bool { return came }
	}},
	{"synced-before-last", "sync/has-synced", "it has synced a moment before the last object is there", lists, onReplace(func(i *informer, all []object, version string, right replaceFunc) {
		if n := len(all) - 1; n > 0 && !i.synced {
			right(all[:n], version)
			i.mu.Unlock()
			time.Sleep(time.Second)
			i.mu.Lock()
		}
		right(all, version)
	})},
	{"synced-an-instant-early", "sync/has-synced", "it has synced just before the first list is there", lists, onReplace(func(i *informer, all []object, version string, right replaceFunc) {
		if !i.synced {
			i.synced = true
			i.lets(200_000)
			i.synced = false
		}
		right(all, version)
	})},
	{"synced-undone", "sync/has-synced", "it has not synced while it lists again", lists, func(i *informer) {
		i.hasSynced = func() bool { return i.synced && !i.relists }
	}},
	{"empty-unsynced", "sync/has-synced", "an empty list does not sync it", lists, func(i *informer) {
		i.hasSynced = func() bool { return i.synced && len(i.items) > 0 }
	}},
	{"handler-synced-at-once", "sync/handler-synced", "a handler has synced as soon as it is added", lists, func(i *informer) {
		i.handled = func(*handler) bool { return true }
	}},
	{"handler-synced-amid-list", "sync/handler-synced", "a handler that joins before the first list is whole has synced at once", lists, func(i *informer) {
		joins, amid := i.joins, map[*handler]bool{}
		i.joins = func(h *handler) { joins(h); amid[h] = i.state == running && !i.synced }
		i.handled = func(h *handler) bool { return (h.joined || amid[h]) && h.initial == 0 }
	}},
	{"handler-synced-as-store", "sync/handler-synced", "a handler has synced when the store has", lists, func(i *informer) {
		i.handled = func(*handler) bool { return i.synced }
	}},
	{"handler-synced-by-queue", "sync/handler-synced", "a handler has synced when its last add is called, and has not returned", lists, func(i *informer) {
		i.handled = func(h *handler) bool { return h.joined && h.queued() == 0 }
	}},
	{"handler-never-synced", "sync/handler-synced", "a handler that was added late never has synced", lists, func(i *informer) {
		i.handled = func(h *handler) bool { return !h.late && h.joined && h.initial == 0 }
	}},
	{"handler-unsynced-by-vanished", "sync/handler-synced", "a handler never has synced of whose first objects one was gone before it was told of it", lists, vanishing(func(*handler) {})},
	{"all-initial", "sync/initial-flag", "each add is said to be of the first ones", lists, func(i *informer) {
		i.first = func(_ *handler, c change) bool { return c.kind == conformance.Added }
	}},
	{"none-initial", "sync/initial-flag", "no add is said to be of the first ones", lists, func(i *informer) {
		i.first = func(*handler, change) bool { return false }
	}},
	{"late-not-initial", "sync/initial-flag", "of a late handler no add is", lists, func(i *informer) {
		i.first = func(h *handler, c change) bool { return c.initial && !h.late }
	}},
	{"relist-initial", "sync/initial-flag", "adds of a later list are", lists, onPut(func(i *informer, o object, initial bool, right putFunc) { right(o, initial || i.relists) })},
	{"streams-only", "sync/watchlist-refused", "a streaming list that is refused is asked for again", streams, failing(of(aStream, all(not(isUnfinished), not(isInStream))), again)},
	{"streams-asked-again", "sync/watchlist-fallback", "a streaming list that ends without its end mark is asked for again", streams, failing(of(aStream, isUnfinished), again)},
	{"streams-error-again", "sync/watchlist-fallback", "so is one that ends with an ERROR", streams, failing(of(aStream, isInStream), again)},
	{"streams-internal-error-again", "sync/watchlist-fallback", "so is one that ends with an ERROR of another code than 410", streams, failing(of(aStream, all(isInStream, not(coded(410)))), again)},
	{"fallback-list-thrown-away", "sync/watchlist-fallback", "a streaming list without its end mark is followed by a list that is thrown away, and by a streaming list", streams,
		each(failing(func(what string, err error) bool { return what == aList && errors.Is(err, errUnfinished) }, again), func(i *informer) {
			i.ask = func(ctx context.Context, what string) error {
				if what != aList {
					return i.request(ctx, what)
				}
				_, _ = i.server.list(ctx, options{})
				return errUnfinished
			}
		})},
	{"client-go-0.37.2-streams", "sync/watchlist-fallback", "as client-go 0.37.2 (kubernetes#140890): a streaming list without its end mark is asked for again, for ever", streams,
		each(func(i *informer) { i.patience = watchTime }, failing(func(what string, err error) bool { return what == aStream && errors.Is(err, errUnfinished) },
			func(i *informer, _ time.Duration) time.Duration { i.at.streams = true; return time.Millisecond }))},
	{"part-is-whole", "sync/has-synced", "a streaming list that breaks off is taken for a whole one", streams, func(i *informer) {
		i.unfinished = func(so []object, err error) error {
			if len(so) > 0 {
				i.changes(func() { i.replace(so, so[len(so)-1].version) })
				return nil
			}
			return err
		}
	}},
}

// vanishing tells a handler nothing of what came and went before it was told of it; f hears of each first object of which
// that is so.
func vanishing(f func(*handler)) func(*informer) {
	return onQueues(func(i *informer, h *handler, c change, right queueFunc) {
		n := slices.IndexFunc(h.queue, func(q change) bool { return q.key == c.key && added(q) })
		if n < 0 || c.kind != conformance.Deleted {
			right(h, c)
			return
		}
		if h.queue[n].initial {
			f(h)
		}
		of := func(q change) bool { return q.key == c.key }
		before := slices.ContainsFunc(h.queue[:n], of) // it knows another of the name
		if h.queue = slices.DeleteFunc(h.queue, of); before {
			right(h, c)
		}
	})
}

// again asks for a streaming list once more, after a pause.
func again(i *informer, _ time.Duration) time.Duration {
	i.at.streams = true
	return i.grows(i.at.failures)
}
