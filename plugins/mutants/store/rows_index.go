package store

import (
	"fmt"
	"slices"
	"sync"
	"time"

	conformance "github.com/lwtest/lwtest/conformance/store"
)

// few is the number of objects that some mutants can hold.
const few = 64

// indexRows are maps whose indexes have one fault each.
var indexRows = []row{
	{"kubernetes-109115", "index/function", "an object is lost from the index when its values change from one to several, that one among them", aMap, inMemory(func(m *memory) {
		m.reindex = func(p postings, key string, old, now []string) { // as client-go 0.23.5 has it
			for _, v := range old {
				if len(now) != 1 || v != now[0] {
					p.remove(v, key)
				}
			}
			for _, v := range now {
				if len(old) != 1 || v != old[0] {
					p.add(v, key)
				}
			}
		}
	})},
	{"kubernetes-84959", "index/function", "a value that no object has any more is still listed", aMap, reindexes(func(_ *memory, p postings, key string, old, now []string, right reindexing) {
		for _, v := range old {
			delete(p[v], key)
		}
		right(p, key, nil, now)
	})},
	{"index-only-grows", "index/function", "an object stays under values that it has no more", aMap, reindexes(func(_ *memory, p postings, key string, _, now []string, right reindexing) { right(p, key, nil, now) })},
	{"index-first-value", "index/function", "an object is found by the first of its values alone", aMap, indexedTo(func(now []string) []string { return now[:min(len(now), 1)] })},
	{"large-values", "index/function", "of an object's values three are indexed", aMap, indexedTo(func(now []string) []string { return now[:min(3, len(now))] })},
	{"index-no-empty-value", "index/function", "an object is not found by an index value that is empty", aMap, indexedTo(func(now []string) []string {
		return slices.DeleteFunc(now, func(v string) bool { return v == "" })
	})},
	{"index-same-last", "index/function", "an index is left as it is where two values become two of which the last stays", aMap, indexesIf(func(_ *memory, old, now []string) bool {
		return len(old) != 2 || len(now) != 2 || old[1] != now[1]
	})},
	{"index-three", "index/function", "an index is left as it is where three values become three", aMap, indexesIf(func(_ *memory, old, now []string) bool { return len(old) != 3 || len(now) != 3 })},
	{"index-by-each-value", "index/query", "Index gives an object once for each value that it shares", aMap, inFuncs(func(f *funcs) {
		f.index = func(name string, o object) (out []object, err error) {
			for _, v := range conformance.IndexedValues(name, o) {
				var l []object
				l, err = f.byIndex(name, v)
				out = append(out, l...)
			}
			return out, err
		}
	})},
	{"index-unknown-empty", "index/query", "an index that there is not is an empty one", aMap, finds(func(l []object, _ error) ([]object, error) { return l, nil })},
	{"large-under", "index/add-late", "of the objects under a value 64 are given", aMap, finds(func(l []object, err error) ([]object, error) { return l[:min(len(l), few)], err })},
	{"index-late-empty", "index/add-late", "an index that is added late does not cover what is there", aMap, lateEmpty(func([]string) []string { return []string{conformance.ByValue} })},
	{"index-late-one", "index/add-late", "of indexes that are added at once the one by namespace does not cover what is there", aMap, lateEmpty(func(names []string) []string { return names[1:] })},
	{"index-replaced", "index/add-late", "a second index of one name is accepted", aMap, inFuncs(func(f *funcs) {
		add := f.addIndexers
		f.addIndexers = func(names []string) error { _ = add(names); return nil }
	})},
}

// lateEmpty has BY-INDEX of some of the indexes that are added together lack what is there by then, until that changes.
func lateEmpty(some func([]string) []string) fault {
	return inFuncs(func(f *funcs) {
		early, of, apply, byIndex, add := &sync.Map{}, &sync.Map{}, f.apply, f.byIndex, f.addIndexers
		f.apply = func(c change) error { early.Delete(c.Object.Key()); return apply(c) }
		f.addIndexers = func(names []string) error {
			l, _ := f.list()
			err := add(names)
			if err != nil {
				return err
			}
			for _, name := range some(names) {
				of.Store(name, true)
				for _, o := range l {
					early.Store(o.Key(), true)
				}
			}
			return nil
		}
		f.byIndex = func(name, v string) ([]object, error) {
			l, err := byIndex(name, v)
			_, late := of.Load(name)
			return slices.DeleteFunc(l, func(o object) bool { _, ok := early.Load(o.Key()); return ok && late }), err
		}
	})
}

