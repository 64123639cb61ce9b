package store

import (
	"maps"
	"slices"
	"sync"

	conformance "github.com/lwtest/lwtest/conformance/store"
	"github.com/lwtest/lwtest/harness"
)

// queue is a correct queue of our own, of each of the three sorts. Its
// functions are there to be replaced.
type queue struct {
	mu        sync.Mutex
	some      *sync.Cond
	sort      harness.Feature
	units     []*unit
	known     map[string]object
	populated bool
	initial   int // units of the first Replace that have not popped
	closed    bool

	pick      func() int                                 // which unit pops
	merge     func(u *unit, d delta) bool                // whether d became one with the last of u
	drops     func(key string) bool                      // a delete
	takes     func(key string, d delta) bool             // whether what is asked is queued
	place     func(key string) *unit                     // where a change of a key goes; nil: to the end
	tombstone func(key string, last delta) (delta, bool) // of a key that a list lacks, and whether there is one
	lacking   func() map[string]delta                    // the latest of each key that a list may lack
	syncs     func(key string) bool                      // whether a resync queues a known key
	marks     func(rv string) (delta, bool)              // what becomes of a bookmark
	flag      func(*unit) bool                           // what Pop says of a unit
	joins     func(batch []*unit, u *unit) bool          // whether a batch goes on
	wake      func()                                     // at Close
	hear      func(delta)                                // what a Pop that waits does of one that is queued
	failed    func()                                     // what becomes of a list with an object that has no key
	whole     func(list []object, rv string) delta       // a Replace of the sort atomic
	hasSynced func() bool

	replaced   string // type of the items of a Replace
	itemsFirst bool   // before its tombstones
}

type unit struct {
	key     string
	deltas  []delta
	initial bool
}

func (u *unit) last() delta { return u.deltas[len(u.deltas)-1] }

func newQueue(sort harness.Feature) *queue {
	q := &queue{sort: sort, known: map[string]object{}, replaced: conformance.Replaced}
	q.some = sync.NewCond(&q.mu)
	q.pick = func() int { return 0 }
	q.merge = q.twoDeletes
	q.drops = func(key string) bool { return sort == conformance.IsDelta && q.find(key) == nil && !q.knows(key) }
	q.takes = func(string, delta) bool { return true }
	q.place = func(key string) *unit {
		if sort != conformance.IsDelta {
			return nil
		}
		return q.find(key)
	}
	q.tombstone = func(key string, last delta) (delta, bool) {
		return delta{Type: conformance.Deleted, Object: last.Object, Unknown: true}, last.Type != conformance.Deleted
	}
	q.lacking = q.latest
	q.syncs = func(key string) bool { return q.find(key) == nil }
	q.marks = func(rv string) (delta, bool) {
		return delta{Type: conformance.Bookmarked, ResourceVersion: rv}, sort == conformance.IsAtomic
	}
	q.flag = func(u *unit) bool { return u.initial }
	q.joins = distinct
	q.wake = q.some.Broadcast
	q.hear = func(delta) { q.some.Broadcast() }
	q.failed = func() {}
	q.whole = func(list []object, rv string) delta {
		return delta{Type: conformance.ReplacedAll, Objects: list, ResourceVersion: rv}
	}
	q.hasSynced = func() bool { return q.populated && q.initial == 0 }
	return q
}

func (q *queue) knows(key string) bool {
	_, ok := q.known[key]
	return ok
}

func (q *queue) find(key string) *unit {
	for _, u := range slices.Backward(q.units) {
		if u.key == key && key != "" {
			return u
		}
	}
	return nil
}

// twoDeletes makes one of two, the one that knows more.
func (q *queue) twoDeletes(u *unit, d delta) bool {
	last := u.last()
	if last.Type != conformance.Deleted || d.Type != conformance.Deleted {
		return false
	}
	if last.Unknown {
		u.deltas[len(u.deltas)-1] = d
	}
	return true
}

// put queues a delta of a key, "" for none.
func (q *queue) put(key string, d delta) {
	if !q.takes(key, d) {
		return
	}
	if u := q.place(key); u == nil {
		q.units = append(q.units, &unit{key, []delta{d}, false})
	} else if !q.merge(u, d) {
		u.deltas = append(u.deltas, d)
	}
	q.hear(d)
}

