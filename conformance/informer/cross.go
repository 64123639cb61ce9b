package informer

import (
	"cmp"
	"slices"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
)

// cross is what random stories of informers combine: a request, how and how often it fails, the objects, what becomes of them, the
// informer's options and handlers, and the moment.
var cross = story.Cross{
	Dimensions: []story.Dimension{
		{Name: "request", Seen: rig.ShowsFault, OnlySeen: true, Values: []story.Value{
			{Name: "watch", With: asking{match: rig.Fault{Verbs: []string{"watch"}}, next: breakOff()}},
			{Name: "streaming list", Needs: []harness.Feature{Streams}, With: asking{match: rig.Fault{Verbs: []string{"watch"}, Streaming: ptr(true)}, next: relist}},
			{Name: "list", With: asking{match: rig.Fault{Verbs: []string{"list"}, Continued: ptr(false)}, before: noStreams(), next: relist}},
			{Name: "further page", With: asking{match: rig.Fault{Verbs: []string{"list"}, Continued: ptr(true)}, before: noStreams(), next: relist, pages: 2}},
		}},
		{Name: "failure", Seen: rig.ShowsFault, OnlySeen: true, Values: rig.CrossFailures()},
		{Name: "times", Seen: rig.ShowsFault, OnlySeen: true, Values: rig.CrossTimes()},
		{Name: "objects", Values: rig.CrossObjects()},
		{Name: "change", Values: rig.CrossChanges()},
		{Name: "options", Seen: func(e *history.Event) bool { return e.Actor == informerActor }, Values: []story.Value{
			{Name: "none", With: Open{}},
			{Name: "resync", With: Open{Resync: story.Duration(10 * time.Second)}},
			{Name: "pages", With: Open{PageSize: 3}},
			{Name: "transform", With: Open{Transform: true}},
			{Name: "index", With: Open{Index: true}},
			{Name: "all namespaces", With: Open{Namespace: "all"}},
			{Name: "label selector", With: Open{Labels: true}},
			{Name: "field selector", With: Open{Fields: true}},
		}},
		{Name: "handlers", Seen: func(e *history.Event) bool { return e.Actor == "h1" || e.Actor == "h2" }, Values: []story.Value{
			{Name: "one", With: handlers{before: handle("h1")}},
			{Name: "none", With: handlers{}, Absent: true},
			{Name: "two", With: handlers{before: twoHandlers()}},
			{Name: "one is slow", With: handlers{before: handleHeld("h1", ""), after: release("h1")}},
			{Name: "a late one", With: handlers{after: handle("h1")}},
			{Name: "one that resyncs", With: handlers{before: handleEvery("h1", 10*time.Second)}},
		}},
		{Name: "moment", Values: []story.Value{
			{Name: "at rest", With: steps{{Op: "start"}, {Op: "catch-up"}, theFault, theNext, theChange}},
			{Name: "from the start", With: steps{theFault, {Op: "start"}, theChange, {Op: "pause"}, theNext}},
			{Name: "while it is disconnected", With: steps{{Op: "start"}, {Op: "catch-up"}, {Op: "refuse-connections"}, theChange, theFault, theNext, {Op: "accept-connections"}}},
			{Name: "in a burst", With: steps{{Op: "start"}, theFault, {Op: "churn", N: 20}, theNext, theChange, {Op: "churn", N: 20}}},
			{Name: "while it stops", With: steps{{Op: "start"}, {Op: "catch-up"}, theFault, theNext, theChange, {Op: "advance", For: story.Duration(2 * time.Second)}, {Op: "cancel"}}},
			{Name: "from a server that lags", With: steps{{Op: "start"}, {Op: "catch-up"}, {Op: "view", With: rig.Lag}, theChange, {Op: "view", With: rig.UseSecond}, theFault, theNext}},
		}},
	},
	Never: slices.Concat(rig.NeverEvents("request=list"), rig.NeverEvents("request=further page"), rig.Nevers),
	Story: crossed,
}

// asking is a request of an informer: which faults strike it, what must hold before, and what makes the informer send it again.
type asking struct {
	match        rig.Fault
	before, next steps
	pages        int64
}

// handlers are added before the informer starts, and after all that may go wrong.
type handlers struct{ before, after steps }

// relist makes an informer list again: while it has no connection something changes, and the server forgets what came before.
var relist = seq(refuse(), put("o8"), op("forget"), accept())

// The steps of a moment that stand for those of the row.
var theFault, theNext, theChange = story.Step{Op: "the fault"}, story.Step{Op: "the next"}, story.Step{Op: "the change"}

func crossed(r story.Row) (all []story.Part) {
	req, f, o, h := story.With[asking](r, "request"), story.With[rig.Fault](r, "failure"), story.With[Open](r, "options"), story.With[handlers](r, "handlers")
	f.Verbs, f.Streaming, f.Continued, f.Times = req.match.Verbs, req.match.Streaming, req.match.Continued, story.With[int](r, "times")
	of, wait := []string{"options"}, 40*time.Second
	if f.Times == 0 || f.Hang != "" && f.For == 0 { // long enough for what an informer must do in the end
		wait = 40 * time.Minute
	}
	if req.pages > 0 { // there are further pages of small pages only
		o.PageSize, of = cmp.Or(o.PageSize, req.pages), []string{"options", "request"}
	}
	all = []story.Part{
		{Of: of, Steps: opened(o)},
		story.Shows("objects", story.With[steps](r, "objects")...),
		story.Shows("handlers", h.before...),
		story.Scene(req.before...),
	}
	for _, s := range story.With[steps](r, "moment") {
		switch s.Op {
		case theFault.Op:
			all = append(all, story.Part{Of: []string{"request", "failure", "times"}, Steps: fault("f0", f)})
		case theNext.Op:
			all = append(all, story.Shows("moment", req.next...))
		case theChange.Op:
			all = append(all, story.Shows("change", story.With[steps](r, "change")...))
		default:
			all = append(all, story.Shows("moment", s))
		}
	}
	return append(all, story.Scene(seq(put("o5"), put("o6"), advance(wait), put("o5"), pause())...), story.Shows("handlers", h.after...), story.Scene(seq(rig.Ends(), settle())...), story.Scene(seq(put("o7"), del("o2"), settle(), look())...))
}
