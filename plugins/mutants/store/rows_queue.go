package store

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"sync/atomic"

	conformance "github.com/lwtest/lwtest/conformance/store"
)

// someOfMany are a few of those that are many.
const someOfMany = 40

// queueRows are queues that hold the wrong thing, with one fault each.
var queueRows = []row{
	{"late-key", "queue/order", "a key that changes again goes to the end", deltas, inQueue(func(q *queue) {
		q.place = func(key string) *unit {
			u := q.find(key)
			if u != nil {
				q.units = append(slices.DeleteFunc(q.units, func(v *unit) bool { return u == v }), u)
			}
			return u
		}
	})},
	{"last-in", "queue/order", "what came last pops first", in(aLog, atomicLog), picks(func(q *queue) int { return len(q.units) - 1 })},
	{"deltas-reversed", "queue/order", "the deltas of a key pop from the newest to the oldest", deltas, pops(popsReversed)},
	{"delete-twice", "queue/dedup", "two adjacent deletes stay two", deltas, merges(func(*queue, *unit, delta, func(*unit, delta) bool) bool { return false })},
	{"delete-newest", "queue/dedup", "of two adjacent deletes the second stays, whichever knows more", deltas, merges(func(_ *queue, u *unit, d delta, right func(*unit, delta) bool) bool {
		return right(u, d) && u.becomes(d)
	})},
	{"update-merged", "queue/dedup", "of two adjacent updates the second stays", deltas, merges(func(_ *queue, u *unit, d delta, _ func(*unit, delta) bool) bool {
		return u.last().Type == d.Type && u.becomes(d)
	})},
	{"log-merged", "queue/dedup", "of two notifications of one key and type the second stays", aLog, inQueue(func(q *queue) {
		q.place = q.find
		q.merge = func(u *unit, d delta) bool {
			if u.last().Type == d.Type {
				return u.becomes(d)
			}
			q.units = append(q.units, &unit{u.key, []delta{d}, false})
			return true
		}
	})},
	{"large-last-eight", "queue/dedup", "of the deltas of a key the last eight are kept", deltas, merges(func(_ *queue, u *unit, d delta, right func(*unit, delta) bool) bool {
		ok := right(u, d)
		if !ok && len(u.deltas) == 8 {
			u.deltas = u.deltas[1:]
		}
		return ok
	})},
	{"large-deletes-apart", "queue/dedup", "two adjacent deletes stay two behind two other deltas", deltas, merges(func(_ *queue, u *unit, d delta, right func(*unit, delta) bool) bool {
		return len(u.deltas) <= 2 && right(u, d)
	})},
	{"add-undoes-delete", "queue/dedup", "an Add takes the place of a delete that is pending", deltas, merges(func(_ *queue, u *unit, d delta, right func(*unit, delta) bool) bool {
		if u.last().Type != conformance.Deleted || d.Type != conformance.Added {
			return right(u, d)
		}
		return u.becomes(delta{Type: conformance.Updated, Object: d.Object})
	})},

	{"unknown-delete", "queue/unknown-delete", "a delete of what is neither queued nor known is queued", deltas, drops(func(*queue, string, bool) bool { return false })},
	{"known-delete-lost", "queue/order", "a delete of what is known and not queued is dropped", deltas, drops(func(q *queue, key string, _ bool) bool { return q.find(key) == nil })},
	{"delete-after-list", "queue/order", "a delete of what a list has just queued is dropped", in(deltas, aLog), dropsAfter(conformance.Replaced)},
	{"delete-after-sync", "queue/order", "a delete of what a resync has just queued is dropped", in(deltas, aLog), dropsAfter(conformance.Synced)},
	{"delete-after-list-atomic", "queue/order", "a delete is dropped while a list is pending", atomicLog, drops(func(q *queue, _ string, _ bool) bool {
		return slices.ContainsFunc(q.units, func(u *unit) bool { return u.last().Type == conformance.ReplacedAll })
	})},
	{"delete-outdated", "queue/order", "a delete is dropped where a newer state is known", deltas, refuses(func(q *queue, key string, d delta) bool {
		return d.Type == conformance.Deleted && older(*d.Object, q.known[key])
	})},
	{"update-unchanged", "queue/order", "an Update is dropped where it has the resourceVersion that is known", aLog, refuses(func(q *queue, key string, d delta) bool {
		return d.Type == conformance.Updated && q.known[key].ResourceVersion == d.Object.ResourceVersion
	})},
	{"large-loses", "queue/order", "a Pop loses a key while more than 64 wait", anyQueue, picks(func(q *queue) int {
		if len(q.units) > few {
			q.units = append(q.units[:1], q.units[2:]...)
		}
		return 0
	})},
	{"unkeyable-forgets", "queue/order", "a list with an object that has no key takes with it what is queued", in(deltas, aLog), fails(func(q *queue) { q.units = nil })},
	{"batch-deaf", "queue/order", "while a batch is taken, what is put is lost", in(aLog, atomicLog), inQueue(func(q *queue) {
		q.joins = func(batch []*unit, u *unit) bool {
			n := len(q.units)
			q.mu.Unlock()
			othersFirst()
			q.mu.Lock()
			q.units = q.units[:n]
			return distinct(batch, u)
		}
	})},

	{"tombstone-less", "queue/replace", "what a list lacks gets no tombstone", in(deltas, aLog), buries(func(*queue, string, delta) bool { return false })},
	{"tombstone-of-known", "queue/replace", "a tombstone has the known object where a newer one is queued", in(deltas, aLog), inQueue(func(q *queue) {
		right := q.tombstone
		q.tombstone = func(key string, last delta) (delta, bool) {
			if o, known := q.known[key]; known {
				last.Object = &o
			}
			return right(key, last)
		}
	})},
	{"tombstone-twice", "queue/replace", "a key whose last is a delete gets a tombstone, too", aLog, inQueue(func(q *queue) {
		right := q.tombstone
		q.tombstone = func(key string, last delta) (delta, bool) { d, _ := right(key, last); return d, true }
	})},
	{"list-spares-synced", "queue/replace", "a key of which a Sync is the last gets no tombstone", in(deltas, aLog), spares(conformance.Synced)},
	{"list-spares-given", "queue/replace", "a key that another list has given, and that has not popped, gets no tombstone", deltas, spares(conformance.Replaced)},
	{"list-alone", "queue/replace", "a list does not bury what an Update of a new key has queued", aLog, spares(conformance.Updated)},
	{"list-spares-deleted", "queue/replace", "a key of which a delete is pending gets no tombstone, though it was added again", aLog, buries(func(q *queue, key string, _ delta) bool {
		return !slices.ContainsFunc(q.units, func(u *unit) bool { return u.key == key && u.last().Type == conformance.Deleted })
	})},
	{"list-over-delete", "queue/replace", "what a list gives of a key is dropped while a delete of it is pending", in(deltas, aLog), refuses(func(q *queue, key string, d delta) bool {
		return d.Type == conformance.Replaced && q.lastIs(key, conformance.Deleted)
	})},
	{"list-unchanged", "queue/replace", "what a list gives is dropped where it has the resourceVersion that is known", deltas, refuses(func(q *queue, key string, d delta) bool {
		return d.Type == conformance.Replaced && q.known[key].ResourceVersion == d.Object.ResourceVersion
	})},
	{"list-empty-idle", "queue/replace", "an empty list buries nothing while nothing is pending", deltas, lacks(func(q *queue, all map[string]delta) {
		if len(q.units) == 0 {
			clear(all)
		}
	})},
	{"large-graves", "queue/replace", "a list makes forty tombstones at most", deltas, lacks(func(_ *queue, all map[string]delta) {
		for i, key := range slices.Sorted(maps.Keys(all)) {
			if i >= 40 {
				delete(all, key)
			}
		}
	})},
	{"large-list-cut", "queue/replace", "of a list the first fifty are queued", in(deltas, aLog), listsTo(func(_ *funcs, l []object) []object { return l[:min(len(l), 50)] })},
	{"list-first-of-key", "queue/replace", "of a key that a list has twice the first comes last in its one item", atomicLog, listsTo(func(_ *funcs, l []object) []object { return reversed(l) })},
	{"replaced-without-version", "queue/replace", "the item of a Replace does not tell its resourceVersion", atomicLog, wholes(func(d delta, _ string) delta { d.ResourceVersion = ""; return d })},
	{"replaced-with-old-version", "queue/replace", "the item of a list that has no resourceVersion tells that of the one before", atomicLog, wholes(func(d delta, last string) delta {
		d.ResourceVersion = cmp.Or(d.ResourceVersion, last)
		return d
	})},
	{"replaced-in-part", "queue/replace", "the item of a Replace lacks the last object", atomicLog, wholes(func(d delta, _ string) delta { d.Objects = d.Objects[:max(0, len(d.Objects)-1)]; return d })},
	{"unkeyable-untold", "queue/replace", "of a list with an object that has no key nobody says that it failed", in(deltas, aLog), replaces(func(_ *funcs, l []object, rv string, replace func([]object, string) error) error {
		_ = replace(l, rv)
		return nil
	})},
	{"kubernetes-115658", "queue/no-ghost", "what is queued, not known, and not in the list gets no tombstone, as in client-go 0.26.3", in(deltas, aLog), buries(func(q *queue, key string, _ delta) bool { return q.knows(key) })},
	{"added-after-list", "queue/no-ghost", "a Replace passes what was queued before it", atomicLog, picks(func(q *queue) int {
		return max(0, slices.IndexFunc(q.units, func(u *unit) bool { return u.deltas[0].Type == conformance.ReplacedAll }))
	})},

	{"resync-pending", "queue/resync", "a resync queues a Sync for a key that has something pending, too", in(deltas, aLog), syncs(func(*queue, string) bool { return true })},
	{"resync-nothing", "queue/resync", "a resync queues nothing", deltas, syncs(func(*queue, string) bool { return false })},
	{"resync-behind-delete", "queue/resync", "a resync queues a Sync for a key of which a delete is pending", in(deltas, aLog), syncs(behind(conformance.Deleted))},
	{"resync-behind-list", "queue/resync", "a resync queues a Sync for a key that a list has given and that has not popped", aLog, syncs(behind(conformance.Replaced))},
	{"resync-while-idle", "queue/resync", "a resync of an empty queue queues nothing", in(deltas, aLog), syncs(func(q *queue, key string) bool { return len(q.units) > 0 && q.find(key) == nil })},
	{"resync-unsynced", "queue/resync", "a resync queues nothing before it has synced", in(deltas, aLog), syncs(func(q *queue, key string) bool { return q.find(key) == nil && q.hasSynced() })},
	{"resync-unsynced-atomic", "queue/resync", "the same in a log with atomic lists", atomicLog, refuses(func(q *queue, _ string, d delta) bool { return d.Type == conformance.SyncedAll && !q.hasSynced() })},
	{"large-resync-cut", "queue/resync", "a resync queues the first twenty", deltas, syncs(func(q *queue, key string) bool { return len(q.units) < 20 && q.find(key) == nil })},
	{"resync-once", "queue/resync", "a resync queues nothing while a SyncAll is queued", atomicLog, inFuncs(func(f *funcs) {
		resync, n := f.resync, 0
		f.resync = func() error {
			if n++; n%2 == 0 {
				return nil
			}
			return resync()
		}
	})},
	{"bookmark-lost", "queue/bookmark", "a bookmark is dropped", atomicLog, marks(func(_ *queue, d delta, _ bool) (delta, bool) { return d, false })},
	{"bookmark-passed", "queue/bookmark", "a bookmark pops from a queue whose consumer does not know any", aLog, marks(func(_ *queue, d delta, _ bool) (delta, bool) { return d, true })},
	{"bookmark-while-idle", "queue/bookmark", "a bookmark that comes to an empty queue is dropped", atomicLog, marks(func(q *queue, d delta, ok bool) (delta, bool) { return d, ok && len(q.units) > 0 })},
}

