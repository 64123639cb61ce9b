package store

import (
	"cmp"
	"math/rand"
	"slices"
	"sync/atomic"
	"time"

	conformance "github.com/lwtest/lwtest/conformance/store"
)

// fault changes a correct store before the test: the map or the queue behind it, and the functions of its subject.
// The functions below make faults, each of one method or event.
type fault struct {
	memory func(*memory)
	queue  func(*queue)
	funcs  func(*funcs)
}

func inMemory(f func(*memory)) fault { return fault{memory: f} }
func inQueue(f func(*queue)) fault   { return fault{queue: f} }
func inFuncs(f func(*funcs)) fault   { return fault{funcs: f} }

// applies replaces a single change.
func applies(do func(f *funcs, c change, apply func(change) error) error) fault {
	return inFuncs(func(f *funcs) {
		apply := f.apply
		f.apply = func(c change) error { return do(f, c, apply) }
	})
}

// skips ignores those single changes that match, given the current object.
func skips(which func(c change, there *object) bool) fault {
	return applies(func(f *funcs, c change, apply func(change) error) error {
		if there, _ := f.getByKey(c.Object.Key()); !keyless(c.Object) && which(c, there) {
			return nil
		}
		return apply(c)
	})
}

// keepsVersion lets matching single changes keep the store's old resourceVersion.
func keepsVersion(which func(f *funcs, c change) bool) fault {
	return applies(func(f *funcs, c change, apply func(change) error) error {
		if rv, _ := f.version(); which(f, c) {
			defer func() { _ = f.bookmark(rv) }()
		}
		return apply(c)
	})
}

// atOnce replaces a transaction of several changes. It gets a copy of them.
func atOnce(do func(f *funcs, l []change, applyAll func([]change) error) error) fault {
	return inFuncs(func(f *funcs) {
		applyAll := f.applyAll
		f.applyAll = func(l []change) error { return do(f, slices.Clone(l), applyAll) }
	})
}

// changesTo rewrites the changes of a transaction.
func changesTo(of func([]change) []change) fault {
	return atOnce(func(_ *funcs, l []change, applyAll func([]change) error) error { return applyAll(of(l)) })
}

// replaces replaces a Replace. It gets a copy of the list.
func replaces(do func(f *funcs, l []object, rv string, replace func([]object, string) error) error) fault {
	return inFuncs(func(f *funcs) {
		replace := f.replace
		f.replace = func(l []object, rv string) error { return do(f, slices.Clone(l), rv, replace) }
	})
}

// listsTo rewrites the list of a Replace.
func listsTo(of func(f *funcs, l []object) []object) fault {
	return replaces(func(f *funcs, l []object, rv string, replace func([]object, string) error) error {
		return replace(of(f, l), rv)
	})
}

// bookmarks drops bookmarks that match, given their resourceVersion and the store's.
func bookmarks(which func(rv, told string) bool) fault {
	return inFuncs(func(f *funcs) {
		bookmark := f.bookmark
		f.bookmark = func(rv string) error {
			if told, _ := f.version(); which(rv, told) {
				return nil
			}
			return bookmark(rv)
		}
	})
}

// gives rewrites the result of List.
func gives(of func(f *funcs, l []object) []object) fault {
	return inFuncs(func(f *funcs) {
		list := f.list
		f.list = func() ([]object, error) {
			l, err := list()
			return of(f, l), err
		}
	})
}

// finds rewrites the result of ByIndex.
func finds(of func(l []object, err error) ([]object, error)) fault {
	return inFuncs(func(f *funcs) {
		byIndex := f.byIndex
		f.byIndex = func(name, v string) ([]object, error) { return of(byIndex(name, v)) }
	})
}

// lookedUp gets objects by key, one call for each. If ends is set, it stops at the first key that is gone.
func (f *funcs) lookedUp(keys []string, ends bool) (out []object) {
	for _, key := range keys {
		if o, _ := f.getByKey(key); o != nil {
			out = append(out, *o)
		} else if ends {
			break
		}
	}
	return out
}

