package informer

import (
	"slices"
	"time"

	conformance "github.com/lwtest/lwtest/conformance/informer"
)

func added(c change) bool   { return c.kind == conformance.Added }
func updated(c change) bool { return c.kind == conformance.Updated && !c.resync }
func deleted(c change) bool { return c.kind == conformance.Deleted }

func addedLater(c change) bool { return added(c) && !c.initial }

// notifyMutants have a fault in what they tell handlers.
var notifyMutants = []variant{
	{"old-is-new", "notify/order", "the old state of an update is the new one", lists, retoldIf(updated, func(c *change) { c.old = c.now })},
	{"old-is-none", "notify/order", "an update has no old state", lists, retoldIf(updated, func(c *change) { c.old = nil })},
	{"old-is-first", "notify/order", "the old state of an update is the first that the object had", lists, showingFirst(func(c *change, first *object) {
		if updated(*c) {
			c.old = first
		}
	})},
	{"merged-old-is-last", "notify/order", "of two updates of an object that wait, one after the other, the second alone is told, with its own old state", lists, onQueues(func(i *informer, h *handler, c change, right queueFunc) {
		if n := len(h.queue) - 1; n >= 0 && updated(c) && updated(h.queue[n]) && h.queue[n].key == c.key {
			h.queue[n] = c
		} else {
			right(h, c)
		}
	})},
	{"update-as-add", "notify/order", "an update is told as an add", lists, retoldIf(updated, func(c *change) { c.kind, c.old = conformance.Added, nil })},
	{"add-as-update", "notify/order", "an add that is no first one is told as an update", lists, retoldIf(addedLater, func(c *change) { c.kind, c.old = conformance.Updated, c.now })},
	{"last-first", "notify/order", "what comes last is told first", lists, onQueues(func(i *informer, h *handler, c change, right queueFunc) {
		right(h, c)
		n := len(h.queue) - 1
		h.queue = slices.Insert(h.queue[:n], 0, c)
	})},
	{"told-at-once", "notify/sequential", "a handler is called for each change as it comes", lists, onDelivers(func(i *informer, h *handler, c change, right queueFunc) { i.workers.Go(func() { right(h, c) }) })},
	{"told-before-kept", "notify/after-store", "handlers are told a moment before the store has it", lists, onPut(func(i *informer, o object, initial bool, right putFunc) {
		was := i.items[o.key]
		if right(o, initial); was.version != "" {
			i.items[o.key] = was
			i.unlocked(func() { time.Sleep(time.Millisecond) })
			i.items[o.key] = o
		}
	})},
	{"told-before-gone", "notify/after-store", "handlers are told of a delete a moment before it is gone", lists, onDrop(func(i *informer, last object, unknown bool, right putFunc) {
		was := i.items[last.key]
		right(last, unknown)
		i.items[was.key] = was
		i.unlocked(func() { time.Sleep(time.Millisecond) })
		delete(i.items, was.key)
	})},
	{"told-before-indexed", "notify/after-store", "handlers are told a moment before the index has it", lists, onReindex(func(i *informer, was, now *object, right indexFunc) {
		i.workers.Go(func() { time.Sleep(time.Millisecond); i.locked(func() { right(was, now) }) })
	})},
	{"adds-untold", "notify/complete", "of what is created later nobody is told", lists, untold(addedLater)},
	{"first-untold", "notify/complete", "of what there is at the start nobody is told", lists, untold(func(c change) bool { return added(c) && c.initial })},
	{"updates-untold", "notify/complete", "of updates nobody is told", lists, untold(updated)},
	{"deletes-untold", "notify/complete", "of deletes nobody is told", lists, untold(func(c change) bool { return deleted(c) && !c.unknown })},
	{"relist-adds-untold", "notify/complete", "of what a later list has more nobody is told", lists, untoldOf(func(i *informer, c change) bool { return added(c) && i.relists })},
	{"relist-updates-untold", "notify/complete", "of what a later list has in another state nobody is told", lists, untoldOf(func(i *informer, c change) bool { return updated(c) && i.relists })},
	{"second-handler-untold", "notify/complete", "the second of two handlers is told of no update", lists, ifQueues(func(i *informer, h *handler, c change) bool { return !updated(c) || h == i.handlers[0] })},
	{"delete-shows-before", "notify/delete-state", "a delete shows the state before it, though it was seen", lists, onDrop(func(i *informer, last object, unknown bool, right putFunc) {
		if was, there := i.items[last.key]; there {
			last = was
		}
		right(last, unknown)
	})},
	{"delete-shows-first", "notify/delete-state", "a delete shows the first state that was told of", lists, showingFirst(func(c *change, first *object) {
		if deleted(*c) {
			c.now = first
		}
	})},
	{"vanished-shows-first", "notify/delete-state", "a delete that nobody saw does", lists, showingFirst(func(c *change, first *object) {
		if c.unknown {
			c.now = first
		}
	})},
	{"late-untold", "notify/late-handler", "a handler that is added late is not told of what there is", lists, func(i *informer) {
		i.joins = i.enter
	}},
	{"late-told-twice", "notify/late-handler", "it is told of that twice", lists, onQueues(func(i *informer, h *handler, c change, right queueFunc) {
		if right(h, c); c.initial && i.state == running && i.synced {
			right(h, c)
		}
	})},
	{"late-misses", "notify/late-handler", "it misses what comes in the second after", lists, onJoins(func(i *informer, h *handler, right func(*handler)) {
		if right(h); i.synced && i.state == running {
			i.handlers = slices.DeleteFunc(slices.Clone(i.handlers), func(x *handler) bool { return x == h })
			i.workers.Go(func() { time.Sleep(time.Second); i.locked(func() { i.handlers = append(i.handlers, h) }) })
		}
	})},
	{"late-misses-one", "notify/late-handler", "it is not told of one object that there is", lists, onJoins(func(i *informer, h *handler, right func(*handler)) {
		if right(h); len(h.queue) > 1 {
			h.queue, h.initial = h.queue[1:], h.initial-1
		}
	})},
	{"removal-unheard", "notify/removed-handler", "a handler that was removed is told all the same", lists, func(i *informer) { i.leaves = func(*handler) {}; i.removed = leaveAlone }},
	{"removal-of-backlog", "notify/removed-handler", "a removal that waits leaves what was queued before", lists, func(i *informer) {
		i.leaves = func(h *handler) { i.handlers = slices.DeleteFunc(i.handlers, func(x *handler) bool { return x == h }) }
		i.removed = leaveAlone
	}},
	{"removal-of-what-changes", "notify/removed-handler", "a handler that was removed is told of everything again, as before", lists, func(i *informer) {
		i.leaves = func(h *handler) {
			i.handlers = slices.DeleteFunc(i.handlers, func(x *handler) bool { return x == h })
			h.queue = nil
		}
		i.removed = leaveAlone
	}},
	{"removal-without-waiting", "notify/removed-handler", "a removal that is to wait does not", lists, func(i *informer) {
		i.removed = func(h *handler, _ bool) { i.remove(h, false) }
	}},
	{"removal-of-all", "notify/removed-handler", "the other handlers miss what was queued when one is removed", lists, onLeaves(func(i *informer, h *handler, right func(*handler)) {
		right(h)
		for _, other := range i.handlers {
			other.queue = nil
		}
	})},
	{"removal-of-next", "notify/removed-handler", "another handler is removed with it", lists, onLeaves(func(i *informer, h *handler, right func(*handler)) {
		if right(h); len(i.handlers) > 0 {
			right(i.handlers[0])
		}
	})},
	{"one-for-all", "notify/slow", "all handlers are called by one hand", lists, func(i *informer) {
		right, hand := i.delivers, make(chan bool, 1)
		i.delivers = func(h *handler, c change) {
			hand <- true
			right(h, c)
			<-hand
		}
	}},
	{"slow-handler-loses", "notify/slow", "two changes wait for a handler, and no more", lists, onQueues(func(i *informer, h *handler, c change, right queueFunc) {
		if right(h, c); len(h.queue) > 2 && !c.initial && !c.resync {
			h.queue = h.queue[1:]
		}
	})},
	{"slow-stalls", "notify/slow", "the informer waits for its slowest handler", lists, onSeen(func(i *informer, kind, version string, right versionFunc) {
		for right(kind, version); i.busy(); {
			time.Sleep(10 * time.Millisecond)
		}
	})},
	{"resync-never", "notify/resync", "nothing is told again", lists, func(i *informer) { i.ticks = func(*handler) time.Duration { return 0 } }},
	{"resync-often", "notify/resync", "everything is told again three times in a period", lists, func(i *informer) {
		i.ticks = func(h *handler) time.Duration { return h.period / 3 }
	}},
	{"resync-ends", "notify/resync", "everything is told again once", lists, onResyncs(func(i *informer, h *handler, right func(*handler)) { right(h); h.period = never })},
	{"resync-one", "notify/resync", "one object is told again", lists, onResyncs(func(i *informer, h *handler, right func(*handler)) {
		right(h)
		h.queue = h.queue[:min(len(h.queue), 1)]
	})},
	{"resync-new", "notify/resync", "what is told again has no old state", lists, toldAgain(func(c *change) { c.old = nil })},
	{"resync-as-add", "notify/resync", "what is told again is told as an add", lists, toldAgain(func(c *change) { c.kind, c.old = conformance.Added, nil })},
}

// showingFirst has f change what is told of an object, by the first state of it that was told of.
func showingFirst(f func(c *change, first *object)) func(*informer) {
	return func(i *informer) {
		first := map[string]*object{}
		retold(func(_ *informer, c *change) {
			if added(*c) {
				first[c.key] = c.now
			} else if first[c.key] != nil {
				f(c, first[c.key])
			}
		})(i)
	}
}

// toldAgain changes what handlers are told again.
func toldAgain(f func(*change)) func(*informer) {
	return onQueues(func(_ *informer, h *handler, c change, right queueFunc) {
		if c.resync {
			f(&c)
		}
		right(h, c)
	})
}

// leaveAlone is a removal that does not wait.
func leaveAlone(h *handler, _ bool) { h.i.locked(func() { h.i.leaves(h) }) }

// unlocked does something without the lock.
func (i *informer) unlocked(f func()) {
	i.mu.Unlock()
	defer i.mu.Lock()
	f()
}

// busy says that a handler has something queued, while the informer runs.
func (i *informer) busy() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.ctx.Err() == nil && slices.ContainsFunc(i.handlers, func(h *handler) bool { return len(h.queue) > 0 })
}
