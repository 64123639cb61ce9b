package store

import (
	"slices"
	"strings"
	"sync"

	conformance "github.com/lwtest/lwtest/conformance/store"
)

const (
	addVerb    = conformance.Add
	updateVerb = conformance.Update
	deleteVerb = conformance.Delete
)

// mapRows are maps with one fault each.
var mapRows = []row{
	{"add-keeps-old", "basic/add", "an Add of what is there does nothing", aMap, skips(func(c change, there *object) bool { return isA(addVerb, c) && there != nil })},
	{"update-needs-object", "basic/update", "an Update of what is not there does nothing", aMap, skips(func(c change, there *object) bool { return isA(updateVerb, c) && there == nil })},
	{"update-keeps-older", "basic/update", "an Update of what is there does nothing", aMap, skips(func(c change, there *object) bool { return isA(updateVerb, c) && there != nil })},
	{"update-of-same-version", "basic/update", "an Update with the resourceVersion that is there does nothing", aMap, skips(func(c change, there *object) bool {
		return isA(updateVerb, c) && there != nil && there.ResourceVersion == c.Object.ResourceVersion
	})},
	{"add-of-older", "basic/add", "an Add of an older state than is there does nothing", aMap, skips(func(c change, there *object) bool {
		return isA(addVerb, c) && there != nil && older(c.Object, *there)
	})},
	{"at-once-add-keeps-old", "basic/add", "of several changes at once an Add of what is there does nothing", aMap, atOnce(func(f *funcs, l []change, applyAll func([]change) error) error {
		return applyAll(forget(l, func(c change) bool {
			there, _ := f.getByKey(c.Object.Key())
			return isA(addVerb, c) && there != nil
		}))
	})},
	{"large-at-once", "basic/add", "of several changes at once the first eight are made", aMap, changesTo(func(l []change) []change { return l[:min(len(l), 8)] })},
	{"delete-by-state", "basic/delete", "a Delete takes away only the very state that is given", aMap, skips(func(c change, there *object) bool {
		return isA(deleteVerb, c) && there != nil && there.ResourceVersion != c.Object.ResourceVersion
	})},
	{"delete-by-name", "basic/delete", "a Delete takes away the object of that name in another namespace, too", aMap, applies(func(_ *funcs, c change, apply func(change) error) error {
		if isA(deleteVerb, c) && c.Object.Namespace == "a" && c.Object.Name == "x" {
			_ = apply(change{Verb: c.Verb, Object: object{Namespace: "b", Name: "x", ResourceVersion: c.Object.ResourceVersion}, Unknown: c.Unknown})
		}
		return apply(c)
	})},
	{"delete-to-dot", "basic/delete", "a Delete takes away all whose names are its own up to the first dot", aMap, deletesAll(func(name string) string {
		name, _, _ = strings.Cut(name, ".")
		return name
	})},
	{"delete-by-label", "basic/delete", "a Delete takes away all whose names have its first 63 characters", aMap, deletesAll(func(name string) string { return name[:min(63, len(name))] })},
	{"delete-by-column", "basic/delete", "a Delete takes away all whose names have its first 128 characters", aMap, deletesAll(func(name string) string { return name[:min(128, len(name))] })},
	{"get-first", "basic/get", "Get gives the state that it gave first", aMap, inFuncs(func(f *funcs) {
		get, first := f.get, sync.Map{}
		f.get = func(o object) (*object, error) {
			x, err := get(o)
			if x == nil {
				return x, err
			}
			was, _ := first.LoadOrStore(o.Key(), x)
			return was.(*object), err
		}
	})},
	{"get-by-name", "basic/get", "GetByKey takes a key for one without its namespace", aMap, inFuncs(func(f *funcs) {
		get := f.getByKey
		f.getByKey = func(key string) (*object, error) {
			if x, err := get(key); x != nil || err != nil || key != "a/x" {
				return x, err
			}
			return get("x")
		}
	})},
	{"list-twice", "basic/list", "List gives its first object twice", aMap, gives(func(_ *funcs, l []object) []object { return append(l, l[:min(len(l), 1)]...) })},
	{"list-short", "basic/list", "List lacks its last object where there are several", aMap, gives(func(_ *funcs, l []object) []object { return l[:max(min(len(l), 1), len(l)-1)] })},
	{"keys-first-two", "basic/keys", "ListKeys gives two keys at most", aMap, inFuncs(func(f *funcs) {
		keys := f.listKeys
		f.listKeys = func() ([]string, error) {
			l, err := keys()
			return l[:min(len(l), 2)], err
		}
	})},
	{"at-once-backwards", "basic/update", "several changes at once are made from the last to the first", aMap, changesTo(reversed)},
	{"at-once-untold", "basic/key-error", "of several changes at once the one that has no key is left out without a word", aMap, atOnce(func(_ *funcs, l []change, applyAll func([]change) error) error { _ = applyAll(l); return nil })},
	{"at-once-two-untold", "basic/key-error", "of several changes at once two that have no key are left out without a word", aMap, atOnce(func(_ *funcs, l []change, applyAll func([]change) error) error {
		err := applyAll(l)
		if len(l)-len(forget(l, func(c change) bool { return keyless(c.Object) })) > 1 {
			return nil
		}
		return err
	})},
	{"key-error-swallowed", "basic/key-error", "what has no key is left out without a word", aMap, applies(func(_ *funcs, c change, apply func(change) error) error { _ = apply(c); return nil })},
	{"replace-until-error", "basic/key-error", "a Replace with an object that has no key leaves what comes before it", aMap, replaces(func(_ *funcs, l []object, rv string, replace func([]object, string) error) error {
		err := replace(l, rv)
		if i := slices.IndexFunc(l, keyless); i >= 0 {
			_ = replace(l[:i], rv)
		}
		return err
	})},
	{"replace-piecemeal", "replace/atomic", "a Replace empties the store and then fills it", aMap, replaces(func(_ *funcs, l []object, rv string, replace func([]object, string) error) error {
		if !slices.ContainsFunc(l, keyless) {
			_ = replace(l[:len(l)/2], rv)
			othersFirst()
		}
		return replace(l, rv)
	})},
	{"replace-adds", "replace/exact", "a Replace takes nothing away", aMap, listsTo(func(f *funcs, l []object) []object {
		old, _ := f.list()
		return append(old, l...)
	})},
	{"replace-first-of-key", "replace/exact", "of a key that a list has twice the first stays", aMap, listsTo(func(_ *funcs, l []object) []object { return reversed(l) })},
	{"replace-leaves-indexes", "replace/exact", "a Replace leaves the indexes as they were", aMap, inMemory(func(m *memory) { m.rebuild = false })},
	{"large-unindexed", "replace/exact", "the indexes are empty after a list of more than 64", aMap, indexesIf(func(m *memory, old, _ []string) bool { return old != nil || len(m.items) <= few })}, // with nothing old it is made anew
	{"large-cut", "replace/exact", "of a list of more than 64 the rest is dropped", expiring, listsTo(func(_ *funcs, l []object) []object { return l[:min(len(l), few)] })},
	{"version-without-bookmarks", "version/told", "a bookmark does not move the resourceVersion that is told", aMap, bookmarks(func(_, _ string) bool { return true })},
	{"version-only-grows", "version/told", "a bookmark that is older does not move the resourceVersion that is told", aMap, bookmarks(func(rv, told string) bool {
		return older(object{ResourceVersion: rv}, object{ResourceVersion: told})
	})},
	{"version-grows-as-text", "version/told", "a bookmark moves the resourceVersion that is told only if it is greater as a text", aMap, bookmarks(func(rv, told string) bool { return rv < told })},
	{"version-of-tombstone", "version/told", "a delete without a final state moves the resourceVersion that is told", aMap, applies(func(f *funcs, c change, apply func(change) error) error {
		err := apply(c)
		if c.Unknown {
			_ = f.bookmark(c.Object.ResourceVersion)
		}
		return err
	})},
	{"version-without-deletes", "version/told", "a delete does not move the resourceVersion that is told", aMap, keepsVersion(func(_ *funcs, c change) bool { return isA(deleteVerb, c) })},
	{"version-of-lists-alone", "version/told", "the version of an expiring store moves with Replace and bookmarks alone", expiring, keepsVersion(func(*funcs, change) bool { return true })},
	{"version-of-failure", "version/told", "a Replace that fails moves the resourceVersion that is told", aMap, replaces(func(f *funcs, l []object, rv string, replace func([]object, string) error) error {
		err := replace(l, rv)
		if err != nil {
			_ = f.bookmark(rv)
		}
		return err
	})},
	{"version-of-listed", "version/told", "after a list that has no resourceVersion that of its last object is told", aMap, replaces(func(_ *funcs, l []object, rv string, replace func([]object, string) error) error {
		if rv == "" && len(l) > 0 {
			rv = l[len(l)-1].ResourceVersion
		}
		return replace(l, rv)
	})},
	{"version-told-ahead", "version/told", "the resourceVersion of an update is told a moment before the store has it", aMap, applies(func(f *funcs, c change, apply func(change) error) error {
		if isA(updateVerb, c) && !keyless(c.Object) {
			_ = f.bookmark(c.Object.ResourceVersion)
			othersFirst()
		}
		return apply(c)
	})},
}

