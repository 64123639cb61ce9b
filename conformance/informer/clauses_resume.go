package informer

import (
	"slices"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
)

const reflector = source.Cache + "reflector.go#"

var resumeVersion = harness.NewRule(harness.Clause{
	ID:    "resume/version",
	Level: harness.Must,
	Text: "After a watch that ended well, the next request is a watch from the last resourceVersion that was seen, bookmarks included, or a list that is not " +
		"older (an unset resourceVersion is not). It is never a request from an older version, or from the start. A watch that follows one that failed, other " +
		"than by a 410, goes on from there, too.",
	Sources: []harness.Source{source.Concept("Efficient detection of changes", "efficient-detection-of-changes"), source.Concept("Watch bookmarks", "watch-bookmarks"),
		source.Symbol(reflector + "Reflector.watch")},
	Why:     "Old events are replayed: what was deleted is created again, and every handler runs for nothing.",
	Advice:  "Keep the resourceVersion of each event (DELETED and BOOKMARK too) as text, and send the last one when you watch or list again, unless it got a 410.",
	Classes: []string{"asks=watch got=clean-event", "asks=watch got=broken-event", "asks=watch got=clean-bookmark", "asks=watch got=clean-idle"},
}, judgeResumeVersion)

var resumeNoRelist = harness.NewRule(harness.Clause{
	ID:      "resume/no-relist",
	Level:   harness.Should,
	Text:    "If the watch before brought an event or lasted a second, the next request is a watch, without a list.",
	Sources: []harness.Source{source.Symbol(reflector + "VeryShortWatchError"), source.Symbol(reflector + "Reflector.watch")},
	Why:     "Watches end every few minutes: a list each time is a load that grows with the cluster.",
	Advice:  "When a watch ends without an error, open the next one from the last resourceVersion, with no list between: list only at the start and after a 410.",
	Classes: []string{"asks=watch got=clean-event", "asks=watch got=clean-idle"},
}, judgeNoRelist)

var resumeExpired = harness.NewRule(harness.Clause{
	ID:    "resume/expired",
	Level: harness.Must,
	Text: "After a 410 to a list, a page or a watch, as a status or in the stream, the informer lists (or asks for a streaming list), and accepts an answer that " +
		"is newer. It does not first watch from the expired version, list at exactly that version, or repeat a refused list with the same resourceVersion " +
		"(other than unset or \"0\").",
	Sources: []harness.Source{source.Concept("410 Gone responses", "410-gone-responses"), source.Symbol(reflector + "Reflector.list")},
	Why:     "Its copy stays as it was, or never learns what was deleted before the 410.",
	Advice:  "After a 410 (HTTP status or ERROR event), forget resourceVersion and continue token, and do not watch before a LIST with neither has succeeded.",
	Classes: []string{"asks=list got=410", "asks=relist got=410", "asks=page got=410", "asks=watch got=410", "asks=watch got=ERROR-410", "asks=restream got=410"},
}, judgeExpired, rig.Faults)

var resumeTooLarge = harness.NewRule(harness.Clause{
	ID:      "resume/too-large",
	Level:   harness.Must,
	Text:    "\"Too large resource version\" does not block the informer for ever: in the end it asks for the most recent state.",
	Sources: []harness.Source{source.Concept("Unavailable resource versions", "unavailable-resource-versions"), source.Symbol(reflector + "Reflector.list"), source.Symbol(reflector + "isTooLargeResourceVersionError")},
	Why:     "After a restore from a backup, or against a server that lags, the informer never starts again.",
	Advice:  "Treat \"Too large resource version\" like a 410: know it by the cause or by the message, and list with resourceVersion unset.",
	Classes: []string{"asks=list got=too-large", "asks=relist got=too-large", "asks=watch got=too-large", "asks=watch got=ERROR-too-large", "asks=restream got=too-large"},
}, judgeTooLarge, rig.Faults)

var resumeErrors = harness.NewRule(harness.Clause{
	ID:       "resume/errors",
	Level:    harness.Must,
	MustWith: ClientGoSemantics,
	Text:     "After 429, 5xx, a reset or refused connection, a cut or an unreadable answer the informer tries again, without limit, and converges when the errors end.",
	Sources:  []harness.Source{source.Symbol(reflector + "Reflector.RunWithContext"), sharedInformer},
	Why:      "After one bad minute of the server, the controller is blind until somebody restarts it.",
	Advice:   "Put list and watch in one loop that no error leaves: catch each failure (410, 429, 5xx, reset, bad JSON), pause, and ask again, for ever.",
	Classes: slices.Concat(meets("list", "401", "403", "404", "429", "500", "503", "504", "reset", "cut", "unreadable"),
		meets("relist", "429", "500", "503", "504", "reset", "cut", "unreadable", "proxy"), meets("page", "cut", "unreadable"),
		meets("watch", "401", "403", "404", "429", "500", "503", "504", "reset", "cut", "unreadable", "proxy", "broken-idle", "clean-at-once", "broken-at-once"),
		meets("watch", "ERROR-403", "ERROR-429", "ERROR-500", "ERROR-504"),
		[]string{"no connection while=it starts", "no connection while=it watches", "no connection while=it waits for a list", "no connection while=it waits for a watch"}),
}, judgeErrors, rig.Faults)

