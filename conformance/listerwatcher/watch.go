package listerwatcher

import (
	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
)

var watchFaithful = harness.NewRule(harness.Clause{
	ID:      "watch/faithful",
	Level:   harness.Must,
	Text:    "every event of a watch comes once, in the order sent, with its type and object; bookmarks come as bookmarks (a client that resumes by itself may keep them)",
	Sources: []harness.Source{source.Symbol(source.WatchTypes + "Interface"), source.Symbol(source.WatchTypes + "Event")},
	Why:     "a controller's whole view of the cluster is the sum of these events: one that is lost or out of turn stays wrong until the next list",
	Advice:  "Read frame by frame (a chunk is no frame), with no limit of size or time. Decode all fields into a new object. If the reader is slow, block and drop nothing.",
	Classes: []string{"gives=ADDED", "gives=MODIFIED", "gives=DELETED", "gives=BOOKMARK"},
}, judgeWatchFaithful, Watches)

var watchError = harness.NewRule(harness.Clause{
	ID:      "watch/in-stream-error",
	Level:   harness.Must,
	Text:    "an ERROR event comes as an error with its Status: code, reason, causes, retryAfterSeconds",
	Sources: []harness.Source{source.Symbol(source.WatchTypes + "Event"), source.Symbol(source.Errors + "FromObject")},
	Why:     "410 says list again, 429 says wait: who gets neither does the wrong one for ever",
	Advice:  "Decode the object of an ERROR event as a Status, and give the reader its code, reason, details.causes and retryAfterSeconds, once, before you end.",
	Classes: []string{"asks=watch got=ERROR-403", "asks=watch got=ERROR-410", "asks=watch got=ERROR-429", "asks=watch got=ERROR-500", "asks=watch got=ERROR-504", "gives=ERROR"},
}, judgeWatchError, Watches, rig.Faults)

var watchFrame = harness.NewRule(harness.Clause{
	ID:      "watch/frame",
	Level:   harness.Must,
	Text:    "a frame that is cut or cannot be read, or has an unknown type, ends the watch: nothing of it, and nothing after it on that connection, is delivered",
	Sources: []harness.Source{source.Symbol(source.WatchPackage + "streamwatcher.go#StreamWatcher.receive"), source.Symbol(source.REST + "watch/decoder.go#Decoder.Decode")},
	Why:     "what follows a frame that could not be read has a gap before it, which no later event tells of",
	Advice:  "If a frame does not parse, or its type is unknown, close the response and end the stream: do not skip the frame and read on.",
	Classes: []string{"asks=watch got=cut", "asks=watch got=unreadable", "asks=watch got=replace"},
}, judgeWatchFrame, Watches, rig.Faults)

var watchFrameError = harness.NewRule(harness.Clause{
	ID:      "watch/frame-error",
	Level:   harness.Should,
	Text:    "in JSON, a frame that is unreadable (not merely cut) or of an unknown type is told by an ERROR event (a client that resumes by itself may ask again instead)",
	Sources: []harness.Source{source.Symbol(source.WatchTypes + "Interface.Stop")},
	Why:     "a watch that just ends is taken for one whose time was up: nobody learns that client and server do not understand each other",
	Advice:  "Tell bad JSON from the end of the body: for bad JSON, and for what is no known event, send an ERROR (or ask again) before you end the stream.",
	Classes: []string{"asks=watch got=unreadable", "asks=watch got=replace"},
}, judgeWatchFrameError, Watches, rig.Faults)

var watchEnd = harness.NewRule(harness.Clause{
	ID:      "watch/end",
	Level:   harness.Must,
	Text:    "the server's end of a watch, clean or cut, closes the client's stream (a client that resumes by itself goes on instead); a clean end makes no ERROR",
	Sources: []harness.Source{source.Symbol(source.WatchTypes + "Interface.ResultChan")},
	Why:     "a stream that stays open after its connection has gone is a controller that hears of nothing any more, and does not know",
	Advice:  "When the response ends, end the stream too (or ask again, if you resume watches). Take EOF for a normal end, and make no ERROR of it.",
	Classes: []string{"asks=watch got=clean-at-once", "asks=watch got=clean-event", "asks=watch got=broken-at-once", "asks=watch got=broken-event", "gives=ENDED"},
}, judgeWatchEnd, Watches, rig.Faults)

var watchStop = harness.NewRule(harness.Clause{
	ID:      "watch/stop",
	Level:   harness.Must,
	Text:    "Stop (twice, early, unread, beside an event) ends the request and closes the stream; only what had already been received may still come, in order; no goroutine or connection is left",
	Sources: []harness.Source{source.Symbol(source.WatchTypes + "Interface.Stop")},
	Why:     "watches that are not let go of add up, one for each resume, until the server or the client has no room",
	Advice:  "In Stop, cancel the request, close its body, and wake the code that waits for headers or to hand over an event. Make a second Stop harmless.",
	Classes: []string{"STOP of=idle", "STOP of=read", "STOP of=unread"},
}, judgeWatchStop(false), Watches)

var watchCancel = harness.NewRule(harness.Clause{
	ID:      "watch/cancel",
	Level:   harness.Must,
	Text:    "so does the end of the context, once the consumer reads on or stops; the last event may be an ERROR that says so; before the headers the call returns an error",
	Sources: []harness.Source{source.Symbol(source.WatchTypes + "Interface"), source.Symbol(source.Cache + "listwatch.go#WatcherWithContext")},
	Why:     "a controller that is told to end waits for its watches, or leaves them behind",
	Advice:  "Give the caller's context to the request, wait on it wherever you hand over an event, and return its error if it ends before the headers come.",
	Classes: []string{"CANCEL of=idle", "CANCEL of=read", "CANCEL of=unread", "CANCEL of=opening"},
}, judgeWatchStop(true), Watches)

var watchPrompt = harness.NewRule(harness.Clause{
	ID:      "watch/prompt",
	Level:   harness.Should,
	Text:    "a watch that asks again by itself ends as soon as it is stopped, or its context ends, also out of a pause",
	Sources: []harness.Source{source.Symbol(source.WatchTools + "retrywatcher.go#RetryWatcher.Stop"), source.Symbol(source.WatchTools + "retrywatcher.go#NewRetryWatcherWithContext")},
	Why:     "while the server is in trouble whoever is told to end hangs for as long as the pause is, and keeps what it holds",
	Advice:  "Pause with a timer that Stop and the context interrupt, not with a plain sleep: after a 429, a 5xx, an ERROR and a lost connection.",
	Classes: []string{"STOP of=pause", "CANCEL of=pause"},
}, judgeWatchPrompt, Watches, Retries)

var watchDead = harness.NewRule(harness.Clause{
	ID:    "watch/dead-connection",
	Level: harness.Must,
	Text: "over HTTP/2 with TLS a client notices within two minutes that its connection is dead, and no ping is answered: a list returns an error or asks again, and a watch " +
		"ends or goes on over a new connection",
	Sources: []harness.Source{rig.Pings},
	Why:     "a machine or a NAT between loses connections without a word: who waits on one that is dead sees a cluster in which nothing happens, for ever",
	Advice:  "Send HTTP/2 pings (in Go: ReadIdleTimeout of http2.Transport), and if none is answered, end what runs on the connection, or ask again on a new one.",
	Classes: []string{"died under=WATCH", "died under=LIST"},
}, judgeDead, rig.HTTP2, rig.Deaths, rig.TLS)

var watchRules = []harness.Rule{watchFaithful, watchError, watchFrame, watchFrameError, watchEnd, watchStop, watchCancel, watchPrompt, watchDead}