// deletesAll has a Delete take away all objects of its namespace of whose names the same is made.
func deletesAll(of func(name string) string) fault {
	return applies(func(f *funcs, c change, apply func(change) error) error {
		if !isA(deleteVerb, c) {
			return apply(c)
		}
		all, err := f.list()
		if err != nil {
			return err
		}
		for _, o := range all {
			if o.Key() != c.Object.Key() && o.Namespace == c.Object.Namespace && of(o.Name) == of(c.Object.Name) {
				if err := apply(change{Verb: c.Verb, Object: o}); err != nil {
					return err
				}
			}
		}
		return apply(c)
	})
}

// crowdRows go wrong about several calls that are under way at once, with one fault each.
var crowdRows = []row{
	{"get-by-key-beside", "concurrent/linearizable", "GetByKey gives nothing while a change is under way", aMap, inMemory(func(m *memory) { m.waits, m.blind = true, true })},
	{"two-replicas-at-once", "concurrent/linearizable", "several changes at once come to two maps one after the other; Get asks the second", aMap, inFuncs(func(f *funcs) { f.replicated(func() {}) })},
	{"two-replicas", "concurrent/linearizable", "a write comes to two maps one after the other; Get asks the second", aMap, inFuncs(func(f *funcs) { f.replicated(othersFirst) })},
	{"index-in-two-steps", "concurrent/linearizable", "a query takes the keys from the index, and looks up the objects a moment later", aMap, inFuncs(func(f *funcs) {
		f.byIndex = func(name, v string) ([]object, error) {
			keys, err := f.indexKeys(name, v)
			othersFirst()
			return f.lookedUp(keys, false), err
		}
	})},
	{"index-behind", "concurrent/linearizable", "the index of an object that changes follows a moment later", aMap, reindexes(func(m *memory, p postings, key string, old, now []string, right reindexing) {
		if len(old) > 0 && len(now) > 0 {
			m.mu.Unlock()
			othersFirst()
			m.mu.Lock()
		}
		right(p, key, old, now)
	})},
	{"at-once-of-a-copy", "concurrent/linearizable", "several changes at once are made to a copy: what others write meanwhile is lost", aMap, inFuncs(func(f *funcs) {
		applyAll, lose := f.applyAll, f.losing()
		f.applyAll = func(l []change) error { lose(); return applyAll(l) }
	})},
	{"bookmark-of-a-copy", "concurrent/linearizable", "a bookmark is given to a copy: what others write meanwhile is lost", aMap, inFuncs(func(f *funcs) {
		bookmark, lose := f.bookmark, f.losing()
		f.bookmark = func(rv string) error { lose(); return bookmark(rv) }
	})},
	{"at-once-dropped-in-a-crowd", "concurrent/linearizable", "several changes at once are dropped while another is under way", aMap, crowded(func([]change) []change { return nil })},
	{"at-once-half-in-a-crowd", "concurrent/linearizable", "of several changes at once the second half is dropped while another is under way", aMap, crowded(func(l []change) []change { return l[:(len(l)+1)/2] })},
	{"at-once-last-in-a-crowd", "concurrent/linearizable", "of several changes at once the last alone is made while another is under way", aMap, crowded(func(l []change) []change { return l[len(l)-1:] })},
	{"at-once-backwards-in-a-crowd", "concurrent/linearizable", "several changes at once are made from the last to the first while another is under way", aMap, crowded(reversed)},
	{"at-once-dropped-beside-itself", "concurrent/linearizable", "several changes at once are dropped while others do the same", aMap, inFuncs(func(f *funcs) {
		applyAll, others := f.applyAll, &busy{}
		f.applyAll = func(l []change) error {
			if others.is() {
				return nil
			}
			defer others.begin()()
			return applyAll(l)
		}
	})},
	{"change-dropped-beside-at-once", "concurrent/linearizable", "a change is dropped while several are made at once", aMap, inFuncs(func(f *funcs) {
		applyAll, others := f.applyAll, f.dropping()
		f.applyAll = func(l []change) error { defer others.begin()(); return applyAll(l) }
	})},
	{"change-dropped-beside-a-bookmark", "concurrent/linearizable", "a change is dropped while a bookmark is given", aMap, inFuncs(func(f *funcs) {
		bookmark, others := f.bookmark, f.dropping()
		f.bookmark = func(rv string) error { defer others.begin()(); return bookmark(rv) }
	})},
	{"index-left-in-a-crowd", "concurrent/linearizable", "of a change the indexes hear only if no other is under way", aMap, inMemory(func(m *memory) {
		m.waits = true
		indexesIf(func(m *memory, _, _ []string) bool { return m.under.Load() <= 1 }).memory(m)
	})},
}

