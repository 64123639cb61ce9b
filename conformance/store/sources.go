package store

import "github.com/lwtest/lwtest/harness"

const inCache = "k8s.io/client-go@v0.37.2/tools/cache/"

func inClientGo(symbol string) harness.Source { return harness.Source{Name: inCache + symbol} }

// sources are where the contract of this kind is written down: nowhere but in
// client-go's own documentation, see ClientGoSemantics.
var sources = struct {
	store, replace, version, keyError, threadSafe, indexer, index, addIndexers harness.Source
	undelta, undeltaAdd, expiration, ttl, snapshot                             harness.Source
	queue, deltaFIFO, deltaPop, deltaDelete, deltaReplace, deltaResync         harness.Source
	realFIFO, realReplace, realResync, replacedAll, syncAll, bookmark          harness.Source
	hasSynced, process, processBatch, popBatch                                 harness.Source
}{
	store: inClientGo("store.go#Store"), replace: inClientGo("store.go#Store.Replace"), version: inClientGo("store.go#Store.LastStoreSyncResourceVersion"),
	keyError: inClientGo("store.go#KeyError"), threadSafe: inClientGo("thread_safe_store.go#ThreadSafeStore"),
	indexer: inClientGo("index.go#Indexer"), index: inClientGo("index.go#Indexer.Index"), addIndexers: inClientGo("index.go#Indexer.AddIndexers"),
	undelta: inClientGo("undelta_store.go#UndeltaStore"), undeltaAdd: inClientGo("undelta_store.go#UndeltaStore.Add"),
	expiration: inClientGo("expiration_cache.go#ExpirationCache.Get"), ttl: inClientGo("expiration_cache.go#TTLPolicy"), snapshot: inClientGo("shared_informer.go#SharedInformer"),
	queue: inClientGo("fifo.go#Queue"), deltaFIFO: inClientGo("delta_fifo.go#DeltaFIFO"), deltaPop: inClientGo("delta_fifo.go#DeltaFIFO.Pop"),
	deltaDelete: inClientGo("delta_fifo.go#DeltaFIFO.Delete"), deltaReplace: inClientGo("delta_fifo.go#DeltaFIFO.Replace"), deltaResync: inClientGo("delta_fifo.go#DeltaFIFO.Resync"),
	realFIFO: inClientGo("the_real_fifo.go#RealFIFO"), realReplace: inClientGo("the_real_fifo.go#RealFIFO.Replace"), realResync: inClientGo("the_real_fifo.go#RealFIFO.Resync"),
	replacedAll: inClientGo("the_real_fifo.go#ReplacedAllInfo"), syncAll: inClientGo("the_real_fifo.go#SyncAllInfo"), bookmark: inClientGo("the_real_fifo.go#RealFIFOOptions.EmitDeltaTypeBookmark"),
	hasSynced: inClientGo("fifo.go#Queue.HasSynced"), process: inClientGo("controller.go#ProcessFunc"), processBatch: inClientGo("controller.go#ProcessBatchFunc"), popBatch: inClientGo("the_real_fifo.go#RealFIFO.PopBatch"),
}

// must and should make rules of this kind: all MUSTs are such for who behaves as client-go alone.
func must(id string, c harness.Clause, judge judgement, needs ...harness.Feature) harness.Rule {
	c.ID, c.Level, c.MustWith = id, harness.Must, ClientGoSemantics
	return harness.NewRule(c, judge, needs...)
}

func should(id string, c harness.Clause, judge judgement, needs ...harness.Feature) harness.Rule {
	c.ID, c.Level = id, harness.Should
	return harness.NewRule(c, judge, needs...)
}
