package clientgo

import (
	"errors"
	"fmt"

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

// ApplyAll is for those that have transactions: NewStore's and NewIndexer's.
func (p plain) ApplyAll(changes []store.Change) error {
	t, ok := p.s.(cache.TransactionStore)
	if !ok {
		return fmt.Errorf("a %T has no transactions", p.s)
	}
	var all []cache.Transaction
	for _, c := range changes {
		all = append(all, transaction(c))
	}
	if err := t.Transaction(all...); err != nil {
		return told(errors.Join(err.Errors...))
	}
	return nil
}

func transaction(c store.Change) cache.Transaction {
	kind := map[store.Verb]cache.TransactionType{store.Add: cache.TransactionTypeAdd, store.Update: cache.TransactionTypeUpdate, store.Delete: cache.TransactionTypeDelete}[c.Verb]
	return cache.Transaction{Object: given(c), Type: kind}
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
