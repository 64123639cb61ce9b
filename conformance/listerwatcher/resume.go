package listerwatcher

import (
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
)

var resumeVersion = harness.NewRule(harness.Clause{
	ID:       "resume/version",
	Level:    harness.Must,
	MustWith: ClientGoSemantics,
	Text:     "a watch that resumes by itself goes on, after any end that leaves it able to, from the resourceVersion of the last event or bookmark that it got: no gap, no repeat",
	Sources:  []harness.Source{source.Symbol(source.WatchTools + "retrywatcher.go#RetryWatcher"), source.Symbol(source.WatchTools + "until.go#Until")},
	Why:      "from before that the consumer sees old news as new, from after it changes are lost without a trace",
	Advice:   "When a watch ends, ask again from its last event or bookmark (DELETED too), the version kept as text. The initial state has no order: take its highest version.",
	Classes:  []string{"asks=watch got=clean-event", "asks=watch got=clean-bookmark", "asks=watch got=broken-event", "asks=rewatch got=clean-event", "asks=rewatch got=clean-bookmark", "asks=rewatch got=open", "asks=wait-watch got=clean-event", "asks=wait-watch got=clean-bookmark", "asks=wait-watch got=broken-event"},
}, judgeResumeVersion, Retries, rig.Faults)

var resumeExpired = harness.NewRule(harness.Clause{
	ID:       "resume/expired",
	Level:    harness.Must,
	MustWith: ClientGoSemantics,
	Text:     "410, as a status or in the stream, comes to the consumer of such a watch as an ERROR, and is the end",
	Sources:  []harness.Source{source.Symbol(source.WatchTools + "until.go#Until")},
	Why:      "no watch can go on from a resourceVersion that is gone: who is not told waits for ever for news that nobody will bring",
	Advice:   "On a 410, in the status or in an ERROR event, do not resume: pass the ERROR on as it is, and end the stream (a wait may list anew instead).",
	Classes:  []string{"asks=watch got=410", "asks=watch got=ERROR-410", "asks=rewatch got=410"},
}, judgeResumeExpired, Retries, rig.Faults)

var resumePermanent = harness.NewRule(harness.Clause{
	ID:      "resume/permanent",
	Level:   harness.Should,
	Text:    "so do 401 and 403 on opening: they are not retried for ever in silence",
	Sources: []harness.Source{source.Symbol(source.WatchTools + "retrywatcher.go#RetryWatcher.doReceive")},
	Why:     "a controller that lost its rights looks alive, and does nothing",
	Advice:  "On a 401 or 403, ask again two or three times at most; then pass the error on to the caller, and end the watch or the wait.",
	Classes: []string{"asks=watch got=401", "asks=watch got=403", "asks=rewatch got=401", "asks=rewatch got=403"},
}, judgeResumePermanent, Retries, rig.Faults)

var resumeErrors = harness.NewRule(harness.Clause{
	ID:       "resume/errors",
	Level:    harness.Must,
	MustWith: ClientGoSemantics,
	Text:     "429, 5xx, broken connections and early ends are retried, at most about once a second, and nothing is lost by them",
	Sources:  []harness.Source{source.Symbol(source.WatchTools + "retrywatcher.go#NewRetryWatcherWithContext"), source.Symbol(source.WatchTools + "until.go#Until")},
	Why:      "who gives up at the first restart of a server is blind from then on; who asks again without a pause keeps it from coming back",
	Advice:   "After a 429, a 5xx, a lost connection or an empty watch, pause a second and ask again from the same version. If you ever give up, send an ERROR.",
	Classes:  []string{"asks=rewatch got=429", "asks=rewatch got=500", "asks=rewatch got=503", "asks=rewatch got=504", "asks=rewatch got=proxy", "asks=rewatch got=reset", "asks=rewatch got=ERROR-429", "asks=rewatch got=ERROR-500", "asks=rewatch got=ERROR-503", "asks=rewatch got=ERROR-504", "asks=rewatch got=clean-at-once", "asks=rewatch got=broken-at-once"},
}, judgeResumeErrors, Retries, rig.Faults)

var resumeUnreadable = harness.NewRule(harness.Clause{
	ID:      "resume/unreadable",
	Level:   harness.Should,
	Text:    "an event without a resourceVersion, or of an unknown type, ends such a watch with an ERROR, or it is asked for again; it is not skipped",
	Sources: []harness.Source{source.Symbol(source.WatchTools + "retrywatcher.go#RetryWatcher.doReceive")},
	Why:     "what comes after an event that was skipped has a gap before it, which no later event tells of",
	Advice:  "Do not skip an event without a resourceVersion or of an unknown type: end with an ERROR, or watch again from the last good version.",
	Classes: []string{"asks=watch got=replace", "asks=rewatch got=open"},
}, judgeResumeUnreadable, Watches, Retries, rig.Faults)

var resumeBusy = harness.NewRule(harness.Clause{
	ID:      "resume/busy-loop",
	Level:   harness.Must,
	Text:    "while all that such a watch asks for fails, it asks fewer than a hundred times in ten seconds",
	Sources: []harness.Source{source.Symbol(source.MetaTypes + "StatusReasonTooManyRequests"), source.Symbol(source.WatchTools + "retrywatcher.go#NewRetryWatcherWithContext")},
	Why:     "one client that asks without a pause takes what the server has for all others",
	Advice:  "Pause about a second before each retry, also after a refused connection or a watch that ended at once, and let the pause grow.",
	Classes: []string{"asks=rewatch got=500", "asks=rewatch got=reset", "asks=rewatch got=clean-at-once", "asks=rewatch got=ERROR-500"},
}, judgeResumeBusy, Retries, rig.Faults)

var resumeConnections = harness.NewRule(harness.Clause{
	ID:      "resume/connections",
	Level:   harness.Must,
	Text:    "such a watch closes a request that has failed: it does not leave its connection open while it asks again",
	Sources: []harness.Source{source.Symbol(source.WatchTypes + "Interface.Stop"), source.Symbol(source.WatchTools + "retrywatcher.go#RetryWatcher.doReceive")},
	Why:     "each error leaves a connection behind, until the process has no file descriptors left",
	Advice:  "Close the response of a watch that brought an ERROR or that you gave up before you open the next one, and not only when the whole call ends.",
	Classes: []string{"asks=watch got=ERROR-500", "asks=rewatch got=ERROR-500"},
}, judgeResumeConnections, Watches, Retries, rig.Faults)

var resumeRules = []harness.Rule{resumeVersion, resumeExpired, resumePermanent, resumeBusy, resumeConnections, resumeErrors, resumeUnreadable}

// graceOfRetries is how long a client may take to tell its consumer of what it cannot mend. Those that ask again for
// ever do so once a second all the while.
const graceOfRetries = longestPause + time.Minute