var resumeConnections = harness.NewRule(harness.Clause{
	ID:    "resume/connections",
	Level: harness.Must,
	Text: "A watch that has brought an ERROR, or what cannot be read, is closed. The informer does not leave its connection open while it asks again. " +
		"Nor does it open one watch after the other for the same objects, and close none. When an answer is over, its connection is used again, or closed: " +
		"fewer than eight have carried nothing for five seconds when another is opened.",
	Sources: []harness.Source{source.Symbol(reflector + "handleWatch"), source.Persistence, source.Symbol("k8s.io/apimachinery@v0.37.2/pkg/watch/streamwatcher.go#StreamWatcher.Stop")},
	Why:     "Each watch leaves a connection behind, until the process has no file descriptors left.",
	Advice:  "Use one HTTP client for all requests, close the old watch before you open the next, and read every error answer to its end or close it.",
	Classes: []string{"asks=watch got=ERROR-410", "asks=list got=500"},
}, judgeConnections, rig.Faults)

var resumeBusy = harness.NewRule(harness.Clause{
	ID:      "resume/busy-loop",
	Level:   harness.Must,
	Text:    "While its lists and watches fail, or its watches bring the same events from the same version again, the informer asks fewer than a hundred times in ten seconds.",
	Sources: []harness.Source{source.Symbol(source.MetaTypes + "StatusReasonTooManyRequests"), source.Symbol(reflector + "defaultBackoffInit")},
	Why:     "One client that asks without a pause takes what the server has for all others.",
	Advice:  "Pause after each failure, and after a watch that ended at once. Double the pause, and reset it only when a watch has brought something new.",
	Classes: []string{"asks=watch got=503", "asks=relist got=500", "asks=watch got=ERROR-410"},
}, judgeBusy, rig.Faults)

var resumePace = harness.NewRule(harness.Clause{
	ID:      "resume/pace",
	Level:   harness.Should,
	Text:    "After several failures in a row the informer pauses, and the pauses grow (they may start again from the shortest now and then). It repeats no request in a tight loop.",
	Sources: []harness.Source{source.Symbol(reflector + "defaultBackoffInit"), source.Symbol(reflector + "defaultBackoffReset")},
	Why:     "A thousand clients that ask again at once keep a server down that has just started.",
	Advice:  "Use one exponential backoff with a cap (say 1 s to 30 s) for lists and watches, and count a watch that ended at once as a failure.",
	Classes: []string{"asks=watch got=429", "asks=relist got=503", "asks=relist got=500", "asks=relist got=403"},
}, judgePace, rig.Faults)

var resumeRetryAfter = harness.NewRule(harness.Clause{
	ID:      "resume/retry-after",
	Level:   harness.Should,
	Text:    "The informer waits as long as a Retry-After says: in a header, in a Status, or in an ERROR event.",
	Sources: []harness.Source{source.Symbol(source.MetaTypes + "StatusReasonTooManyRequests"), source.Symbol(source.MetaTypes + "StatusReasonTimeout")},
	Why:     "Clients ignore the server's own plan to recover.",
	Advice:  "Read the Retry-After header, and details.retryAfterSeconds of a Status or ERROR event, and pause for the longer of that and your own backoff.",
	Classes: []string{"asks=watch got=429", "asks=watch got=503", "asks=watch got=ERROR-429", "asks=relist got=429"},
}, judgeRetryAfter, rig.Faults)

var resumePermanent = harness.NewRule(harness.Clause{
	ID:      "resume/permanent",
	Level:   harness.Should,
	Text:    "401, 403 and 404 reach the user's error hook, and are retried slowly.",
	Sources: []harness.Source{source.Symbol(reflector + "WatchErrorHandlerWithContext")},
	Why:     "Missing rights look like a quiet cluster.",
	Advice:  "Call the error hook on each 401, 403 and 404, of a list as of a watch, and take the usual growing pause before you ask again.",
	Classes: []string{"asks=relist got=401", "asks=relist got=403", "asks=relist got=404", "TOLD"},
}, judgePermanent, ErrorHook, rig.Faults)

var resumeDead = harness.NewRule(harness.Clause{
	ID:      "resume/dead-connection",
	Level:   harness.Must,
	Text:    "Over HTTP/2 with TLS the informer notices within two minutes that its connection is dead, and no ping is answered. It asks again, over a new one.",
	Sources: []harness.Source{rig.Pings},
	Why:     "A machine or a NAT between loses connections without a word. Who waits on one that is dead sees a cluster in which nothing happens, for ever.",
	Advice:  "Send HTTP/2 pings (in Go: ReadIdleTimeout of http2.Transport), drop a connection that answers none, and ask again over a new one.",
	Classes: []string{"died while=it watches"},
}, judgeDead, rig.HTTP2, rig.Deaths, rig.TLS)

var resumeSilence = harness.NewRule(harness.Clause{
	ID:    "resume/silence",
	Level: harness.Must,
	Text: "An informer that declares a timer of its own (notices-silence) asks again within a quarter of an hour when nothing comes of a list or a watch, though the connection " +
		"lives. Without one it relies on the server, which ends a watch after its timeoutSeconds.",
	Sources: []harness.Source{source.Symbol(source.MetaTypes + "ListOptions.TimeoutSeconds"), source.Symbol(reflector + "Reflector.watch")},
	Why:     "A proxy that forgets a stream, or a server that hangs, keeps the informer from hearing of anything, until somebody restarts it.",
	Advice:  "Set a timeout for lists, and for watches a timer a little longer than timeoutSeconds: when it fires, close the request and ask again.",
	Classes: []string{"asks=watch got=open", "asks=list got=silence"},
}, judgeSilence, NoticesSilence, rig.Faults)

var resumeRules = []harness.Rule{resumeVersion, resumeNoRelist, resumeExpired, resumeTooLarge, resumeErrors, resumeConnections, resumeBusy, resumePace, resumeRetryAfter, resumePermanent, resumeDead, resumeSilence}
