package rig

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/harness/history"
)

// Exchange is one request to a server and everything that followed from it, as a Driver recorded it.
type Exchange struct {
	Call    *history.Event
	Answer  *history.Event // nil: none, or only after its connection died
	Asked   Request
	Options metav1.ListOptions // as the server understood them
	Faults  []FaultBody
	Sent    []*history.Event // of a watch: its events, and what was sent in place of some, in order, until its connection died
	Mark    *history.Event   // of these the bookmark that ends the initial events; nil: none, or only behind an ERROR or what cannot be read
	Over    *history.Event   // the end of its bytes; nil: none yet
	How     string           // of that end: clean, broken, stopped; broken as soon as its connection is dead
	Silent  *history.Event   // the fault that lets it hang, or stall; nil: none
	Dead    *history.Event   // from this on its connection is dead; nil: it is not, or was over by then

	cut bool // its connection was broken when the network went down: the server may say so later
}

// Exchanges returns the exchanges of a history in the order of the requests, up to where the case was given up.
func Exchanges(h *history.History) []*Exchange { return history.Derive(h, exchanges).all }

type exchanged struct{ all []*Exchange }

func exchanges(h *history.History) (out exchanged) {
	of, down := map[int32]*Exchange{}, false
	for i := range h.Events {
		e := &h.Events[i]
		switch x := of[e.Call]; {
		case e.Kind == history.GaveUp:
			return out
		case e.Actor == Network && e.Phase == history.Call:
			down = e.Kind == Down || down && e.Kind != Up
			for _, x := range out.all {
				if x.Over == nil {
					x.network(e)
				}
			}
		case !IsServer(e.Actor):
		case e.Phase == history.Call:
			x := &Exchange{Call: e, Asked: history.ArgsOf[Request](e), cut: down}
			_ = json.Unmarshal(x.Asked.Options, &x.Options) // the server has written them
			out.all, of[e.Num] = append(out.all, x), x
		case x != nil:
			x.add(h, e)
		}
	}
	return out
}

// network notes what happens to the connection of an exchange that is not over.
func (x *Exchange) network(e *history.Event) {
	switch e.Kind {
	case Down:
		x.cut = true
	case Died:
		if x.Asked.HTTP2 && !x.cut {
			x.Dead, x.How = e, "broken"
		}
	}
}

// IsServer reports whether actor names a server, or one of its views.
func IsServer(actor string) bool { return actor == Actor || strings.HasPrefix(actor, Actor+"/") }

func (x *Exchange) add(h *history.History, e *history.Event) {
	switch {
	case x.Dead != nil && e.Kind != End && e.Kind != FaultStruck: // the client never gets it
	case e.Phase == history.Return:
		x.Answer = e
	case e.Kind == FaultStruck:
		f := history.BodyOf[FaultBody](e)
		if x.Faults = append(x.Faults, f); strings.HasPrefix(f.Does, "hang") || strings.HasPrefix(f.Does, "stall") {
			x.Silent = e
		}
	case e.Kind == End:
		if x.Over = e; x.Dead == nil {
			x.How = history.BodyOf[EndBody](e).How
		}
	default:
		if x.Mark == nil && endsInitial(h, e) && !slices.ContainsFunc(x.Sent, spoils) {
			x.Mark = e
		}
		x.Sent = append(x.Sent, e)
	}
}

// spoils reports whether clients give up a stream at an event. A frame that replaces another is none of those: they may skip it.
func spoils(e *history.Event) bool {
	return e.Kind == "ERROR" || e.Kind == SpoiledFrame && !strings.HasPrefix(history.BodyOf[FaultBody](e).Does, "replace")
}

func endsInitial(h *history.History, e *history.Event) bool {
	if e.Kind != "BOOKMARK" {
		return false
	}
	o := history.Content[metav1.PartialObjectMetadata](h, e.Obj.Body)
	return o != nil && o.Annotations[metav1.InitialEventsAnnotationKey] == "true"
}

// IsList reports whether x is a list.
func (x *Exchange) IsList() bool { return x.Call.Kind == List }

// IsWatch reports whether x is a watch.
func (x *Exchange) IsWatch() bool { return x.Call.Kind == Watch }

// IsStream reports whether x is a streaming list: a watch that requests the initial state first.
func (x *Exchange) IsStream() bool {
	return x.IsWatch() && x.Options.SendInitialEvents != nil && *x.Options.SendInitialEvents
}

// IsWhole reports whether x is a streaming list whose initial events ended.
func (x *Exchange) IsWhole() bool { return x.IsStream() && x.Mark != nil }

// IsUnfinished reports whether x is a streaming list whose initial events did not end.
func (x *Exchange) IsUnfinished() bool { return x.IsStream() && x.Mark == nil }

// AsksWatch reports whether a server reads a URL as that of a watch: watch has any value but 0 and false, in whatever case (apimachinery,
// Convert_Slice_string_To_bool), or the path is the old one, with watch behind the version (apiserver, RequestInfoFactory).
func AsksWatch(u *url.URL) bool {
	prefix, rest, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	parts := strings.Split(rest, "/") // v1, watch; or of a group: apps, v1, watch
	if at := map[string]int{"api": 1, "apis": 2}[prefix]; at > 0 && at < len(parts) && parts[at] == "watch" {
		return true
	}
	v, ok := u.Query()["watch"]
	return ok && v[0] != "0" && !strings.EqualFold(v[0], "false")
}

// Refused returns the error of the answer; nil: none.
func (x *Exchange) Refused() *history.Error {
	if x.Answer == nil {
		return nil
	}
	return x.Answer.Err()
}

// Unauthenticated reports whether the server refused a request for lack of credentials, and not because of a fault.
func (x *Exchange) Unauthenticated() bool {
	e := x.Refused()
	return x.Call.Kind == Other && e != nil && e.Code == http.StatusUnauthorized && len(x.Faults) == 0
}

// Lost reports whether a fault, or a dead connection, kept the answer, or a part of it, from the client.
func (x *Exchange) Lost() bool {
	return x.Dead != nil && (!x.IsWatch() || x.Answer == nil) || slices.ContainsFunc(x.Faults, func(f FaultBody) bool { return f.Lost })
}

// Failed returns the ERROR event of a watch; nil: none.
func (x *Exchange) Failed() *history.Event {
	if i := slices.IndexFunc(x.Sent, func(e *history.Event) bool { return e.Kind == "ERROR" }); i >= 0 {
		return x.Sent[i]
	}
	return nil
}
