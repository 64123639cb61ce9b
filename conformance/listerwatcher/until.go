package listerwatcher

import (
	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
)

var untilReturns = harness.NewRule(harness.Clause{
	ID:       "until/returns",
	Level:    harness.Must,
	MustWith: ClientGoSemantics,
	Text:     "a wait returns when its condition holds, when it has a list of which its precondition holds, when an error comes that it cannot mend, or with its context; nothing is left behind",
	Sources: []harness.Source{source.Symbol(source.WatchTools + "until.go#Until"), source.Symbol(source.WatchTools + "until.go#UntilWithSync"),
		source.Symbol(source.WatchTools + "until.go#UntilWithoutRetry")},
	Why:     "a command that waits for what has long come, or never can, hangs until somebody kills it",
	Advice:  "Test each event, and what a complete list shows, for the right object. Return then, on an error that no retry mends, or on cancel, and close the watch.",
	Classes: []string{"UNTIL gives=met", "UNTIL gives=error", "UNTIL gives=status", "CANCEL of=opening", "asks=wait-list got=items", "asks=wait-watch got=open", "asks=wait-watch got=clean-event", "asks=wait-watch got=broken-event", "asks=wait-watch got=500", "asks=wait-watch got=410", "asks=wait-watch got=ERROR-500", "asks=wait-watch got=ERROR-410"},
}, judgeUntil, Waits)

var untilPrompt = harness.NewRule(harness.Clause{
	ID:    "until/prompt",
	Level: harness.Should,
	Text:  "a wait returns as soon as its context ends, also out of a pause",
	Sources: []harness.Source{source.Symbol(source.WatchTools + "until.go#Until"), source.Symbol(source.WatchTools + "until.go#UntilWithSync"),
		source.Symbol(source.WatchTools + "until.go#UntilWithoutRetry")},
	Why:     "a command that is interrupted, or has a timeout, seems to hang",
	Advice:  "Make every pause end with the context (in Go: select on a timer and ctx.Done), and give the context to every request of the wait.",
	Classes: []string{"CANCEL of=pause"},
}, judgeUntilPrompt, Waits)

var untilRules = []harness.Rule{untilReturns, untilPrompt}
