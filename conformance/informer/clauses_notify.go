package informer

import (
	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
)

var handlerDoc = source.Symbol(source.Cache + "controller.go#ResourceEventHandler")

func shared(member string) harness.Source {
	return source.Symbol(source.Cache + "shared_informer.go#SharedInformer." + member)
}

var notifyOrder = harness.NewRule(harness.Clause{
	ID:       "notify/order",
	Level:    harness.Must,
	MustWith: ClientGoSemantics,
	Text:     "For each object a handler gets an add, then updates, then a delete. The old state of each update or delete is the state of the notification before it.",
	Sources:  []harness.Source{sharedInformer, handlerDoc},
	Why:      "A controller that counts adds and deletes has a wrong count from then on.",
	Advice:   "Decide between add, update and delete by what this handler was told last, pass that as the old state, and call it from one queue, oldest first.",
	Classes:  []string{"ADD initial=true", "ADD initial=false", "UPDATE of=a change", "UPDATE of=another object", "DELETE unknown=false", "DELETE unknown=true"},
}, judgeOrder, Handlers)

var notifySequential = harness.NewRule(harness.Clause{
	ID:       "notify/sequential",
	Level:    harness.Must,
	MustWith: ClientGoSemantics,
	Text:     "A handler is never called twice at the same time.",
	Sources:  []harness.Source{shared("AddEventHandler")},
	Why:      "Handlers take no locks, so their maps break.",
	Advice:   "Call each handler from one loop of its own, and wait (or await) until a call has returned before the next: start no task per event.",
	Classes:  []string{"UPDATE of=a change", "UPDATE of=the same"},
}, judgeSequential, Handlers)

var notifyAfterStore = harness.NewRule(harness.Clause{
	ID:       "notify/after-store",
	Level:    harness.Must,
	MustWith: ClientGoSemantics,
	Text:     "When a handler is called, the store and the indexes have that state or a later one.",
	Sources:  []harness.Source{sharedInformer},
	Why:      "The handler wakes a worker, which reads the store, finds the old state, and goes back to sleep.",
	Advice:   "Change the store and its indexes first, and queue the notification only after that.",
	Classes:  []string{"ADD initial=true", "UPDATE of=a change", "DELETE unknown=false", "DELETE unknown=true"},
}, judgeAfterStore, Handlers)

var notifyComplete = harness.NewRule(harness.Clause{
	ID:       "notify/complete",
	Level:    harness.Must,
	MustWith: ClientGoSemantics,
	Text:     "Every net change is notified. Updates may be merged, and an object that came and went between two observations may be missed.",
	Sources:  []harness.Source{sharedInformer, handlerDoc},
	Why:      "If the last change of an object is not notified, no controller ever comes back to that object.",
	Advice:   "Report what a list changes, too: compare it with the store, and notify each add, update and delete. Drop nothing when a handler's queue is full.",
	Classes:  []string{"ADD initial=false", "UPDATE of=a change", "DELETE unknown=false", "deleted watched=false"},
}, judgeComplete, Handlers)

var notifyDelete = harness.NewRule(harness.Clause{
	ID:      "notify/delete-state",
	Level:   harness.Should,
	Text:    "A delete carries the last known state. If the informer saw the event, that state has the resourceVersion of the deletion.",
	Sources: []harness.Source{sharedInformer},
	Why:     "A controller that cleans up by the last state of the object cleans up the wrong thing.",
	Advice:  "On a DELETED event pass on that event's object, not the one in the store. Mark the state as unknown only if a list showed that the object is gone.",
	Classes: []string{"DELETE unknown=false", "DELETE unknown=true"},
}, judgeDeleteState, Handlers, DeleteState)

var notifyLate = harness.NewRule(harness.Clause{
	ID:       "notify/late-handler",
	Level:    harness.Must,
	MustWith: ClientGoSemantics,
	Text:     "A handler that is added late gets an add for each object in the store, and then all changes, none of them twice.",
	Sources:  []harness.Source{sharedInformer},
	Why:      "A controller that starts after the others never sees the objects that were there before.",
	Advice:   "Under one lock, queue an add for each object in the store and connect the new handler to live events, so that it misses none and gets none twice.",
	Classes:  []string{"HANDLE late"},
}, judgeLate, Handlers, ManyHandlers)

var notifyRemoved = harness.NewRule(harness.Clause{
	ID:       "notify/removed-handler",
	Level:    harness.Must,
	MustWith: ClientGoSemantics,
	Text:     "After a removal that waits has returned, the handler is not called. After one that does not wait, it gets only what was queued before. Other handlers miss nothing. Removing it again does nothing, and is no error.",
	Sources:  []harness.Source{shared("RemoveEventHandler"), source.Symbol(source.Cache + "shared_informer.go#ShutDownEventHandler")},
	Why:      "A handler that was removed uses what its owner has closed.",
	Advice:   "Remove exactly this handler, also before the start: drop its queue, wait for its running call if asked to, and let a second removal succeed.",
	Classes:  []string{"UNHANDLE wait=true held=true", "UNHANDLE wait=true held=false", "UNHANDLE wait=false held=true", "UNHANDLE wait=false held=false"},
}, judgeRemoved, Handlers, Removal)

var notifySlow = harness.NewRule(harness.Clause{
	ID:       "notify/slow",
	Level:    harness.Must,
	MustWith: ClientGoSemantics,
	Text:     "A slow handler delays only itself, and loses nothing.",
	Sources:  []harness.Source{shared("AddEventHandler")},
	Why:      "One handler that waits for a webhook stops every controller of the process.",
	Advice:   "Give each handler a queue without a limit and a goroutine or task of its own: never call handlers from the watch loop, and never drop what waits.",
	Classes:  []string{"UPDATE of=a change", "DELETE unknown=true"},
}, judgeSlow, Handlers, ManyHandlers)

var notifyResync = harness.NewRule(harness.Clause{
	ID:      "notify/resync",
	Level:   harness.Should,
	Text:    "During one watch session, a handler with a resync period gets each object as an update whose old and new state are equal, and not more often than its period. An informer without a resync period may do none.",
	Sources: []harness.Source{shared("AddEventHandlerWithResyncPeriod")},
	Why:     "A controller never retries what failed the first time, or retries without end.",
	Advice:  "Run one timer per handler with its period, across relists too. On each tick send every object in the store as an update with equal old and new state.",
	Classes: []string{"UPDATE of=the same"},
}, judgeResync, Handlers, Resync)

var notifyRules = []harness.Rule{notifyOrder, notifySequential, notifyAfterStore, notifyComplete, notifyDelete, notifyLate, notifyRemoved, notifySlow, notifyResync}
