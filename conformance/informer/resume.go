package informer

import (
	"slices"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
)

const reflector = source.Cache + "reflector.go#"

var resumeVersion = harness.Rule{
	Clause: harness.Clause{
		ID:    "resume/version",
		Level: harness.Must,
		Text: "after a watch that ended well the next request is a watch from the last seen resourceVersion, bookmarks included, or a list at or after it (unset is); " +
			"never from an older one, nor from the start",
		Sources: []harness.Source{source.Concept("Efficient detection of changes", "efficient-detection-of-changes"), source.Concept("Watch bookmarks", "watch-bookmarks"),
			source.Symbol(reflector + "Reflector.watch")},
		Why:     "old events are played again: what was deleted is created once more, and every handler runs for nothing",
		Classes: []string{"asks=watch got=clean-event", "asks=watch got=broken-event", "asks=watch got=clean-bookmark", "asks=watch got=clean-idle"},
	},
	Judge: judgeResumeVersion,
}

var resumeNoRelist = harness.Rule{
	Clause: harness.Clause{
		ID:      "resume/no-relist",
		Level:   harness.Should,
		Text:    "it is a watch, without a list, when the one before brought an event or lasted a second",
		Sources: []harness.Source{source.Symbol(reflector + "VeryShortWatchError"), source.Symbol(reflector + "Reflector.watch")},
		Why:     "watches end every few minutes: a list each time is a load that grows with the cluster",
		Classes: []string{"asks=watch got=clean-event", "asks=watch got=clean-idle"},
	},
	Judge: judgeNoRelist,
}

var resumeExpired = harness.Rule{
	Clause: harness.Clause{
		ID:    "resume/expired",
		Level: harness.Must,
		Text: "410, on list, page or watch, as a status or in the stream, leads to a list (or streaming list) whose answer may be newer: not older than the last seen, or most recent; " +
			"never to a watch from there first, to a list at exactly there, or to a refused list with the same resourceVersion again (unset and \"0\", whatever there is, excepted)",
		Sources: []harness.Source{source.Concept("410 Gone responses", "410-gone-responses"), source.Symbol(reflector + "Reflector.list")},
		Why:     "the informer asks for what is gone for ever, and its copy stays as it was before",
		Classes: []string{"asks=list got=410", "asks=relist got=410", "asks=page got=410", "asks=watch got=410", "asks=watch got=ERROR-410", "asks=restream got=410"},
	},
	Needs: []harness.Feature{rig.Faults},
	Judge: judgeExpired,
}

var resumeTooLarge = harness.Rule{
	Clause: harness.Clause{
		ID:      "resume/too-large",
		Level:   harness.Must,
		Text:    `"too large resource version" does not wedge it: it comes to ask for the most recent`,
		Sources: []harness.Source{source.Concept("Unavailable resource versions", "unavailable-resource-versions"), source.Symbol(reflector + "Reflector.list"), source.Symbol(reflector + "isTooLargeResourceVersionError")},
		Why:     "after a restore from a backup, or against a server that lags, the informer never starts again",
		Classes: []string{"asks=list got=too-large", "asks=relist got=too-large", "asks=watch got=too-large", "asks=watch got=ERROR-too-large", "asks=restream got=too-large"},
	},
	Needs: []harness.Feature{rig.Faults},
	Judge: judgeTooLarge,
}

var resumeErrors = harness.Rule{
	Clause: harness.Clause{
		ID:       "resume/errors",
		Level:    harness.Must,
		MustWith: ClientGoSemantics,
		Text:     "429, 5xx, reset, refused, cut and unreadable answers: it tries again, for ever, and converges when they end",
		Sources:  []harness.Source{source.Symbol(reflector + "Reflector.RunWithContext"), sharedInformer},
		Why:      "one bad minute of the server, and the controller is blind until somebody restarts it",
		Classes: slices.Concat(meets("list", "401", "403", "404", "429", "500", "503", "504", "reset", "cut", "unreadable"),
			meets("relist", "429", "500", "503", "504", "reset", "cut", "unreadable", "proxy"), meets("page", "cut", "unreadable"),
			meets("watch", "401", "403", "404", "429", "500", "503", "504", "reset", "cut", "unreadable", "proxy", "broken-idle", "clean-at-once", "broken-at-once"),
			meets("watch", "ERROR-403", "ERROR-429", "ERROR-500", "ERROR-504"),
			[]string{"no connection while=it starts", "no connection while=it watches", "no connection while=it waits for a list", "no connection while=it waits for a watch"}),
	},
	Needs: []harness.Feature{rig.Faults},
	Judge: judgeErrors,
}

