package store

import (
	"slices"

	conformance "github.com/lwtest/lwtest/conformance/store"
)

// unsetMutants go wrong where something is not there yet, or not given, with one fault each.
var unsetMutants = []variant{
	{"resync-unsynced", "queue/resync", "a resync queues nothing before it has synced", deltas, inQueue(func(q *queue) { q.syncs = q.onceSynced })},
	{"resync-unsynced-log", "queue/resync", "the same in a log", aLog, inQueue(func(q *queue) { q.syncs = q.onceSynced })},
	{"resync-unsynced-atomic", "queue/resync", "the same in a log with atomic lists", atomicLog, inQueue(func(q *queue) {
		q.takes = func(_ string, d delta) bool { return d.Type != conformance.SyncedAll || q.hasSynced() }
	})},
	{"replaced-with-old-version", "queue/replace", "the item of a list that has no resourceVersion tells that of the one before", atomicLog, inQueue(func(q *queue) {
		whole, last := q.whole, ""
		q.whole = func(list []object, rv string) delta {
			if rv != "" {
				last = rv
			}
			return whole(list, last)
		}
	})},
	{"version-of-listed", "version/told", "after a list that has no resourceVersion that of its last object is told", aMap, inFuncs(func(f *funcs) {
		replace := f.replace
		f.replace = func(l []object, rv string) error {
			if rv == "" && len(l) > 0 {
				rv = l[len(l)-1].ResourceVersion
			}
			return replace(l, rv)
		}
	})},
	{"at-once-two-untold", "basic/key-error", "of several changes at once two that have no key are left out without a word", aMap, inFuncs(func(f *funcs) {
		applyAll := f.applyAll
		f.applyAll = func(l []change) error {
			err := applyAll(l)
			if len(l)-len(slices.DeleteFunc(slices.Clone(l), func(c change) bool { return keyless(c.Object) })) > 1 {
				return nil
			}
			return err
		}
	})},
}

func (q *queue) onceSynced(key string) bool { return q.find(key) == nil && q.hasSynced() }

// oddUnset are odd where something is not given.
var oddUnset = []variant{
	{"version-kept-by-list", "version/told", "a list without a resourceVersion leaves the one that is told", aMap, inFuncs(func(f *funcs) {
		replace := f.replace
		f.replace = func(l []object, rv string) error {
			if rv == "" {
				rv, _ = f.version()
			}
			return replace(l, rv)
		}
	})},
}
