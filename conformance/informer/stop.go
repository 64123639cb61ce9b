package informer

import (
	"slices"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
)

var stopClean = harness.Rule{
	Clause: harness.Clause{
		ID:       "stop/clean",
		Level:    harness.Must,
		MustWith: ClientGoSemantics,
		Text:     "once the run has returned no handler is called, every watch is stopped, no goroutine is left",
		Sources:  []harness.Source{shared("RunWithContext")},
		Why:      "a process that starts and stops informers fills with what they leave behind, and handlers use what is closed",
		Classes: slices.Concat([]string{"STOP while=it watches", "STOP while=it pauses after=list", "STOP while=it pauses after=stream", "STOP while=it pauses after=watch", "STOP while=it waits for a list", "STOP while=it waits for a watch", "STOP while=it starts", "STOP while=a handler is called"},
			meets("watch", "replace-unknown", "replace-other", "double-MODIFIED", "swap-MODIFIED", "lie-ADDED", "drop-ADDED", "lie-BOOKMARK"), meets("relist", "stale")),
	},
	Judge: judgeClean,
}

var stopPrompt = harness.Rule{
	Clause: harness.Clause{
		ID:      "stop/prompt",
		Level:   harness.Should,
		Text:    "it returns as soon as the handler calls under way have, also out of a pause",
		Sources: []harness.Source{shared("RunWithContext")},
		Why:     "a process that is told to end is killed before it has given its lease back",
		Classes: []string{"STOP while=it pauses after=list", "STOP while=it pauses after=stream", "STOP while=it pauses after=watch", "STOP while=it waits for a list", "STOP while=it waits for a watch", "STOP while=a handler is called"},
	},
	Judge: judgePrompt,
}

var lifecycleTwice = harness.Rule{
	Clause: harness.Clause{
		ID:       "lifecycle/twice",
		Level:    harness.Must,
		MustWith: ClientGoSemantics,
		Text:     "a second start, while it runs or after, does not make a second loop",
		Sources:  []harness.Source{shared("IsStopped")},
		Why:      "two loops write one store: it goes back and forth, and every handler hears everything twice",
		Classes:  []string{"RUN again"},
	},
	Needs: []harness.Feature{Restarts},
	Judge: judgeTwice,
}

var lifecycleStopped = harness.Rule{
	Clause: harness.Clause{
		ID:      "lifecycle/stopped",
		Level:   harness.Should,
		Text:    "adding a handler after the stop is refused",
		Sources: []harness.Source{shared("IsStopped")},
		Why:     "a controller waits for events that nothing will ever bring",
		Classes: []string{"HANDLE after the stop"},
	},
	Needs: []harness.Feature{Handlers, ManyHandlers},
	Judge: judgeStopped,
}

var stopRules = []harness.Rule{stopClean, stopPrompt, lifecycleTwice, lifecycleStopped}

