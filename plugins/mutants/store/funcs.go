package store

import (
	"errors"

	conformance "github.com/lwtest/lwtest/conformance/store"
)

type (
	object  = conformance.Object
	change  = conformance.Change
	delta   = conformance.Delta
	popped  = conformance.Popped
	options = conformance.Options
)

// funcs is a subject as a set of functions, of which a fault replaces one.
type funcs struct {
	apply       func(change) error
	applyAll    func([]change) error
	replace     func([]object, string) error
	resync      func() error
	bookmark    func(string) error
	version     func() (string, error)
	get         func(object) (*object, error)
	getByKey    func(string) (*object, error)
	list        func() ([]object, error)
	listKeys    func() ([]string, error)
	index       func(string, object) ([]object, error)
	byIndex     func(string, string) ([]object, error)
	indexKeys   func(string, string) ([]string, error)
	indexValues func(string) ([]string, error)
	addIndexers func([]string) error
	pop         func() (popped, error)
	popBatch    func() (popped, error)
	synced      func() (bool, error)
	close       func() error
}

// functions are those of a subject; what it lacks is nil.
func functions(s conformance.Subject) *funcs {
	f := &funcs{apply: s.Apply, replace: s.Replace, resync: s.Resync}
	if b, ok := s.(conformance.Bookmarker); ok {
		f.bookmark = b.Bookmark
	}
	if b, ok := s.(conformance.Batched); ok {
		f.applyAll = b.ApplyAll
	}
	if v, ok := s.(conformance.Versioned); ok {
		f.version = v.Version
	}
	if r, ok := s.(conformance.Reader); ok {
		f.get, f.getByKey, f.list, f.listKeys = r.Get, r.GetByKey, r.List, r.ListKeys
	}
	if x, ok := s.(conformance.Indexed); ok {
		f.index, f.byIndex, f.indexKeys, f.indexValues, f.addIndexers = x.Index, x.ByIndex, x.IndexKeys, x.IndexValues, x.AddIndexers
	}
	if q, ok := s.(conformance.Queue); ok {
		f.pop, f.synced, f.close = q.Pop, q.Synced, q.Close
	}
	if b, ok := s.(conformance.Batcher); ok {
		f.popBatch = b.PopBatch
	}
	return f
}

// called is a subject of these functions: one without queue functions is no queue.
func (f *funcs) subject() conformance.Subject {
	if f.pop != nil {
		return asQueue{called{f}}
	}
	return called{f}
}

type called struct{ f *funcs }

func (c called) Apply(x change) error                       { return c.f.apply(x) }
func (c called) ApplyAll(l []change) error                  { return c.f.applyAll(l) }
func (c called) Replace(l []object, rv string) error        { return c.f.replace(l, rv) }
func (c called) Resync() error                              { return c.f.resync() }
func (c called) Bookmark(rv string) error                   { return c.f.bookmark(rv) }
func (c called) Version() (string, error)                   { return c.f.version() }
func (c called) Get(o object) (*object, error)              { return c.f.get(o) }
func (c called) GetByKey(key string) (*object, error)       { return c.f.getByKey(key) }
func (c called) List() ([]object, error)                    { return c.f.list() }
func (c called) ListKeys() ([]string, error)                { return c.f.listKeys() }
func (c called) Index(x string, o object) ([]object, error) { return c.f.index(x, o) }
func (c called) ByIndex(x, v string) ([]object, error)      { return c.f.byIndex(x, v) }
func (c called) IndexKeys(x, v string) ([]string, error)    { return c.f.indexKeys(x, v) }
func (c called) IndexValues(x string) ([]string, error)     { return c.f.indexValues(x) }
func (c called) AddIndexers(names []string) error           { return c.f.addIndexers(names) }

type asQueue struct{ called }

func (c asQueue) Pop() (popped, error)  { return c.f.pop() }
func (c asQueue) Synced() (bool, error) { return c.f.synced() }
func (c asQueue) Close() error          { return c.f.close() }

func (c asQueue) PopBatch() (popped, error) {
	if c.f.popBatch == nil {
		return popped{}, errors.New("it does not pop in batches")
	}
	return c.f.popBatch()
}
