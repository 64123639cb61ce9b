package listerwatcher

import (
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
)

var untilReturns = harness.Rule{
	Clause: harness.Clause{
		ID:       "until/returns",
		Level:    harness.Must,
		MustWith: ClientGoSemantics,
		Text:     "a wait returns when its condition holds, when it has a list of which its precondition holds, when an error comes that it cannot mend, or with its context; nothing is left behind",
		Sources: []harness.Source{source.Symbol(source.WatchTools + "until.go#Until"), source.Symbol(source.WatchTools + "until.go#UntilWithSync"),
			source.Symbol(source.WatchTools + "until.go#UntilWithoutRetry")},
		Why:     "a command that waits for what has long come, or never can, hangs until somebody kills it",
		Classes: []string{"UNTIL gives=met", "UNTIL gives=error", "UNTIL gives=status", "CANCEL of=opening", "asks=wait-list got=items", "asks=wait-watch got=open", "asks=wait-watch got=clean-event", "asks=wait-watch got=broken-event", "asks=wait-watch got=500", "asks=wait-watch got=410", "asks=wait-watch got=ERROR-500", "asks=wait-watch got=ERROR-410"},
	},
	Needs: []harness.Feature{Waits},
	Judge: judgeUntil,
}

var untilPrompt = harness.Rule{
	Clause: harness.Clause{
		ID:    "until/prompt",
		Level: harness.Should,
		Text:  "a wait returns as soon as its context ends, also out of a pause",
		Sources: []harness.Source{source.Symbol(source.WatchTools + "until.go#Until"), source.Symbol(source.WatchTools + "until.go#UntilWithSync"),
			source.Symbol(source.WatchTools + "until.go#UntilWithoutRetry")},
		Why:     "a command that is interrupted, or has a timeout, seems to hang",
		Classes: []string{"CANCEL of=pause"},
	},
	Needs: []harness.Feature{Waits},
	Judge: judgeUntilPrompt,
}

var untilRules = []harness.Rule{untilReturns, untilPrompt}

var untilChecks = []harness.Check[Rig]{
	{Info: harness.Info{
		Name:  "until/returns",
		About: "waits for an object to be made, changed and deleted, beside much that is not it, two at a time, and for one of 80,000 bytes",
		Needs: []harness.Feature{Waits},
		Rules: []harness.Rule{untilReturns, requestOptions},
		Grace: graceOfRetries,
	}, Drive: drive(driveUntil)},
	{Info: harness.Info{
		Name:  "until/returns/quiet",
		About: "nothing happens for twenty-five minutes, and then comes what is waited for",
		Needs: []harness.Feature{Waits},
		Rules: []harness.Rule{untilReturns},
		Span:  time.Hour,
		Grace: graceOfRetries,
	}, Drive: drive(driveUntilQuiet)},
	{Info: harness.Info{
		Name:  "until/returns/context",
		About: "the contexts of waits end, before anything has come, and after what they do not wait for",
		Needs: []harness.Feature{Waits},
		Rules: []harness.Rule{untilReturns},
		Grace: graceOfRetries,
	}, Drive: drive(driveUntilContext)},
	{Info: harness.Info{
		Name:  "until/returns/opening",
		About: "the contexts of waits end while the server keeps the headers of a watch back: of the first, and of the one that follows an end",
		Needs: []harness.Feature{Waits, rig.Faults},
		Rules: []harness.Rule{untilReturns},
		Grace: graceOfRetries,
	}, Drive: drive(driveUntilOpening)},
	{Info: harness.Info{
		Name:  "until/prompt",
		About: "the contexts of waits end in the pause after all that they asked for was refused with 500 or 503 or broke off before its headers, or their watches ended at once, cut or with an ERROR, from the first on, and when one had broken off: seconds, and more than a minute, after that began",
		Needs: waitsResuming,
		Rules: []harness.Rule{untilPrompt, untilReturns},
		Span:  time.Hour,
		Grace: graceOfRetries,
	}, Drive: drive(driveUntilPause)},
	{Info: harness.Info{
		Name:  "until/prompt/busy",
		About: "so they do in the pause after all was refused with 429",
		Needs: waitsResuming,
		Rules: []harness.Rule{untilPrompt, untilReturns},
		Span:  10 * time.Minute,
		Grace: graceOfRetries,
	}, Drive: drive(driveUntilPauseBusy)},
	{Info: harness.Info{
		Name:  "until/prompt/away",
		About: "so they do in the pause after connections were refused, before the waits had been given anything, and when their watches were open",
		Needs: append(waitsResuming[:len(waitsResuming):len(waitsResuming)], rig.Cuts),
		Rules: []harness.Rule{untilPrompt, untilReturns},
		Span:  10 * time.Minute,
		Grace: graceOfRetries,
	}, Drive: drive(driveUntilPauseAway)},
	{Info: harness.Info{
		Name:  "until/returns/precondition",
		About: "waits for nothing, as an object is there, or not there, and waits though another is",
		Needs: []harness.Feature{Waits, Preconditions},
		Rules: []harness.Rule{untilReturns},
		Grace: graceOfRetries,
	}, Drive: drive(driveUntilPrecondition)},
	{Info: harness.Info{
		Name:  "until/returns/troubles",
		About: "watches end, break off and are refused before what is waited for comes",
		Needs: []harness.Feature{Waits, rig.Faults},
		Rules: []harness.Rule{untilReturns},
		Grace: graceOfRetries,
	}, Drive: drive(driveUntilTroubles)},
	{Info: harness.Info{
		Name:  "until/returns/expired",
		About: "watches end with an ERROR 410 at a change",
		Needs: []harness.Feature{Waits, rig.Faults},
		Rules: []harness.Rule{untilReturns},
		Span:  30 * time.Second, // who goes on by lists waits each time
		Grace: graceOfRetries,
	}, Drive: drive(driveUntilExpired)},
	{Info: harness.Info{
		Name:  "until/returns/expired/status",
		About: "watches are refused with 410, six in a row",
		Needs: []harness.Feature{Waits, rig.Faults},
		Rules: []harness.Rule{untilReturns},
		Grace: graceOfRetries,
	}, Drive: drive(driveUntilRefused)},
}