// behind queues a Sync, too, for keys of which the last that is pending is of a type.
func behind(kind string) func(q *queue, key string) bool {
	return func(q *queue, key string) bool { return q.find(key) == nil || q.lastIs(key, kind) }
}

// lacks takes some keys out of those that a list may lack.
func lacks(less func(q *queue, all map[string]delta)) fault {
	return inQueue(func(q *queue) {
		q.lacking = func() map[string]delta {
			all := q.latest()
			less(q, all)
			return all
		}
	})
}

// becomes replaces the last delta.
func (u *unit) becomes(d delta) bool {
	u.deltas[len(u.deltas)-1] = d
	return true
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

// popRows are queues that hold the right thing, and pop it wrongly, or do not wake who waits, or take the wrong thing for the
// first list.
var popRows = []row{
	{"synced-early", "queue/synced", "it has synced when the first list is queued", deltas, syncedIf(func(q *queue) bool { return q.populated })},
	{"synced-at-once", "queue/synced", "it has synced from the beginning", aLog, syncedIf(func(*queue) bool { return true })},
	{"synced-when-empty", "queue/synced", "it has synced while nothing is queued", aLog, syncedIf(func(q *queue) bool { return q.populated && len(q.units) == 0 })},
	{"synced-empty-early", "queue/synced", "an empty first list has synced before its item pops", atomicLog, syncedIf(func(q *queue) bool {
		return q.populated && (q.initial == 0 || len(q.units[0].deltas[0].Objects) == 0)
	})},
	{"large-synced-early", "queue/synced", "a queue has synced when a third of its first list has popped", deltas, syncedIf(func(q *queue) bool { return q.populated && q.initial < someOfMany })},
	{"synced-after-failure", "queue/synced", "it has synced when the first list has failed", in(deltas, aLog), fails(func(q *queue) { q.populated = true })},
	{"synced-list-only", "queue/synced", "a change that comes first does not make it synced", deltas, inFuncs(func(f *funcs) {
		replaced, replace := false, f.replace
		f.replace = func(l []object, rv string) error { replaced = true; return replace(l, rv) }
		f.alsoSynced(func(yes bool) bool { return yes && replaced })
	})},
	{"synced-twice-never", "queue/synced", "it never has synced where the first list has a key twice", deltas, inFuncs(func(f *funcs) {
		replace, lists, twice := f.replace, 0, false
		f.replace = func(l []object, rv string) error {
			keys := map[string]bool{}
			for _, o := range l {
				keys[o.Key()] = true
			}
			lists++
			twice = twice || lists == 1 && len(keys) < len(l)
			return replace(l, rv)
		}
		f.alsoSynced(func(yes bool) bool { return yes && !twice })
	})},
	{"synced-by-resync", "queue/synced", "a resync that comes first makes it synced", deltas, inFuncs(func(f *funcs) {
		resync, some := f.resync, false
		f.resync = func() error { some = true; return resync() }
		f.alsoSynced(func(yes bool) bool { return yes || some })
	})},
	{"synced-by-bookmark", "queue/synced", "a bookmark that comes first makes it synced", atomicLog, marks(func(q *queue, d delta, ok bool) (delta, bool) { q.populated = true; return d, ok })},
	{"synced-by-one-pop", "queue/synced", "it has synced when so many have popped as the first list has items, whatever they are", atomicLog, inQueue(func(q *queue) {
		flag, popped := q.flag, 0
		q.flag = func(u *unit) bool { popped++; return flag(u) }
		q.hasSynced = func() bool { return q.populated && (q.initial == 0 || popped > 0) }
	})},
	{"large-batch-three", "queue/synced", "a batch of more than three initial items counts for three", aLog, inFuncs(func(f *funcs) {
		var more atomic.Int64
		popBatch := f.popBatch
		f.popBatch = func() (popped, error) {
			p, err := popBatch()
			more.Add(int64(max(0, len(p.Deltas)-3)))
			return p, err
		}
		f.alsoSynced(func(yes bool) bool { return yes && more.Load() == 0 })
	})},
	{"initial-always", "queue/initial-flag", "each item is an initial one", deltas, flags(func(*unit) bool { return true })},
	{"initial-never", "queue/initial-flag", "no item is an initial one", aLog, flags(func(*unit) bool { return false })},
	{"initial-each-list", "queue/initial-flag", "the items of each list are initial ones", atomicLog, flags(func(u *unit) bool { return u.deltas[0].Type == conformance.ReplacedAll })},
	{"batch-key-twice", "queue/batch", "a batch goes on where a key comes again", aLog, joins(func(batch []*unit, u *unit) bool { return u.initial == batch[0].initial })},
	{"batch-mixed", "queue/batch", "a batch goes on beyond the initial items", aLog, joins(func(batch []*unit, u *unit) bool {
		return !slices.ContainsFunc(batch, func(v *unit) bool { return v.key == u.key })
	})},
	{"batch-with-marks", "queue/batch", "a bookmark or a resync does not end a batch", atomicLog, joins(func(batch []*unit, u *unit) bool {
		return !batch[0].initial && (u.key == "" || distinct(batch[len(batch)-1:], u)) && u.deltas[0].Type != conformance.ReplacedAll
	})},
	{"batch-ends-in-mark", "queue/batch", "a bookmark is the last of a batch", atomicLog, joins(func(batch []*unit, u *unit) bool {
		return distinct(batch, u) || u.deltas[0].Type == conformance.Bookmarked && batch[len(batch)-1].key != "" && !batch[0].initial
	})},
	{"batch-reversed", "queue/batch", "a batch has the newest first", aLog, pops(popsReversed)},
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
	{"close-unheard", "queue/close", "a Pop that waits does not hear of Close", deltas, inQueue(func(q *queue) { q.wake = func() {} })},
	{"close-drops", "queue/close", "what is left at Close does not pop", aLog, inQueue(func(q *queue) {
		wake := q.wake
		q.wake = func() { q.units = nil; wake() }
	})},
	{"close-wakes-one", "queue/close", "of two Pops that wait one hears of Close", in(deltas, aLog), inQueue(func(q *queue) { q.wake = q.some.Signal })},
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
	{"one-hears", "queue/order", "one of two Pops that wait hears of what comes to an empty queue, and nobody of what comes then", anyQueue, hears(func(q *queue, _ delta) {
		if len(q.units) == 1 {
			q.some.Signal()
		}
	})},
	{"list-unheard", "queue/replace", "a Pop that waits does not hear of a list", deltas, deafTo(conformance.Replaced)},
	{"tombstone-unheard", "queue/replace", "a Pop that waits does not hear of a delete", aLog, deafTo(conformance.Deleted)},
	{"list-unheard-atomic", "queue/replace", "a Pop that waits does not hear of a list", atomicLog, deafTo(conformance.ReplacedAll)},
	{"resync-unheard", "queue/resync", "a Pop that waits does not hear of a resync", aLog, deafTo(conformance.Synced)},
	{"resync-unheard-atomic", "queue/resync", "a Pop that waits does not hear of a resync", atomicLog, deafTo(conformance.SyncedAll)},
	{"bookmark-unheard", "queue/bookmark", "a Pop that waits does not hear of a bookmark", atomicLog, deafTo(conformance.Bookmarked)},
}