var resumePace = harness.Rule{
	Clause: harness.Clause{
		ID:      "resume/pace",
		Level:   harness.Should,
		Text:    "failures in a row are followed by pauses, and these grow (they may start anew now and then); no request is repeated in a tight loop",
		Sources: []harness.Source{source.Symbol(reflector + "defaultBackoffInit"), source.Symbol(reflector + "defaultBackoffReset")},
		Why:     "a thousand clients that ask again at once keep a server down that has just come up",
		Classes: []string{"asks=watch got=429", "asks=relist got=503", "asks=relist got=500", "asks=relist got=403"},
	},
	Needs: []harness.Feature{rig.Faults},
	Judge: judgePace,
}

var resumeRetryAfter = harness.Rule{
	Clause: harness.Clause{
		ID:      "resume/retry-after",
		Level:   harness.Should,
		Text:    "a Retry-After, as a header, in a Status or in an ERROR, is waited for",
		Sources: []harness.Source{source.Symbol(source.MetaTypes + "StatusReasonTooManyRequests"), source.Symbol(source.MetaTypes + "StatusReasonTimeout")},
		Why:     "the server's own plan to recover is what its clients do not follow",
		Classes: []string{"asks=watch got=429", "asks=watch got=503", "asks=watch got=ERROR-429", "asks=relist got=429"},
	},
	Needs: []harness.Feature{rig.Faults},
	Judge: judgeRetryAfter,
}

var resumePermanent = harness.Rule{
	Clause: harness.Clause{
		ID:      "resume/permanent",
		Level:   harness.Should,
		Text:    "401, 403, 404 are told to the user's error hook, and retried slowly",
		Sources: []harness.Source{source.Symbol(reflector + "WatchErrorHandlerWithContext")},
		Why:     "rights that are missing look like a quiet cluster",
		Classes: []string{"asks=relist got=401", "asks=relist got=403", "asks=relist got=404", "TOLD"},
	},
	Needs: []harness.Feature{ErrorHook, rig.Faults},
	Judge: judgePermanent,
}

var resumeRules = []harness.Rule{resumeVersion, resumeNoRelist, resumeExpired, resumeTooLarge, resumeErrors, resumePace, resumeRetryAfter, resumePermanent}

