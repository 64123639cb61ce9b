package informer

import (
	"slices"

	"github.com/lwtest/lwtest/harness"
)

var stopClean = harness.NewRule(harness.Clause{
	ID:       "stop/clean",
	Level:    harness.Must,
	MustWith: ClientGoSemantics,
	Text:     "After the run has returned, no handler is called, every watch is stopped, and no goroutine is left.",
	Sources:  []harness.Source{shared("RunWithContext")},
	Why:      "A process that starts and stops informers fills up with what they leave behind, and handlers use what is closed.",
	Advice:   "Before Run returns, cancel every open request, drop the handlers' queues, and wait for every goroutine, timer and handler call to end.",
	Classes: slices.Concat([]string{"STOP while=it watches", "STOP while=it pauses after=list", "STOP while=it pauses after=stream", "STOP while=it pauses after=watch", "STOP while=it waits for a list", "STOP while=it waits for a watch", "STOP while=it starts", "STOP while=a handler is called"},
		meets("watch", "replace-unknown", "replace-other", "double-MODIFIED", "swap-MODIFIED", "lie-ADDED", "drop-ADDED", "lie-BOOKMARK"), meets("relist", "stale")),
}, judgeClean)

var stopPrompt = harness.NewRule(harness.Clause{
	ID:      "stop/prompt",
	Level:   harness.Should,
	Text:    "The run returns as soon as the handler calls that are under way have returned, even out of a pause.",
	Sources: []harness.Source{shared("RunWithContext")},
	Why:     "A process that is asked to end is killed before it has released its lease.",
	Advice:  "Wait for the stop signal wherever you pause, and tie every request to it: use no plain sleep (in Go: select on a timer and ctx.Done).",
	Classes: []string{"STOP while=it pauses after=list", "STOP while=it pauses after=stream", "STOP while=it pauses after=watch", "STOP while=it waits for a list", "STOP while=it waits for a watch", "STOP while=a handler is called"},
}, judgePrompt)

var lifecycleTwice = harness.NewRule(harness.Clause{
	ID:       "lifecycle/twice",
	Level:    harness.Must,
	MustWith: ClientGoSemantics,
	Text:     "A second start, during the run or after it, makes no second loop.",
	Sources:  []harness.Source{shared("IsStopped")},
	Why:      "Two loops write one store: it goes back and forth, and every handler is called twice.",
	Advice:   "Guard the start with a flag under a lock, which the stop does not reset: a second Run returns at once, or with an error.",
	Classes:  []string{"RUN again"},
}, judgeTwice, Restarts)

var lifecycleStopped = harness.NewRule(harness.Clause{
	ID:      "lifecycle/stopped",
	Level:   harness.Should,
	Text:    "Adding a handler after the stop is refused.",
	Sources: []harness.Source{shared("IsStopped")},
	Why:     "A controller waits for events that will never come.",
	Advice:  "Where you add a handler, check under the lock whether the informer has been stopped, and return an error if it has.",
	Classes: []string{"HANDLE after the stop"},
}, judgeStopped, Handlers, ManyHandlers)

var stopRules = []harness.Rule{stopClean, stopPrompt, lifecycleTwice, lifecycleStopped}