// reindexes replaces an update of an index.
func reindexes(do func(m *memory, p postings, key string, old, now []string, right reindexing)) fault {
	return inMemory(func(m *memory) {
		right := m.reindex
		m.reindex = func(p postings, key string, old, now []string) { do(m, p, key, old, now, right) }
	})
}

// indexesIf updates an index only for matching changes.
func indexesIf(which func(m *memory, old, now []string) bool) fault {
	return reindexes(func(m *memory, p postings, key string, old, now []string, right reindexing) {
		if which(m, old, now) {
			right(p, key, old, now)
		}
	})
}

// indexedTo rewrites the index values of objects.
func indexedTo(of func(values []string) []string) fault {
	return reindexes(func(_ *memory, p postings, key string, old, now []string, right reindexing) {
		right(p, key, old, of(slices.Clone(now)))
	})
}

// pushes rewrites what is pushed. It also gets the content before the change. If ok is false, nothing is pushed.
func pushes(of func(m *memory, now, last []object) (out []object, ok bool)) fault {
	return inMemory(func(m *memory) { m.pushing(of) })
}

func (m *memory) pushing(of func(m *memory, now, last []object) (out []object, ok bool)) {
	push, last := m.o.Push, []object{}
	m.o.Push = func(now []object) {
		if out, ok := of(m, now, last); ok {
			push(out)
		}
		last = now
	}
}

// crowdedPushes is pushes for changes that overlap another change.
func crowdedPushes(of func(now, last []object) []object) fault {
	return inMemory(func(m *memory) {
		m.waits = true
		m.pushing(func(m *memory, now, last []object) ([]object, bool) {
			if m.under.Load() > 1 {
				now = of(now, last)
			}
			return now, true
		})
	})
}

// pushingWrong is crowdedPushes, but gets what was pushed last. If forGood is set, it stays wrong after the first overlap.
func (m *memory) pushingWrong(forGood bool, of func(now, last []object) []object) {
	crowded, pushed := false, []object{}
	m.waits = true
	m.pushing(func(m *memory, now, _ []object) ([]object, bool) {
		if crowded = crowded && forGood || m.under.Load() > 1; crowded {
			now = of(now, pushed)
		}
		pushed = now
		return now, true
	})
}

// expires sets the time after which entries expire, instead of the TTL.
func expires(after func(ttl time.Duration) time.Duration) fault {
	return inMemory(func(m *memory) {
		m.expired = func(e entry) bool { return m.o.TTL > 0 && time.Since(e.at) > after(m.o.TTL) }
	})
}

// renews lets a Replace renew the age of entries only for matching lists.
func renews(which func([]object) bool) fault { return inMemory(func(m *memory) { m.renew = which }) }

// picks chooses the unit that the next Pop returns.
func picks(which func(q *queue) int) fault {
	return inQueue(func(q *queue) { q.pick = func() int { return which(q) } })
}

// merges decides whether a delta is merged with the last delta of its unit.
func merges(of func(q *queue, u *unit, d delta, right func(*unit, delta) bool) bool) fault {
	return inQueue(func(q *queue) {
		right := q.merge
		q.merge = func(u *unit, d delta) bool { return of(q, u, d, right) }
	})
}

// drops drops matching deletes.
func drops(which func(q *queue, key string, right bool) bool) fault {
	return inQueue(func(q *queue) {
		right := q.drops
		q.drops = func(key string) bool { return which(q, key, right(key)) }
	})
}

// dropsAfter also drops a delete if the key's last pending delta has this type.
func dropsAfter(kind string) fault {
	return drops(func(q *queue, key string, right bool) bool { return right || q.lastIs(key, kind) })
}

// refuses does not queue matching deltas.
func refuses(which func(q *queue, key string, d delta) bool) fault {
	return inQueue(func(q *queue) { q.takes = func(key string, d delta) bool { return !which(q, key, d) } })
}

// buries makes tombstones only for matching keys that a list lacks.
func buries(which func(q *queue, key string, last delta) bool) fault {
	return inQueue(func(q *queue) {
		right := q.tombstone
		q.tombstone = func(key string, last delta) (delta, bool) {
			d, ok := right(key, last)
			return d, ok && which(q, key, last)
		}
	})
}

