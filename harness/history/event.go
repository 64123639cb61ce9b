// Package history holds what was seen in a test: a list of events in the order in which they were seen.
//
// A check records a history while it drives a subject, and rules judge it. It is saved as JSON Lines, so that traces
// of other tools can be judged too (see SCHEMA.md). The package does not know Kubernetes and needs only the standard
// library.
package history

import (
	"cmp"
	"encoding/json"
	"fmt"
)

// Phase says what an event is: a request, its answer, or a notice.
type Phase uint8

const (
	Notice Phase = iota // the subject or the engine reported something on its own
	Call                // a request was sent
	Return              // its answer came
)

var phases = [...]string{Notice: "notice", Call: "call", Return: "return"}

func (p Phase) String() string {
	if int(p) < len(phases) {
		return phases[p]
	}
	return fmt.Sprintf("phase %d", uint8(p))
}

// Kinds of event that the engine records itself, under the actor that they are about.
const (
	Settled = "SETTLED" // the actor has received everything acknowledged before, or everything up to Obj.RV if that is set
	Ended   = "ENDED"   // the actor's stream ended without an error event
	Stopped = "STOPPED" // the drive ended the actor's stream; nothing may come after
	Left    = "LEFT"    // goroutines or connections were left behind; X.Err.Msg says which
	GaveUp  = "GAVE-UP" // a deadline passed or the drive could not go on; X.Err.Msg says why
	Panic   = "PANIC"   // the subject panicked; X.Err.Msg has the value and the stack
	Exited  = "EXITED"  // the process of the subject ended; X.Err.Msg says how

	ProtocolError = "MISSPOKE" // an adapter broke the protocol between the engine and a subject in another process; X.Err.Msg says how
)

// Engine is the actor of events about the whole case.
const Engine = "engine"

// Event is one event. Events must not be changed once they are in a History.
type Event struct {
	Num   int32 // number in the history, from 1
	Call  int32 // number of the call that a return, or an event of a watch, belongs to; 0: none
	Phase Phase
	Actor string // who saw it: "w1" a watch, "c1" a client, or Engine
	Kind  string // ADDED, LIST, StopContainer, SETTLED …
	At    int64  // nanoseconds since the start, on the clock that the header names
	Obj   Ref
	X     *Ext // nil: none
}

// Err returns the event's error, or nil.
func (e *Event) Err() *Error {
	if e.X == nil {
		return nil
	}
	return e.X.Err
}

// Ref is what a history keeps of an object. New sets K and N.
type Ref struct {
	Key    string // "namespace/name", or "name" for a kind without namespaces
	UID    string
	RV     string // resourceVersion as the subject sent it
	Labels *Set   // nil: none
	Fields *Set   // selectable fields besides name and namespace, and marks; nil: none
	Body   string // everything else that rules may compare, in compact form; equal text means equal content
	Meta   *Set   // other metadata that the subject decides; nil: not known

	K int32 // number of Key in this history, from 1 without gaps; 0: no key
	N int32 // rank of RV among the history's resourceVersions, from 1; 0: none, or not a decimal integer above 0
}

// Named names an object as findings do: its key, and its resourceVersion, if it has them.
func (r *Ref) Named() string {
	name := cmp.Or(r.Key, "an object without a name")
	if r.RV != "" {
		name += " @" + r.RV
	}
	return name
}

// Ext holds fields that few events have.
type Ext struct {
	Err   *Error          // of a failed call, or of an ERROR event
	Items []Ref           // items of a list, in its order
	Args  json.RawMessage // of a call: its arguments
	Body  json.RawMessage // of a return or notice: the rest of the answer
}

// Error is the error of a failed call. Definite says that the operation certainly did not happen.
type Error struct {
	Code     int    `json:"code,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Msg      string `json:"msg,omitempty"`
	Definite bool   `json:"definite,omitempty"`
}

func (e *Error) String() string {
	s := ""
	if e.Code != 0 {
		s = fmt.Sprint(e.Code)
	}
	for _, p := range []string{e.Reason, e.Msg} {
		if p != "" {
			if s != "" {
				s += " "
			}
			s += p
		}
	}
	return s
}
