package store

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
	{"one-hears", "queue/order", "one of two Pops that wait hears of what comes to an empty queue, and nobody of what comes then", deltas, inQueue(wakesForFirst)},
	{"one-hears-log", "queue/order", "the same in a log", aLog, inQueue(wakesForFirst)},
	{"one-hears-atomic", "queue/order", "the same in a log with atomic lists", atomicLog, inQueue(wakesForFirst)},
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
