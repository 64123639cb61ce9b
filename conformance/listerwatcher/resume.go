package listerwatcher

import (
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
)

var resumeVersion = harness.Rule{
	Clause: harness.Clause{
		ID:       "resume/version",
		Level:    harness.Must,
		MustWith: ClientGoSemantics,
		Text:     "a watch that resumes by itself goes on, after any end that leaves it able to, from the resourceVersion of the last event or bookmark that it got: no gap, no repeat",
		Sources:  []harness.Source{source.Symbol(source.WatchTools + "retrywatcher.go#RetryWatcher"), source.Symbol(source.WatchTools + "until.go#Until")},
		Why:      "from before that the consumer sees old news as new, from after it changes are lost without a trace",
		Classes:  []string{"asks=watch got=clean-event", "asks=watch got=clean-bookmark", "asks=watch got=broken-event", "asks=rewatch got=clean-event", "asks=rewatch got=clean-bookmark", "asks=rewatch got=open", "asks=wait-watch got=clean-event", "asks=wait-watch got=clean-bookmark", "asks=wait-watch got=broken-event"},
	},
	Needs: []harness.Feature{Retries, rig.Faults},
	Judge: judgeResumeVersion,
}

var resumeExpired = harness.Rule{
	Clause: harness.Clause{
		ID:       "resume/expired",
		Level:    harness.Must,
		MustWith: ClientGoSemantics,
		Text:     "410, as a status or in the stream, comes to the consumer of such a watch as an ERROR, and is the end",
		Sources:  []harness.Source{source.Symbol(source.WatchTools + "until.go#Until")},
		Why:      "no watch can go on from a resourceVersion that is gone: who is not told waits for ever for news that nobody will bring",
		Classes:  []string{"asks=watch got=410", "asks=watch got=ERROR-410", "asks=rewatch got=410"},
	},
	Needs: []harness.Feature{Retries, rig.Faults},
	Judge: judgeResumeExpired,
}

var resumePermanent = harness.Rule{
	Clause: harness.Clause{
		ID:      "resume/permanent",
		Level:   harness.Should,
		Text:    "so do 401 and 403 on opening: they are not retried for ever in silence",
		Sources: []harness.Source{source.Symbol(source.WatchTools + "retrywatcher.go#RetryWatcher.doReceive")},
		Why:     "a controller that lost its rights looks alive, and does nothing",
		Classes: []string{"asks=watch got=401", "asks=watch got=403", "asks=rewatch got=401", "asks=rewatch got=403"},
	},
	Needs: []harness.Feature{Retries, rig.Faults},
	Judge: judgeResumePermanent,
}

var resumeErrors = harness.Rule{
	Clause: harness.Clause{
		ID:       "resume/errors",
		Level:    harness.Must,
		MustWith: ClientGoSemantics,
		Text:     "429, 5xx, broken connections and early ends are retried, at most about once a second, and nothing is lost by them",
		Sources:  []harness.Source{source.Symbol(source.WatchTools + "retrywatcher.go#NewRetryWatcherWithContext"), source.Symbol(source.WatchTools + "until.go#Until")},
		Why:      "who gives up at the first restart of a server is blind from then on; who asks again without a pause keeps it from coming back",
		Classes:  []string{"asks=rewatch got=429", "asks=rewatch got=500", "asks=rewatch got=503", "asks=rewatch got=504", "asks=rewatch got=proxy", "asks=rewatch got=reset", "asks=rewatch got=ERROR-429", "asks=rewatch got=ERROR-500", "asks=rewatch got=ERROR-503", "asks=rewatch got=ERROR-504", "asks=rewatch got=clean-at-once", "asks=rewatch got=broken-at-once"},
	},
	Needs: []harness.Feature{Retries, rig.Faults},
	Judge: judgeResumeErrors,
}

var resumeUnreadable = harness.Rule{
	Clause: harness.Clause{
		ID:      "resume/unreadable",
		Level:   harness.Should,
		Text:    "an event without a resourceVersion, or of an unknown type, ends such a watch with an ERROR, or it is asked for again; it is not skipped",
		Sources: []harness.Source{source.Symbol(source.WatchTools + "retrywatcher.go#RetryWatcher.doReceive")},
		Why:     "what comes after an event that was skipped has a gap before it, which no later event tells of",
		Classes: []string{"asks=watch got=replace", "asks=rewatch got=open"},
	},
	Needs: []harness.Feature{Watches, Retries, rig.Faults},
	Judge: judgeResumeUnreadable,
}

