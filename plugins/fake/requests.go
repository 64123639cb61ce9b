package fake

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/requestlog"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// About says which history a request log is to become.
type About struct {
	Resource schema.GroupResource
	// Features of the server that was asked, as in `lwtest list`; nil: nobody has said.
	Features []harness.Feature
	// Virtual says that the clock was that of a bubble.
	Virtual bool
}

// History makes of a request log what was told of one resource: who asked what, and what came back, in the
// order in which the server did it. What a fault kept from the client is not in it, so the rules judge what
// clients were told. Requests that reached no API are left out. What a write to a subresource other than
// status made of an object, the log does not say: that is a change by somebody else, and so is what the
// server itself deletes when a namespace ends. See requests_others.go.
func History(entries []requestlog.Entry, about About) (*history.History, error) {
	h := history.Header{Kind: watchcache.Suite.Kind, Plugin: "request log, " + about.Resource.String(), Time: history.RealTime}
	if about.Virtual {
		h.Time = history.VirtualTime
	}
	if about.Features != nil {
		h.Features = []string{}
	}
	for _, f := range about.Features {
		h.Features = append(h.Features, string(f))
	}
	t := &translation{about: about, asks: map[int64]*ask{}, idle: map[client][]string{}, known: map[string]bool{}, place: map[string]*place{}}
	var err error
	if t.row = rowOf(about.Resource); t.row != nil {
		if t.nothing, err = printedEmpty(t.row); err != nil {
			return nil, err
		}
	}
	for i := range entries {
		t.gather(&entries[i])
	}
	for i := range entries {
		if err := t.entry(&entries[i]); err != nil {
			return nil, fmt.Errorf("entry %d: %w", entries[i].N, err)
		}
	}
	return history.New(h, t.events)
}

// client tells clients apart. One may have several requests under way: each is an actor's then.
type client struct{ view, agent string }

// ask is a request of the log.
type ask struct {
	*requestlog.Entry
	client
	kind    string            // its call's, in the words of a history; "": it has none
	lost    bool              // the answer did not arrive
	done    *requestlog.Entry // what the server did, whether it was told or not; nil: nothing, as far as is known
	refusal int32             // the code of one; 0: none that is definite
	away    bool              // that says that there is no such namespace
	created bool              // as the wire said
	until   int64             // the entry with its answer; 0: none
	actor   string
	num     int32 // of its call; 0: it is not in the history
	open    bool  // a watch
	options args
}

type translation struct {
	about  About
	words  watchcache.Trace
	asks   map[int64]*ask // by number
	order  []*ask         // watches, in the order of their opening
	wrote  []written      // in the order of the log, each object once
	known  map[string]bool
	place  map[string]*place // by namespace
	idle   map[client][]string
	actors int
	others int

	row     *apiserver.Resource        // nil: a custom one
	nothing map[string]json.RawMessage // see printedEmpty
	from    time.Time
	events  []history.Event
}

// gather looks ahead: at what became of a request.
func (t *translation) gather(e *requestlog.Entry) {
	a := t.asks[e.Request]
	if a == nil && e.What != requestlog.Asked {
		t.elsewhere(e)
		return
	}
	switch e.What {
	case requestlog.Asked:
		if e.Verb != "" && (resourceOf(e) == t.about.Resource || ofNamespaces(e)) {
			a = &ask{Entry: e, client: client{e.View, e.UserAgent}}
			t.asks[e.N] = a
			t.writes(a, e)
			if ofNamespaces(e) {
				t.places(a)
			}
		}
	case requestlog.Answered:
		a.until = e.N
		if e.Message != "" && e.Code >= 400 && e.Code < 500 {
			a.refusal, a.away = e.Code, noPlace(a, e)
		}
		if a.Verb == "deletecollection" {
			t.elsewhere(e)
		}
		if e.Message == "" {
			a.done = e
			t.writes(a, e)
		}
		if noSuchPart(a, e) {
			delete(t.asks, a.N)
		}
	case requestlog.Struck:
		a.lost = a.lost || e.Lost
		if e.Lost && e.Object != nil {
			a.done = e
			t.writes(a, e)
		}
	case requestlog.Over:
		a.lost = a.lost || e.How == requestlog.Broken && a.Verb != "watch"
		a.created = e.Code == http.StatusCreated
	}
}

