package informer

import (
	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
)

var handlerDoc = source.Symbol(source.Cache + "controller.go#ResourceEventHandler")

func shared(member string) harness.Source {
	return source.Symbol(source.Cache + "shared_informer.go#SharedInformer." + member)
}

var notifyOrder = harness.Rule{
	Clause: harness.Clause{
		ID:       "notify/order",
		Level:    harness.Must,
		MustWith: ClientGoSemantics,
		Text:     "for each object a handler is told of an add, of updates, of a delete, in this order; each old state is the one that it was told of before",
		Sources:  []harness.Source{sharedInformer, handlerDoc},
		Why:      "what a controller counts by adds and deletes is wrong ever after",
		Classes:  []string{"ADD initial=true", "ADD initial=false", "UPDATE of=a change", "UPDATE of=another object", "DELETE unknown=false", "DELETE unknown=true"},
	},
	Needs: []harness.Feature{Handlers},
	Judge: judgeOrder,
}

var notifySequential = harness.Rule{
	Clause: harness.Clause{
		ID:       "notify/sequential",
		Level:    harness.Must,
		MustWith: ClientGoSemantics,
		Text:     "a handler is never called twice at a time",
		Sources:  []harness.Source{shared("AddEventHandler")},
		Why:      "handlers have no locks: their maps break",
		Classes:  []string{"UPDATE of=a change", "UPDATE of=the same"},
	},
	Needs: []harness.Feature{Handlers},
	Judge: judgeSequential,
}

var notifyAfterStore = harness.Rule{
	Clause: harness.Clause{
		ID:       "notify/after-store",
		Level:    harness.Must,
		MustWith: ClientGoSemantics,
		Text:     "when a handler is called, store and indexes have that state or a later one",
		Sources:  []harness.Source{sharedInformer},
		Why:      "a worker that is woken by the handler reads the store, finds the old state, and goes back to sleep",
		Classes:  []string{"ADD initial=true", "UPDATE of=a change", "DELETE unknown=false", "DELETE unknown=true"},
	},
	Needs: []harness.Feature{Handlers},
	Judge: judgeAfterStore,
}

var notifyComplete = harness.Rule{
	Clause: harness.Clause{
		ID:       "notify/complete",
		Level:    harness.Must,
		MustWith: ClientGoSemantics,
		Text:     "each net change is notified; updates may be merged, and what came and went between two looks may be missed",
		Sources:  []harness.Source{sharedInformer, handlerDoc},
		Why:      "nothing ever comes back to an object whose last change nobody told of",
		Classes:  []string{"ADD initial=false", "UPDATE of=a change", "DELETE unknown=false", "deleted watched=false"},
	},
	Needs: []harness.Feature{Handlers},
	Judge: judgeComplete,
}

var notifyDelete = harness.Rule{
	Clause: harness.Clause{
		ID:      "notify/delete-state",
		Level:   harness.Should,
		Text:    "a delete shows the last known state; where the event was seen, with the resourceVersion of the deletion",
		Sources: []harness.Source{sharedInformer},
		Why:     "who cleans up by what the object said last cleans up the wrong thing",
		Classes: []string{"DELETE unknown=false", "DELETE unknown=true"},
	},
	Needs: []harness.Feature{Handlers, DeleteState},
	Judge: judgeDeleteState,
}

var notifyLate = harness.Rule{
	Clause: harness.Clause{
		ID:       "notify/late-handler",
		Level:    harness.Must,
		MustWith: ClientGoSemantics,
		Text:     "a handler added late gets adds for what is there, and then all changes, none twice",
		Sources:  []harness.Source{sharedInformer},
		Why:      "a controller that starts after the others never hears of what was there before",
		Classes:  []string{"HANDLE late"},
	},
	Needs: []harness.Feature{Handlers, ManyHandlers},
	Judge: judgeLate,
}

var notifyRemoved = harness.Rule{
	Clause: harness.Clause{
		ID:       "notify/removed-handler",
		Level:    harness.Must,
		MustWith: ClientGoSemantics,
		Text:     "once a removal that waits has returned nothing comes; after one that does not wait, nothing that was not queued before; other handlers miss nothing; a further removal of it does nothing, and is no error",
		Sources:  []harness.Source{shared("RemoveEventHandler"), source.Symbol(source.Cache + "shared_informer.go#ShutDownEventHandler")},
		Why:      "a handler that is gone uses what its owner has closed",
		Classes:  []string{"UNHANDLE wait=true held=true", "UNHANDLE wait=true held=false", "UNHANDLE wait=false held=true", "UNHANDLE wait=false held=false"},
	},
	Needs: []harness.Feature{Handlers, Removal},
	Judge: judgeRemoved,
}

var notifySlow = harness.Rule{
	Clause: harness.Clause{
		ID:       "notify/slow",
		Level:    harness.Must,
		MustWith: ClientGoSemantics,
		Text:     "a slow handler delays only itself, and loses nothing",
		Sources:  []harness.Source{shared("AddEventHandler")},
		Why:      "one handler that waits for a webhook stops every controller of the process",
		Classes:  []string{"UPDATE of=a change", "DELETE unknown=true"},
	},
	Needs: []harness.Feature{Handlers, ManyHandlers},
	Judge: judgeSlow,
}

var notifyResync = harness.Rule{
	Clause: harness.Clause{
		ID:      "notify/resync",
		Level:   harness.Should,
		Text:    "while one watch session lasts, a handler with a resync period gets each object as an update, old equal to new, not more often than its period",
		Sources: []harness.Source{shared("AddEventHandlerWithResyncPeriod")},
		Why:     "what a controller could not do the first time it never tries again, or tries without end",
		Classes: []string{"UPDATE of=the same"},
	},
	Needs: []harness.Feature{Handlers, Resync},
	Judge: judgeResync,
}

var notifyRules = []harness.Rule{notifyOrder, notifySequential, notifyAfterStore, notifyComplete, notifyDelete, notifyLate, notifyRemoved, notifySlow, notifyResync}