var stopChecks = []harness.Check[Rig]{
	{Info: harness.Info{
		Name:  "stop/clean",
		About: "it is stopped when all is calm, and objects change after that",
		Rules: []harness.Rule{stopClean, stopPrompt},
	}, Drive: drive(driveStop)},
	{Info: harness.Info{
		Name:  "stop/clean/handler",
		About: "it is stopped while a handler is held with much before it",
		Needs: []harness.Feature{Handlers, ManyHandlers},
		Rules: []harness.Rule{stopClean, stopPrompt},
	}, Drive: drive(driveStopHeld)},
	{Info: harness.Info{
		Name:  "stop/clean/list",
		About: "it is stopped while its first list, or streaming list, gets no answer",
		Needs: []harness.Feature{rig.Faults},
		Rules: []harness.Rule{stopClean, stopPrompt},
	}, Drive: drive(driveStopHanging)},
	{Info: harness.Info{
		Name:  "stop/clean/page",
		About: "it is stopped while a further page of its first list gets no answer",
		Needs: []harness.Feature{PageSize, rig.Faults},
		Rules: []harness.Rule{stopClean, stopPrompt},
	}, Drive: drive(driveStopPage, paged)},
	{Info: harness.Info{
		Name:  "stop/clean/watch",
		About: "two are stopped while a watch gets no answer: the first, and one that is asked for again",
		Needs: []harness.Feature{rig.Cuts, rig.Faults},
		Rules: []harness.Rule{stopPrompt, stopClean},
	}, Drive: drive(driveStopOpening)},
	{Info: harness.Info{
		Name:  "stop/prompt",
		About: "it is stopped in the pause after many failures",
		Needs: []harness.Feature{rig.Cuts, rig.Faults},
		Rules: []harness.Rule{stopPrompt, stopClean},
		Span:  10 * time.Minute,
	}, Drive: drive(driveStopPause)},
	{Info: harness.Info{
		Name:  "stop/prompt/busy",
		About: "two are stopped in the pause after each list and watch was refused with 429, from the first on",
		Needs: []harness.Feature{rig.Faults},
		Rules: []harness.Rule{stopPrompt, stopClean},
		Span:  10 * time.Minute,
	}, Drive: drive(driveStopBusy)},
	{Info: harness.Info{
		Name:  "stop/prompt/busy/watch",
		About: "one that has listed, and one that starts then, are stopped in the pause after each watch was refused with 429",
		Needs: []harness.Feature{rig.Cuts, rig.Faults},
		Rules: []harness.Rule{stopPrompt, stopClean},
		Span:  10 * time.Minute,
	}, Drive: drive(driveStopBusyWatch)},
	{Info: harness.Info{
		Name:  "stop/prompt/busy/stream",
		About: "one that has listed, and one that starts then, are stopped in the pause after each watch ended with a 429 in the stream",
		Needs: []harness.Feature{rig.Cuts, rig.Faults},
		Rules: []harness.Rule{stopPrompt, stopClean},
		Span:  10 * time.Minute,
	}, Drive: drive(driveStopBusyStream)},
	{Info: harness.Info{
		Name:  "stop/prompt/away",
		About: "two are stopped in the pause after connections were refused, for minutes, from the first on; and one that had listed before that",
		Needs: []harness.Feature{rig.Cuts},
		Rules: []harness.Rule{stopPrompt, stopClean},
		Span:  10 * time.Minute,
	}, Drive: drive(driveStopAway)},
	{Info: harness.Info{
		Name:  "stop/prompt/failing",
		About: "one pair after the other is stopped in the pause after what it meets from the start on: lists that are refused with 403, 410, 503 or 504, or cut, further pages with 410, 429 or 503, watches with 403, 410 or 504, or cut, or that end with an ERROR 410 or 500",
		Needs: []harness.Feature{rig.Faults},
		Rules: []harness.Rule{stopPrompt, stopClean},
		Span:  30 * time.Minute,
	}, Drive: drive(driveStopFailing)},
	{Info: harness.Info{
		Name:  "stop/prompt/resync",
		About: "two are stopped: shortly after, and shortly before, its handler is due to be told of everything again",
		Needs: []harness.Feature{Handlers, Resync},
		Rules: []harness.Rule{stopPrompt, stopClean},
	}, Drive: drive(driveStopResync, every(10*time.Second))},
	{Info: harness.Info{
		Name:  "stop/clean/at-once",
		About: "it is stopped before it was started, as it starts, and amid changes",
		Rules: []harness.Rule{stopClean, stopPrompt},
	}, Drive: drive(driveStopEarly)},
	{Info: harness.Info{
		Name:  "stop/clean/liar",
		About: "the server breaks the contract in many ways; then the informer is stopped",
		Needs: []harness.Feature{rig.Cuts, rig.Views, rig.Faults},
		Rules: []harness.Rule{stopClean, stopPrompt},
		Span:  time.Hour,
	}, Drive: drive(driveLies)},
	{Info: harness.Info{
		Name:  "lifecycle/twice",
		About: "it is started a second time while it runs, and once more after it has stopped",
		Needs: []harness.Feature{Restarts},
		Rules: []harness.Rule{lifecycleTwice, convergeEqual},
	}, Drive: drive(driveTwice)},
	{Info: harness.Info{
		Name:  "lifecycle/stopped",
		About: "a handler is added after the stop",
		Needs: []harness.Feature{Handlers, ManyHandlers},
		Rules: []harness.Rule{lifecycleStopped, stopClean},
	}, Drive: drive(driveStopped)},
}
