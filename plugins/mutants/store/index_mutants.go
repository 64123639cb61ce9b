package store

import (
	"slices"
	"sync"

	conformance "github.com/lwtest/lwtest/conformance/store"
)

// indexMutants are maps whose indexes have one fault each.
var indexMutants = []variant{
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
	{"kubernetes-84959", "index/function", "a value that no object has any more is still listed", aMap, inMemory(func(m *memory) {
		m.reindex = func(p postings, key string, old, now []string) {
			for _, v := range old {
				delete(p[v], key)
			}
			for _, v := range now {
				p.add(v, key)
			}
		}
	})},
	{"index-only-grows", "index/function", "an object stays under values that it has no more", aMap, inMemory(func(m *memory) {
		m.reindex = func(p postings, key string, old, now []string) {
			for _, v := range now {
				p.add(v, key)
			}
		}
	})},
	{"index-first-value", "index/function", "an object is found by the first of its values alone", aMap, inMemory(func(m *memory) {
		reindex := m.reindex
		m.reindex = func(p postings, key string, old, now []string) { reindex(p, key, old, now[:min(len(now), 1)]) }
	})},
	{"index-no-empty-value", "index/function", "an object is not found by an index value that is empty", aMap, inMemory(func(m *memory) {
		reindex := m.reindex
		m.reindex = func(p postings, key string, old, now []string) {
			reindex(p, key, old, slices.DeleteFunc(slices.Clone(now), func(v string) bool { return v == "" }))
		}
	})},
	{"index-same-last", "index/function", "an index is left as it is where two values become two of which the last stays", aMap, inMemory(func(m *memory) {
		m.reindex = leaves(m, func(old, now []string) bool { return len(old) == 2 && len(now) == 2 && old[1] == now[1] })
	})},
	{"index-three", "index/function", "an index is left as it is where three values become three", aMap, inMemory(func(m *memory) {
		m.reindex = leaves(m, func(old, now []string) bool { return len(old) == 3 && len(now) == 3 })
	})},
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
	{"index-unknown-empty", "index/query", "an index that there is not is an empty one", aMap, inFuncs(func(f *funcs) {
		byIndex := f.byIndex
		f.byIndex = func(name, v string) ([]object, error) {
			l, err := byIndex(name, v)
			if err != nil {
				return nil, nil
			}
			return l, nil
		}
	})},
	{"index-late-empty", "index/add-late", "an index that is added late does not cover what is there", aMap, inFuncs(func(f *funcs) {
		early, apply := f.lateEmpty(func([]string) []string { return []string{conformance.ByValue} }), f.apply
		f.apply = func(c change) error { early.Delete(c.Object.Key()); return apply(c) }
	})},
	{"index-late-one", "index/add-late", "of indexes that are added at once the one by namespace does not cover what is there", aMap, inFuncs(func(f *funcs) {
		early, apply := f.lateEmpty(func(names []string) []string { return names[1:] }), f.apply
		f.apply = func(c change) error { early.Delete(c.Object.Key()); return apply(c) }
	})},
	{"index-replaced", "index/add-late", "a second index of one name is accepted", aMap, inFuncs(func(f *funcs) {
		add := f.addIndexers
		f.addIndexers = func(names []string) error { _ = add(names); return nil }
	})},
}

// leaves is a reindex that leaves some as they are.
func leaves(m *memory, some func(old, now []string) bool) func(p postings, key string, old, now []string) {
	reindex := m.reindex
	return func(p postings, key string, old, now []string) {
		if !some(old, now) {
			reindex(p, key, old, now)
		}
	}
}

// lateEmpty has BY-INDEX of some of the indexes that are added together lack what is there by then, which it gives back.
func (f *funcs) lateEmpty(some func([]string) []string) *sync.Map {
	early, of, byIndex, add := &sync.Map{}, &sync.Map{}, f.byIndex, f.addIndexers
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
	return early
}
