package clientgo

import (
	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/conformance/store"
)

// indexed are the queries that cache.Indexer and ThreadSafeStore have.
type indexed struct {
	x interface {
		Index(indexName string, obj any) ([]any, error)
		IndexKeys(indexName, indexedValue string) ([]string, error)
		ListIndexFuncValues(indexName string) []string
		ByIndex(indexName, indexedValue string) ([]any, error)
		AddIndexers(newIndexers cache.Indexers) error
	}
}

func (i indexed) Index(index string, o store.Object) ([]store.Object, error) {
	return listed(i.x.Index(index, made(o)))
}

func (i indexed) ByIndex(index, value string) ([]store.Object, error) {
	return listed(i.x.ByIndex(index, value))
}

func listed(list []any, err error) ([]store.Object, error) {
	if err != nil {
		return nil, err
	}
	return backAll(list)
}

func (i indexed) IndexKeys(index, value string) ([]string, error) { return i.x.IndexKeys(index, value) }

func (i indexed) IndexValues(index string) ([]string, error) {
	return i.x.ListIndexFuncValues(index), nil
}

func (i indexed) AddIndexers(names []string) error { return i.x.AddIndexers(indexers(names)) }

// indexer is a cache.Indexer.
type indexer struct {
	plain
	indexed
}

func openIndexer(o store.Options) (store.Subject, error) {
	s := cache.NewIndexer(keyOf, indexers(o.Indexers))
	return indexer{plain{s}, indexed{s}}, nil
}
