// Package history is what was seen: a list of events whose order is its index.
//
// A check records one while it drives a subject, rules judge it, and it is
// saved as JSON Lines, so that anyone's trace can be judged (see SCHEMA.md).
// The package knows no Kubernetes and needs only the standard library.
package history

import (
	"encoding/json"
	"fmt"
)

// Phase tells what an event is: something that was seen, or one half of a call.
type Phase uint8

const (
	Notice Phase = iota // the subject told this by itself, or the engine did
	Call                // a request left
	Return              // its answer came
)

var phases = [...]string{Notice: "notice", Call: "call", Return: "return"}

func (p Phase) String() string {
	if int(p) < len(phases) {
		return phases[p]
	}
	return fmt.Sprintf("phase %d", uint8(p))
}

// The events that the engine records by itself, under the actor they are about.
const (
	Settled = "SETTLED" // the actor had been given all that was acknowledged before, or all up to Obj.RV where it is set
	Ended   = "ENDED"   // the actor's stream ended without an error event
	Stopped = "STOPPED" // the drive ended the actor's stream; nothing may come after
	Left    = "LEFT"    // goroutines or connections were left behind; X.Err.Msg tells which
	GaveUp  = "GAVE-UP" // a deadline passed; X.Err.Msg tells which
	Panic   = "PANIC"   // the subject panicked; X.Err.Msg has the value and the stack
	Exited  = "EXITED"  // the process of the subject ended; X.Err.Msg tells how

	ProtocolError = "MISSPOKE" // what stands between the engine and a subject of another process broke their protocol; X.Err.Msg tells how
)

// Engine is the actor of engine events that are about the whole case.
const Engine = "engine"

// Event is one thing that was seen. Events are immutable once in a History.
type Event struct {
	Num   int32 // its number in the history, from 1
	Call  int32 // number of the call this belongs to: of a return, and of what a watch delivers; 0: none
	Phase Phase
	Actor string // who saw it: "w1" a watch, "c1" a client, or Engine
	Kind  string // ADDED, LIST, StopContainer, SETTLED …
	At    int64  // nanoseconds since the start; the header says of which clock
	Obj   Ref
	X     *Ext // nil: nothing more to say
}

// Err is the error an event carries, nil for none.
func (e *Event) Err() *Error {
	if e.X == nil {
		return nil
	}
	return e.X.Err
}

// Ref is what a history keeps of an object. K and N are filled by New.
type Ref struct {
	Key    string // "namespace/name", or "name" of a kind without namespaces
	UID    string
	RV     string // resourceVersion as the subject gave it
	Labels *Set   // nil: none
	Fields *Set   // selectable fields besides name and namespace, and marks; nil: none
	Body   string // all else that rules may compare, compact; equal text is equal content
	Meta   *Set   // what else of its metadata the subject decides; nil: not known

	K int32 // dense number of Key in this history, from 1; 0: no key
	N int32 // rank of RV among the history's resourceVersions, from 1; 0: none, or not a decimal integer above 0
}

// Ext is what few events have.
type Ext struct {
	Err   *Error          // the call failed, or an ERROR event
	Items []Ref           // what a list gave, in its order
	Args  json.RawMessage // of a call: what was asked
	Body  json.RawMessage // of a return or notice: what else was answered
}

// Error is a failed call. Definite says that the operation did not happen for certain.
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
