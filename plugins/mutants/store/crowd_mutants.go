package store

import (
	"slices"
	"sync/atomic"
)

// crowdMutants go wrong about several changes at once, or a bookmark, while another change is under way, with one fault each.
var crowdMutants = []variant{
	{"at-once-of-a-copy", "concurrent/linearizable", "several changes at once are made to a copy: what others write meanwhile is lost", aMap, inFuncs(func(f *funcs) {
		applyAll, lose := f.applyAll, f.losing()
		f.applyAll = func(l []change) error { lose(); return applyAll(l) }
	})},
	{"bookmark-of-a-copy", "concurrent/linearizable", "a bookmark is given to a copy: what others write meanwhile is lost", aMap, inFuncs(func(f *funcs) {
		bookmark, lose := f.bookmark, f.losing()
		f.bookmark = func(rv string) error { lose(); return bookmark(rv) }
	})},
	{"at-once-dropped-in-a-crowd", "concurrent/linearizable", "several changes at once are dropped while another is under way", aMap, inFuncs(func(f *funcs) {
		f.applyAll = f.crowded(func([]change) []change { return nil })
	})},
	{"at-once-half-in-a-crowd", "concurrent/linearizable", "of several changes at once the second half is dropped while another is under way", aMap, inFuncs(func(f *funcs) {
		f.applyAll = f.crowded(func(l []change) []change { return l[:(len(l)+1)/2] })
	})},
	{"at-once-last-in-a-crowd", "concurrent/linearizable", "of several changes at once the last alone is made while another is under way", aMap, inFuncs(func(f *funcs) {
		f.applyAll = f.crowded(func(l []change) []change { return l[len(l)-1:] })
	})},
	{"at-once-backwards-in-a-crowd", "concurrent/linearizable", "several changes at once are made from the last to the first while another is under way", aMap, inFuncs(func(f *funcs) {
		f.applyAll = f.crowded(func(l []change) []change {
			l = slices.Clone(l)
			slices.Reverse(l)
			return l
		})
	})},
	{"at-once-dropped-beside-itself", "concurrent/linearizable", "several changes at once are dropped while others do the same", aMap, inFuncs(func(f *funcs) {
		applyAll, under := f.applyAll, atomic.Int32{}
		f.applyAll = func(l []change) error {
			defer under.Add(-1)
			if under.Add(1) > 1 {
				return nil
			}
			othersFirst()
			return applyAll(l)
		}
	})},
	{"change-dropped-beside-at-once", "concurrent/linearizable", "a change is dropped while several are made at once", aMap, inFuncs(func(f *funcs) {
		applyAll, busy := f.applyAll, f.dropping()
		f.applyAll = func(l []change) error { defer busy()(); return applyAll(l) }
	})},
	{"change-dropped-beside-a-bookmark", "concurrent/linearizable", "a change is dropped while a bookmark is given", aMap, inFuncs(func(f *funcs) {
		bookmark, busy := f.bookmark, f.dropping()
		f.bookmark = func(rv string) error { defer busy()(); return bookmark(rv) }
	})},
	{"index-left-in-a-crowd", "concurrent/linearizable", "of a change the indexes hear only if no other is under way", aMap, inMemory(func(m *memory) {
		reindex := m.reindex
		m.waits, m.reindex = true, func(p postings, key string, old, now []string) {
			if m.under.Load() <= 1 {
				reindex(p, key, old, now)
			}
		}
	})},
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

// crowded is an ApplyAll that makes some of its changes while a single change or a Replace is under way. These let others begin.
func (f *funcs) crowded(some func([]change) []change) func([]change) error {
	apply, applyAll, replace, under := f.apply, f.applyAll, f.replace, &atomic.Int32{}
	busy := func() func() {
		under.Add(1)
		othersFirst()
		return func() { under.Add(-1) }
	}
	f.apply = func(c change) error { defer busy()(); return apply(c) }
	f.replace = func(l []object, rv string) error { defer busy()(); return replace(l, rv) }
	return func(l []change) error {
		if under.Load() > 0 {
			l = some(l)
		}
		return applyAll(l)
	}
}

// dropping has each single change dropped while something is busy, which lets others begin.
func (f *funcs) dropping() (busy func() func()) {
	apply, under := f.apply, &atomic.Int32{}
	f.apply = func(c change) error {
		if under.Load() > 0 {
			return nil
		}
		return apply(c)
	}
	return func() func() {
		under.Add(1)
		othersFirst()
		return func() { under.Add(-1) }
	}
}
