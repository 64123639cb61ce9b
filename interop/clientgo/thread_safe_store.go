package main

import (
	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/plugins/adapter"
)

func offerThreadSafeStore(a *adapter.Adapter) {
	fresh := func(names []string) cache.ThreadSafeStore {
		return cache.NewThreadSafeStore(indexers(names), cache.Indices{})
	}
	a.Store = adapter.StoreOffer{Features: append([]string{"client-go-semantics", "map", "index"}, newer(fresh(nil))...),
		Open: func(o adapter.StoreOptions) (adapter.Store, error) {
			s := fresh(o.Indexers)
			return threadSafe{indexed{s}, s}, nil
		}}
}

// threadSafe is a cache.ThreadSafeStore, which is given the keys.
type threadSafe struct {
	indexed
	s cache.ThreadSafeStore
}

func (t threadSafe) Apply(c adapter.Change) error {
	key := c.Object.Key()
	withObject, told := t.s.(interface{ DeleteWithObject(string, any) }) // of later versions
	switch {
	case c.Verb == adapter.Add:
		t.s.Add(key, made(c.Object))
	case c.Verb == adapter.Update:
		t.s.Update(key, made(c.Object))
	case told && !c.Unknown:
		withObject.DeleteWithObject(key, made(c.Object))
	default:
		t.s.Delete(key)
	}
	return nil
}

func (t threadSafe) Replace(list []adapter.Object, resourceVersion string) error {
	items := map[string]any{}
	for _, o := range list {
		items[o.Key()] = made(o)
	}
	t.s.Replace(items, resourceVersion)
	return nil
}

func (t threadSafe) Resync() error { return t.s.Resync() }

func (t threadSafe) Get(o adapter.Object) (*adapter.Object, error) { return t.GetByKey(o.Key()) }

func (t threadSafe) GetByKey(key string) (*adapter.Object, error) {
	x, there := t.s.Get(key)
	return found(x, there, nil)
}

func (t threadSafe) List() ([]adapter.Object, error) { return backAll(t.s.List(), nil) }

func (t threadSafe) ListKeys() ([]string, error) { return t.s.ListKeys(), nil }

func (t threadSafe) ApplyAll(changes []adapter.Change) error { return transact(t.s, changes) }

func (t threadSafe) Version() (string, error) { return versionOf(t.s) }

func (t threadSafe) Bookmark(resourceVersion string) error { return bookmark(t.s, resourceVersion) }
