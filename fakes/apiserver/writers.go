package apiserver

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// A kube-apiserver says of each object from its first write on who manages which field. That costs more than all
// else that a write does, so here it is found out when somebody first applies the object: until then its record
// remembers who wrote what, in the order of the writes.

// writers are those who wrote an object that nobody has applied. It never changes.
type writers struct {
	base  []metav1.ManagedFieldsEntry // by the writes that have been counted
	later []writing                   // the others, each by another than the one before
}

// writing is a write, or several of one manager one after the other.
type writing struct {
	kind          *kind // of the version that was written
	manager, sub  string
	at            time.Time
	before, after runtime.Object // what was stored, nil for a create; and what was to be, before the server added to it
	exact         bool           // it added nothing: after is what was stored
}

// nobody is who wrote an object of which a client has said so, by managedFields without any.
var nobody = &writers{}

// mostWritings are remembered: then they are counted.
const mostWritings = 16

// draft is a write on its way into the store. The zero value is one of which the object says itself who did it.
type draft struct {
	by *writing // nil: those before are all
	of *writers // who wrote before; nil: there was nothing
}

// remembered is a write to an object that nobody has applied, which is about to be settled; old is nil for a
// create. Whose writers are not known gets none by it.
func (v *View) remembered(k *kind, sub, manager string, old *record, in runtime.Object) draft {
	d := draft{by: &writing{kind: k, manager: manager, sub: sub, exact: !k.res.settles(sub) && (old != nil || sub == "")}}
	if old != nil {
		if d.of = old.by; d.of == nil || d.of == nobody {
			return draft{of: nobody}
		}
		d.by.before = old.obj
		if when := in.(metav1.Object).GetDeletionTimestamp(); sub != scale && when != nil && !when.Equal(old.meta.GetDeletionTimestamp()) {
			d.by.exact = false // the client's is dropped, and counts
		}
	}
	if !d.by.exact {
		k.res.read(sub, in)
		d.by.after = in.DeepCopyObject()
	}
	if d.of != nil && len(d.of.later) >= mostWritings {
		d.of = &writers{base: v.counted(d.of)}
	}
	return d
}

// read prunes, defaults and decodes a sent object as kube-apiserver does. For a write to /status, merged has done that already.
func (r *Resource) read(sub string, in runtime.Object) {
	if sub == status {
		return
	}
	if r.defaults != nil {
		r.defaults(in)
	}
	if r.reads != nil {
		r.reads(in)
	}
}

// settles says that the server makes something else of what it has read, beside a status.
func (r *Resource) settles(sub string) bool {
	switch {
	case sub == scale:
		return false
	case r.other != nil:
		return true
	case sub == status:
		return r.prepareStatus != nil
	}
	return r.prepare != nil || r.admit != nil || r.stored != nil
}

// joins says that a write is by whoever wrote last, so that both are as one: unless it takes back what the one before changed, for who
// does so manages what is as it was.
func (w *writers) joins(by *writing) bool {
	if len(w.later) == 0 {
		return false
	}
	last := &w.later[len(w.later)-1]
	before := last.before
	if before == nil { // who creates an object does not manage what is as in an empty one
		before = last.kind.res.New()
	}
	return last.exact && by.exact && by.sub != scale && last.kind == by.kind && last.manager == by.manager && last.sub == by.sub &&
		!takesBack(reflect.ValueOf(before), reflect.ValueOf(last.after), reflect.ValueOf(by.after))
}

// takesBack reports whether some part of a value may have changed and then changed back.
func takesBack(before, between, after reflect.Value) bool {
	switch {
	case before.IsValid() != after.IsValid(): // the part is new, or gone
		return false
	case !before.IsValid() || !between.IsValid():
		return before.IsValid() != between.IsValid()
	}
	all := func(n int, part func(v reflect.Value, i int) reflect.Value) bool {
		for i := range n {
			if takesBack(part(before, i), part(between, i), part(after, i)) {
				return true
			}
		}
		return false
	}
	differ := func(a, b reflect.Value) bool { return !equality.Semantic.DeepEqual(a.Interface(), b.Interface()) }
	switch kind := before.Kind(); {
	case kind == reflect.Pointer, kind == reflect.Interface:
		return takesBack(before.Elem(), between.Elem(), after.Elem())
	case before.Type() != between.Type() || before.Type() != after.Type(): // a custom resource's
		return differ(before, between)
	case kind == reflect.Struct && before.NumField() > 0 && before.Type().Field(0).IsExported() && before.Type().Field(0).Name != "Time":
		return all(before.NumField(), reflect.Value.Field)
	case kind == reflect.Slice && before.Type().Elem().Kind() == reflect.Struct && before.Len() == between.Len() && before.Len() == after.Len():
		return all(before.Len(), reflect.Value.Index)
	case kind == reflect.Map && before.Len()+after.Len() == 0:
		return between.Len() > 0
	case kind == reflect.Map:
		keys := before.MapKeys()
		return all(len(keys), func(v reflect.Value, i int) reflect.Value { return v.MapIndex(keys[i]) })
	case kind == reflect.Slice:
		return (before.Len() > 0) == (after.Len() > 0) && differ(before, between) && differ(between, after)
	}
	return differ(before, between) && !differ(before, after)
}

