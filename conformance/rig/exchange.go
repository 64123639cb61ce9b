package rig

import (
	"encoding/json"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/harness/history"
)

// Exchange is one request that a server was sent, and all that came of it, as Record has recorded it.
type Exchange struct {
	Call   *history.Event
	Answer *history.Event // nil: none
	Asked  Request
	// Options as the server understood them.
	Options metav1.ListOptions
	Faults  []FaultBody
	Sent    []*history.Event // of a watch: events, and what was sent in place of some, in order
	Over    *history.Event   // the end of its bytes; nil: it has none yet
	How     string           // that end: clean, broken, stopped
}

// Exchanges are those of a history, in the order of the requests. What comes after the case was given up is left out.
func Exchanges(h *history.History) []*Exchange { return history.Derive(h, exchanges).all }

type exchanged struct{ all []*Exchange }

func exchanges(h *history.History) exchanged {
	var out exchanged
	of := map[int32]*Exchange{}
	for i := range h.Events {
		e := &h.Events[i]
		switch x := of[e.Call]; {
		case e.Kind == history.GaveUp:
			return out
		case !IsServer(e.Actor):
		case e.Phase == history.Call:
			x := &Exchange{Call: e}
			if e.X != nil && json.Unmarshal(e.X.Args, &x.Asked) == nil {
				_ = json.Unmarshal(x.Asked.Options, &x.Options) // the server has written them
			}
			out.all, of[e.Num] = append(out.all, x), x
		case x != nil:
			x.add(e)
		}
	}
	return out
}

// IsServer says that an actor is a server, or one of its views.
func IsServer(actor string) bool { return actor == Actor || strings.HasPrefix(actor, Actor+"/") }

func (x *Exchange) add(e *history.Event) {
	switch {
	case e.Phase == history.Return:
		x.Answer = e
	case e.Kind == FaultStruck:
		x.Faults = append(x.Faults, bodyOf[FaultBody](e))
	case e.Kind == End:
		x.Over, x.How = e, bodyOf[EndBody](e).How
	default:
		x.Sent = append(x.Sent, e)
	}
}

func bodyOf[B any](e *history.Event) (b B) {
	if e.X != nil {
		_ = json.Unmarshal(e.X.Body, &b) // the recorder has written it
	}
	return b
}

// IsList and IsWatch say what was asked for.
func (x *Exchange) IsList() bool  { return x.Call.Kind == List }
func (x *Exchange) IsWatch() bool { return x.Call.Kind == Watch }

// IsStream says that it is a watch that asks for the initial state first: a streaming list.
func (x *Exchange) IsStream() bool {
	return x.IsWatch() && x.Options.SendInitialEvents != nil && *x.Options.SendInitialEvents
}

// Refused is the error that it was answered with; nil: none.
func (x *Exchange) Refused() *history.Error {
	if x.Answer == nil {
		return nil
	}
	return x.Answer.Err()
}

// Lost says that a fault kept the answer, or some of it, from the client.
func (x *Exchange) Lost() bool {
	return slices.ContainsFunc(x.Faults, func(f FaultBody) bool { return f.Lost })
}

// Failed is the ERROR event that a watch ended with; nil: none.
func (x *Exchange) Failed() *history.Event {
	i := slices.IndexFunc(x.Sent, func(e *history.Event) bool { return e.Kind == "ERROR" })
	if i < 0 {
		return nil
	}
	return x.Sent[i]
}