var resumeChecks = []harness.Check[Rig]{
	{Info: harness.Info{
		Name:   "resume/version",
		About:  "watches end, cleanly and by breaking off, after events of each type, after a bookmark alone, and idle",
		Needs:  []harness.Feature{rig.Cuts, rig.Faults},
		Unless: polls,
		Rules:  []harness.Rule{resumeVersion, resumeNoRelist, convergeEqual, convergeTime},
		Span:   10 * time.Minute,
	}, Drive: drive(driveEnds)},
	{Info: harness.Info{
		Name:   "resume/version/gap",
		About:  "watches end, and objects change before the next is open",
		Needs:  []harness.Feature{rig.Cuts, rig.Faults},
		Unless: polls,
		Rules:  []harness.Rule{resumeVersion, convergeEqual, convergeTime},
	}, Drive: drive(driveGaps)},
	{Info: harness.Info{
		Name:   "resume/version/digits",
		About:  "resourceVersions come to have a digit more, by which they are smaller as texts: by a bookmark, by an event of each type, by a list",
		Needs:  []harness.Feature{rig.Cuts, rig.Faults, rig.Revisions},
		Unless: polls,
		Rules:  []harness.Rule{resumeVersion, convergeEqual, convergeTime},
		Span:   10 * time.Minute,
	}, Drive: drive(driveDigits)},
	{Info: harness.Info{
		Name:   "resume/expired/watch",
		About:  "watches are refused with 410, and end with an ERROR 410 at once and after events, while objects change",
		Needs:  []harness.Feature{rig.Cuts, rig.Faults},
		Unless: polls,
		Rules:  []harness.Rule{resumeExpired, convergeEqual, convergeTime},
		Span:   2 * time.Minute,
	}, Drive: drive(driveExpiredWatch)},
	{Info: harness.Info{
		Name:  "resume/expired/list",
		About: "lists, and streaming lists, are refused with 410: the first, and those after a watch",
		Needs: []harness.Feature{rig.Cuts, rig.Faults},
		Rules: []harness.Rule{resumeExpired, convergeEqual},
		Span:  30 * time.Second,
		Grace: 16 * time.Minute, // three pauses
	}, Drive: drive(driveExpiredList)},
	{Info: harness.Info{
		Name:   "resume/expired/stale",
		About:  "the server has let go of the events since the last that was seen, and still lists that state exactly",
		Needs:  []harness.Feature{rig.Cuts, rig.Forgets, rig.Faults},
		Unless: polls,
		Rules:  []harness.Rule{resumeExpired, convergeEqual},
		Span:   30 * time.Second,
		Grace:  time.Hour,
	}, Drive: drive(driveStaleList)},
	{Info: harness.Info{
		Name:  "resume/expired/stale-many",
		About: "the same, of more objects than a page of five hundred has",
		Needs: []harness.Feature{rig.Cuts, rig.Forgets, rig.Faults},
		Rules: []harness.Rule{resumeExpired},
		Span:  3 * time.Minute,
	}, Drive: drive(driveStaleMany)},
	{Info: harness.Info{
		Name:   "resume/too-large",
		About:  "it comes from a server that is up to date to one that is behind",
		Needs:  []harness.Feature{rig.Cuts, rig.Views, rig.Faults},
		Unless: polls,
		Rules:  []harness.Rule{resumeTooLarge, convergeTime},
		Span:   30 * time.Second,
	}, Drive: drive(driveTooLarge)},
	{Info: harness.Info{
		Name:   "resume/too-large/spelt",
		About:  "lists, and streaming lists, of a resourceVersion are refused with it, as servers of each age spell it: by the type of a cause, by its message, by a message alone",
		Needs:  []harness.Feature{rig.Cuts, rig.Faults},
		Unless: polls,
		Rules:  []harness.Rule{resumeTooLarge, convergeTime},
		Span:   30 * time.Second,
	}, Drive: drive(driveTooLargeSpelt)},
	{Info: harness.Info{
		Name:  "resume/too-large/watch",
		About: "watches, lists and streaming lists are refused with it, and end with it, for no reason that the informer could see",
		Needs: []harness.Feature{rig.Cuts, rig.Faults},
		Rules: []harness.Rule{resumeErrors, convergeEqual, convergeTime},
		Span:  2 * time.Hour,
	}, Drive: drive(driveTooLargeWatch)},
	{Info: harness.Info{
		Name:  "resume/errors",
		About: "lists and watches fail in every way, one after the other, while objects change",
		Needs: []harness.Feature{rig.Cuts, rig.Faults},
		Rules: []harness.Rule{resumeErrors, convergeEqual, convergeTime},
		Span:  time.Hour,
	}, Drive: drive(driveErrors)},
	{Info: harness.Info{
		Name:   "resume/errors/stream",
		About:  "watches end with ERRORs, are cut in the midst of a frame, bring what cannot be read",
		Needs:  []harness.Feature{rig.Cuts, rig.Faults},
		Unless: polls,
		Rules:  []harness.Rule{resumeErrors, convergeEqual, convergeTime},
		Span:   time.Hour,
	}, Drive: drive(driveStreamEnds)},
	{Info: harness.Info{
		Name:  "resume/errors/lists",
		About: "lists, and streaming lists, fail in every way, one after the other, while objects change",
		Needs: []harness.Feature{rig.Cuts, rig.Faults},
		Rules: []harness.Rule{resumeErrors, convergeEqual, convergeTime},
		Span:  time.Hour,
	}, Drive: drive(driveListErrors)},
	{Info: harness.Info{
		Name:  "resume/errors/streaming-lists",
		About: "streaming lists, the first of all, too, end with ERRORs, are cut, bring what cannot be read: before anything came, and after some, which is not true any more at the next attempt",
		Needs: []harness.Feature{Streams, rig.Cuts, rig.Faults},
		Rules: []harness.Rule{resumeErrors, convergeEqual, convergeTime},
		Span:  time.Hour,
	}, Drive: drive(driveStreamedErrors)},
	{Info: harness.Info{
		Name:  "resume/errors/refused",
		About: "connections are refused: at the start, while a watch is open, while a list is under way",
		Needs: []harness.Feature{rig.Cuts, rig.Faults},
		Rules: []harness.Rule{convergeEqual, convergeTime}, // and resume/errors, where the server hears of what was asked
		Span:  10 * time.Minute,
	}, Drive: drive(driveRefused)},
	{Info: harness.Info{
		Name:  "resume/pace",
		About: "lists and watches are refused for half an hour: busy, down, forbidden",
		Needs: []harness.Feature{rig.Cuts, rig.Faults},
		Rules: []harness.Rule{resumePace, resumeErrors, convergeEqual},
		Span:  4 * time.Hour,
	}, Drive: drive(drivePace)},
	{Info: harness.Info{
		Name:  "resume/pace/many",
		About: "a hundred requests in a row are refused, for up to nine hours",
		Needs: []harness.Feature{rig.Cuts, rig.Faults},
		Rules: []harness.Rule{resumePace, resumeErrors, convergeEqual},
		Span:  12 * time.Hour,
	}, Drive: drive(driveManyRefusals)},
	{Info: harness.Info{
		Name:  "resume/pace/streams",
		About: "streaming lists end at once, or are refused with 410, for minutes",
		Needs: []harness.Feature{Streams, rig.Faults},
		Rules: []harness.Rule{resumePace},
		Span:  5 * time.Minute,
	}, Drive: drive(driveStreamPace)},
	{Info: harness.Info{
		Name:  "resume/retry-after",
		About: "lists, watches and streams say when to come back: in twenty seconds, and in more than a minute",
		Needs: []harness.Feature{rig.Cuts, rig.Faults},
		Rules: []harness.Rule{resumeRetryAfter, convergeEqual},
		Span:  time.Hour,
	}, Drive: drive(driveRetryAfter)},
	{Info: harness.Info{
		Name:  "resume/retry-after/page",
		About: "a further page of the first list, and of a later one, says when to come back",
		Needs: []harness.Feature{PageSize, rig.Cuts, rig.Faults},
		Rules: []harness.Rule{resumeRetryAfter, convergeEqual},
		Span:  5 * time.Minute,
	}, Drive: drive(drivePageLater, paged)},
	{Info: harness.Info{
		Name:  "resume/retry-after/stream",
		About: "the first streaming list, and a later one, does",
		Needs: []harness.Feature{Streams, rig.Cuts, rig.Faults},
		Rules: []harness.Rule{resumeRetryAfter, convergeEqual},
		Span:  5 * time.Minute,
	}, Drive: drive(driveListLater(rig.Fault{Verbs: []string{"watch"}, Streaming: ptr(true)}))},
	{Info: harness.Info{
		Name:  "resume/permanent",
		About: "lists and watches are answered 401, 403, 404 for a while",
		Needs: []harness.Feature{ErrorHook, rig.Cuts, rig.Faults},
		Rules: []harness.Rule{resumePermanent, resumeErrors, convergeEqual},
		Span:  time.Hour,
	}, Drive: drive(drivePermanent)},
}