// spares makes no tombstone for a key whose last pending delta has this type.
func spares(kind string) fault {
	return buries(func(_ *queue, _ string, last delta) bool { return last.Type != kind })
}

// syncs lets a resync queue only matching keys.
func syncs(which func(q *queue, key string) bool) fault {
	return inQueue(func(q *queue) { q.syncs = func(key string) bool { return which(q, key) } })
}

// marks replaces the handling of a bookmark.
func marks(of func(q *queue, d delta, ok bool) (delta, bool)) fault {
	return inQueue(func(q *queue) {
		right := q.marks
		q.marks = func(rv string) (delta, bool) { d, ok := right(rv); return of(q, d, ok) }
	})
}

// flags decides which units Pop reports as initial.
func flags(which func(*unit) bool) fault { return inQueue(func(q *queue) { q.flag = which }) }

// joins decides whether a batch takes one more unit.
func joins(whether func(batch []*unit, u *unit) bool) fault {
	return inQueue(func(q *queue) { q.joins = whether })
}

// wholes rewrites the one item of a list. last is the resourceVersion of the list before.
func wholes(of func(d delta, last string) delta) fault {
	return inQueue(func(q *queue) {
		right, last := q.whole, ""
		q.whole = func(l []object, rv string) delta {
			d := of(right(l, rv), last)
			last = cmp.Or(rv, last)
			return d
		}
	})
}

// hears decides which waiting Pops a queued delta wakes.
func hears(f func(q *queue, d delta)) fault {
	return inQueue(func(q *queue) { q.hear = func(d delta) { f(q, d) } })
}

// deafTo keeps waiting Pops asleep when a delta of this type is queued.
func deafTo(kind string) fault {
	return hears(func(q *queue, d delta) {
		if d.Type != kind {
			q.some.Broadcast()
		}
	})
}

// fails replaces the handling of a list with an object that has no key.
func fails(f func(q *queue)) fault {
	return inQueue(func(q *queue) { q.failed = func() { f(q) } })
}

// syncedIf decides whether the queue reports that it has synced.
func syncedIf(whether func(q *queue) bool) fault {
	return inQueue(func(q *queue) { q.hasSynced = func() bool { return whether(q) } })
}

// alsoSynced decides whether the subject reports that it has synced.
func (f *funcs) alsoSynced(whether func(yes bool) bool) {
	synced := f.synced
	f.synced = func() (bool, error) { yes, err := synced(); return whether(yes), err }
}

// pops rewrites the results of Pop and PopBatch.
func pops(of func(p popped, err error) (popped, error)) fault {
	return inFuncs(func(f *funcs) {
		for _, take := range []*func() (popped, error){&f.pop, &f.popBatch} {
			if right := *take; right != nil {
				*take = func() (popped, error) { return of(right()) }
			}
		}
	})
}

// popsReversed returns deltas from the newest to the oldest.
func popsReversed(p popped, err error) (popped, error) {
	slices.Reverse(p.Deltas)
	return p, err
}

// busy counts calls under way. begin starts one, lets other goroutines start theirs, and returns the function that ends it.
type busy struct{ under atomic.Int32 }

func (b *busy) begin() func() {
	b.under.Add(1)
	othersFirst()
	return func() { b.under.Add(-1) }
}

func (b *busy) is() bool { return b.under.Load() > 0 }

// othersFirst lets other goroutines run: in virtual time, until none can.
func othersFirst() { time.Sleep(time.Millisecond) }

// forget removes matching entries from a list.
func forget[T any](l []T, which func(T) bool) []T { return slices.DeleteFunc(slices.Clone(l), which) }

func reversed[T any](l []T) []T { slices.Reverse(l); return l }

func shuffle[T any](l []T) []T {
	rand.Shuffle(len(l), func(i, j int) { l[i], l[j] = l[j], l[i] })
	return l
}

func same(of func(a, b object) bool) func(_ *memory, now, last []object) ([]object, bool) {
	return func(_ *memory, now, last []object) ([]object, bool) { return now, !slices.EqualFunc(now, last, of) }
}

func isA(v conformance.Verb, c change) bool { return c.Verb == v }
