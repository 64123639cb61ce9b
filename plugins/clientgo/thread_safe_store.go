package clientgo

import (
	"fmt"

	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/conformance/store"
)

// threadSafe is a cache.ThreadSafeStore, which is given the keys.
type threadSafe struct {
	indexed
	s cache.ThreadSafeStore
}

func openThreadSafe(o store.Options) (store.Subject, error) {
	s := cache.NewThreadSafeStore(indexers(o.Indexers), cache.Indices{})
	return threadSafe{indexed{s}, s}, nil
}

func (t threadSafe) Apply(c store.Change) error {
	key := c.Object.Key()
	switch {
	case c.Verb == store.Add:
		t.s.Add(key, made(c.Object))
	case c.Verb == store.Update:
		t.s.Update(key, made(c.Object))
	case c.Unknown:
		t.s.Delete(key)
	default:
		t.s.DeleteWithObject(key, made(c.Object))
	}
	return nil
}

func (t threadSafe) ApplyAll(changes []store.Change) error {
	s, ok := t.s.(cache.ThreadSafeStoreWithTransaction)
	if !ok {
		return fmt.Errorf("a %T has no transactions", t.s)
	}
	var all []cache.ThreadSafeStoreTransaction
	for _, c := range changes {
		all = append(all, cache.ThreadSafeStoreTransaction{Transaction: transaction(c), Key: c.Object.Key()})
	}
	s.Transaction(all...)
	return nil
}

func (t threadSafe) Replace(list []store.Object, rv string) error {
	items := map[string]any{}
	for _, o := range list {
		items[o.Key()] = made(o)
	}
	t.s.Replace(items, rv)
	return nil
}

func (t threadSafe) Resync() error { return t.s.Resync() }

func (t threadSafe) Get(o store.Object) (*store.Object, error) { return t.GetByKey(o.Key()) }

func (t threadSafe) GetByKey(key string) (*store.Object, error) {
	x, there := t.s.Get(key)
	return found(x, there, nil)
}

func (t threadSafe) List() ([]store.Object, error) { return backAll(t.s.List()) }

func (t threadSafe) ListKeys() ([]string, error) { return t.s.ListKeys(), nil }

func (t threadSafe) Version() (string, error) { return t.s.LastStoreSyncResourceVersion(), nil }

func (t threadSafe) Bookmark(rv string) error {
	t.s.Bookmark(rv)
	return nil
}
