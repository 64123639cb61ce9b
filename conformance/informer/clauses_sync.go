package informer

import (
	"slices"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
)

const streamingKEP = "3157-watch-list/README.md#"

var syncListFirst = harness.NewRule(harness.Clause{
	ID:       "sync/list-first",
	Level:    harness.Must,
	MustWith: ClientGoSemantics, // the API allows a first watch without a resourceVersion
	Text:     "The informer begins with a list, or a streaming list, and not with a watch from no resourceVersion, or from 0.",
	Sources:  []harness.Source{source.Symbol(reflector + "Reflector.ListAndWatchWithContext")},
	Why:      "A watch from nowhere shows what exists, and never what is gone: after each gap deleted objects stay.",
	Advice:   "List first (or ask for sendInitialEvents), and watch from the list's resourceVersion. Open no other watch with \"0\" or without a resourceVersion.",
	Classes:  []string{"asks=list got=items", "asks=list got=nothing"},
}, judgeListFirst)

var syncHas = harness.NewRule(harness.Clause{
	ID:       "sync/has-synced",
	Level:    harness.Must,
	MustWith: ClientGoSemantics,
	Text:     "HasSynced is true only when one whole initial list is in the store, its last item included, and stays true while the informer runs. An empty list syncs, too.",
	Sources:  []harness.Source{source.Symbol(source.Cache + "shared_informer.go#SharedInformer.HasSynced")},
	Why:      "A controller that starts with half a store deletes what it does not find there.",
	Advice:   "Set the flag when the last item of the first complete list is in the store (an empty list counts), and do not clear it while you list again.",
	Classes:  []string{"SYNCED true", "SYNCED false", "asks=list got=nothing", "asks=list got=items"},
}, judgeHasSynced, HasSynced)

var syncHandler = harness.NewRule(harness.Clause{
	ID:       "sync/handler-synced",
	Level:    harness.Must,
	MustWith: ClientGoSemantics,
	Text:     "A handler's HasSynced is true only when the handler has returned from every add of its initial batch.",
	Sources:  []harness.Source{source.Symbol(source.Cache + "shared_informer.go#ResourceEventHandlerRegistration")},
	Why:      "A controller takes the data that its handler has collected for complete before it is.",
	Advice:   "Queue a marker behind each handler's initial adds (of the first list, or of the store if it joins late): it has synced when its loop gets there.",
	Classes:  []string{"SYNCED handler true", "SYNCED handler false", "HANDLE before", "HANDLE late"},
}, judgeHandlerSynced, Handlers, HandlerSynced)

var syncInitial = harness.NewRule(harness.Clause{
	ID:      "sync/initial-flag",
	Level:   harness.Should,
	Text:    "Adds of a handler's initial batch are marked as initial; for a handler that joins late, that is what the store has then. Other adds, those of a later list included, are not.",
	Sources: []harness.Source{source.Symbol(source.Cache + "controller.go#ResourceEventHandlerDetailedFuncs"), sharedInformer},
	Why:     "A controller takes old objects for new ones, and handles them as new at each start.",
	Advice:  "Set the flag when you queue the add, by where it comes from: the first list or the store that a late handler finds, and no later list or event.",
	Classes: []string{"ADD initial=true", "ADD initial=false", "HANDLE late"},
}, judgeInitialFlag, Handlers, InitialFlag)

var syncRefused = harness.NewRule(harness.Clause{
	ID:      "sync/watchlist-refused",
	Level:   harness.Must,
	Text:    "If the server refuses streaming lists (400, 403, 404, 422, 500, 503), the informer syncs by an ordinary LIST.",
	Sources: []harness.Source{source.KEP("KEP-3157", "Version Skew Strategy", streamingKEP+"version-skew-strategy")},
	Why:     "A new client never starts against an old server.",
	Advice:  "If a request with sendInitialEvents is refused, do not repeat it: send a LIST without that option, and watch from its resourceVersion.",
	Classes: slices.Concat(meets("stream", "400"), meets("restream", "403", "404", "422", "500", "503", "504", "reset")),
}, judgeStreamRefused, Streams, rig.Faults)

var syncFallback = harness.NewRule(harness.Clause{
	ID:      "sync/watchlist-fallback",
	Level:   harness.Must,
	Text:    "If the server answers streaming lists but never completes them (it ends the stream early, sends no end bookmark, or always sends an ERROR), the informer falls back to an ordinary LIST, and the store has what that list has.",
	Sources: []harness.Source{source.KEP("KEP-3157", "Feature Enablement and Rollback", streamingKEP+"feature-enablement-and-rollback")},
	Why:     "One proxy does not know the new way, and the controller waits for its caches for ever.",
	Advice:  "If a stream ends or brings an ERROR before its bookmark with k8s.io/initial-events-end, drop what came, send a LIST, and store what that has.",
	Classes: slices.Concat(meets("stream", "ends", "drop-BOOKMARK", "ERROR-410", "410", "429"),
		meets("restream", "429", "ERROR-403", "ERROR-410", "ERROR-429", "ERROR-500", "ERROR-504", "ERROR-too-large", "unreadable", "cut", "ends", "ends-at-once", "clean-event"),
		meets("restream", "double-ADDED", "swap-ADDED", "early-ADDED", "double-BOOKMARK", "replace-modified", "replace-deleted", "replace-unknown", "replace-other", "stale")),
}, judgeStreamFallback, Streams, rig.Faults)

var syncRules = []harness.Rule{syncListFirst, syncHas, syncHandler, syncInitial, syncRefused, syncFallback}
