package store

import (
	"slices"
	"sync/atomic"

	conformance "github.com/lwtest/lwtest/conformance/store"
)

// queueMutants are queues that hold the wrong thing, with one fault each.
var queueMutants = []variant{
	{"late-key", "queue/order", "a key that changes again goes to the end", deltas, inQueue(func(q *queue) {
		q.place = func(key string) *unit {
			u := q.find(key)
			if u != nil {
				q.units = append(slices.DeleteFunc(q.units, func(v *unit) bool { return u == v }), u)
			}
			return u
		}
	})},
	{"last-in", "queue/order", "what came last pops first", aLog, inQueue(func(q *queue) { q.pick = func() int { return len(q.units) - 1 } })},
	{"last-in-atomic", "queue/order", "what came last pops first", atomicLog, inQueue(func(q *queue) { q.pick = func() int { return len(q.units) - 1 } })},
	{"deltas-reversed", "queue/order", "the deltas of a key pop from the newest to the oldest", deltas, inFuncs(func(f *funcs) {
		pop := f.pop
		f.pop = func() (popped, error) {
			p, err := pop()
			slices.Reverse(p.Deltas)
			return p, err
		}
	})},
	{"delete-twice", "queue/dedup", "two adjacent deletes stay two", deltas, inQueue(func(q *queue) { q.merge = func(*unit, delta) bool { return false } })},
	{"delete-newest", "queue/dedup", "of two adjacent deletes the second stays, whichever knows more", deltas, inQueue(func(q *queue) {
		merge := q.merge
		q.merge = func(u *unit, d delta) bool {
			if !merge(u, d) {
				return false
			}
			u.deltas[len(u.deltas)-1] = d
			return true
		}
	})},
	{"update-merged", "queue/dedup", "of two adjacent updates the second stays", deltas, inQueue(func(q *queue) { q.merge = q.sameType })},
	{"log-merged", "queue/dedup", "of two notifications of one key and type the second stays", aLog, inQueue(func(q *queue) {
		q.place, q.merge = q.find, q.sameType
		q.merge = func(u *unit, d delta) bool {
			if !q.sameType(u, d) {
				q.units = append(q.units, &unit{u.key, []delta{d}, false})
			}
			return true
		}
	})},
	{"unknown-delete", "queue/unknown-delete", "a delete of what is neither queued nor known is queued", deltas, inQueue(func(q *queue) { q.drops = func(string) bool { return false } })},
	{"known-delete-lost", "queue/order", "a delete of what is known and not queued is dropped", deltas, inQueue(func(q *queue) { q.drops = func(key string) bool { return q.find(key) == nil } })},
	{"tombstone-less", "queue/replace", "what a list lacks gets no tombstone", deltas, inQueue(noTombstones)},
	{"tombstone-less-log", "queue/replace", "what a list lacks gets no tombstone", aLog, inQueue(noTombstones)},
	{"tombstone-of-known", "queue/replace", "a tombstone has the known object where a newer one is queued", deltas, inQueue(oldTombstones)},
	{"tombstone-of-known-log", "queue/replace", "a tombstone has the known object where a newer one is queued", aLog, inQueue(oldTombstones)},
	{"tombstone-twice", "queue/replace", "a key whose last is a delete gets a tombstone, too", aLog, inQueue(func(q *queue) {
		q.tombstone = func(_ string, last delta) (delta, bool) {
			return delta{Type: conformance.Deleted, Object: last.Object, Unknown: true}, true
		}
	})},
	{"replaced-without-version", "queue/replace", "the item of a Replace does not tell its resourceVersion", atomicLog, inQueue(func(q *queue) {
		q.whole = func(list []object, _ string) delta { return delta{Type: conformance.ReplacedAll, Objects: list} }
	})},
	{"replaced-in-part", "queue/replace", "the item of a Replace lacks the last object", atomicLog, inQueue(func(q *queue) {
		whole := q.whole
		q.whole = func(list []object, rv string) delta { return whole(list[:max(0, len(list)-1)], rv) }
	})},
	{"kubernetes-115658", "queue/no-ghost", "what is queued, not known, and not in the list gets no tombstone", deltas, inQueue(knownTombstones)},
	{"kubernetes-115658-log", "queue/no-ghost", "the same in a log", aLog, inQueue(knownTombstones)},
	{"added-after-list", "queue/no-ghost", "a Replace passes what was queued before it", atomicLog, inQueue(func(q *queue) {
		q.pick = func() int {
			return max(0, slices.IndexFunc(q.units, func(u *unit) bool { return u.deltas[0].Type == conformance.ReplacedAll }))
		}
	})},
	{"resync-pending", "queue/resync", "a resync queues a Sync for a key that has something pending, too", deltas, inQueue(func(q *queue) { q.syncs = func(string) bool { return true } })},
	{"resync-pending-log", "queue/resync", "the same in a log", aLog, inQueue(func(q *queue) { q.syncs = func(string) bool { return true } })},
	{"resync-nothing", "queue/resync", "a resync queues nothing", deltas, inQueue(func(q *queue) { q.syncs = func(string) bool { return false } })},
	{"resync-once", "queue/resync", "a resync queues nothing while a SyncAll is queued", atomicLog, inFuncs(func(f *funcs) {
		resync, n := f.resync, 0
		f.resync = func() error {
			if n++; n%2 == 0 {
				return nil
			}
			return resync()
		}
	})},
	{"bookmark-lost", "queue/bookmark", "a bookmark is dropped", atomicLog, inQueue(func(q *queue) { q.marks = func(string) (delta, bool) { return delta{}, false } })},
	{"bookmark-passed", "queue/bookmark", "a bookmark pops from a queue whose consumer does not know any", aLog, inQueue(func(q *queue) {
		q.marks = func(rv string) (delta, bool) { return delta{Type: conformance.Bookmarked, ResourceVersion: rv}, true }
	})},
}