// replicated writes to two maps, one after the other, and reads by key from the second.
func (f *funcs) replicated(between func()) {
	second := functions(newMemory(options{}))
	apply, applyAll, replace := f.apply, f.applyAll, f.replace
	f.apply = func(c change) error { _ = apply(c); between(); return second.apply(c) }
	f.applyAll = func(l []change) error { _ = applyAll(l); othersFirst(); return second.applyAll(l) }
	f.replace = func(l []object, rv string) error { _ = replace(l, rv); between(); return second.replace(l, rv) }
	f.get, f.getByKey = second.get, second.getByKey
}

// losing puts back what there was a moment ago, and its version: what is written in that moment is lost.
func (f *funcs) losing() func() {
	list, version, replace := f.list, f.version, f.replace
	return func() {
		l, _ := list()
		rv, _ := version()
		othersFirst()
		_ = replace(l, rv)
	}
}

// crowded makes other changes of several at once while a single change or a Replace is under way. These let others begin.
func crowded(some func([]change) []change) fault {
	return inFuncs(func(f *funcs) {
		apply, applyAll, replace, others := f.apply, f.applyAll, f.replace, &busy{}
		f.apply = func(c change) error { defer others.begin()(); return apply(c) }
		f.replace = func(l []object, rv string) error { defer others.begin()(); return replace(l, rv) }
		f.applyAll = func(l []change) error {
			if others.is() {
				l = some(slices.Clone(l))
			}
			return applyAll(l)
		}
	})
}

// dropping has each single change dropped while something is under way.
func (f *funcs) dropping() *busy {
	apply, others := f.apply, &busy{}
	f.apply = func(c change) error {
		if others.is() {
			return nil
		}
		return apply(c)
	}
	return others
}
