package store_test

import (
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/conformance/store"
	"github.com/lwtest/lwtest/harness"
	stores "github.com/lwtest/lwtest/plugins/mutants/store"
)

// theirs is a store that somebody wrote: a map with a lock.
type theirs struct {
	mu    sync.Mutex
	items map[string]store.Object
}

func (m *theirs) Apply(c store.Change) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.Verb == store.Delete {
		delete(m.items, c.Object.Key())
	} else {
		m.items[c.Object.Key()] = c.Object
	}
	return nil
}

func (m *theirs) Replace(list []store.Object, _ string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.items = map[string]store.Object{}
	for _, o := range list {
		m.items[o.Key()] = o
	}
	return nil
}

func (m *theirs) Resync() error { return nil }

func (m *theirs) Get(o store.Object) (*store.Object, error) { return m.GetByKey(o.Key()) }

func (m *theirs) GetByKey(key string) (*store.Object, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	o, ok := m.items[key]
	if !ok {
		return nil, nil
	}
	return &o, nil
}

func (m *theirs) List() ([]store.Object, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Values(m.items)), nil
}

func (m *theirs) ListKeys() ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Keys(m.items)), nil
}

// A vendor's own test is one call; in real time, unless it says otherwise.
func TestEntryPoint(t *testing.T) {
	open := func(*testing.T, store.Options) store.Subject { return &theirs{items: map[string]store.Object{}} }
	t.Run("real time", func(t *testing.T) { store.Test(t, open, store.Map) })
	t.Run("virtual time", func(t *testing.T) { store.Test(t, open, store.Map, harness.VirtualTime) })
}

// What client-go's documentation alone supports fails nobody who does not say
// that he behaves as client-go does.
func TestOthersFailNoMust(t *testing.T) {
	for _, m := range stores.Mutants() {
		if m.Name != "add-keeps-old" {
			continue
		}
		for _, c := range m.Cases() {
			if c.Name == "basic/add" {
				r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1})
				assert.Equal(t, harness.Fail, r.Verdict)
				assert.False(t, r.OnlyShould())
				c.Has = slices.DeleteFunc(slices.Clone(c.Has), func(f harness.Feature) bool { return f == store.ClientGoSemantics })
				r, _ = harness.Run(c, harness.Options{TB: t, Seed: 1})
				assert.Equal(t, harness.Fail, r.Verdict)
				assert.True(t, r.OnlyShould())
				return
			}
		}
	}
	assert.Fail(t, "there is no such mutant")
}
