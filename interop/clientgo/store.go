package main

import (
	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/plugins/adapter"
)

func offerStore(a *adapter.Adapter) {
	a.Store = adapter.StoreOffer{Features: append([]string{"client-go-semantics", "map", "keys"}, newer(cache.NewStore(keyOf))...),
		Open: func(adapter.StoreOptions) (adapter.Store, error) { return plain{cache.NewStore(keyOf)}, nil }}
}

// plain is a cache.Store.
type plain struct{ cache.Store }

func (p plain) Apply(c adapter.Change) error {
	do := map[adapter.Verb]func(any) error{adapter.Add: p.Store.Add, adapter.Update: p.Store.Update, adapter.Delete: p.Store.Delete}[c.Verb]
	return told(do(given(c)))
}

func (p plain) Replace(list []adapter.Object, resourceVersion string) error {
	return told(p.Store.Replace(madeAll(list), resourceVersion))
}

func (p plain) Resync() error { return told(p.Store.Resync()) }

func (p plain) Get(o adapter.Object) (*adapter.Object, error) { return found(p.Store.Get(made(o))) }

func (p plain) GetByKey(key string) (*adapter.Object, error) { return found(p.Store.GetByKey(key)) }

func found(x any, there bool, err error) (*adapter.Object, error) {
	if err != nil || !there {
		return nil, told(err)
	}
	o, err := back(x)
	return &o, err
}

func (p plain) List() ([]adapter.Object, error) { return backAll(p.Store.List(), nil) }

func (p plain) ListKeys() ([]string, error) { return p.Store.ListKeys(), nil }

func (p plain) ApplyAll(changes []adapter.Change) error { return transact(p.Store, changes) }

func (p plain) Version() (string, error) { return versionOf(p.Store) }

func (p plain) Bookmark(resourceVersion string) error { return bookmark(p.Store, resourceVersion) }
