package apiserver

import (
	"sort"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// store holds every kind at every revision that is kept. It has no lock of its own.
type store struct {
	rev       uint64 // of the last write
	next      uint64 // of the next one
	compacted uint64 // lists at an older revision are gone
	kinds     map[schema.GroupVersionResource]*kind
	moved     chan struct{} // closed by the next write of any kind
	step      func() uint64

	every   time.Duration // between compactions; negative: never
	due     time.Time     // of the next one
	lastRev uint64        // the revision at the last one, to be compacted at the next
}

// kind is the history of one resource: a snapshot for each revision that changed it, which lists read,
// and the watch window, which watches read. The two are forgotten apart from each other.
type kind struct {
	res   *Resource
	snaps []snapshot // oldest first; snaps[0] is the state at store.compacted
	win   window
	moved chan struct{} // closed by the next write of this kind
}

type snapshot struct {
	rev  uint64
	tree tree
}

// write is one change on its way into the store.
type write struct {
	kind *kind
	change
}

func newStore(o Options, now time.Time) store {
	st := store{
		rev: o.FirstRevision, next: o.FirstRevision + o.Step(), compacted: o.FirstRevision, lastRev: o.FirstRevision,
		kinds: map[schema.GroupVersionResource]*kind{}, moved: make(chan struct{}), step: o.Step,
		every: o.CompactEvery, due: now.Add(o.CompactEvery),
	}
	for i := range o.Resources {
		r := &o.Resources[i]
		k := &kind{res: r, snaps: []snapshot{{rev: st.rev}}, moved: make(chan struct{})}
		k.win = window{floor: st.rev, count: o.WindowCount, age: o.WindowAge, whole: r.Uncached}
		st.kinds[r.GroupVersionResource] = k
	}
	return st
}

// record makes the state that the next commit is going to store. obj must not be changed any more.
func (st *store) record(key string, obj runtime.Object) *record {
	m := obj.(metav1.Object)
	m.SetResourceVersion(format(st.next))
	return &record{key: key, rev: st.next, obj: obj, meta: m}
}

// commit makes the writes true together, in one revision.
func (st *store) commit(now time.Time, writes ...write) {
	st.rev, st.next = st.next, st.next+st.step()
	for _, w := range writes {
		c, k := w.change, w.kind
		c.rev, c.at = st.rev, now
		t := k.now()
		if c.deleted {
			t = t.drop(c.new.key)
		} else {
			t = t.put(c.new)
		}
		if last := len(k.snaps) - 1; k.snaps[last].rev == st.rev {
			k.snaps[last].tree = t
		} else {
			k.snaps = append(k.snaps, snapshot{st.rev, t})
		}
		k.win.add(&c)
		close(k.moved)
		k.moved = make(chan struct{})
	}
	close(st.moved)
	st.moved = make(chan struct{})
}

// now is the kind's present state.
func (k *kind) now() tree { return k.snaps[len(k.snaps)-1].tree }

// at is its state at a revision that is neither compacted nor in the future.
func (k *kind) at(rev uint64) tree {
	return k.snaps[sort.Search(len(k.snaps), func(i int) bool { return k.snaps[i].rev > rev })-1].tree
}

// compact forgets every state older than that at rev.
func (st *store) compact(rev uint64) {
	if rev <= st.compacted {
		return
	}
	st.compacted = rev
	for _, k := range st.kinds {
		old := sort.Search(len(k.snaps), func(i int) bool { return k.snaps[i].rev > rev }) - 1
		clear(k.snaps[:old])
		k.snaps = k.snaps[old:]
		if k.win.whole {
			k.win.compact(rev)
		}
	}
}

// overdue says whether age wants to be called.
func (st *store) overdue(now time.Time) bool { return st.every > 0 && !now.Before(st.due) }

// age compacts as kube-apiserver does: every interval, at the revision of one interval ago. It is
// called before what could tell the difference, so no timer is needed.
func (st *store) age(now time.Time) {
	if late := now.Sub(st.due); late >= st.every { // two or more are due: the first of them saw st.rev
		st.lastRev = st.rev
		st.due = st.due.Add(late.Truncate(st.every))
	}
	st.compact(st.lastRev)
	st.lastRev = st.rev
	st.due = st.due.Add(st.every)
}
