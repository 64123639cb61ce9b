package store

import (
	"slices"
	"strings"
	"sync"
	"time"

	conformance "github.com/lwtest/lwtest/conformance/store"
)

// mapMutants are maps with one fault each.
var mapMutants = []variant{
	{"add-keeps-old", "basic/add", "an Add of what is there does nothing", aMap, inFuncs(func(f *funcs) {
		f.apply = unless(f, func(c change, there *object) bool { return c.Verb == conformance.Add && there != nil })
	})},
	{"update-needs-object", "basic/update", "an Update of what is not there does nothing", aMap, inFuncs(func(f *funcs) {
		f.apply = unless(f, func(c change, there *object) bool { return c.Verb == conformance.Update && there == nil })
	})},
	{"update-keeps-older", "basic/update", "an Update of what is there does nothing", aMap, inFuncs(func(f *funcs) {
		f.apply = unless(f, func(c change, there *object) bool { return c.Verb == conformance.Update && there != nil })
	})},
	{"update-of-same-version", "basic/update", "an Update with the resourceVersion that is there does nothing", aMap, inFuncs(func(f *funcs) {
		f.apply = unless(f, func(c change, there *object) bool {
			return c.Verb == conformance.Update && there != nil && there.ResourceVersion == c.Object.ResourceVersion
		})
	})},
	{"add-of-older", "basic/add", "an Add of an older state than is there does nothing", aMap, inFuncs(func(f *funcs) {
		f.apply = unless(f, func(c change, there *object) bool {
			return c.Verb == conformance.Add && there != nil && older(c.Object, *there)
		})
	})},
	{"at-once-add-keeps-old", "basic/add", "of several changes at once an Add of what is there does nothing", aMap, inFuncs(func(f *funcs) {
		applyAll := f.applyAll
		f.applyAll = func(l []change) error {
			return applyAll(slices.DeleteFunc(slices.Clone(l), func(c change) bool {
				there, _ := f.getByKey(c.Object.Key())
				return c.Verb == conformance.Add && there != nil
			}))
		}
	})},
	{"delete-by-state", "basic/delete", "a Delete takes away only the very state that is given", aMap, inFuncs(func(f *funcs) {
		f.apply = unless(f, func(c change, there *object) bool {
			return c.Verb == conformance.Delete && there != nil && there.ResourceVersion != c.Object.ResourceVersion
		})
	})},
	{"delete-by-name", "basic/delete", "a Delete takes away the object of that name in another namespace, too", aMap, inFuncs(func(f *funcs) {
		apply := f.apply
		f.apply = func(c change) error {
			if c.Verb == conformance.Delete && c.Object.Namespace == "a" && c.Object.Name == "x" {
				_ = apply(change{Verb: c.Verb, Object: object{Namespace: "b", Name: "x", ResourceVersion: c.Object.ResourceVersion}, Unknown: c.Unknown})
			}
			return apply(c)
		}
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
	{"list-twice", "basic/list", "List gives its first object twice", aMap, inFuncs(func(f *funcs) {
		list := f.list
		f.list = func() ([]object, error) {
			l, err := list()
			return append(l, l[:min(len(l), 1)]...), err
		}
	})},
	{"list-short", "basic/list", "List lacks its last object where there are several", aMap, inFuncs(func(f *funcs) {
		list := f.list
		f.list = func() ([]object, error) {
			l, err := list()
			return l[:max(min(len(l), 1), len(l)-1)], err
		}
	})},
	{"keys-first-two", "basic/keys", "ListKeys gives two keys at most", aMap, inFuncs(func(f *funcs) {
		keys := f.listKeys
		f.listKeys = func() ([]string, error) {
			l, err := keys()
			return l[:min(len(l), 2)], err
		}
	})},
	{"at-once-backwards", "basic/update", "several changes at once are made from the last to the first", aMap, inFuncs(func(f *funcs) {
		applyAll := f.applyAll
		f.applyAll = func(l []change) error {
			l = slices.Clone(l)
			slices.Reverse(l)
			return applyAll(l)
		}
	})},
	{"at-once-untold", "basic/key-error", "of several changes at once the one that has no key is left out without a word", aMap, inFuncs(func(f *funcs) {
		applyAll := f.applyAll
		f.applyAll = func(l []change) error { _ = applyAll(l); return nil }
	})},
	{"key-error-swallowed", "basic/key-error", "what has no key is left out without a word", aMap, inFuncs(func(f *funcs) {
		apply := f.apply
		f.apply = func(c change) error { _ = apply(c); return nil }
	})},
	{"replace-until-error", "basic/key-error", "a Replace with an object that has no key leaves what comes before it", aMap, inFuncs(func(f *funcs) {
		replace := f.replace
		f.replace = func(l []object, rv string) error {
			err := replace(l, rv)
			if i := slices.IndexFunc(l, keyless); i >= 0 {
				_ = replace(l[:i], rv)
			}
			return err
		}
	})},
	{"replace-piecemeal", "replace/atomic", "a Replace empties the store and then fills it", aMap, inFuncs(func(f *funcs) {
		replace := f.replace
		f.replace = func(l []object, rv string) error {
			if !slices.ContainsFunc(l, keyless) {
				_ = replace(l[:len(l)/2], rv)
				othersFirst()
			}
			return replace(l, rv)
		}
	})},
	{"replace-adds", "replace/exact", "a Replace takes nothing away", aMap, inFuncs(func(f *funcs) {
		replace, list := f.replace, f.list
		f.replace = func(l []object, rv string) error {
			old, _ := list()
			return replace(append(old, l...), rv)
		}
	})},
	{"replace-first-of-key", "replace/exact", "of a key that a list has twice the first stays", aMap, inFuncs(func(f *funcs) {
		replace := f.replace
		f.replace = func(l []object, rv string) error {
			l = slices.Clone(l)
			slices.Reverse(l)
			return replace(l, rv)
		}
	})},
	{"replace-leaves-indexes", "replace/exact", "a Replace leaves the indexes as they were", aMap, inMemory(func(m *memory) { m.rebuild = false })},
	{"version-without-bookmarks", "version/told", "a bookmark does not move the resourceVersion that is told", aMap, inFuncs(func(f *funcs) {
		f.bookmark = func(string) error { return nil }
	})},
	{"version-only-grows", "version/told", "a bookmark that is older does not move the resourceVersion that is told", aMap, inFuncs(func(f *funcs) {
		bookmark := f.bookmark
		f.bookmark = func(rv string) error {
			if told, _ := f.version(); older(object{ResourceVersion: rv}, object{ResourceVersion: told}) {
				return nil
			}
			return bookmark(rv)
		}
	})},
	{"version-grows-as-text", "version/told", "a bookmark moves the resourceVersion that is told only if it is greater as a text", aMap, inFuncs(func(f *funcs) {
		bookmark := f.bookmark
		f.bookmark = func(rv string) error {
			if told, _ := f.version(); rv < told {
				return nil
			}
			return bookmark(rv)
		}
	})},
	{"version-of-tombstone", "version/told", "a delete without a final state moves the resourceVersion that is told", aMap, inFuncs(func(f *funcs) {
		apply, bookmark := f.apply, f.bookmark
		f.apply = func(c change) error {
			err := apply(c)
			if c.Unknown {
				_ = bookmark(c.Object.ResourceVersion)
			}
			return err
		}
	})},
	{"version-without-deletes", "version/told", "a delete does not move the resourceVersion that is told", aMap, inFuncs(func(f *funcs) {
		apply, version, bookmark := f.apply, f.version, f.bookmark
		f.apply = func(c change) error {
			rv, _ := version()
			err := apply(c)
			if c.Verb == conformance.Delete {
				_ = bookmark(rv)
			}
			return err
		}
	})},
	{"version-of-failure", "version/told", "a Replace that fails moves the resourceVersion that is told", aMap, inFuncs(func(f *funcs) {
		replace, bookmark := f.replace, f.bookmark
		f.replace = func(l []object, rv string) error {
			err := replace(l, rv)
			if err != nil {
				_ = bookmark(rv)
			}
			return err
		}
	})},
	{"get-by-key-beside", "concurrent/linearizable", "GetByKey gives nothing while a change is under way", aMap, inMemory(func(m *memory) { m.waits, m.blind = true, true })},
	{"two-replicas-at-once", "concurrent/linearizable", "several changes at once come to two maps one after the other; Get asks the second", aMap, inFuncs(func(f *funcs) {
		second := functions(newMemory(options{}))
		apply, applyAll, replace := f.apply, f.applyAll, f.replace
		f.apply = func(c change) error { _ = apply(c); return second.apply(c) }
		f.replace = func(l []object, rv string) error { _ = replace(l, rv); return second.replace(l, rv) }
		f.applyAll = func(l []change) error { _ = applyAll(l); othersFirst(); return second.applyAll(l) }
		f.get, f.getByKey = second.get, second.getByKey
	})},
	{"two-replicas", "concurrent/linearizable", "a write comes to two maps one after the other; Get asks the second", aMap, inFuncs(func(f *funcs) {
		second := functions(newMemory(options{}))
		apply, applyAll, replace := f.apply, f.applyAll, f.replace
		f.apply = func(c change) error { _ = apply(c); othersFirst(); return second.apply(c) }
		f.applyAll = func(l []change) error { _ = applyAll(l); othersFirst(); return second.applyAll(l) }
		f.replace = func(l []object, rv string) error { _ = replace(l, rv); othersFirst(); return second.replace(l, rv) }
		f.get, f.getByKey = second.get, second.getByKey
	})},
	{"index-in-two-steps", "concurrent/linearizable", "a query takes the keys from the index, and looks up the objects a moment later", aMap, inFuncs(func(f *funcs) {
		f.byIndex = func(name, v string) (out []object, err error) {
			keys, err := f.indexKeys(name, v)
			othersFirst()
			for _, key := range keys {
				if o, _ := f.getByKey(key); o != nil {
					out = append(out, *o)
				}
			}
			return out, err
		}
	})},
	{"index-behind", "concurrent/linearizable", "the index of an object that changes follows a moment later", aMap, inMemory(func(m *memory) {
		reindex := m.reindex
		m.reindex = func(p postings, key string, old, now []string) {
			if len(old) > 0 && len(now) > 0 {
				m.mu.Unlock()
				othersFirst()
				m.mu.Lock()
			}
			reindex(p, key, old, now)
		}
	})},
	{"version-told-ahead", "version/told", "the resourceVersion of an update is told a moment before the store has it", aMap, inFuncs(func(f *funcs) {
		apply := f.apply
		f.apply = func(c change) error {
			if c.Verb == conformance.Update && !keyless(c.Object) {
				_ = f.bookmark(c.Object.ResourceVersion)
				othersFirst()
			}
			return apply(c)
		}
	})},
	{"push-before", "undelta/push", "what is pushed is the content before the change", undelta, inMemory(func(m *memory) {
		push, last := m.o.Push, []object{}
		m.o.Push = func(now []object) { push(last); last = now }
	})},
	{"push-not-empty", "undelta/push", "an empty content is not pushed", undelta, inMemory(func(m *memory) {
		push := m.o.Push
		m.o.Push = func(now []object) {
			if len(now) > 0 {
				push(now)
			}
		}
	})},
	{"push-nothing-in-a-crowd", "undelta/push", "an empty content is pushed while another change is under way", undelta, inMemory(func(m *memory) {
		push := m.o.Push
		m.waits, m.o.Push = true, func(now []object) {
			if m.under.Load() > 1 {
				now = nil
			}
			push(now)
		}
	})},
	{"push-before-in-a-crowd", "undelta/push", "the content before the change is pushed while another is under way", undelta, inMemory(func(m *memory) {
		push, last := m.o.Push, []object{}
		m.waits, m.o.Push = true, func(now []object) {
			if last, now = now, last; m.under.Load() <= 1 {
				now = last
			}
			push(now)
		}
	})},
	{"push-last-late-in-a-crowd", "undelta/push", "a goroutine pushes, while another change is under way the last object alone", undelta, inMemory(func(m *memory) {
		pushingLate(10 * time.Millisecond)(m)
		push := m.o.Push
		m.waits, m.o.Push = true, func(now []object) {
			if m.under.Load() > 1 {
				now = now[max(0, len(now)-1):]
			}
			push(now)
		}
	})},
	{"push-changed-only", "undelta/push", "a change that leaves everything as it was is not pushed", undelta, inMemory(func(m *memory) {
		push, last := m.o.Push, []object(nil)
		m.o.Push = func(now []object) {
			if !slices.EqualFunc(now, last, func(a, b object) bool { return a.Key() == b.Key() && a.Body == b.Body }) {
				push(now)
			}
			last = now
		}
	})},
	{"push-of-new-versions", "undelta/push", "a change that leaves every resourceVersion as it was is not pushed", undelta, inMemory(func(m *memory) {
		push, last := m.o.Push, []object(nil)
		m.o.Push = func(now []object) {
			if !slices.EqualFunc(now, last, func(a, b object) bool { return a.Key() == b.Key() && a.ResourceVersion == b.ResourceVersion }) {
				push(now)
			}
			last = now
		}
	})},
	{"push-on-resync", "undelta/no-push", "a resync is pushed", undelta, fault{memory: func(m *memory) {}, funcs: func(f *funcs) {
		replace, list, version := f.replace, f.list, f.version
		f.resync = func() error {
			l, _ := list()
			rv, _ := version()
			return replace(l, rv)
		}
	}}},
	{"push-on-failure", "undelta/no-push", "a change that fails is pushed", undelta, inFuncs(func(f *funcs) {
		apply, replace, list, version := f.apply, f.replace, f.list, f.version
		f.apply = func(c change) error {
			err := apply(c)
			if err != nil {
				l, _ := list()
				rv, _ := version()
				_ = replace(l, rv)
			}
			return err
		}
	})},
	{"ttl-never", "expire/ttl", "nothing expires", expiring, inMemory(func(m *memory) { m.expired = func(entry) bool { return false } })},
	{"ttl-of-first", "expire/ttl", "an Update does not make an entry young", expiring, inMemory(func(m *memory) { m.touch = false })},
	{"ttl-of-replaced", "expire/ttl", "a Replace does not make entries young", expiring, inMemory(func(m *memory) { m.renew = func([]object) bool { return false } })},
	{"ttl-zero", "expire/ttl", "a TTL of 0 is one of a minute", expiring, inMemory(func(m *memory) {
		m.expired = func(e entry) bool {
			return m.o.TTL > 0 && time.Since(e.at) > m.o.TTL || m.o.TTL == 0 && time.Since(e.at) > time.Minute
		}
	})},
	{"ttl-half", "expire/ttl", "entries expire in half of their time", expiring, inMemory(func(m *memory) {
		m.expired = func(e entry) bool { return m.o.TTL > 0 && time.Since(e.at) > m.o.TTL/2 }
	})},
}

// othersFirst lets other goroutines go on: in fake time, until none can.
func othersFirst() { time.Sleep(time.Millisecond) }

// unless is an Apply that leaves out some changes, by what is there.
func unless(f *funcs, ignored func(c change, there *object) bool) func(change) error {
	apply, get := f.apply, f.getByKey
	return func(c change) error {
		if there, _ := get(c.Object.Key()); !keyless(c.Object) && ignored(c, there) {
			return nil
		}
		return apply(c)
	}
}

// deletesAll has a Delete take away all objects of its namespace of whose names the same is made.
func deletesAll(of func(name string) string) fault {
	return inFuncs(func(f *funcs) {
		apply := f.apply
		f.apply = func(c change) error {
			if c.Verb != conformance.Delete {
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
		}
	})
}