// forgets says that a client has said of an object that nobody manages it, which only this server knows.
func (d draft) forgets(old *record, in runtime.Object) bool {
	return d.by == nil && d.of == nobody && old.by != nil && old.by != nobody && len(in.(metav1.Object).GetManagedFields()) == 0
}

// remanages reports whether a write that changes nothing else of an object changes who manages which field. A kube-apiserver
// stores it then.
func (v *View) remanages(d draft, old *record) bool {
	if d.by == nil || d.of == nil {
		return false
	}
	w := *d.by
	w.at = time.Now()
	nothing := w.exact || equality.Semantic.DeepEqualWithNilDifferentFromEmpty(w.after, old.obj)
	if nothing && w.sub != scale && !d.of.byScale() {
		return false
	}
	if w.exact {
		w.after = old.obj
	}
	by, err := w.converted()
	if err != nil {
		return false
	}
	before := v.counted(d.of)
	// Times alone do not count, but they order the managers: a write to /scale takes times away.
	return !equality.Semantic.DeepEqual(undated(before), undated(v.count(before, by)))
}

// byScale reports whether somebody may have written to /scale, which gives a manager a second entry until it writes the object.
func (w *writers) byScale() bool {
	return w.base != nil || slices.ContainsFunc(w.later, func(w writing) bool { return w.sub == scale })
}

// undated are managers without the times of their writes.
func undated(all []metav1.ManagedFieldsEntry) []metav1.ManagedFieldsEntry {
	all = slices.Clone(all)
	for i := range all {
		all[i].Time = nil
	}
	return all
}

// sign gives a record its writers, where its object does not name managers.
func (d draft) sign(now time.Time, rec *record) {
	if len(rec.meta.GetManagedFields()) > 0 {
		return
	}
	if d.by == nil {
		rec.by = d.of
		return
	}
	w, next := *d.by, &writers{}
	if w.at = time.Now(); w.exact {
		w.after = rec.obj
	}
	if d.of != nil {
		next.base, next.later = d.of.base, d.of.later
	}
	n := len(next.later)
	if next.joins(&w) {
		n--
		w.before = next.later[n].before
	}
	next.later = append(next.later[:n:n], w)
	rec.by = next
}

// managed is the object of a record with the managers of its fields, as far as they are known. It is the record's
// own or private.
func (v *View) managed(rec *record) runtime.Object {
	if rec.by == nil || rec.by == nobody || len(rec.meta.GetManagedFields()) > 0 {
		return rec.obj
	}
	out := rec.obj.DeepCopyObject()
	out.(metav1.Object).SetManagedFields(v.counted(rec.by))
	return out
}

// counted are the managers of all that was written.
func (v *View) counted(w *writers) []metav1.ManagedFieldsEntry {
	all := w.base
	for i := range w.later {
		if by, err := w.later[i].converted(); err == nil {
			all = v.count(all, by)
		}
	}
	return all
}

// converted is a writing with its objects in the version that was written.
func (w writing) converted() (_ *writing, err error) {
	k := w.kind
	if k.stored != nil && w.before != nil {
		w.before, err = k.as(context.Background(), w.before)
	}
	if k.stored != nil && err == nil {
		w.after, err = k.as(context.Background(), w.after)
	}
	return &w, err
}

// count adds to managers those by a write.
func (v *View) count(before []metav1.ManagedFieldsEntry, w *writing) []metav1.ManagedFieldsEntry {
	k := w.kind
	live := k.res.New()
	if w.before != nil {
		live = w.before.DeepCopyObject()
	}
	live.(metav1.Object).SetManagedFields(before)
	var in runtime.Object
	if w.sub == scale {
		if in = k.res.shown(scale, w.after); v.scaledBy(k, w.manager, live, in) != nil {
			return before
		}
	} else {
		f, err := v.fieldManager(k, w.sub)
		if err != nil {
			return before
		}
		in = w.after.DeepCopyObject()
		f.UpdateNoErrors(live, in, w.manager)
	}
	m := in.(metav1.Object)
	m.SetManagedFields(dated(m.GetManagedFields(), before, w.at))
	onTheWire(m)
	return m.GetManagedFields()
}

// dated gives the managers that have just been counted the time of their write, and sorts them as a kube-apiserver does.
func dated(all, before []metav1.ManagedFieldsEntry, at time.Time) []metav1.ManagedFieldsEntry {
	for i := range all {
		known := slices.ContainsFunc(before, func(b metav1.ManagedFieldsEntry) bool { return b.Time.Equal(all[i].Time) })
		if all[i].Time != nil && !known {
			all[i].Time = &metav1.Time{Time: at}
		}
	}
	seconds := func(e *metav1.ManagedFieldsEntry) int64 {
		if e.Time == nil {
			return 0
		}
		return e.Time.Unix()
	}
	slices.SortFunc(all, func(a, b metav1.ManagedFieldsEntry) int {
		return cmp.Or(cmp.Compare(a.Operation, b.Operation), cmp.Compare(seconds(&a), seconds(&b)), cmp.Compare(a.Manager, b.Manager),
			cmp.Compare(a.APIVersion, b.APIVersion), cmp.Compare(a.Subresource, b.Subresource))
	})
	return all
}
