package informer

import (
	"slices"

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