// ageRows are maps that go wrong about what has expired, with one fault each.
var ageRows = []row{
	{"ttl-never", "expire/ttl", "nothing expires", expiring, inMemory(func(m *memory) { m.expired = func(entry) bool { return false } })},
	{"ttl-of-first", "expire/ttl", "an Update does not make an entry young", expiring, inMemory(func(m *memory) { m.touch = false })},
	{"ttl-of-replaced", "expire/ttl", "a Replace does not make entries young", expiring, renews(func([]object) bool { return false })},
	{"ttl-of-replaced-one", "expire/ttl", "a Replace by one object does not make it young", expiring, renews(func(l []object) bool { return len(l) > 1 })},
	{"ttl-of-same", "expire/ttl", "an Add of the very state that is there does not make it young", expiring, skips(func(c change, there *object) bool {
		return !isA(deleteVerb, c) && there != nil && there.Body == c.Object.Body
	})},
	{"ttl-of-same-list", "expire/ttl", "a Replace by the very list that is there does not make it young", expiring, inMemory(func(m *memory) {
		last := ""
		m.renew = func(l []object) bool { was := last; last = fmt.Sprint(l); return was != last }
	})},
	{"ttl-zero", "expire/ttl", "a TTL of 0 is one of a minute", expiring, inMemory(func(m *memory) {
		right := m.expired
		m.expired = func(e entry) bool { return right(e) || m.o.TTL == 0 && time.Since(e.at) > time.Minute }
	})},
	{"ttl-half", "expire/ttl", "entries expire in half of their time", expiring, expires(func(ttl time.Duration) time.Duration { return ttl / 2 })},
	{"ttl-longer", "expire/ttl", "entries expire when they are a fifth older than the TTL", expiring, expires(func(ttl time.Duration) time.Duration { return ttl / 5 * 6 })},
	{"ttl-shorter", "expire/ttl", "entries expire a fifth too early", expiring, expires(func(ttl time.Duration) time.Duration { return ttl / 5 * 4 })},
	{"ttl-of-lists", "expire/ttl", "what a Replace puts there is a fifth of the TTL old", expiring, inMemory(func(m *memory) {
		m.listed = func() time.Time { return time.Now().Add(-m.o.TTL / 5) }
	})},
	{"list-until-expired", "expire/ttl", "List ends at the first entry that has expired", expiring, gives(func(f *funcs, _ []object) []object {
		keys, _ := f.listKeys()
		return f.lookedUp(keys, true)
	})},
	{"list-none-expired", "expire/ttl", "List gives nothing where an entry has expired", expiring, gives(func(f *funcs, l []object) []object {
		if keys, _ := f.listKeys(); len(keys) > len(l) {
			return nil
		}
		return l
	})},
	{"add-over-expired", "basic/add", "an Add over an entry that has expired only takes it away", expiring, overExpired(addVerb)},
	{"update-over-expired", "basic/update", "an Update over an entry that has expired only takes it away", expiring, overExpired(updateVerb)},
	{"delete-over-expired", "basic/delete", "a Delete of an entry that has expired leaves its key", expiring, applies(func(f *funcs, c change, apply func(change) error) error {
		if isA(deleteVerb, c) && f.expired(c.Object) {
			return nil
		}
		return apply(c)
	})},
	{"replace-over-expired", "replace/exact", "what a Replace gives of an entry that has expired is left out", expiring, listsTo(func(f *funcs, l []object) []object { return forget(l, f.expired) })},
}

// expired says that there is an entry of an object's key, and that it has expired.
func (f *funcs) expired(o object) bool {
	keys, _ := f.listKeys()
	there, _ := f.getByKey(o.Key())
	return there == nil && slices.Contains(keys, o.Key())
}

// overExpired has a verb take away what it would put over an entry that has expired.
func overExpired(v conformance.Verb) fault {
	return applies(func(f *funcs, c change, apply func(change) error) error {
		if isA(v, c) && f.expired(c.Object) {
			c.Verb = deleteVerb
		}
		return apply(c)
	})
}