func resourceOf(e *requestlog.Entry) schema.GroupResource {
	return schema.GroupResource{Group: e.Group, Resource: e.Resource}
}

func (t *translation) entry(e *requestlog.Entry) error {
	if t.from.IsZero() {
		t.from = e.Time
	}
	if e.What == requestlog.Settled {
		for _, a := range t.order {
			if a.open {
				t.add(e, history.Event{Call: a.num, Actor: a.actor, Kind: history.Settled, Obj: history.Ref{RV: e.ResourceVersion}})
			}
		}
		return nil
	}
	a := t.asks[e.Request]
	if a == nil {
		return nil
	}
	if e.What == requestlog.Asked {
		return t.asked(a)
	}
	if a.kind == "" {
		return nil
	}
	switch e.What {
	case requestlog.Answered:
		return t.answer(a, e)
	case requestlog.Sent:
		return t.event(a, e)
	case requestlog.Over:
		t.over(a, e)
	}
	return nil
}

// add adds an event, and gives its number.
func (t *translation) add(e *requestlog.Entry, out history.Event) int32 {
	out.At = e.Time.Sub(t.from).Nanoseconds()
	t.events = append(t.events, out)
	return int32(len(t.events))
}

// take gives a request an actor that has nothing to do.
func (t *translation) take(a *ask) {
	if idle := t.idle[a.client]; len(idle) > 0 {
		a.actor, t.idle[a.client] = idle[0], idle[1:]
		return
	}
	t.actors++
	a.actor = fmt.Sprint("c", t.actors)
}

func (t *translation) free(a *ask) { t.idle[a.client] = append(t.idle[a.client], a.actor) }

// answer is the return of a call, unless the client did not get it.
func (t *translation) answer(a *ask, e *requestlog.Entry) error {
	got, err := t.returned(a, e)
	if err != nil {
		return err
	}
	failed := got.Err != nil || e.Message != ""
	if a.open = a.Verb == "watch" && !failed; a.open {
		t.order = append(t.order, a)
	} else {
		t.free(a)
	}
	if !a.lost {
		t.add(e, history.Event{Phase: history.Return, Call: a.num, Actor: a.actor, Kind: a.kind, Obj: got.Obj, X: extra(got)})
	}
	return nil
}

// event is a notice of a watch.
func (t *translation) event(a *ask, e *requestlog.Entry) error {
	out := history.Event{Call: a.num, Actor: a.actor, Kind: e.Event}
	switch e.Event {
	case replay.Errored:
		out.X = extra(t.refused(e))
	default:
		var err error
		if out.Obj, err = t.shown(e); err != nil {
			return err
		}
	}
	t.add(e, out)
	return nil
}

// shown is the object of a notice.
func (t *translation) shown(e *requestlog.Entry) (history.Ref, error) {
	if e.Event != replay.Bookmark {
		return t.stored(e.Object)
	}
	m, err := t.marks(e.Object)
	if err != nil {
		return history.Ref{}, err
	}
	return t.words.Bookmark(m), nil
}

// over ends a watch.
func (t *translation) over(a *ask, e *requestlog.Entry) {
	if !a.open {
		return
	}
	a.open = false
	kind := history.Ended
	if e.How == requestlog.Stopped {
		kind = history.Stopped
	}
	t.add(e, history.Event{Call: a.num, Actor: a.actor, Kind: kind})
	t.free(a)
}

func extra(a harness.Answer) *history.Ext {
	if a.Items == nil && a.Body == nil && a.Err == nil {
		return nil
	}
	return &history.Ext{Err: a.Err, Items: a.Items, Body: raw(a.Body)}
}

func raw(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // words of a history
	}
	return b
}
