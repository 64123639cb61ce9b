package informer

import (
	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
)

// The features that an informer may declare. Each says what it promises.
const (
	HasSynced      harness.Feature = "has-synced"        // says whether it has synced (Synced)
	Handlers       harness.Feature = "handlers"          // calls handlers for changes (Handled)
	ManyHandlers   harness.Feature = "many-handlers"     // takes any number of handlers, at any time, each of which delays only itself
	HandlerPeriods harness.Feature = "handler-periods"   // a handler can have a resync period of its own
	HandlerSynced  harness.Feature = "handler-synced"    // a handler's registration says whether the handler has got its first objects
	InitialFlag    harness.Feature = "initial-flag"      // an add says whether it is one of the handler's first objects
	DeleteState    harness.Feature = "delete-state"      // a delete says whether the final state is known
	Removal        harness.Feature = "removal"           // handlers can be removed
	RemovalWaits   harness.Feature = "removal-waits"     // a removal can wait for the call that is under way
	Indexes        harness.Feature = "indexes"           // has an index (Indexed)
	Resync         harness.Feature = "resync"            // calls handlers for every object again now and then
	Transforms     harness.Feature = "transforms"        // transforms objects before it keeps them
	Pushes         harness.Feature = "pushes"            // pushes the whole content after each change
	Version        harness.Feature = "version"           // its store tells a resourceVersion (Versioned)
	Bookmarks      harness.Feature = "version-bookmarks" // its store gets bookmarks, and its resourceVersion moves with them
	ErrorHook      harness.Feature = "error-hook"        // reports errors to a hook
	Streams        harness.Feature = "streaming-lists"   // asks for streaming lists where it can
	PageSize       harness.Feature = "page-size"         // the size of its lists' pages can be set
	AllNamespaces  harness.Feature = "all-namespaces"    // can have the objects of all namespaces
	Selectors      harness.Feature = "selectors"         // can have the objects that selectors choose alone
	MetadataOnly   harness.Feature = "metadata-only"     // has only the metadata of objects (PartialObjectMetadata)
	NoImmutable    harness.Feature = "no-immutable"      // its types are older than Kubernetes 1.18
	NewStateOnly   harness.Feature = "new-state-only"    // an update carries only the new state
	Polls          harness.Feature = "polls"             // opens no watch except for streaming lists
	Restarts       harness.Feature = "started-twice"     // can be started a second time, which does nothing
	Writes         harness.Feature = "writes"            // is a client, too, and writes (Writer)
	ReadYourWrites harness.Feature = "read-your-writes"  // reads what it wrote itself (Rereader)

	NoticesSilence harness.Feature = "notices-silence" // has a timer of its own for requests on which nothing comes

	ClientGoSemantics harness.Feature = "client-go-semantics" // promises to behave as client-go does
)

// polls rules out checks of what becomes of a watch.
var polls = []harness.Feature{Polls}

var features = append([]harness.FeatureInfo{
	{Name: HasSynced, Help: "says whether it has synced (Synced)"},
	{Name: Handlers, Help: "calls handlers for changes (Handled)"},
	{Name: ManyHandlers, Help: "takes any number of handlers, at any time, each of which delays only itself; without it there is one, added before the start"},
	{Name: HandlerPeriods, Help: "a handler can have a resync period of its own"},
	{Name: HandlerSynced, Help: "a handler's registration says whether the handler has got its first objects"},
	{Name: InitialFlag, Help: "an add says whether it is one of the handler's first objects"},
	{Name: DeleteState, Help: "a delete says whether the final state is known"},
	{Name: Removal, Help: "handlers can be removed"},
	{Name: RemovalWaits, Help: "a removal can wait for the call that is under way"},
	{Name: Indexes, Help: "has an index (Indexed)"},
	{Name: Resync, Help: "calls handlers for every object again now and then"},
	{Name: Transforms, Help: "transforms objects before it keeps them"},
	{Name: Pushes, Help: "pushes the whole content after each change"},
	{Name: Version, Help: "its store tells a resourceVersion (Versioned)"},
	{Name: Bookmarks, Help: "its store gets bookmarks, and its resourceVersion moves with them"},
	{Name: ErrorHook, Help: "reports errors to a hook"},
	{Name: Streams, Help: "asks for streaming lists where it can"},
	{Name: PageSize, Help: "the size of its lists' pages can be set"},
	{Name: AllNamespaces, Help: "can have the objects of all namespaces; without it one informer has one namespace"},
	{Name: Selectors, Help: "can be told to have only the objects that a label selector and a field selector choose"},
	{Name: MetadataOnly, Help: "has only the metadata of objects (PartialObjectMetadata)"},
	{Name: NoImmutable, Help: "its types are older than Kubernetes 1.18: a ConfigMap has no field immutable"},
	{Name: NewStateOnly, Help: "an update carries only the new state"},
	{Name: Polls, Help: "opens no watch except for streaming lists: it lists at least every half minute; checks of watches are not for it, and in real time most others take minutes (--span, LWTEST_SPAN)"},
	{Name: Restarts, Help: "can be started a second time, which does nothing"},
	{Name: Writes, Help: "is a client, too: it writes objects that it has a copy of (Writer)"},
	{Name: ReadYourWrites, Help: "promises that a read shows what it wrote itself, or waits for it (Rereader); it also declares writes"},
	{Name: NoticesSilence, Help: "has a timer of its own for requests on which nothing comes, though the connection lives; client-go has none, and relies on the server to end a watch"},
	{Name: ClientGoSemantics, Help: "promises to behave as client-go does: clauses that only client-go's documentation supports are then MUSTs, and SHOULDs otherwise"},
}, rig.Features...)
