package store

import (
	"maps"
	"slices"
	"sync/atomic"
)

// someOfMany are a few of those that are many.
const someOfMany = 40

// few is what these mutants can hold.
const few = 64

// sizeMutants are right as long as there are a few things, with one fault each.
var sizeMutants = []variant{
	{"large-loses", "queue/order", "a Pop loses a key while more than 64 wait", deltas, inQueue(losesNext)},
	{"large-loses-log", "queue/order", "the same in a log", aLog, inQueue(losesNext)},
	{"large-loses-atomic", "queue/order", "the same in a log with atomic lists", atomicLog, inQueue(losesNext)},
	{"large-last-eight", "queue/dedup", "of the deltas of a key the last eight are kept", deltas, inQueue(func(q *queue) {
		merge := q.merge
		q.merge = func(u *unit, d delta) bool {
			ok := merge(u, d)
			if !ok && len(u.deltas) == 8 {
				u.deltas = u.deltas[1:]
			}
			return ok
		}
	})},
	{"large-deletes-apart", "queue/dedup", "two adjacent deletes stay two behind two other deltas", deltas, inQueue(func(q *queue) {
		merge := q.merge
		q.merge = func(u *unit, d delta) bool { return len(u.deltas) <= 2 && merge(u, d) }
	})},
	{"large-unindexed", "replace/exact", "the indexes are empty after a list of more than 64", aMap, inMemory(func(m *memory) {
		reindex := m.reindex
		m.reindex = func(p postings, key string, old, now []string) {
			if old != nil || len(m.items) <= few { // with nothing old it is made anew
				reindex(p, key, old, now)
			}
		}
	})},
	{"large-cut", "replace/exact", "of a list of more than 64 the rest is dropped", expiring, inFuncs(func(f *funcs) {
		replace := f.replace
		f.replace = func(l []object, rv string) error { return replace(l[:min(len(l), few)], rv) }
	})},
	{"large-list-cut", "queue/replace", "of a list the first fifty are queued", deltas, inFuncs(cutsLists)},
	{"large-list-cut-log", "queue/replace", "the same in a log", aLog, inFuncs(cutsLists)},
	{"large-graves", "queue/replace", "a list makes forty tombstones at most", deltas, inQueue(func(q *queue) {
		latest := q.latest
		q.lacking = func() map[string]delta {
			all := latest()
			for i, key := range slices.Sorted(maps.Keys(all)) {
				if i >= 40 {
					delete(all, key)
				}
			}
			return all
		}
	})},
	{"large-resync-cut", "queue/resync", "a resync queues the first twenty", deltas, inQueue(func(q *queue) {
		q.syncs = func(key string) bool { return len(q.units) < 20 && q.find(key) == nil }
	})},
	{"large-synced-early", "queue/synced", "a queue has synced when a third of its first list has popped", deltas, inQueue(func(q *queue) {
		q.hasSynced = func() bool { return q.populated && q.initial < someOfMany }
	})},
	{"large-batch-three", "queue/synced", "a batch of more than three initial items counts for three", aLog, inFuncs(func(f *funcs) {
		var more atomic.Int64
		synced, popBatch := f.synced, f.popBatch
		f.popBatch = func() (popped, error) {
			p, err := popBatch()
			more.Add(int64(max(0, len(p.Deltas)-3)))
			return p, err
		}
		f.synced = func() (bool, error) {
			yes, err := synced()
			return yes && more.Load() == 0, err
		}
	})},
	{"large-values", "index/function", "of an object's values three are indexed", aMap, inMemory(func(m *memory) {
		reindex := m.reindex
		m.reindex = func(p postings, key string, old, now []string) { reindex(p, key, old, now[:min(3, len(now))]) }
	})},
	{"large-under", "index/add-late", "of the objects under a value 64 are given", aMap, inFuncs(func(f *funcs) {
		byIndex := f.byIndex
		f.byIndex = func(name, v string) ([]object, error) {
			l, err := byIndex(name, v)
			return l[:min(len(l), few)], err
		}
	})},
	{"large-at-once", "basic/add", "of several changes at once the first eight are made", aMap, inFuncs(func(f *funcs) {
		applyAll := f.applyAll
		f.applyAll = func(l []change) error { return applyAll(l[:min(len(l), 8)]) }
	})},
	{"one-hears", "queue/order", "one of two Pops that wait hears of what comes to an empty queue, and nobody of what comes then", deltas, inQueue(wakesForFirst)},
	{"one-hears-log", "queue/order", "the same in a log", aLog, inQueue(wakesForFirst)},
	{"one-hears-atomic", "queue/order", "the same in a log with atomic lists", atomicLog, inQueue(wakesForFirst)},
}

func cutsLists(f *funcs) {
	replace := f.replace
	f.replace = func(l []object, rv string) error { return replace(l[:min(len(l), 50)], rv) }
}

func losesNext(q *queue) {
	q.pick = func() int {
		if len(q.units) > few {
			q.units = append(q.units[:1], q.units[2:]...)
		}
		return 0
	}
}

// wakesForFirst wakes one Pop when the queue is no longer empty.
func wakesForFirst(q *queue) {
	q.hear = func(delta) {
		if len(q.units) == 1 {
			q.some.Signal()
		}
	}
}

// oddWakes are queues that wake who waits in an odd way.
var oddWakes = []variant{
	{"wakes-one", "queue/order", "each thing that is put wakes one of the Pops that wait", deltas, inQueue(func(q *queue) { q.hear = func(delta) { q.some.Signal() } })},
	{"wakes-all-once", "queue/order", "what comes to an empty queue wakes all Pops that wait, and what comes then wakes none", aLog, inQueue(func(q *queue) {
		q.hear = func(delta) {
			if len(q.units) == 1 {
				q.some.Broadcast()
			}
		}
	})},
}
