package store

import (
	"math/rand"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	conformance "github.com/lwtest/lwtest/conformance/store"
)

// oddMaps are maps that are odd but correct, each a bullet under the table of the contract.
var oddMaps = []variant{
	{"any-order", "basic/list", "List and ListKeys come in any order", aMap, inFuncs(func(f *funcs) {
		list, keys := f.list, f.listKeys
		f.list = func() ([]object, error) { l, err := list(); shuffle(l); return l, err }
		f.listKeys = func() ([]string, error) { l, err := keys(); shuffle(l); return l, err }
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
	{"version-kept", "version/told", "an object without a resourceVersion leaves the one that is told", aMap, inFuncs(func(f *funcs) {
		apply := f.apply
		f.apply = func(c change) error {
			if rv, _ := f.version(); c.Object.ResourceVersion == "" {
				defer func() { _ = f.bookmark(rv) }()
			}
			return apply(c)
		}
	})},
	{"all-or-nothing", "basic/key-error", "several changes at once are refused altogether where one of them has no key", aMap, inFuncs(func(f *funcs) {
		applyAll := f.applyAll
		f.applyAll = func(l []change) error {
			if slices.ContainsFunc(l, func(c change) bool { return keyless(c.Object) }) {
				return errKey
			}
			return applyAll(l)
		}
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
	{"push-outside", "undelta/push", "with several writers two pushes may be equal, and the last may not be the last content", undelta, inMemory(func(m *memory) { m.outside = true })},
	{"exact-age", "expire/ttl", "an entry of exactly the TTL's age is gone", expiring, inMemory(func(m *memory) {
		m.expired = func(e entry) bool { return m.o.TTL > 0 && time.Since(e.at) >= m.o.TTL }
	})},
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
	{"list-of-moments", "expire/ttl", "a List looks at each entry at a moment of its own", expiring, inFuncs(func(f *funcs) {
		f.list = func() (out []object, err error) {
			keys, err := f.listKeys()
			for _, key := range keys {
				if o, _ := f.getByKey(key); o != nil {
					out = append(out, *o)
				}
			}
			return out, err
		}
	})},
}

func shuffle[T any](l []T) { rand.Shuffle(len(l), func(i, j int) { l[i], l[j] = l[j], l[i] }) }

// oddQueues are queues that are odd but correct.
var oddQueues = []variant{
	{"flagless", "queue/synced", "as before client-go 0.27: Pop does not say what is initial, and the queue does not claim that it does", old(deltas), inQueue(func(q *queue) {
		q.flag = func(*unit) bool { return false }
	})},
	{"deletes-last", "queue/replace", "the tombstones of a Replace come after its items", deltas, inQueue(tombstonesLast)},
	{"deletes-last-log", "queue/replace", "the same in a log", aLog, inQueue(tombstonesLast)},
	{"synced-as-sync", "queue/replace", "the items of a Replace are queued as Sync", deltas, inQueue(func(q *queue) {
		q.replaced = conformance.Synced
	})},
	{"delete-newer", "queue/dedup", "of two deletes that know as much the second stays", deltas, inQueue(func(q *queue) {
		merge := q.merge
		q.merge = func(u *unit, d delta) bool {
			same := u.last().Unknown == d.Unknown
			ok := merge(u, d)
			if ok && same {
				u.deltas[len(u.deltas)-1] = d
			}
			return ok
		}
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
	{"replace-looks-first", "queue/replace", "a Replace with an object that has no key queues nothing", aLog, inFuncs(func(f *funcs) {
		replace := f.replace
		f.replace = func(l []object, rv string) error {
			if slices.ContainsFunc(l, keyless) {
				return errKey
			}
			return replace(l, rv)
		}
	})},
	{"list-by-key", "queue/replace", "the one item of a list has its objects by their keys", atomicLog, inFuncs(func(f *funcs) {
		replace := f.replace
		f.replace = func(l []object, rv string) error {
			l = slices.Clone(l)
			slices.SortStableFunc(l, func(a, b object) int { return strings.Compare(a.Key(), b.Key()) })
			return replace(l, rv)
		}
	})},
	{"single-batches", "queue/batch", "a batch has one item", aLog, inQueue(func(q *queue) { q.joins = func([]*unit, *unit) bool { return false } })},
	{"batches-of-two", "queue/batch", "a batch has two items at most", atomicLog, inQueue(func(q *queue) {
		q.joins = func(batch []*unit, u *unit) bool { return len(batch) < 2 && distinct(batch, u) }
	})},
}

// tombstonesLast queues the items of a list first.
func tombstonesLast(q *queue) { q.itemsFirst = true }
