package store

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	conformance "github.com/lwtest/lwtest/conformance/store"
)

// memory is a correct map of our own, with indexes that it keeps by every
// change, a TTL and pushes. Its functions are there to be replaced.
type memory struct {
	mu       sync.Mutex
	o        options
	items    map[string]entry
	version  string
	indexers []string
	indexes  map[string]postings // by name

	reindex reindexing
	renew   func(list []object) bool // whether a Replace makes entries young
	expired func(entry) bool
	listed  func() time.Time // since when what a Replace puts there is there
	rebuild bool             // indexes are made anew by a Replace
	touch   bool             // an Update makes an entry young
	once    bool             // several changes at once are pushed as one
	asOne   func()           // pushes them
	outside bool             // pushes come without the lock, of what is there by then
	blind   bool             // GetByKey finds nothing while a change is under way
	waits   bool             // a change lets others begin
	under   atomic.Int32     // changes under way
}

type entry struct {
	object
	at time.Time
}

// reindexing changes an index by the values that an object had, and has.
type reindexing = func(p postings, key string, old, now []string)

// postings are an index: keys by value.
type postings map[string]map[string]bool

func (p postings) add(value, key string) {
	if p[value] == nil {
		p[value] = map[string]bool{}
	}
	p[value][key] = true
}

func (p postings) remove(value, key string) {
	if delete(p[value], key); len(p[value]) == 0 {
		delete(p, value)
	}
}

func newMemory(o options) *memory {
	m := &memory{o: o, items: map[string]entry{}, indexers: slices.Clone(o.Indexers), indexes: map[string]postings{}, rebuild: true, touch: true}
	m.listed, m.asOne = time.Now, m.push
	m.renew = func([]object) bool { return true }
	m.reindex = func(p postings, key string, old, now []string) {
		for _, v := range old {
			p.remove(v, key)
		}
		for _, v := range now {
			p.add(v, key)
		}
	}
	m.expired = func(e entry) bool { return o.TTL > 0 && time.Since(e.at) > o.TTL }
	for _, name := range m.indexers {
		m.indexes[name] = postings{}
	}
	return m
}

var errKey = fmt.Errorf("%w: its name is %s", conformance.ErrKey, conformance.NoKey)

func keyless(o object) bool { return o.Name == conformance.NoKey }

// ApplyAll leaves out what has no key, and says so.
func (m *memory) ApplyAll(changes []change) (err error) {
	for _, c := range changes {
		if failed := m.change(c, !m.once); failed != nil {
			err = failed
		}
	}
	if m.once {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.asOne()
	}
	return err
}

func (m *memory) Apply(c change) error { return m.change(c, true) }

func (m *memory) change(c change, push bool) error {
	defer m.begin()()
	if keyless(c.Object) {
		return errKey
	}
	if push {
		defer m.pushOutside()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := c.Object.Key()
	old, there := m.items[key]
	var now []string
	switch {
	case c.Verb == conformance.Delete:
		delete(m.items, key)
	case c.Verb == conformance.Update && there && !m.touch:
		m.items[key] = entry{c.Object, old.at}
	default:
		m.items[key] = entry{c.Object, time.Now()}
	}
	for name, p := range m.indexes {
		if now = nil; c.Verb != conformance.Delete {
			now = conformance.IndexedValues(name, c.Object)
		}
		var was []string
		if there {
			was = conformance.IndexedValues(name, old.object)
		}
		m.reindex(p, key, was, now)
	}
	if !c.Unknown {
		m.version = c.Object.ResourceVersion
	}
	if push {
		m.push()
	}
	return nil
}

// pushOutside is push without the lock, when others may have changed something.
func (m *memory) pushOutside() {
	if m.o.Push != nil && m.outside {
		othersFirst()
		l, _ := m.List()
		m.o.Push(l)
	}
}

// begin is that of a change; what it gives back ends it.
func (m *memory) begin() func() {
	m.under.Add(1)
	if m.waits {
		othersFirst()
	}
	return func() { m.under.Add(-1) }
}

// push tells the whole content. It is called with the lock, so that pushes are in order.
func (m *memory) push() {
	if m.o.Push != nil && !m.outside {
		m.o.Push(m.all(func(e entry) bool { return !m.expired(e) }))
	}
}

func (m *memory) Replace(list []object, rv string) error {
	defer m.begin()()
	if slices.ContainsFunc(list, keyless) {
		return errKey
	}
	defer m.pushOutside()
	m.mu.Lock()
	defer m.mu.Unlock()
	were := m.items
	m.items, m.version = map[string]entry{}, rv
	for _, o := range list {
		at := m.listed()
		if old, there := were[o.Key()]; there && !m.renew(list) {
			at = old.at
		}
		m.items[o.Key()] = entry{o, at}
	}
	for name := range m.indexes {
		if m.rebuild {
			m.build(name)
		}
	}
	m.push()
	return nil
}

// build makes an index anew.
func (m *memory) build(name string) {
	m.indexes[name] = postings{}
	for key, e := range m.items {
		m.reindex(m.indexes[name], key, nil, conformance.IndexedValues(name, e.object))
	}
}

func (m *memory) Resync() error { return nil }

func (m *memory) Bookmark(rv string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.version = rv
	return nil
}

func (m *memory) Version() (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.version, nil
}

func (m *memory) Get(o object) (*object, error) {
	if keyless(o) {
		return nil, errKey
	}
	return m.find(o.Key())
}

func (m *memory) GetByKey(key string) (*object, error) {
	if m.blind && m.under.Load() > 0 {
		return nil, nil
	}
	return m.find(key)
}

func (m *memory) find(key string) (*object, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, there := m.items[key]
	if !there || m.expired(e) {
		return nil, nil
	}
	return &e.object, nil
}

// all are the objects of some entries, sorted by key.
func (m *memory) all(some func(entry) bool) []object {
	out := []object{}
	for _, key := range slices.Sorted(maps.Keys(m.items)) {
		if e := m.items[key]; some(e) {
			out = append(out, e.object)
		}
	}
	return out
}

func (m *memory) List() ([]object, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.all(func(e entry) bool { return !m.expired(e) }), nil
}

func (m *memory) ListKeys() ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.items)), nil
}

var errNoIndex = errors.New("there is no such index")

func (m *memory) Index(name string, o object) ([]object, error) {
	return m.query(name, conformance.IndexedValues(name, o)...)
}

func (m *memory) ByIndex(name, value string) ([]object, error) { return m.query(name, value) }

func (m *memory) query(name string, values ...string) ([]object, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !slices.Contains(m.indexers, name) {
		return nil, errNoIndex
	}
	return m.all(func(e entry) bool {
		return slices.ContainsFunc(values, func(v string) bool { return m.indexes[name][v][e.Key()] })
	}), nil
}

func (m *memory) IndexKeys(name, value string) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !slices.Contains(m.indexers, name) {
		return nil, errNoIndex
	}
	return slices.Collect(maps.Keys(m.indexes[name][value])), nil
}

func (m *memory) IndexValues(name string) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Keys(m.indexes[name])), nil
}

func (m *memory) AddIndexers(names []string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, name := range names {
		if slices.Contains(m.indexers, name) {
			return fmt.Errorf("there is an index %s", name)
		}
	}
	for _, name := range names {
		m.indexers = append(m.indexers, name)
		m.build(name)
	}
	return nil
}
