package rig

import (
	"cmp"
	"encoding/json"
	"sync"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// Actor is the actor of a server in a history: requests are its calls, answers their returns, and the events of a watch are
// notices of its call. Each further view of a server is an actor of its own.
const Actor = "server"

// The events of a server beside calls and the events of watches.
const (
	FaultStruck  = "FAULT"   // a fault affects the request; FaultBody
	SpoiledFrame = "SPOILED" // bytes that no client can read, in place of an event of a watch; FaultBody, with the event's type as its name
	End          = "END"     // the end of the bytes of an answer or a watch; EndBody
)

// Request is what a history keeps of a request, as Args.
type Request struct {
	Client    string          `json:"client,omitempty"` // the actor that was given the endpoint; "": not known
	Idle      []int           `json:"idle,omitempty"`   // when it uses a new connection: for how many seconds each other one has carried nothing; none if these are few
	URI       string          `json:"uri,omitempty"`
	Accept    string          `json:"accept,omitempty"`
	HTTP2     bool            `json:"http2,omitempty"` // it came over HTTP/2
	Group     string          `json:"group,omitempty"`
	Version   string          `json:"version,omitempty"`
	Resource  string          `json:"resource,omitempty"`
	Namespace string          `json:"namespace,omitempty"`
	Options   json.RawMessage `json:"options,omitempty"`
}

// FaultBody is the body of a FAULT.
type FaultBody struct {
	Name string `json:"name"`
	Does string `json:"does"`
	Lost bool   `json:"lost,omitempty"`
}

// EndBody is the body of an END.
type EndBody struct {
	How string `json:"how"` // clean, broken, stopped (by the client)
}

// record records with t each request to the server from now on, and everything that follows from it.
func record(t *harness.T, s Server) *recorder {
	r := &recorder{t: t, open: map[int64]asked{}, trouble: trouble{last: map[string]mishap{}, waiting: map[int64]string{}, hung: map[int64]string{}, watches: map[int64]bool{}}}
	s.Log(r.entry)
	return r
}

type asked struct {
	num                    int32
	actor, kind, namespace string
}

type recorder struct {
	t    *harness.T
	mu   sync.Mutex
	open map[int64]asked
	trouble
}

func (r *recorder) entry(e Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.What == Asked {
		r.asked(e)
		return
	}
	a, ok := r.open[e.Request]
	if !ok {
		return
	}
	r.trouble.note(e, a.kind, a.namespace)
	switch e.What {
	case Answered:
		r.t.End(a.num, a.actor, a.kind, r.answer(e))
	case Sent:
		r.t.Seen(a.actor, e.Event, a.num, r.answer(e))
	case Spoiled:
		r.t.Seen(a.actor, SpoiledFrame, a.num, harness.Answer{Body: FaultBody{Name: e.Event, Does: e.Does}})
	case Struck:
		r.t.Seen(a.actor, FaultStruck, a.num, harness.Answer{Body: FaultBody{e.Fault, e.Does, e.Lost}})
	case Over:
		r.t.Seen(a.actor, End, a.num, harness.Answer{Body: EndBody{e.How}})
	}
}

// asked begins a call.
func (r *recorder) asked(e Entry) {
	a := asked{actor: Actor, kind: cmp.Or(kinds[e.Verb], Other), namespace: e.Namespace}
	if e.View != "" {
		a.actor += "/" + e.View
	}
	if len(e.Idle) < IdleConnections {
		e.Idle = nil
	}
	a.num = r.t.Begin(harness.Call{Actor: a.actor, Kind: a.kind, Args: Request{e.Client, e.Idle, e.URI, e.Accept, e.HTTP2, e.Group, e.Version, e.Resource, e.Namespace, e.Options}})
	r.open[e.Request] = a
	r.trouble.note(e, a.kind, a.namespace)
}

// The kinds of calls.
const (
	List  = "LIST"
	Watch = "WATCH"
	Other = "REQUEST" // neither
)

var kinds = map[string]string{"list": List, "watch": Watch} // by verb

// answer returns what a history keeps of an answer or of an event of a watch.
func (r *recorder) answer(e Entry) harness.Answer {
	if e.Message != "" || e.Code >= 400 {
		return harness.Answer{Err: &history.Error{Code: int(e.Code), Reason: e.Reason, Msg: e.Message}, Body: StatusOf(e.Object)}
	}
	if e.What == Sent {
		return harness.Answer{Obj: Object(r.t, e.Object)}
	}
	return Listed(r.t, e.Object)
}
