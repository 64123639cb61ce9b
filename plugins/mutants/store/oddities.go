package store

import (
	"cmp"
	"slices"
	"sync/atomic"
	"time"

	conformance "github.com/lwtest/lwtest/conformance/store"
)

// oddMaps are maps that are odd but correct, each a bullet under the table of the contract.
var oddMaps = []row{
	{"any-order", "basic/list", "List and ListKeys come in any order", aMap, inFuncs(func(f *funcs) {
		list, keys := f.list, f.listKeys
		f.list = func() ([]object, error) { l, err := list(); return shuffle(l), err }
		f.listKeys = func() ([]string, error) { l, err := keys(); return shuffle(l), err }
	})},
	{"version-told-late", "version/told", "no resourceVersion is told before the first Replace or bookmark", aMap, inFuncs(func(f *funcs) {
		replace, version, bookmark, replaced := f.replace, f.version, f.bookmark, atomic.Bool{}
		f.bookmark = func(rv string) error { replaced.Store(true); return bookmark(rv) }
		f.replace = func(l []object, rv string) error { replaced.Store(true); return replace(l, rv) }
		f.version = func() (string, error) {
			if !replaced.Load() {
				return "", nil
			}
			return version()
		}
	})},
	{"version-kept", "version/told", "an object without a resourceVersion leaves the one that is told", aMap, keepsVersion(func(_ *funcs, c change) bool { return c.Object.ResourceVersion == "" })},
	{"version-kept-by-list", "version/told", "a list without a resourceVersion leaves the one that is told", aMap, replaces(func(f *funcs, l []object, rv string, replace func([]object, string) error) error {
		told, _ := f.version()
		return replace(l, cmp.Or(rv, told))
	})},
	{"version-of-what-goes", "version/told", "a Delete of what is absent does not move the version", aMap, keepsVersion(func(f *funcs, c change) bool {
		there, _ := f.getByKey(c.Object.Key())
		return isA(deleteVerb, c) && !keyless(c.Object) && there == nil
	})},
	{"version-by-lists", "version/told", "the version of an expiring store moves only with Replace, Delete and bookmarks", expiring, keepsVersion(func(_ *funcs, c change) bool { return !isA(deleteVerb, c) })},
	{"all-or-nothing", "basic/key-error", "several changes at once are refused altogether where one of them has no key", aMap, atOnce(func(_ *funcs, l []change, applyAll func([]change) error) error {
		if slices.ContainsFunc(l, func(c change) bool { return keyless(c.Object) }) {
			return errKey
		}
		return applyAll(l)
	})},
	{"index-late-partly", "index/add-late", "of two indexes at once, of which one is there already, the other is added all the same", aMap, inFuncs(func(f *funcs) {
		add := f.addIndexers
		f.addIndexers = func(names []string) error {
			err := add(names)
			for _, name := range names {
				if err != nil && len(names) > 1 {
					_ = add([]string{name})
				}
			}
			return err
		}
	})},
	{"exact-age", "expire/ttl", "an entry of exactly the TTL's age is gone", expiring, expires(func(ttl time.Duration) time.Duration { return ttl - 1 })},
	{"keys-of-living", "expire/ttl", "ListKeys does not tell an expired key", expiring, inFuncs(func(f *funcs) {
		f.listKeys = func() ([]string, error) {
			l, err := f.list()
			var keys []string
			for _, o := range l {
				keys = append(keys, o.Key())
			}
			return keys, err
		}
	})},
	{"list-of-moments", "expire/ttl", "a List looks at each entry at a moment of its own", expiring, gives(func(f *funcs, _ []object) []object {
		keys, _ := f.listKeys()
		return f.lookedUp(keys, false)
	})},
}

// oddQueues are queues that are odd but correct.
var oddQueues = []row{
	{"flagless", "queue/synced", "as before client-go 0.27: Pop does not say what is initial, and the queue does not claim that it does", old(deltas), inQueue(func(q *queue) {
		q.flag = func(*unit) bool { return false }
	})},
	{"deletes-last", "queue/replace", "the tombstones of a Replace come after its items", in(deltas, aLog), inQueue(func(q *queue) { q.itemsFirst = true })},
	{"synced-as-sync", "queue/replace", "the items of a Replace are queued as Sync", deltas, inQueue(func(q *queue) { q.replaced = conformance.Synced })},
	{"delete-newer", "queue/dedup", "of two deletes that know as much the second stays", deltas, merges(func(_ *queue, u *unit, d delta, right func(*unit, delta) bool) bool {
		same := u.last().Unknown == d.Unknown
		return right(u, d) && (!same || u.becomes(d))
	})},
	{"closed-refuses", "queue/close", "an Add after Close is refused", deltas, inFuncs(func(f *funcs) {
		apply, shut, closed := f.apply, f.close, false
		f.close = func() error { closed = true; return shut() }
		f.apply = func(c change) error {
			if closed {
				return conformance.ErrClosed
			}
			return apply(c)
		}
	})},
	{"replace-looks-first", "queue/replace", "a Replace with an object that has no key queues nothing", aLog, replaces(func(_ *funcs, l []object, rv string, replace func([]object, string) error) error {
		if slices.ContainsFunc(l, keyless) {
			return errKey
		}
		return replace(l, rv)
	})},
	{"list-by-key", "queue/replace", "the one item of a list has its objects by their keys", atomicLog, listsTo(func(_ *funcs, l []object) []object {
		slices.SortStableFunc(l, func(a, b object) int { return cmp.Compare(a.Key(), b.Key()) })
		return l
	})},
	{"single-batches", "queue/batch", "a batch has one item", aLog, joins(func([]*unit, *unit) bool { return false })},
	{"batches-of-two", "queue/batch", "a batch has two items at most", atomicLog, joins(func(batch []*unit, u *unit) bool { return len(batch) < 2 && distinct(batch, u) })},
	{"wakes-one", "queue/order", "each thing that is put wakes one of the Pops that wait", deltas, hears(func(q *queue, _ delta) { q.some.Signal() })},
	{"wakes-all-once", "queue/order", "what comes to an empty queue wakes all Pops that wait, and what comes then wakes none", aLog, hears(func(q *queue, _ delta) {
		if len(q.units) == 1 {
			q.some.Broadcast()
		}
	})},
	{"slow-pop", "queue/order", "a Pop that has something to give sleeps for two milliseconds", anyQueue, pops(func(p popped, err error) (popped, error) {
		time.Sleep(2 * time.Millisecond)
		return p, err
	})},
}
