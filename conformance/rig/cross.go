package rig

import (
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
)

// overBytes is what a failure needs that only bytes can show.
var overBytes = []harness.Feature{"!" + InProcess}

// CrossFailures are the ways in which a request of a client fails, as values of a dimension: each With is a Fault without its verbs.
func CrossFailures() []story.Value {
	return []story.Value{
		{Name: "500", With: Fault{Status: &Status{Code: 500}}},
		{Name: "429 with Retry-After", With: Fault{Status: &Status{Code: 429, RetryAfter: 3}}},
		{Name: "503", With: Fault{Status: &Status{Code: 503}}},
		{Name: "403", With: Fault{Status: &Status{Code: 403}}},
		{Name: "410", With: Fault{Status: &Status{Code: 410}}},
		{Name: "410 Gone", With: Fault{Status: &Status{Code: 410, Reason: "Gone"}}},
		{Name: "504", With: Fault{Status: &Status{Code: 504}}},
		{Name: "504 for a version that is too large", With: Fault{Status: &TooLargeStatuses[0], Versioned: new(true)}},
		{Name: "connection lost before the answer", Needs: overBytes, With: Fault{Reset: "headers"}},
		{Name: "connection lost in the answer", With: Fault{Reset: "body"}},
		{Name: "hangs", With: Fault{Hang: "headers", For: Duration(20 * time.Second)}},
		{Name: "hangs in the answer", With: Fault{Hang: "body", For: Duration(20 * time.Second)}},
		{Name: "never answers", With: Fault{Hang: "headers"}},
		{Name: "falls silent", With: Fault{Hang: "body"}},
		{Name: "slow", With: Fault{Latency: Duration(12 * time.Second)}},
		{Name: "half an object", Needs: overBytes, With: Fault{Answer: &Answer{Code: 200, Body: "{"}}},
		{Name: "a page of a proxy", Needs: overBytes, With: Fault{Answer: &Answer{Code: 502, Type: "text/html", Body: "bad gateway"}}},
		{Name: "410 as an event", With: Fault{Events: &Events{Nth: 1, Do: "error", Status: &Status{Code: 410}}}},
		{Name: "500 as an event", With: Fault{Events: &Events{Nth: 1, Do: "error", Status: &Status{Code: 500}}}},
		{Name: "the watch ends", With: Fault{Events: &Events{Nth: 1, Do: "close"}}},
		{Name: "the watch breaks", With: Fault{Events: &Events{Nth: 1, Do: "break"}}},
		{Name: "half an event", Needs: overBytes, With: Fault{Events: &Events{Nth: 1, Do: "truncate"}}},
		{Name: "a byte in each frame", Needs: overBytes, With: Fault{Wire: &Bytes{Frame: 1}}},
		{Name: "frames end within characters", Needs: overBytes, With: Fault{Wire: &Bytes{Inside: true}}},
		{Name: "many events in a frame", Needs: overBytes, With: Fault{Wire: &Bytes{Gather: Duration(2 * time.Second)}}},
		{Name: "compressed", Needs: overBytes, With: Fault{Wire: &Bytes{Gzip: "always"}}},
		{Name: "the connection closes politely", Needs: overBytes, With: Fault{Wire: &Bytes{Close: true}}},
		{Name: "an event that is no JSON", Needs: overBytes, With: Fault{Events: &Events{Nth: 1, Do: "garble"}}},
	}
}

// CrossTimes are how many requests a failure strikes, as values of a dimension.
func CrossTimes() []story.Value {
	return []story.Value{{Name: "once", With: 1}, {Name: "three times", With: 3}, {Name: "until it ends", With: 0}}
}

// NeverEvents are the failures that strike events of watches, as a pattern for story.Never, with the reason.
func NeverEvents(request string) (all []story.Never) {
	for _, v := range CrossFailures() {
		if v.With.(Fault).Events != nil {
			all = append(all, story.Never{A: request, B: "failure=" + v.Name, Why: "only a watch has events"})
		}
	}
	return all
}

// Nevers are the pairs of the values here that cannot go together.
var Nevers = []story.Never{
	{A: "failure=connection lost before the answer", B: "times=once", Why: "net/http sends the request again by itself, and nothing shows the first"},
	{A: "objects=none", B: "change=*is deleted*", Why: "there is nothing to delete"},
	{A: "objects=none", B: "change=a finalizer is removed", Why: "there is no finalizer"},
}

// CrossObjects are what a server has, as values of a dimension: each With is a list of steps.
func CrossObjects() []story.Value {
	put := func(p Put) []story.Step {
		return story.Repeat(3, func(i int) []story.Step { return []story.Step{{Op: "put", Obj: "o" + string(rune('0'+i)), With: p}} })
	}
	return []story.Value{
		{Name: "few", With: []story.Step{{Op: "fill", N: 4}}},
		{Name: "none", With: []story.Step{{Op: "put", Obj: "other/o0"}}},
		{Name: "many", With: []story.Step{{Op: "fill", N: 120}}},
		{Name: "large", With: put(Put{Bytes: 80_000})},
		{Name: "with finalizers", With: put(Put{Finalizer: true})},
		{Name: "without labels", With: put(Put{Bare: true})},
		{Name: "of another app", With: put(Put{App: "two"})},
		{Name: "with text", With: put(Put{Content: "доступ запрещён 禁止 🙂"})},
		{Name: "with all parts", With: put(Put{Has: allParts})},
	}
}

// CrossChanges are what becomes of objects, as values of a dimension: each With is a list of steps.
func CrossChanges() []story.Value {
	return []story.Value{
		{Name: "one changes", With: []story.Step{{Op: "put", Obj: "o0"}}},
		{Name: "one is created", With: []story.Step{{Op: "put", Obj: "o9"}}},
		{Name: "one is deleted", With: []story.Step{{Op: "delete", Obj: "o1"}}},
		{Name: "one is deleted and created anew", With: []story.Step{{Op: "delete", Obj: "o0"}, {Op: "put", Obj: "o0"}}},
		{Name: "some of each", With: []story.Step{{Op: "change", N: 1}, {Op: "change", N: 2}}},
		{Name: "all are deleted", With: []story.Step{{Op: "delete-all"}}},
		{Name: "a finalizer is removed", With: []story.Step{{Op: "delete", Obj: "o0"}, {Op: "remove-finalizer", Obj: "o0"}}},
		{Name: "one changes its label, one for a moment", With: []story.Step{{Op: "put", Obj: "o0", With: Put{App: "two"}}, {Op: "put", Obj: "o1", With: Put{App: "two"}}, {Op: "put", Obj: "o1", With: Put{App: "one"}}}},
		{Name: "thirty in a burst", With: []story.Step{{Op: "churn", N: 30}}},
		{Name: "only others", With: []story.Step{{Op: "fill", Obj: "other/x", N: 5}}},
	}
}

// ShowsFault reports whether an event shows that a fault struck a request: for Dimension.Seen.
func ShowsFault(e *history.Event) bool {
	return e.Kind == FaultStruck || e.Kind == SpoiledFrame || e.Kind == "ERROR" || e.Err() != nil
}
