package informer

import (
	"slices"

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
