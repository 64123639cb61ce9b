package watchcache

import (
	"time"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
)

var getMostRecent = harness.Rule{
	Clause: harness.Clause{
		ID:      "get/most-recent",
		Level:   harness.Must,
		Text:    "with resourceVersion unset, a get reflects every write acknowledged before it began",
		Sources: []harness.Source{sources.getAndList},
		Why:     "read, change, write is how objects are updated: from an old copy the change of somebody else is lost, or the write is refused again and again",
		Advice:  "Read a get without resourceVersion from the storage, or wait until the cache has reached the storage's present revision. Do not take the cache as it is.",
		Classes: []string{"GET rv=unset outcome=ok", "GET rv=unset outcome=404"},
	},
	Judge: onState(judgeGetMostRecent),
}

var getNotOlderThan = harness.Rule{
	Clause: harness.Clause{
		ID:      "get/not-older-than",
		Level:   harness.Must,
		Text:    "with a resourceVersion N, a get answers from a state at or after N; the object's own resourceVersion may be smaller",
		Sources: []harness.Source{sources.getAndList, sources.versionParameter},
		Why:     "a client that has seen N asks in this way not to be taken back in time by another server",
		Advice:  "Wait until the cache has reached the resourceVersion asked for, then read. Look at how far the cache is, not at the object's own resourceVersion.",
		Classes: []string{"GET rv=current outcome=ok", "GET rv=past outcome=ok", "GET rv=zero outcome=ok"},
	},
	Needs: []harness.Feature{ComparableRV},
	Judge: onState(judgeGetNotOlder),
}

var getFuture = harness.Rule{
	Clause: harness.Clause{
		ID:    "get/future",
		Level: harness.Must,
		Text: "a get with a resourceVersion not yet seen waits until it is, or fails with a retriable error (504, or one that says when to try again); " +
			"it never answers with older data",
		Sources: []harness.Source{sources.unavailable},
		Why:     "a client that asks for what another server has told it of is given a state from before: it goes back in time",
		Advice:  "Compare the resourceVersion with how far your store is. If it is larger, wait a few seconds. If the store is still behind, answer 504 with retryAfterSeconds, not 410.",
		Classes: []string{"GET rv=future"},
	},
	Needs: []harness.Feature{ComparableRV},
	Judge: judgeFuture(replay.Get),
}

var getRules = []harness.Rule{getMostRecent, getNotOlderThan, getFuture, getAnswered}

var getChecks = []harness.Check[Subject]{
	{Info: harness.Info{
		Name:  "get/most-recent",
		About: "each sort of write, and a get at once after it",
		Rules: []harness.Rule{getMostRecent, getAnswered},
	}, Drive: drive(driveGetMostRecent)},
	{Info: harness.Info{
		Name:  "get/not-older-than",
		About: "gets at the resourceVersions of the past and the present, also of what is gone",
		Needs: []harness.Feature{ComparableRV},
		Rules: []harness.Rule{getNotOlderThan, getAnswered},
	}, Drive: drive(driveGetNotOlder)},
	{Info: harness.Info{
		Name:  "get/future",
		About: "gets at resourceVersions that are not there yet",
		Needs: []harness.Feature{ComparableRV},
		Rules: []harness.Rule{getFuture},
		Span:  20 * time.Second,
	}, Drive: drive(driveGetFuture)},
}