func (q *queue) Apply(c change) error {
	if keyless(c.Object) {
		return errKey
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.populated = true
	key := c.Object.Key()
	if c.Verb == conformance.Delete && q.drops(key) {
		return nil
	}
	kind := map[conformance.Verb]string{conformance.Add: conformance.Added, conformance.Update: conformance.Updated, conformance.Delete: conformance.Deleted}[c.Verb]
	q.put(key, delta{Type: kind, Object: &c.Object, Unknown: c.Unknown})
	return nil
}

// latest are what a list may lack: what is known, and what is queued.
func (q *queue) latest() map[string]delta {
	out := map[string]delta{}
	for key, o := range q.known {
		out[key] = delta{Object: &o}
	}
	for _, u := range q.units {
		if u.key != "" {
			out[u.key] = u.last()
		}
	}
	return out
}

func (q *queue) Replace(list []object, rv string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	first := !q.populated
	before := len(q.units)
	if q.sort == conformance.IsAtomic {
		q.put("", q.whole(list, rv))
	} else if err := q.each(list); err != nil {
		q.failed()
		return err
	}
	q.populated = true
	if !first {
		return nil
	}
	for _, u := range q.units[before:] {
		u.initial = true
		q.initial++
	}
	return nil
}

// each queues the tombstones of a Replace, and its items.
func (q *queue) each(list []object) error {
	lacking := q.lacking()
	for _, o := range list {
		delete(lacking, o.Key())
	}
	if !q.itemsFirst {
		q.bury(lacking)
	}
	for _, o := range list {
		if keyless(o) {
			return errKey
		}
		q.put(o.Key(), delta{Type: q.replaced, Object: &o})
	}
	if q.itemsFirst {
		q.bury(lacking)
	}
	return nil
}

// bury queues a tombstone for each key that a list lacks.
func (q *queue) bury(lacking map[string]delta) {
	for _, key := range slices.Sorted(maps.Keys(lacking)) {
		if d, ok := q.tombstone(key, lacking[key]); ok {
			q.put(key, d)
		}
	}
}

func (q *queue) Resync() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.sort == conformance.IsAtomic {
		q.put("", delta{Type: conformance.SyncedAll})
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(q.known)) {
		if o := q.known[key]; q.syncs(key) {
			q.put(key, delta{Type: conformance.Synced, Object: &o})
		}
	}
	return nil
}

func (q *queue) Bookmark(rv string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if d, ok := q.marks(rv); ok {
		q.put("", d)
	}
	return nil
}

func (q *queue) Synced() (bool, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.hasSynced(), nil
}

func (q *queue) Close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.wake()
	return nil
}

func (q *queue) Pop() (popped, error) {
	return q.take(func([]*unit, *unit) bool { return false })
}

func (q *queue) PopBatch() (popped, error) { return q.take(q.joins) }

// take pops units as long as they join those before them.
func (q *queue) take(joins func([]*unit, *unit) bool) (popped, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.units) == 0 {
		if q.closed {
			return popped{}, conformance.ErrClosed
		}
		q.some.Wait()
	}
	var batch []*unit
	for len(batch) == 0 || len(q.units) > 0 && joins(batch, q.units[0]) {
		i := q.pick()
		batch = append(batch, q.units[i])
		q.units = slices.Delete(q.units, i, i+1)
	}
	out := popped{Initial: q.flag(batch[0])}
	for _, u := range batch {
		if u.initial {
			q.initial--
		}
		out.Deltas = append(out.Deltas, u.deltas...)
		q.consume(u.deltas)
	}
	return out, nil
}

// distinct is what a batch may hold: no key twice, nothing without a key
// beside something, and either initial items or others.
func distinct(batch []*unit, u *unit) bool {
	return u.key != "" && batch[0].key != "" && u.initial == batch[0].initial &&
		!slices.ContainsFunc(batch, func(v *unit) bool { return v.key == u.key })
}

// consume applies to the known objects what pops, as a controller does.
func (q *queue) consume(deltas []delta) {
	for _, d := range deltas {
		switch {
		case d.Object == nil:
		case d.Type == conformance.Deleted:
			delete(q.known, d.Object.Key())
		default:
			q.known[d.Object.Key()] = *d.Object
		}
	}
}
