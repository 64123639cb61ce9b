package clientgo

import (
	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/conformance/store"
)

// plain is a cache.Store.
type plain struct{ s cache.Store }

func openStore(store.Options) (store.Subject, error) { return plain{cache.NewStore(keyOf)}, nil }

func (p plain) Apply(c store.Change) error {
	do := map[store.Verb]func(any) error{store.Add: p.s.Add, store.Update: p.s.Update, store.Delete: p.s.Delete}[c.Verb]
	return told(do(given(c)))
}

func (p plain) Replace(list []store.Object, rv string) error {
	return told(p.s.Replace(madeAll(list), rv))
}

func (p plain) Resync() error { return told(p.s.Resync()) }

func (p plain) Get(o store.Object) (*store.Object, error) { return found(p.s.Get(made(o))) }

func (p plain) GetByKey(key string) (*store.Object, error) { return found(p.s.GetByKey(key)) }

func found(x any, there bool, err error) (*store.Object, error) {
	if err != nil || !there {
		return nil, told(err)
	}
	o, err := back(x)
	return &o, err
}

func (p plain) List() ([]store.Object, error) { return backAll(p.s.List()) }

func (p plain) ListKeys() ([]string, error) { return p.s.ListKeys(), nil }

func (p plain) Version() (string, error) { return p.s.LastStoreSyncResourceVersion(), nil }

func (p plain) Bookmark(rv string) error {
	p.s.Bookmark(rv)
	return nil
}
