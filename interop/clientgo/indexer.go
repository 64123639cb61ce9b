package main

import (
	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/plugins/adapter"
)

func offerIndexer(a *adapter.Adapter) {
	a.Store = adapter.StoreOffer{Features: append([]string{"client-go-semantics", "map", "keys", "index"}, newer(cache.NewIndexer(keyOf, cache.Indexers{}))...),
		Open: func(o adapter.StoreOptions) (adapter.Store, error) {
			s := cache.NewIndexer(keyOf, indexers(o.Indexers))
			return indexer{plain{s}, indexed{s}}, nil
		}}
}

// indexer is a cache.Indexer.
type indexer struct {
	plain
	indexed
}

// indexed are the queries that cache.Indexer and cache.ThreadSafeStore have.
type indexed struct {
	x interface {
		Index(indexName string, obj any) ([]any, error)
		IndexKeys(indexName, indexedValue string) ([]string, error)
		ListIndexFuncValues(indexName string) []string
		ByIndex(indexName, indexedValue string) ([]any, error)
		AddIndexers(newIndexers cache.Indexers) error
	}
}

func (i indexed) Index(index string, o adapter.Object) ([]adapter.Object, error) {
	return backAll(i.x.Index(index, made(o)))
}

func (i indexed) ByIndex(index, value string) ([]adapter.Object, error) {
	return backAll(i.x.ByIndex(index, value))
}

func (i indexed) IndexKeys(index, value string) ([]string, error) { return i.x.IndexKeys(index, value) }

func (i indexed) IndexValues(index string) ([]string, error) {
	return i.x.ListIndexFuncValues(index), nil
}

func (i indexed) AddIndexers(names []string) error { return i.x.AddIndexers(indexers(names)) }