// sameType merges two deltas of one type.
func (q *queue) sameType(u *unit, d delta) bool {
	if u.last().Type != d.Type {
		return false
	}
	u.deltas[len(u.deltas)-1] = d
	return true
}

func noTombstones(q *queue) {
	q.tombstone = func(string, delta) (delta, bool) { return delta{}, false }
}

func oldTombstones(q *queue) {
	q.tombstone = func(key string, last delta) (delta, bool) {
		o, known := q.known[key]
		if !known {
			o = *last.Object
		}
		return delta{Type: conformance.Deleted, Object: &o, Unknown: true}, last.Type != conformance.Deleted
	}
}

// knownTombstones makes tombstones of what is known alone, as client-go 0.26.3 has it.
func knownTombstones(q *queue) {
	tombstone := q.tombstone
	q.tombstone = func(key string, last delta) (delta, bool) {
		d, ok := tombstone(key, last)
		return d, ok && q.knows(key)
	}
}

// popMutants are queues that hold the right thing, and pop it wrongly.
var popMutants = []variant{
	{"synced-early", "queue/synced", "it has synced when the first list is queued", deltas, inQueue(func(q *queue) { q.hasSynced = func() bool { return q.populated } })},
	{"synced-at-once", "queue/synced", "it has synced from the beginning", aLog, inQueue(func(q *queue) { q.hasSynced = func() bool { return true } })},
	{"synced-list-only", "queue/synced", "a change that comes first does not make it synced", deltas, inFuncs(func(f *funcs) {
		replaced, replace, synced := false, f.replace, f.synced
		f.replace = func(l []object, rv string) error { replaced = true; return replace(l, rv) }
		f.synced = func() (bool, error) { yes, err := synced(); return yes && replaced, err }
	})},
	{"synced-when-empty", "queue/synced", "it has synced while nothing is queued", aLog, inQueue(func(q *queue) {
		q.hasSynced = func() bool { return q.populated && len(q.units) == 0 }
	})},
	{"synced-empty-early", "queue/synced", "an empty first list has synced before its item pops", atomicLog, inQueue(func(q *queue) {
		q.hasSynced = func() bool { return q.populated && (q.initial == 0 || len(q.units[0].deltas[0].Objects) == 0) }
	})},
	{"synced-twice-never", "queue/synced", "it never has synced where the first list has a key twice", deltas, inFuncs(func(f *funcs) {
		replace, synced, lists, twice := f.replace, f.synced, 0, false
		f.replace = func(l []object, rv string) error {
			keys := map[string]bool{}
			for _, o := range l {
				keys[o.Key()] = true
			}
			lists++
			twice = twice || lists == 1 && len(keys) < len(l)
			return replace(l, rv)
		}
		f.synced = func() (bool, error) { yes, err := synced(); return yes && !twice, err }
	})},
	{"initial-always", "queue/initial-flag", "each item is an initial one", deltas, inQueue(func(q *queue) { q.flag = func(*unit) bool { return true } })},
	{"initial-never", "queue/initial-flag", "no item is an initial one", aLog, inQueue(func(q *queue) { q.flag = func(*unit) bool { return false } })},
	{"initial-each-list", "queue/initial-flag", "the items of each list are initial ones", atomicLog, inQueue(func(q *queue) {
		q.flag = func(u *unit) bool { return u.deltas[0].Type == conformance.ReplacedAll }
	})},
	{"batch-key-twice", "queue/batch", "a batch goes on where a key comes again", aLog, inQueue(func(q *queue) {
		q.joins = func(batch []*unit, u *unit) bool { return u.initial == batch[0].initial }
	})},
	{"batch-mixed", "queue/batch", "a batch goes on beyond the initial items", aLog, inQueue(func(q *queue) {
		q.joins = func(batch []*unit, u *unit) bool {
			return !slices.ContainsFunc(batch, func(v *unit) bool { return v.key == u.key })
		}
	})},
	{"batch-with-marks", "queue/batch", "a bookmark or a resync does not end a batch", atomicLog, inQueue(func(q *queue) {
		q.joins = func(batch []*unit, u *unit) bool {
			return !batch[0].initial && (u.key == "" || distinct(batch[len(batch)-1:], u)) && u.deltas[0].Type != conformance.ReplacedAll
		}
	})},
	{"batch-forgets-close", "queue/close", "a batch says once that the queue is closed", aLog, inFuncs(func(f *funcs) {
		told, batch := false, f.popBatch
		f.popBatch = func() (popped, error) {
			if told {
				return popped{}, nil
			}
			p, err := batch()
			told = err != nil
			return p, err
		}
	})},
	{"batch-reversed", "queue/batch", "a batch has the newest first", aLog, inFuncs(func(f *funcs) {
		batch := f.popBatch
		f.popBatch = func() (popped, error) {
			p, err := batch()
			slices.Reverse(p.Deltas)
			return p, err
		}
	})},
	{"close-unheard", "queue/close", "a Pop that waits does not hear of Close", deltas, inQueue(func(q *queue) { q.wake = func() {} })},
	{"close-drops", "queue/close", "what is left at Close does not pop", aLog, inQueue(func(q *queue) {
		wake := q.wake
		q.wake = func() { q.units = nil; wake() }
	})},
	{"close-empty-item", "queue/close", "the first Pop of a closed and empty queue gives something, and no error", atomicLog, inFuncs(func(f *funcs) {
		var once atomic.Bool
		pop := f.pop
		f.pop = func() (popped, error) {
			p, err := pop()
			if err != nil && once.CompareAndSwap(false, true) {
				return popped{Deltas: []delta{{Type: conformance.SyncedAll}}}, nil
			}
			return p, err
		}
	})},
}
