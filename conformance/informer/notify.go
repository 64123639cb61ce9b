package informer

import (
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
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

// always are what every drive with a handler puts to the test.
var always = []harness.Rule{notifyOrder, notifySequential, notifyAfterStore, notifyComplete, convergeTime}

func with(r ...harness.Rule) []harness.Rule { return append(r, always...) }

func indexed(c *Config)                   { c.Index = ByApp }
func every(d time.Duration) func(*Config) { return func(c *Config) { c.Resync = d } }

var notifyChecks = []harness.Check[Rig]{
	{Info: harness.Info{
		Name:  "notify/order",
		About: "objects come, change, go and come again, while two handlers listen, or the one that there can be",
		Needs: []harness.Feature{Handlers},
		Rules: with(),
	}, Drive: drive(driveLives)},
	{Info: harness.Info{
		Name:  "notify/order/relist",
		About: "the same while watches end, and with changes that a list brings, or a watch all at once",
		Needs: []harness.Feature{Handlers, rig.Cuts, rig.Faults},
		Rules: with(),
		Span:  3 * time.Minute,
	}, Drive: drive(driveRelists)},
	{Info: harness.Info{
		Name:  "notify/order/many",
		About: "random changes to five objects, watches that end and are expired, a handler that is held now and then",
		Needs: []harness.Feature{Handlers, ManyHandlers, rig.Cuts, rig.Faults},
		Rules: with(),
		Span:  3 * time.Minute,
	}, Drive: drive(driveRandom)},
	{Info: harness.Info{
		Name:  "notify/after-store",
		About: "objects whose index value changes, while a handler is held",
		Needs: []harness.Feature{Handlers, ManyHandlers, Indexes},
		Rules: with(),
	}, Drive: drive(driveHeldIndex, indexed)},
	{Info: harness.Info{
		Name:  "notify/delete-state",
		About: "objects that are deleted while a watch is open, and while none is",
		Needs: []harness.Feature{Handlers, DeleteState, rig.Cuts, rig.Faults},
		Rules: with(notifyDelete),
	}, Drive: drive(driveDeletes)},
	{Info: harness.Info{
		Name:  "notify/late-handler",
		About: "handlers join when the store is filled, while objects change, and while the first list is under way",
		Needs: []harness.Feature{Handlers, ManyHandlers},
		Rules: with(notifyLate),
	}, Drive: drive(driveLate)},
	{Info: harness.Info{
		Name:  "notify/late-handler/backlog",
		About: "a handler joins while another is held with much before it, changes of one object in a row among it",
		Needs: []harness.Feature{Handlers, ManyHandlers},
		Rules: with(notifyLate),
	}, Drive: drive(driveLateBacklog)},
	{Info: harness.Info{
		Name:  "notify/late-handler/beside",
		About: "handlers join while objects come, change and go without a pause",
		Needs: []harness.Feature{Handlers, ManyHandlers},
		Rules: with(notifyLate),
	}, Drive: drive(driveLateBeside)},
	{Info: harness.Info{
		Name:  "notify/late-handler/relist",
		About: "handlers join while a later list is under way, which brings changes",
		Needs: []harness.Feature{Handlers, ManyHandlers, rig.Cuts, rig.Faults},
		Rules: with(notifyLate),
		Span:  30 * time.Second,
	}, Drive: drive(driveJoinRelist)},
	{Info: harness.Info{
		Name:  "notify/removed-handler",
		About: "handlers are removed without waiting, twice: idle, and held with a backlog",
		Needs: []harness.Feature{Handlers, ManyHandlers, Removal},
		Rules: with(notifyRemoved),
	}, Drive: drive(driveRemoved(false))},
	{Info: harness.Info{
		Name:  "notify/removed-handler/waiting",
		About: "handlers are removed by a call that waits, twice: idle, and held with a backlog",
		Needs: []harness.Feature{Handlers, ManyHandlers, Removal, RemovalWaits},
		Rules: with(notifyRemoved),
	}, Drive: drive(driveRemoved(true))},
	{Info: harness.Info{
		Name:  "notify/removed-handler/last",
		About: "the only handler is removed, objects change, and another is added",
		Needs: []harness.Feature{Handlers, ManyHandlers, Removal, rig.Cuts, rig.Faults},
		Rules: with(notifyRemoved, convergeEqual),
		Span:  25 * time.Second,
	}, Drive: drive(driveRemovedLast)},
	{Info: harness.Info{
		Name:   "notify/removed-handler/resync",
		About:  "a handler with the informer's period is removed without waiting, and periods go by",
		Needs:  []harness.Feature{Handlers, ManyHandlers, Removal, Resync},
		Unless: polls,
		Rules:  with(notifyRemoved),
	}, Drive: drive(driveRemovedResync(false), every(3*time.Second))},
	{Info: harness.Info{
		Name:   "notify/removed-handler/resync-waiting",
		About:  "it is removed by a call that waits",
		Needs:  []harness.Feature{Handlers, ManyHandlers, Removal, RemovalWaits, Resync},
		Unless: polls,
		Rules:  with(notifyRemoved),
	}, Drive: drive(driveRemovedResync(true), every(3*time.Second))},
	{Info: harness.Info{
		Name:  "notify/removed-handler/early",
		About: "handlers are removed without waiting before the start, and while the first list is under way",
		Needs: []harness.Feature{Handlers, ManyHandlers, Removal},
		Rules: with(notifyRemoved),
	}, Drive: drive(driveRemovedEarly(false))},
	{Info: harness.Info{
		Name:  "notify/removed-handler/early-waiting",
		About: "they are removed then by a call that waits",
		Needs: []harness.Feature{Handlers, ManyHandlers, Removal, RemovalWaits},
		Rules: with(notifyRemoved),
	}, Drive: drive(driveRemovedEarly(true))},
	{Info: harness.Info{
		Name:  "notify/slow",
		About: "one handler is held while twenty-one hundred changes come, and another hears of them all",
		Needs: []harness.Feature{Handlers, ManyHandlers},
		Rules: with(notifySlow),
		Span:  30 * time.Second,
	}, Drive: drive(driveSlowHandler)},
	{Info: harness.Info{
		Name:  "notify/slow/relist",
		About: "one handler is held while watches end, and lists follow",
		Needs: []harness.Feature{Handlers, ManyHandlers, rig.Cuts, rig.Faults},
		Rules: with(notifySlow),
		Span:  30 * time.Second,
	}, Drive: drive(driveSlowRelist)},
	{Info: harness.Info{
		Name:   "notify/resync",
		About:  "a handler with the informer's period, and where handlers can have one of their own, one with a longer one, while an object changes now and then",
		Needs:  []harness.Feature{Handlers, Resync},
		Unless: polls,
		Rules:  with(notifyResync),
		Span:   10 * time.Minute,
	}, Drive: drive(driveResync, every(3*time.Second))}, // a watch of twenty seconds has enough of them
	{Info: harness.Info{
		Name:   "notify/resync/later",
		About:  "handlers with the informer's period, and with a longer one, after a watch that has ended and after a later list, which has objects that the first did not have, one of them made anew",
		Needs:  []harness.Feature{Handlers, Resync, rig.Cuts, rig.Faults},
		Unless: polls,
		Rules:  with(notifyResync),
		Span:   10 * time.Minute,
	}, Drive: drive(driveResyncLater, every(3*time.Second))},
	{Info: harness.Info{
		Name:  "notify/order/large",
		About: "hundreds of objects are listed, missed, changed at once, and told to a handler that joins late",
		Needs: []harness.Feature{Handlers, rig.Cuts, rig.Faults},
		Rules: with(),
		Span:  30 * time.Second,
	}, Drive: drive(driveNotifyLarge)},
	{Info: harness.Info{
		Name:   "notify/resync/large",
		About:  "periods of a handler go by where there are hundreds of objects",
		Needs:  []harness.Feature{Handlers, Resync},
		Unless: polls,
		Rules:  with(notifyResync),
		Span:   10 * time.Minute,
	}, Drive: drive(driveResyncLarge, every(30*time.Second))},
}
