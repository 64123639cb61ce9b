package watchcache

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
)

var cacheProgress = harness.Rule{
	Clause: harness.Clause{
		ID:    "cache/progress",
		Level: harness.Must,
		Text: "a resourceVersion that the server has answered with, be it for another resource, is soon known to all its caches: " +
			"a list, a get and a streaming list not older than it are answered, and a refusal with 504 \"Too large resource version\" comes to an end within seconds, though nothing of the resource changes",
		Sources: []harness.Source{sources.unavailable, sources.kep2340, sources.kep1904},
		Why:     "a controller that follows two resources waits for ever for the quiet one: kube-apiserver's cache knew only the versions of its own events (kubernetes#107133)",
		Advice:  "Ask the storage for its progress (etcd: progress notifications) while somebody waits, and raise the revision of the cache though no event has come.",
		Classes: []string{"LIST match=NotOlderThan outcome=items"},
	},
	Needs: []harness.Feature{OtherResource, ComparableRV},
	Judge: judgeProgress,
}

const (
	progressLimit = 15 * time.Second // for a cache to learn of a resourceVersion: etcd notifies every five seconds
	patience      = 20 * time.Second // of who asks again and again
	refusalsInRow = 3                // a cache may be behind at times
)

var progressCheck = story.Check{
	Name:  "cache/progress",
	About: "Nothing of a resource changes, while another resource does. Lists and streaming lists ask for the version that a list of the other resource has.",
	Needs: []harness.Feature{OtherResource, ComparableRV},
	Rules: []harness.Rule{cacheProgress},
	Span:  30 * time.Second,
	Steps: story.Concat(
		[]story.Step{
			{Op: "create", Obj: "x"},
			{Op: "write-other", As: "v1"},
			{Op: "list", For: story.Duration(patience), With: List{At: "v1", Match: "NotOlderThan"}},
			{Op: "write-other", As: "v2"},
		},
		story.When(WatchList,
			story.Step{Op: "watch", Actor: "w1", For: story.Duration(patience), With: Watch{At: "v2", Stream: true, Bookmarks: true}},
			story.Step{Op: "settle"}),
		[]story.Step{
			{Op: "write-other", As: "v3"},
			{Op: "list", For: story.Duration(patience), With: List{Scope: Scope{Namespace: "all"}, At: "v3"}},
			{Op: "get", Obj: "x", With: Get{At: "v3"}},
			{Op: "write-other", As: "v4"},
		},
		story.When(FieldWatch, // one object, which a server may look up in another way
			story.Step{Op: "list", For: story.Duration(patience), With: List{Scope: Scope{Field: "metadata.name=x"}, At: "v4"}}),
	),
}

func stepWriteOther(w *world, s story.Step) error {
	o, ok := w.s.(OtherWriter)
	if !ok {
		return fmt.Errorf("the feature %s is declared, but the subject has no WriteOther", OtherResource)
	}
	rv := ""
	ok = w.admin(replay.WriteOther, func(ctx context.Context) (_ string, err error) {
		rv, err = o.WriteOther(ctx)
		return rv, err
	})
	w.note(s.As, rv)
	return endUnless(ok)
}

// tooLarge reports whether a list was refused because of a resourceVersion that is not there yet.
func tooLarge(err error) bool {
	s, ok := err.(statusError)
	return ok && s.Status().Code == http.StatusGatewayTimeout
}

// begins waits until a streaming list is complete, or has ended, and reports whether it is. Nil is a watch that was refused.
func (w *watcher) begins() bool {
	if w == nil {
		return false
	}
	for range 100 {
		if w.marks.Load() > 0 {
			return true
		}
		w.wait(100 * time.Millisecond)
		if w.over() {
			return w.marks.Load() > 0
		}
	}
	return true
}

// judgeProgress looks for requests in a row that are all refused, though the server has answered with the
// resourceVersions that they ask for.
func judgeProgress(h *history.History) (j harness.Judgement) {
	p := refusals{h: h, others: othersOf(h), future: future{h: h}}
	asked := replay.Asked(h)
	for i := range h.Events {
		e := &h.Events[i]
		p.disturbed(e)
		if len(asked) > 0 && asked[0].Call == e.Num {
			p.add(&j, &asked[0])
			asked = asked[1:]
		}
	}
	return j
}

// refusals are requests in a row that were refused because a resourceVersion is too large.
type refusals struct {
	h      *history.History
	others map[string]bool // resourceVersions of another resource
	future future
	calls  []int32
	lags   bool // the cache lags on purpose, and nothing is said of it
}

// disturbed begins anew after what is done to the server.
func (p *refusals) disturbed(e *history.Event) {
	switch e.Kind {
	case "LAG", "STARTING", replay.StorageFault:
		p.calls, p.lags = nil, true
	case "LAG" + replay.Over, "STARTING" + replay.Over, replay.StorageFault + replay.Over, replay.Restart:
		p.calls, p.lags = nil, false
	}
}

// add judges a request. One that may ask for a version of the future says nothing.
func (p *refusals) add(j *harness.Judgement, q *replay.Request) {
	rv := q.Args.Options.ResourceVersion
	if p.future.is(q) || !history.Comparable(rv) || isForbidden(q) || p.lags {
		return
	}
	switch outcomeOf(p.h, q) {
	case perhaps: // a streaming list without bookmarks, for one, has no mark of its end
		p.calls = nil
	case served:
		p.calls = nil
		if p.others[rv] {
			j.Tested++
		}
	case tooNew:
		p.calls = append(p.calls, q.Call)
		since := p.h.Event(q.Call).At - p.h.Event(p.calls[0]).At
		if p.others[rv] && len(p.calls) >= refusalsInRow && time.Duration(since) >= progressLimit {
			j.Tested++
			j.Fail(fmt.Sprintf("an answer within %s: the server has answered with @%s, for another resource", progressLimit, rv),
				fmt.Sprintf("504 for %d requests in a row", len(p.calls)), p.calls[0], q.Call)
			p.calls = nil
		}
	}
}

// othersOf returns the resourceVersions that lists of another resource had.
func othersOf(h *history.History) map[string]bool {
	out := map[string]bool{}
	for i := range h.Events {
		if e := &h.Events[i]; e.Kind == replay.WriteOther && e.Phase == history.Return && e.Err() == nil {
			out[e.Obj.RV] = true
		}
	}
	return out
}

// outcome is what became of a request, as far as its resourceVersion decides it.
type outcome int

const (
	unclear outcome = iota
	perhaps         // it was not refused, and nothing shows that it was served
	served
	tooNew
)

func outcomeOf(h *history.History, q *replay.Request) outcome {
	switch {
	case q.Refused() && q.Err.Code == http.StatusGatewayTimeout && q.TooLarge():
		return tooNew
	case q.Err != nil || q.Return == 0 && q.Kind != replay.Watch:
		return unclear
	case q.Kind != replay.Watch:
		return served
	case q.Args.Options.SendInitialEvents == nil || !*q.Args.Options.SendInitialEvents:
		return unclear // it waits
	}
	for i := int(q.Call); i < len(h.Events); i++ {
		e := &h.Events[i]
		if e.Call != q.Call {
			continue
		}
		if replay.IsMark(e) {
			return served
		}
		if e.Kind == replay.Errored && e.Err() != nil && e.Err().Code == http.StatusGatewayTimeout {
			return tooNew
		}
	}
	return perhaps
}
