package store

import (
	"slices"
	"strconv"

	conformance "github.com/lwtest/lwtest/conformance/store"
)

// pendingMutants are queues that go wrong where something of the key is
// pending, or where nothing is, with one fault each.
var pendingMutants = []variant{
	{"resync-behind-delete", "queue/resync", "a resync queues a Sync for a key of which a delete is pending", deltas, inQueue(func(q *queue) {
		q.syncs = func(key string) bool { return q.find(key) == nil || q.lastIs(key, conformance.Deleted) }
	})},
	{"resync-behind-delete-log", "queue/resync", "the same in a log", aLog, inQueue(func(q *queue) {
		q.syncs = func(key string) bool { return q.find(key) == nil || q.lastIs(key, conformance.Deleted) }
	})},
	{"resync-behind-list", "queue/resync", "a resync queues a Sync for a key that a list has given and that has not popped", aLog, inQueue(func(q *queue) {
		q.syncs = func(key string) bool { return q.find(key) == nil || q.lastIs(key, conformance.Replaced) }
	})},
	{"resync-while-idle", "queue/resync", "a resync of an empty queue queues nothing", deltas, inQueue(func(q *queue) { q.syncs = q.afterOthers })},
	{"resync-while-idle-log", "queue/resync", "the same in a log", aLog, inQueue(func(q *queue) { q.syncs = q.afterOthers })},
	{"bookmark-while-idle", "queue/bookmark", "a bookmark that comes to an empty queue is dropped", atomicLog, inQueue(func(q *queue) {
		marks := q.marks
		q.marks = func(rv string) (delta, bool) { d, ok := marks(rv); return d, ok && len(q.units) > 0 }
	})},
	{"list-spares-synced", "queue/replace", "a key of which a Sync is the last gets no tombstone", deltas, inQueue(func(q *queue) { q.spares(conformance.Synced) })},
	{"list-spares-synced-log", "queue/replace", "the same in a log", aLog, inQueue(func(q *queue) { q.spares(conformance.Synced) })},
	{"list-spares-given", "queue/replace", "a key that another list has given, and that has not popped, gets no tombstone", deltas, inQueue(func(q *queue) { q.spares(conformance.Replaced) })},
	{"list-spares-deleted", "queue/replace", "a key of which a delete is pending gets no tombstone, though it was added again", aLog, inQueue(func(q *queue) {
		tombstone := q.tombstone
		q.tombstone = func(key string, last delta) (delta, bool) {
			d, ok := tombstone(key, last)
			return d, ok && !slices.ContainsFunc(q.units, func(u *unit) bool { return u.key == key && u.last().Type == conformance.Deleted })
		}
	})},
	{"list-over-delete", "queue/replace", "what a list gives of a key is dropped while a delete of it is pending", deltas, inQueue(func(q *queue) {
		q.takes = func(key string, d delta) bool {
			return d.Type != conformance.Replaced || !q.lastIs(key, conformance.Deleted)
		}
	})},
	{"list-over-delete-log", "queue/replace", "the same in a log", aLog, inQueue(func(q *queue) {
		q.takes = func(key string, d delta) bool {
			return d.Type != conformance.Replaced || !q.lastIs(key, conformance.Deleted)
		}
	})},
	{"list-first-of-key", "queue/replace", "of a key that a list has twice the first comes last in its one item", atomicLog, inFuncs(func(f *funcs) {
		replace := f.replace
		f.replace = func(l []object, rv string) error {
			l = slices.Clone(l)
			slices.Reverse(l)
			return replace(l, rv)
		}
	})},
	{"list-unchanged", "queue/replace", "what a list gives is dropped where it has the resourceVersion that is known", deltas, inQueue(func(q *queue) {
		q.takes = func(key string, d delta) bool {
			return d.Type != conformance.Replaced || q.known[key].ResourceVersion != d.Object.ResourceVersion
		}
	})},
	{"update-unchanged", "queue/order", "an Update is dropped where it has the resourceVersion that is known", aLog, inQueue(func(q *queue) {
		q.takes = func(key string, d delta) bool {
			return d.Type != conformance.Updated || q.known[key].ResourceVersion != d.Object.ResourceVersion
		}
	})},
	{"delete-outdated", "queue/order", "a delete is dropped where a newer state is known", deltas, inQueue(func(q *queue) {
		q.takes = func(key string, d delta) bool {
			return d.Type != conformance.Deleted || !older(*d.Object, q.known[key])
		}
	})},
	{"list-empty-idle", "queue/replace", "an empty list buries nothing while nothing is pending", deltas, inQueue(func(q *queue) {
		lacking := q.lacking
		q.lacking = func() map[string]delta {
			if len(q.units) == 0 {
				return nil
			}
			return lacking()
		}
	})},
	{"list-alone", "queue/replace", "a list does not bury what an Update of a new key has queued", aLog, inQueue(func(q *queue) { q.spares(conformance.Updated) })},
	{"delete-after-list", "queue/order", "a delete of what a list has just queued is dropped", deltas, inQueue(func(q *queue) { q.dropsAfter(conformance.Replaced) })},
	{"delete-after-list-log", "queue/order", "the same in a log", aLog, inQueue(func(q *queue) { q.dropsAfter(conformance.Replaced) })},
	{"delete-after-sync", "queue/order", "a delete of what a resync has just queued is dropped", deltas, inQueue(func(q *queue) { q.dropsAfter(conformance.Synced) })},
	{"delete-after-sync-log", "queue/order", "the same in a log", aLog, inQueue(func(q *queue) { q.dropsAfter(conformance.Synced) })},
	{"delete-after-list-atomic", "queue/order", "a delete is dropped while a list is pending", atomicLog, inQueue(func(q *queue) {
		q.drops = func(string) bool {
			return slices.ContainsFunc(q.units, func(u *unit) bool { return u.last().Type == conformance.ReplacedAll })
		}
	})},
	{"add-undoes-delete", "queue/dedup", "an Add takes the place of a delete that is pending", deltas, inQueue(func(q *queue) {
		merge := q.merge
		q.merge = func(u *unit, d delta) bool {
			if u.last().Type != conformance.Deleted || d.Type != conformance.Added {
				return merge(u, d)
			}
			u.deltas[len(u.deltas)-1] = delta{Type: conformance.Updated, Object: d.Object}
			return true
		}
	})},
	{"unkeyable-untold", "queue/replace", "of a list with an object that has no key nobody says that it failed", deltas, inFuncs(func(f *funcs) {
		replace := f.replace
		f.replace = func(l []object, rv string) error { _ = replace(l, rv); return nil }
	})},
	{"unkeyable-untold-log", "queue/replace", "the same in a log", aLog, inFuncs(func(f *funcs) {
		replace := f.replace
		f.replace = func(l []object, rv string) error { _ = replace(l, rv); return nil }
	})},
	{"unkeyable-forgets", "queue/order", "a list with an object that has no key takes with it what is queued", deltas, inQueue(func(q *queue) { q.failed = func() { q.units = nil } })},
	{"unkeyable-forgets-log", "queue/order", "the same in a log", aLog, inQueue(func(q *queue) { q.failed = func() { q.units = nil } })},
}

