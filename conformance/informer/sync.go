package informer

import (
	"slices"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
)

const streamingKEP = "3157-watch-list/README.md#"

var syncHas = harness.Rule{
	Clause: harness.Clause{
		ID:       "sync/has-synced",
		Level:    harness.Must,
		MustWith: ClientGoSemantics,
		Text:     "HasSynced is true only when one whole initial list is in the store, its last item included, and stays true while it runs; an empty list syncs, too",
		Sources:  []harness.Source{source.Symbol(source.Cache + "shared_informer.go#SharedInformer.HasSynced")},
		Why:      "a controller that starts on half a store deletes what it does not find there",
		Classes:  []string{"SYNCED true", "SYNCED false", "asks=list got=nothing", "asks=list got=items"},
	},
	Needs: []harness.Feature{HasSynced},
	Judge: judgeHasSynced,
}

var syncHandler = harness.Rule{
	Clause: harness.Clause{
		ID:       "sync/handler-synced",
		Level:    harness.Must,
		MustWith: ClientGoSemantics,
		Text:     "a handler's HasSynced is true only when that handler has returned from each add of its initial batch",
		Sources:  []harness.Source{source.Symbol(source.Cache + "shared_informer.go#ResourceEventHandlerRegistration")},
		Why:      "what a controller gathers in its handler is taken for whole before it is",
		Classes:  []string{"SYNCED handler true", "SYNCED handler false", "HANDLE before", "HANDLE late"},
	},
	Needs: []harness.Feature{Handlers, HandlerSynced},
	Judge: judgeHandlerSynced,
}

var syncInitial = harness.Rule{
	Clause: harness.Clause{
		ID:      "sync/initial-flag",
		Level:   harness.Should,
		Text:    "adds of a handler's initial batch (of one that joins late: what the store has then) are marked as such; others, those of a later list too, are not",
		Sources: []harness.Source{source.Symbol(source.Cache + "controller.go#ResourceEventHandlerDetailedFuncs"), sharedInformer},
		Why:     "a controller takes what has been there for long for new, and greets it again at each start",
		Classes: []string{"ADD initial=true", "ADD initial=false", "HANDLE late"},
	},
	Needs: []harness.Feature{Handlers, InitialFlag},
	Judge: judgeInitialFlag,
}

var syncRefused = harness.Rule{
	Clause: harness.Clause{
		ID:      "sync/watchlist-refused",
		Level:   harness.Must,
		Text:    "a server that refuses streaming lists (400, 403, 404, 422, 500, 503) is synced from by LIST",
		Sources: []harness.Source{source.KEP("KEP-3157", "Version Skew Strategy", streamingKEP+"version-skew-strategy")},
		Why:     "a new client in front of an old server never starts",
		Classes: slices.Concat(meets("stream", "400"), meets("restream", "403", "404", "422", "500", "503", "504", "reset")),
	},
	Needs: []harness.Feature{Streams, rig.Faults},
	Judge: judgeStreamRefused,
}

var syncFallback = harness.Rule{
	Clause: harness.Clause{
		ID:      "sync/watchlist-fallback",
		Level:   harness.Must,
		Text:    "so is one that answers streaming lists and does not finish them: that ends the stream early, sends no end bookmark, or always an ERROR; what that LIST has is in the store",
		Sources: []harness.Source{source.KEP("KEP-3157", "Feature Enablement and Rollback", streamingKEP+"feature-enablement-and-rollback")},
		Why:     "one proxy that does not know the new way, and the controller waits for its caches for ever",
		Classes: slices.Concat(meets("stream", "ends", "drop-BOOKMARK", "ERROR-410", "410", "429"),
			meets("restream", "429", "ERROR-403", "ERROR-410", "ERROR-429", "ERROR-500", "ERROR-504", "ERROR-too-large", "unreadable", "cut", "ends", "ends-at-once", "clean-event"),
			meets("restream", "double-ADDED", "swap-ADDED", "early-ADDED", "double-BOOKMARK", "replace-modified", "replace-deleted", "replace-unknown", "replace-other", "stale")),
	},
	Needs: []harness.Feature{Streams, rig.Faults},
	Judge: judgeStreamFallback,
}

var syncRules = []harness.Rule{syncHas, syncHandler, syncInitial, syncRefused, syncFallback}

// hours is the grace of drives that wait for what happens seldom.
const hours = time.Hour

