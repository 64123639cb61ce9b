package informers

import (
	"slices"

	"github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
)

// way is one way in which client-go keeps a copy.
type way struct {
	name     string
	about    string
	features []harness.Feature
	known    []string // files of known failures
	new      func(informer.Config) (informer.Informer, error)
}

var (
	// all that a SharedIndexInformer has, whatever it lists and watches by
	shared = []harness.Feature{informer.ClientGoSemantics, informer.HasSynced, informer.Handlers, informer.ManyHandlers, informer.HandlerPeriods, informer.HandlerSynced,
		informer.InitialFlag, informer.DeleteState, informer.Removal, informer.RemovalWaits, informer.Indexes, informer.Resync, informer.Transforms, informer.Version, informer.Bookmarks,
		informer.ErrorHook, informer.Restarts, informer.AllNamespaces, informer.Selectors}
	// one on list and watch functions
	inProcess = with(shared, rig.InProcess)
	// a factory's, which goes by HTTP
	overHTTP = with(shared, rig.HTTP2)
	// where it streams no list, the size of pages can be seen
	listed = with(shared, informer.PageSize)
	// a controller and its queue, with one handler
	queued = []harness.Feature{rig.InProcess, informer.ClientGoSemantics, informer.HasSynced, informer.Handlers, informer.InitialFlag, informer.DeleteState, informer.Indexes,
		informer.Resync, informer.Transforms, informer.Streams, informer.AllNamespaces, informer.Selectors}
	// a Reflector alone
	alone = []harness.Feature{rig.InProcess, informer.ClientGoSemantics, informer.Indexes, informer.Version, informer.AllNamespaces, informer.Selectors}
)

func with(most []harness.Feature, more ...harness.Feature) []harness.Feature {
	return slices.Concat(most, more)
}

var ways = []way{
	{"shared-informer", "SharedIndexInformer on list and watch functions", with(inProcess, informer.Streams), []string{"all", "streams", "streams-in-process"}, newShared},
	{"shared-informer-lists", "SharedIndexInformer without streaming lists", with(listed, rig.InProcess), []string{"all", "tweaked"}, newSharedLists},
	{"factory-typed", "shared informer factory of its typed client, in JSON", with(overHTTP, informer.Streams), []string{"all", "streams", "http"}, newTyped},
	{"factory-typed-lists", "shared informer factory of its typed client, without streaming lists", with(listed, rig.HTTP2), []string{"all", "http", "tweaked"}, newTypedLists},
	{"factory-typed-protobuf", "shared informer factory of its typed client, in protobuf", with(overHTTP, informer.Streams), []string{"all", "streams", "http"}, newProtobuf},
	{"factory-dynamic", "shared informer factory of its dynamic client", with(overHTTP, informer.Streams), []string{"all", "streams", "http", "dynamic"}, newDynamic},
	{"factory-metadata", "shared informer factory of its metadata client", with(overHTTP, informer.Streams, informer.MetadataOnly), []string{"all", "streams", "http"}, newMetadata},
	{"reflector-store", "Reflector that fills an Indexer", with(alone, informer.Streams), []string{"all", "streams", "streams-in-process"}, newReflected},
	{"reflector-pages", "Reflector that fills an Indexer, without streaming lists, in pages of three", with(alone, informer.PageSize), []string{"all", "pages"}, newPaged},
	{"reflector-undelta", "Reflector that fills an UndeltaStore, as the kubelet's", []harness.Feature{rig.InProcess, informer.ClientGoSemantics, informer.Streams, informer.Pushes, informer.Version, informer.AllNamespaces, informer.Selectors}, []string{"all", "streams", "streams-in-process"}, newUndelta},
	{"reflector-delta-fifo", "controller with a DeltaFIFO", with(queued, informer.ErrorHook), []string{"all", "streams", "streams-in-process"}, newDelta},
	{"reflector-real-fifo", "controller with a RealFIFO", with(queued, informer.ErrorHook), []string{"all", "streams", "streams-in-process"}, newReal},
	{"new-informer", "NewInformerWithOptions: a store, and one handler", with(queued, informer.Version, informer.Bookmarks), []string{"all", "streams", "streams-in-process"}, newInformer},
}
