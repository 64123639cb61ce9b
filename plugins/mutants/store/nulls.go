package store

import (
	conformance "github.com/lwtest/lwtest/conformance/store"
)

// nulls withhold something.
var nulls = []struct {
	row
	withholds []string
}{
	{row{name: "null-map", about: "a map that does nothing", on: aMap, fault: inFuncs(func(f *funcs) { *f = *nothing() })},
		[]string{"store/basic/", "store/replace/", "store/version/", "store/index/", "store/concurrent/"}},
	{row{name: "null-undelta", about: "one that pushes nothing", on: undelta, fault: inMemory(func(m *memory) { m.o.Push = nil })}, []string{"store/undelta/"}},
	{row{name: "null-expiring", about: "one that does nothing, and grows old", on: expiring, fault: inFuncs(func(f *funcs) { *f = *nothing() })},
		[]string{"store/basic/", "store/replace/", "store/concurrent/", "store/expire/"}},
	{row{name: "deaf-map", about: "a map that takes every change and lists nothing", on: aMap, fault: inFuncs(func(f *funcs) {
		f.list, f.listKeys = nothing().list, nothing().listKeys
	})}, []string{"store/basic/list", "store/basic/keys", "store/replace/atomic"}},
	{row{name: "null-queue", about: "a queue that does nothing, and cannot be closed", on: deltas, fault: fault{queue: mute, funcs: func(f *funcs) {
		f.close = func() error { return nil }
		f.synced = func() (bool, error) { return false, nil }
	}}},
		[]string{"store/queue/"}},
	{row{name: "mute-delta", about: "a queue that takes everything and pops nothing", on: deltas, fault: inQueue(mute)}, unpopped},
	{row{name: "mute-log", about: "a log that does so", on: aLog, fault: inQueue(mute)}, unpopped},
	{row{name: "mute-atomic", about: "an atomic log that does so", on: atomicLog, fault: inQueue(mute)}, unpopped},
}

// unpopped is all about queues but for Close, which may be asked of an empty one, and for whether it has synced.
var unpopped = []string{"store/queue/order", "store/queue/dedup", "store/queue/unknown-delete", "store/queue/replace", "store/queue/no-ghost",
	"store/queue/initial-flag", "store/queue/resync", "store/queue/bookmark", "store/queue/batch"}

// nothing are the functions of a map that does nothing.
func nothing() *funcs {
	return &funcs{
		apply:       func(change) error { return nil },
		applyAll:    func([]change) error { return nil },
		replace:     func([]object, string) error { return nil },
		resync:      func() error { return nil },
		bookmark:    func(string) error { return nil },
		version:     func() (string, error) { return "", nil },
		get:         func(object) (*object, error) { return nil, nil },
		getByKey:    func(string) (*object, error) { return nil, nil },
		list:        func() ([]object, error) { return nil, nil },
		listKeys:    func() ([]string, error) { return nil, nil },
		index:       func(string, object) ([]object, error) { return nil, nil },
		byIndex:     func(string, string) ([]object, error) { return nil, nil },
		indexKeys:   func(string, string) ([]string, error) { return nil, nil },
		indexValues: func(string) ([]string, error) { return nil, nil },
		addIndexers: func([]string) error { return nil },
	}
}

// mute forgets everything that it is given; a Pop waits until it is closed.
func mute(q *queue) {
	q.place = func(string) *unit { return &unit{deltas: []delta{{Type: conformance.SyncedAll}}} }
	q.merge = func(*unit, delta) bool { return true }
}
