//go:build !before_0_35 && !before_0_33 && !before_0_27 && !before_0_19

package main

import (
	"errors"
	"fmt"

	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/plugins/adapter"
)

// streams is what an informer declares that asks for streaming lists: the gate WatchListClient is on since 0.35.
var streams = []string{"streaming-lists"}

func transacts(s any) bool {
	switch s.(type) {
	case cache.TransactionStore, cache.ThreadSafeStoreWithTransaction:
		return true
	}
	return false
}

// transact applies several changes at once.
func transact(s any, changes []adapter.Change) error {
	switch s := s.(type) {
	case cache.ThreadSafeStoreWithTransaction:
		var all []cache.ThreadSafeStoreTransaction
		for _, c := range changes {
			all = append(all, cache.ThreadSafeStoreTransaction{Transaction: transaction(c), Key: c.Object.Key()})
		}
		s.Transaction(all...)
		return nil
	case cache.TransactionStore:
		var all []cache.Transaction
		for _, c := range changes {
			all = append(all, transaction(c))
		}
		if err := s.Transaction(all...); err != nil {
			return told(errors.Join(err.Errors...))
		}
		return nil
	}
	return fmt.Errorf("a %T has no transactions", s)
}

func transaction(c adapter.Change) cache.Transaction {
	kind := map[adapter.Verb]cache.TransactionType{adapter.Add: cache.TransactionTypeAdd, adapter.Update: cache.TransactionTypeUpdate,
		adapter.Delete: cache.TransactionTypeDelete}[c.Verb]
	return cache.Transaction{Object: given(c), Type: kind}
}