// older says that an object has a smaller resourceVersion than another that is there.
func older(a, b object) bool {
	m, _ := strconv.Atoi(a.ResourceVersion)
	n, _ := strconv.Atoi(b.ResourceVersion)
	return m < n
}

// lastIs says that the last that is pending of a key is of a type.
func (q *queue) lastIs(key, kind string) bool {
	u := q.find(key)
	return u != nil && u.last().Type == kind
}

// afterOthers has a resync come to nothing where the queue is empty.
func (q *queue) afterOthers(key string) bool { return len(q.units) > 0 && q.find(key) == nil }

// spares leaves alone what a list lacks where the last that is pending of it is of a type.
func (q *queue) spares(kind string) {
	tombstone := q.tombstone
	q.tombstone = func(key string, last delta) (delta, bool) {
		d, ok := tombstone(key, last)
		return d, ok && last.Type != kind
	}
}

// dropsAfter drops a delete, too, where the last that is pending of the key is of a type.
func (q *queue) dropsAfter(kind string) {
	drops := q.drops
	q.drops = func(key string) bool { return drops(key) || q.lastIs(key, kind) }
}

// wakingMutants are queues that do not wake who waits, or that take the wrong thing for the first list.
var wakingMutants = []variant{
	{"batch-deaf", "queue/order", "while a batch is taken, what is put is lost", aLog, inQueue(batchDeaf)},
	{"batch-deaf-atomic", "queue/order", "the same of one that is atomic", atomicLog, inQueue(batchDeaf)},
	{"list-unheard", "queue/replace", "a Pop that waits does not hear of a list", deltas, inQueue(func(q *queue) { q.deafTo(conformance.Replaced) })},
	{"tombstone-unheard", "queue/replace", "a Pop that waits does not hear of a delete", aLog, inQueue(func(q *queue) { q.deafTo(conformance.Deleted) })},
	{"list-unheard-atomic", "queue/replace", "a Pop that waits does not hear of a list", atomicLog, inQueue(func(q *queue) { q.deafTo(conformance.ReplacedAll) })},
	{"resync-unheard", "queue/resync", "a Pop that waits does not hear of a resync", aLog, inQueue(func(q *queue) { q.deafTo(conformance.Synced) })},
	{"resync-unheard-atomic", "queue/resync", "a Pop that waits does not hear of a resync", atomicLog, inQueue(func(q *queue) { q.deafTo(conformance.SyncedAll) })},
	{"bookmark-unheard", "queue/bookmark", "a Pop that waits does not hear of a bookmark", atomicLog, inQueue(func(q *queue) { q.deafTo(conformance.Bookmarked) })},
	{"close-wakes-one", "queue/close", "of two Pops that wait one hears of Close", deltas, inQueue(func(q *queue) { q.wake = q.some.Signal })},
	{"close-wakes-one-log", "queue/close", "the same in a log", aLog, inQueue(func(q *queue) { q.wake = q.some.Signal })},
	{"synced-after-failure", "queue/synced", "it has synced when the first list has failed", deltas, inQueue(func(q *queue) { q.failed = func() { q.populated = true } })},
	{"synced-after-failure-log", "queue/synced", "the same in a log", aLog, inQueue(func(q *queue) { q.failed = func() { q.populated = true } })},
	{"synced-by-resync", "queue/synced", "a resync that comes first makes it synced", deltas, inFuncs(func(f *funcs) {
		resync, synced, some := f.resync, f.synced, false
		f.resync = func() error { some = true; return resync() }
		f.synced = func() (bool, error) { yes, err := synced(); return yes || some, err }
	})},
	{"synced-by-bookmark", "queue/synced", "a bookmark that comes first makes it synced", atomicLog, inQueue(func(q *queue) {
		marks := q.marks
		q.marks = func(rv string) (delta, bool) { q.populated = true; return marks(rv) }
	})},
	{"synced-by-one-pop", "queue/synced", "it has synced when so many have popped as the first list has items, whatever they are", atomicLog, inQueue(func(q *queue) {
		flag, popped := q.flag, 0
		q.flag = func(u *unit) bool { popped++; return flag(u) }
		q.hasSynced = func() bool { return q.populated && (q.initial == 0 || popped > 0) }
	})},
	{"batch-ends-in-mark", "queue/batch", "a bookmark is the last of a batch", atomicLog, inQueue(func(q *queue) {
		q.joins = func(batch []*unit, u *unit) bool {
			return distinct(batch, u) || u.deltas[0].Type == conformance.Bookmarked && batch[len(batch)-1].key != "" && !batch[0].initial
		}
	})},
}

// deafTo has a Pop that waits go on waiting when one of a type is queued.
func (q *queue) deafTo(kind string) {
	q.hear = func(d delta) {
		if d.Type != kind {
			q.some.Broadcast()
		}
	}
}

// batchDeaf lets go of the lock amid a batch, and forgets what came meanwhile.
func batchDeaf(q *queue) {
	joins := q.joins
	q.joins = func(batch []*unit, u *unit) bool {
		n := len(q.units)
		q.mu.Unlock()
		othersFirst()
		q.mu.Lock()
		q.units = q.units[:n]
		return joins(batch, u)
	}
}
