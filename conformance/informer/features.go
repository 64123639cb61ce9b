package informer

import (
	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
)

// The features of this kind.
const (
	HasSynced      harness.Feature = "has-synced"
	Handlers       harness.Feature = "handlers"
	ManyHandlers   harness.Feature = "many-handlers"
	HandlerPeriods harness.Feature = "handler-periods"
	HandlerSynced  harness.Feature = "handler-synced"
	InitialFlag    harness.Feature = "initial-flag"
	DeleteState    harness.Feature = "delete-state"
	Removal        harness.Feature = "removal"
	RemovalWaits   harness.Feature = "removal-waits"
	Indexes        harness.Feature = "indexes"
	Resync         harness.Feature = "resync"
	Transforms     harness.Feature = "transforms"
	Pushes         harness.Feature = "pushes"
	Version        harness.Feature = "version"
	Bookmarks      harness.Feature = "version-bookmarks"
	ErrorHook      harness.Feature = "error-hook"
	Streams        harness.Feature = "streaming-lists"
	PageSize       harness.Feature = "page-size"
	AllNamespaces  harness.Feature = "all-namespaces"
	MetadataOnly   harness.Feature = "metadata-only"
	NoImmutable    harness.Feature = "no-immutable"
	NewStateOnly   harness.Feature = "new-state-only"
	Polls          harness.Feature = "polls"
	Restarts       harness.Feature = "started-twice"
	ReadYourWrites harness.Feature = "read-your-writes"

	ClientGoSemantics harness.Feature = "client-go-semantics"
)

// polls rules out checks of what becomes of a watch.
var polls = []harness.Feature{Polls}

var features = append([]harness.FeatureInfo{
	{Name: HasSynced, Help: "says whether it has synced (Synced)"},
	{Name: Handlers, Help: "tells handlers of changes (Handled)"},
	{Name: ManyHandlers, Help: "takes any number of handlers, at any time, each of which delays only itself; without it there is one, which was added before the start"},
	{Name: HandlerPeriods, Help: "a handler can have a resync period of its own"},
	{Name: HandlerSynced, Help: "a handler says whether it has been told of its first objects"},
	{Name: InitialFlag, Help: "an add says whether it is of the handler's first objects"},
	{Name: DeleteState, Help: "a delete says whether the final state is known"},
	{Name: Removal, Help: "handlers can be removed"},
	{Name: RemovalWaits, Help: "a removal can wait for the call that is under way"},
	{Name: Indexes, Help: "has an index (Indexed)"},
	{Name: Resync, Help: "tells handlers of everything again now and then"},
	{Name: Transforms, Help: "transforms objects before it keeps them"},
	{Name: Pushes, Help: "pushes the whole content after each change"},
	{Name: Version, Help: "its store tells a resourceVersion (Versioned)"},
	{Name: Bookmarks, Help: "its store is given bookmarks, and its resourceVersion moves with them"},
	{Name: ErrorHook, Help: "tells of errors"},
	{Name: Streams, Help: "asks for streaming lists where it can"},
	{Name: PageSize, Help: "can be told how large the pages of its lists are to be"},
	{Name: AllNamespaces, Help: "can have the objects of all namespaces; without it one informer is of one namespace"},
	{Name: MetadataOnly, Help: "has the metadata of objects alone (PartialObjectMetadata)"},
	{Name: NoImmutable, Help: "its types are of Kubernetes before 1.18, where a ConfigMap has no immutable"},
	{Name: NewStateOnly, Help: "an update brings the new state alone, without the old"},
	{Name: Polls, Help: "opens no watch, but for streaming lists: it lists now and then, every half minute at least; checks of what becomes of a watch are not for it, and in real time most others take minutes (--span, LWTEST_SPAN)"},
	{Name: Restarts, Help: "can be asked to run a second time, which does nothing"},
	{Name: ReadYourWrites, Help: "writes, and reads what it wrote (Writer)"},
	{Name: ClientGoSemantics, Help: "it is to behave as client-go's does, whose documentation is all that supports some clauses: they are MUSTs then, and SHOULDs for others"},
}, rig.Features...)