var syncChecks = []harness.Check[Rig]{
	{Info: harness.Info{
		Name:  "sync/has-synced",
		About: "a first list, or streaming list, that takes its time, of some objects; what is asked meanwhile, and ever after",
		Needs: []harness.Feature{HasSynced, rig.Faults},
		Rules: []harness.Rule{syncHas, convergeEqual},
	}, Drive: drive(driveSlowList)},
	{Info: harness.Info{
		Name:  "sync/has-synced/at-once",
		About: "a first list of many objects, and whether all are there in the instant in which it says that it has synced",
		Needs: []harness.Feature{HasSynced},
		Rules: []harness.Rule{syncHas, convergeEqual},
	}, Drive: drive(driveSyncedAtOnce)},
	{Info: harness.Info{
		Name:  "sync/has-synced/empty",
		About: "a first list of nothing",
		Needs: []harness.Feature{HasSynced},
		Rules: []harness.Rule{syncHas},
	}, Drive: drive(driveEmptyList)},
	{Info: harness.Info{
		Name:  "sync/has-synced/failing",
		About: "first lists that fail in every way, before one that does not",
		Needs: []harness.Feature{HasSynced, rig.Faults},
		Rules: []harness.Rule{syncHas, convergeEqual},
		Span:  30 * time.Minute,
	}, Drive: drive(driveFailingList)},
	{Info: harness.Info{
		Name:  "sync/has-synced/pages",
		About: "a first list in pages, of which each takes its time",
		Needs: []harness.Feature{HasSynced, PageSize, rig.Faults},
		Rules: []harness.Rule{syncHas, convergeEqual},
	}, Drive: drive(driveSlowPages, paged)},
	{Info: harness.Info{
		Name:  "sync/handler-synced/relist",
		About: "a later list, or streaming list, takes its time, and a handler is asked meanwhile whether it has synced",
		Needs: []harness.Feature{Handlers, HandlerSynced, rig.Cuts, rig.Faults},
		Rules: []harness.Rule{syncHandler, convergeEqual},
		Span:  time.Minute,
	}, Drive: drive(driveSyncedRelist)},
	{Info: harness.Info{
		Name:  "sync/handler-synced",
		About: "handlers that take their time for one of their first objects, and one whose first objects go before it is told of them",
		Needs: []harness.Feature{Handlers, ManyHandlers, HandlerSynced},
		Rules: []harness.Rule{syncHandler},
	}, Drive: drive(driveHeldHandler)},
	{Info: harness.Info{
		Name:  "sync/handler-synced/late",
		About: "the same of handlers that join late, one that joins while the first list is under way, and one that finds nothing there",
		Needs: []harness.Feature{Handlers, ManyHandlers, HandlerSynced},
		Rules: []harness.Rule{syncHandler},
	}, Drive: drive(driveHeldLate)},
	{Info: harness.Info{
		Name:  "sync/initial-flag",
		About: "handlers that are there from the start and that join late, objects that come at once after the first list, and later, by a later list, and many at once",
		Needs: []harness.Feature{Handlers, InitialFlag, rig.Cuts, rig.Faults},
		Rules: []harness.Rule{syncInitial, notifyComplete},
	}, Drive: drive(driveInitial)},
	{Info: harness.Info{
		Name:  "sync/watchlist-refused",
		About: "streaming lists are refused with each code that an older server, or one in front of it, may have",
		Needs: []harness.Feature{Streams, rig.Faults},
		Rules: []harness.Rule{syncRefused},
		Span:  2 * time.Minute,
	}, Drive: drive(driveStreamRefused)},
	{Info: harness.Info{
		Name:  "sync/watchlist-fallback/ends",
		About: "each streaming list ends after its first event, without its end bookmark",
		Needs: []harness.Feature{Streams, rig.Faults},
		Rules: []harness.Rule{syncFallback},
		Span:  30 * time.Second,
		Grace: hours,
	}, Drive: drive(driveStreamFault(rig.Fault{Events: &rig.Events{Nth: 2, Do: "close"}}, metAtOnce))},
	{Info: harness.Info{
		Name:  "sync/watchlist-fallback/no-mark",
		About: "no streaming list has an end bookmark",
		Needs: []harness.Feature{Streams, rig.Faults},
		Rules: []harness.Rule{syncFallback},
		Span:  metByTimeout,
		Grace: hours,
	}, Drive: drive(driveStreamFault(rig.Fault{Events: &rig.Events{Types: []string{"BOOKMARK"}, Do: "drop"}}, metByTimeout))},
	{Info: harness.Info{
		Name:  "sync/watchlist-fallback/error",
		About: "each streaming list ends with an ERROR 410",
		Needs: []harness.Feature{Streams, rig.Faults},
		Rules: []harness.Rule{syncFallback},
		Span:  30 * time.Second,
		Grace: hours,
	}, Drive: drive(driveStreamExpires)},
	{Info: harness.Info{
		Name:  "sync/watchlist-fallback/error/other",
		About: "each streaming list ends with an ERROR of 500, for another informer with one of 504, for a third with one of 403",
		Needs: []harness.Feature{Streams, rig.Faults},
		Rules: []harness.Rule{syncFallback},
		Span:  2 * time.Hour,
	}, Drive: drive(driveStreamErrors)},
	{Info: harness.Info{
		Name:  "sync/watchlist-fallback/busy",
		About: "each streaming list is answered 429",
		Needs: []harness.Feature{Streams, rig.Faults},
		Rules: []harness.Rule{syncFallback},
		Span:  5 * time.Minute,
		Grace: hours,
	}, Drive: drive(driveStreamFault(rig.Fault{Status: &rig.Status{Code: 429, RetryAfter: 1}}, metByRetries))},
}
