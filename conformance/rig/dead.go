package rig

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// DeadBound is how long a client may take to notice that its connection is dead, and to ask again: client-go sends a ping after 30 seconds of
// silence, waits 15 for its answer, and pauses for less than a minute.
const DeadBound = 2 * time.Minute

// Pings is where client-go gets these times from.
var Pings = source.Symbol("k8s.io/apimachinery@v0.37.2/pkg/util/net/http.go#SetTransportDefaults")

// Silence is an exchange that went silent: the server sends nothing more of it. Bound is how long the client may take to react.
type Silence struct {
	From      *history.Event // the event after which nothing came; nil: the exchange did not go silent
	Bound     time.Duration
	Want, Got string                 // of a finding: the reaction, and what went silent
	Excused   func(until int64) bool // reports whether the client had no reason to react before a time
}

// Judge adds a finding if the client did not react within s.Bound. noticed are the events that would show a reaction; nil stands for one
// that did not happen. Judge adds nothing if the client was excused, or if the history ends before the bound.
func (s Silence) Judge(x *Exchange, h *history.History, j *harness.Judgement, noticed ...*history.Event) {
	if s.From == nil {
		return
	}
	until := s.From.At + int64(s.Bound)
	for _, e := range noticed {
		if e != nil && e.Num > s.From.Num && e.At <= until {
			j.Tested++
			return
		}
	}
	if LastKnown(h).At > until && !s.Excused(until) {
		j.FailTested(s.Want, fmt.Sprintf("nothing for %s, though %s", s.Bound, s.Got), x.Call.Num, s.From.Num)
	}
}

// FellSilent returns the event from which on nothing came of an exchange for so long, because of a fault; nil: none.
func (x *Exchange) FellSilent(bound time.Duration) *history.Event {
	if x.Silent == nil {
		return nil
	}
	var came []*history.Event
	if x.How != "stopped" {
		came = append(came, x.Over)
	}
	if x.IsWatch() {
		came = append(came, x.Sent...)
	}
	if !strings.HasSuffix(history.BodyOf[FaultBody](x.Silent).Does, "body") {
		came = append(came, x.Answer)
	}
	if slices.ContainsFunc(came, func(e *history.Event) bool {
		return e != nil && e.Num > x.Silent.Num && e.At <= x.Silent.At+int64(bound)
	}) {
		return nil
	}
	return x.Silent
}

// LastKnown returns the last event of a history that is judged.
func LastKnown(h *history.History) *history.Event {
	return history.Derive(h, func(h *history.History) *history.Event {
		for i := range h.Events {
			if h.Events[i].Kind == history.GaveUp {
				return &h.Events[i]
			}
		}
		return &h.Events[len(h.Events)-1]
	})
}