var resumeRules = []harness.Rule{resumeVersion, resumeExpired, resumePermanent, resumeErrors, resumeUnreadable}

var resuming = []harness.Feature{Watches, Retries, rig.Faults}

var waitsResuming = []harness.Feature{Waits, Retries, rig.Faults}

var resumeChecks = []harness.Check[Rig]{
	{Info: harness.Info{
		Name:  "resume/version",
		About: "watches are ended cleanly, and broken off, after each third event",
		Needs: resuming,
		Rules: []harness.Rule{resumeVersion, watchFaithful, requestOptions, requestVerb},
	}, Drive: drive(driveResumeVersion)},
	{Info: harness.Info{
		Name:  "resume/version/types",
		About: "watches are ended, and broken off, after an event of each type",
		Needs: resuming,
		Rules: []harness.Rule{resumeVersion, watchFaithful},
	}, Drive: drive(driveResumeTypes)},
	{Info: harness.Info{
		Name:  "resume/version/initial",
		About: "watches that begin with the state that there is, without a resourceVersion, at 0 and as a streaming list, are ended, and broken off, after changes",
		Needs: resuming,
		Rules: []harness.Rule{resumeVersion, watchFaithful},
		Span:  30 * time.Second,
	}, Drive: drive(driveResumeInitial)},
	{Info: harness.Info{
		Name:  "resume/version/bookmark",
		About: "watches are ended after a bookmark that is ahead of all events",
		Needs: resuming,
		Rules: []harness.Rule{resumeVersion, watchFaithful},
	}, Drive: drive(driveResumeBookmark)},
	{Info: harness.Info{
		Name:  "resume/version/digits",
		About: "resourceVersions come to have a digit more, by which they are smaller as texts, by a bookmark and by an event, and watches end",
		Needs: []harness.Feature{Watches, Retries, rig.Faults, rig.Revisions},
		Rules: []harness.Rule{resumeVersion, watchFaithful},
	}, Drive: drive(driveResumeDigits)},
	{Info: harness.Info{
		Name:  "resume/version/large",
		About: "watches end at resourceVersions that 16 and 32 bits do not have, and a floating-point number not exactly",
		Needs: []harness.Feature{Watches, Retries, rig.Faults, rig.Revisions},
		Rules: []harness.Rule{resumeVersion, watchFaithful},
		Span:  30 * time.Second,
	}, Drive: drive(driveResumeLarge)},
	{Info: harness.Info{
		Name:  "resume/version/waits/large",
		About: "so do those of waits",
		Needs: append(waitsResuming[:len(waitsResuming):len(waitsResuming)], rig.Revisions),
		Rules: []harness.Rule{resumeVersion, untilReturns},
		Span:  time.Minute,
		Grace: graceOfRetries,
	}, Drive: drive(driveResumeWaitsLarge)},
	{Info: harness.Info{
		Name:  "resume/version/waits",
		About: "watches of waits are ended, or broken off, after an event of each type, and after a bookmark that is ahead of all events",
		Needs: waitsResuming,
		Rules: []harness.Rule{resumeVersion, untilReturns},
		Span:  time.Minute,
		Grace: graceOfRetries,
	}, Drive: drive(driveResumeWaits)},
	{Info: harness.Info{
		Name:  "resume/version/waits/digits",
		About: "resourceVersions come to have a digit more, by which they are smaller as texts, by a bookmark and by an event, and watches of waits end",
		Needs: append(waitsResuming[:len(waitsResuming):len(waitsResuming)], rig.Revisions),
		Rules: []harness.Rule{resumeVersion, untilReturns},
		Span:  time.Minute,
		Grace: graceOfRetries,
	}, Drive: drive(driveResumeWaitsDigits)},
	{Info: harness.Info{
		Name:  "resume/expired/waits",
		About: "watches of waits end with an ERROR 410",
		Needs: waitsResuming,
		Rules: []harness.Rule{resumeExpired, untilReturns},
		Span:  30 * time.Second,
		Grace: graceOfRetries,
	}, Drive: drive(driveResumeWaitsExpired)},
	{Info: harness.Info{
		Name:  "resume/expired/waits/status",
		About: "watches of waits are refused with 410 when they resume",
		Needs: waitsResuming,
		Rules: []harness.Rule{resumeExpired, untilReturns},
		Span:  20 * time.Second,
		Grace: graceOfRetries,
	}, Drive: drive(driveResumeWaitsExpiredStatus)},
	{Info: harness.Info{
		Name:  "resume/permanent/waits",
		About: "watches of waits are refused with 401 and 403 when they resume",
		Needs: waitsResuming,
		Rules: []harness.Rule{resumePermanent},
		Span:  20 * time.Second,
		Grace: graceOfRetries,
	}, Drive: drive(driveResumeWaitsForbidden)},
	{Info: harness.Info{
		Name:  "resume/errors/waits",
		About: "watches of waits are refused six times with 429 and with each 5xx, and break off before their headers, and six in a row end without an event",
		Needs: waitsResuming,
		Rules: []harness.Rule{resumeErrors, untilReturns},
		Span:  5 * time.Minute,
		Grace: graceOfRetries,
	}, Drive: drive(driveResumeWaitsRefused)},
	{Info: harness.Info{
		Name:  "resume/errors/waits/stream",
		About: "watches of waits end with an ERROR 429 and with each 5xx, after events",
		Needs: waitsResuming,
		Rules: []harness.Rule{resumeErrors, untilReturns},
		Span:  time.Minute,
		Grace: graceOfRetries,
	}, Drive: drive(driveResumeWaitsStream)},
	{Info: harness.Info{
		Name:  "resume/expired",
		About: "watches end with an ERROR 410, at once and after events",
		Needs: resuming,
		Rules: []harness.Rule{resumeExpired},
		Grace: graceOfRetries,
	}, Drive: drive(driveExpiredStream)},
	{Info: harness.Info{
		Name:  "resume/expired/status",
		About: "watches are refused with 410, from the first on, and when they resume",
		Needs: resuming,
		Rules: []harness.Rule{resumeExpired},
		Span:  30 * time.Second,
		Grace: graceOfRetries,
	}, Drive: drive(driveExpiredStatus)},
	{Info: harness.Info{
		Name:  "resume/permanent",
		About: "watches are refused with 401 and 403, from the first on, and when they resume",
		Needs: resuming,
		Rules: []harness.Rule{resumePermanent},
		Span:  30 * time.Second,
		Grace: graceOfRetries,
	}, Drive: drive(drivePermanent)},
	{Info: harness.Info{
		Name:  "resume/errors",
		About: "watches are refused six times with 429 and with each 5xx, and break off before their headers, from the first on, and when they resume; one thirty times",
		Needs: resuming,
		Rules: []harness.Rule{resumeErrors, watchFaithful},
		Span:  4 * time.Minute,
	}, Drive: drive(driveResumeRefused)},
	{Info: harness.Info{
		Name:  "resume/errors/stream",
		About: "watches end with an ERROR 429 and with each 5xx, after events",
		Needs: resuming,
		Rules: []harness.Rule{resumeErrors, watchFaithful},
		Span:  30 * time.Second,
	}, Drive: drive(driveResumeStream)},
	{Info: harness.Info{
		Name:  "resume/errors/early",
		About: "eight watches in a row end, cleanly or not, without an event",
		Needs: resuming,
		Rules: []harness.Rule{resumeErrors, watchFaithful},
		Span:  10 * time.Minute,
	}, Drive: drive(driveResumeEarly)},
	{Info: harness.Info{
		Name:  "resume/errors/away",
		About: "connections are refused for a second and a half, and for five seconds, and changes are made meanwhile",
		Needs: []harness.Feature{Watches, Retries, rig.Cuts},
		Rules: []harness.Rule{resumeErrors, resumeVersion, watchFaithful},
		Span:  30 * time.Second,
	}, Drive: drive(driveResumeAway)},
	{Info: harness.Info{
		Name:  "resume/errors/waits/away",
		About: "connections are refused to waits, and what they wait for happens meanwhile, or later",
		Needs: []harness.Feature{Waits, Retries, rig.Cuts},
		Rules: []harness.Rule{resumeErrors, untilReturns},
		Span:  30 * time.Second,
		Grace: graceOfRetries,
	}, Drive: drive(driveResumeWaitsAway)},
	{Info: harness.Info{
		Name:  "resume/unreadable",
		About: "the second event of a watch is of an unknown type, of none, or has no resourceVersion",
		Needs: resuming,
		Rules: []harness.Rule{resumeUnreadable},
		Grace: graceOfRetries,
	}, Drive: drive(driveUnreadable)},
}

// graceOfRetries is how long a client may take to tell its consumer of what it cannot mend. Those that ask again for
// ever do so once a second all the while.
const graceOfRetries = longestPause + time.Minute
