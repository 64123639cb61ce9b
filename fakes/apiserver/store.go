package apiserver

import (
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"

	"github.com/lwtest/lwtest/fakes/mvcc"
)

// store holds every kind at every revision that is kept: what etcd is to kube-apiserver. It has no lock
// of its own, but for that of field managers.
type store struct {
	rev       uint64                                // of the last write
	next      uint64                                // of the next one
	compacted uint64                                // lists at an older revision are gone
	kinds     map[schema.GroupVersionResource]*kind // never changes: what definitions change is a copy of it
	order     []*kind                               // one of each history, in the order of the resources
	fixed     int                                   // so many of them are of the table
	step      func() uint64

	every   time.Duration // between compactions; negative: never
	due     time.Time     // of the next one
	lastRev uint64        // the revision at the last one, to be compacted at the next
}

// kind is one resource. Versions of a custom resource are kinds of their own with the same history.
type kind struct {
	res *Resource
	*history
	stored  *kind      // of the version in which objects are stored, where that may be another; nil: this
	judged  *kind      // of a built-in kind in another version than the stored one: by what its objects are judged and stored
	through *converter // between versions; nil: they differ only in apiVersion
	// versions are those of the definition, served or not. nil: there is no definition.
	versions []string

	fieldsMu sync.Mutex
	fields   map[string]*managedfields.FieldManager // by subresource; see View.fieldManager
}

// history has a snapshot for each revision that changed objects of a kind, which lists read. What watches read
// is in caches, which forget on their own terms.
type history struct {
	*mvcc.History[*record]
	direct *cache  // of a kind without a cache: its changes since the compaction; else nil
	forms  []*kind // of a kind of the table: all versions, the stored one first
	gone   bool    // its definition is deleted: nothing is written any more
	ending bool    // its definition is being deleted: nothing is created any more
}

// tree is a state of a kind.
type tree = mvcc.Tree[*record]

// revision is what one commit did.
type revision struct {
	rev    uint64
	at     time.Time
	writes []write
}

// write is one change on its way into the store, and the state of its kind after it.
type write struct {
	kind *kind
	*change
	after tree
}

func newStore(o Options, now time.Time) store {
	st := store{
		rev: o.FirstRevision, next: o.FirstRevision + o.Step(), compacted: o.FirstRevision, lastRev: o.FirstRevision,
		kinds: map[schema.GroupVersionResource]*kind{}, step: o.Step,
		every: o.CompactEvery, due: now.Add(o.CompactEvery),
	}
	for i := range o.Resources {
		k := &kind{res: &o.Resources[i]}
		st.kinds[k.res.GroupVersionResource] = k
		if k.res.other != nil {
			k.stored = st.kinds[k.res.other.stored]
			k.history = k.stored.history
			k.forms = append(k.forms, k)
			read := *k.stored.res // what comes by way of another version gets the defaults of this one when the store gives it back
			read.GroupVersionResource, read.inside = k.res.GroupVersionResource, k.stored.res
			if read.defaults != nil {
				read.stored, read.defaults = held(read.defaults), nil
			}
			k.judged = &kind{res: &read, history: k.history}
			continue
		}
		if stored := st.kinds[schema.GroupVersionResource{Group: k.res.Group, Version: k.res.StoredVersion, Resource: k.res.Resource}]; k.res.Custom && stored != nil && stored != k {
			stored.versions = []string{stored.res.Version, k.res.Version}
			k.stored, k.history, k.versions = stored, stored.history, stored.versions
			k.forms = append(k.forms, k)
			continue
		}
		k.history = &history{History: mvcc.NewHistory[*record](st.rev), forms: []*kind{k}}
		if k.res.Uncached {
			k.direct = newCache(k, st.rev, window{whole: true})
		}
		st.order = append(st.order, k)
		st.fixed = len(st.order)
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
func (st *store) commit(now time.Time, writes []write) *revision {
	st.rev, st.next = st.next, st.next+st.step()
	for i := range writes {
		w := &writes[i]
		w.rev = st.rev
		if w.old != nil && w.new.by == nil && len(w.new.meta.GetManagedFields()) == 0 {
			w.new.by = w.old.by // the server itself has written
		}
		k := w.kind
		if less := w.new.obj; k.res.hides != nil && k.res.hides(less) != less {
			w.new.whole, w.new.obj = less, k.res.hides(less)
			w.new.meta = w.new.obj.(metav1.Object)
		}
		if w.after = k.Now(); w.deleted {
			w.after = w.after.Drop(w.new.key)
		} else {
			w.after = w.after.Put(w.new.key, w.new)
		}
		k.Set(st.rev, w.after)
		if k.direct != nil {
			k.direct.add(w, now)
		}
	}
	return &revision{st.rev, now, writes}
}

// compact forgets every state older than that at rev.
func (st *store) compact(rev uint64) {
	if rev <= st.compacted {
		return
	}
	st.compacted = rev
	for _, k := range st.order {
		k.Compact(rev)
		if k.direct != nil {
			k.direct.win.compact(rev)
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
