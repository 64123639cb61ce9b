package etcd

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/lwtest/lwtest/fakes/internal/nth"
)

// Fault is one thing that goes wrong between a storage and its etcd. It has exactly one of the fields under "what". The names are those of
// package faults of fakes/apiserver, where both have the same.
type Fault struct {
	// Name is what is said when it strikes; "": fault-1, fault-2 … by its place.
	Name string `json:"name,omitempty"`

	// Verbs are those of the requests: range, put, deleterange, txn, compact, watch; none: all that the fault can strike.
	Verbs []string `json:"verbs,omitempty"`
	// Prefix is what the key begins with. Of a watch it is the key from which it watches.
	Prefix string `json:"prefix,omitempty"`
	// Of the requests that it can strike, or of the watch's responses with events, the Nth and on (0: the first), Times of them (0: one if Nth is set, else all);
	// each with this probability, where one is given.
	Nth         int      `json:"nth,omitempty"`
	Times       int      `json:"times,omitempty"`
	Probability *float64 `json:"probability,omitempty"`

	// What: exactly one.

	// Latency is how long a request waits before etcd gets it.
	Latency *metav1.Duration `json:"latency,omitempty"`
	// Status refuses a request: NoLeader, LeaderChanged, TooManyRequests or Timeout. NoLeader ends a watch's stream, too, in place of a response with
	// events, as etcd does for clients that require a leader.
	Status Status `json:"status,omitempty"`
	// LoseAnswer has etcd do what was asked, and breaks the connection in place of an answer.
	LoseAnswer bool `json:"loseAnswer,omitempty"`
	// Stale answers a range from the state so many revisions ago, as a member may that has lost touch.
	Stale int64 `json:"stale,omitempty"`
	// Events disturbs the responses of watches.
	Events *Events `json:"events,omitempty"`
}

// Status is an error of etcd.
type Status string

// The errors, with the words of etcd's server.
const (
	NoLeader        Status = "no leader"
	LeaderChanged   Status = "leader changed"
	TooManyRequests Status = "too many requests"
	Timeout         Status = "request timed out"
)

// refusal is its error.
func (f *Fault) refusal() error {
	return status.Error(codeOf[f.Status], "etcdserver: "+string(f.Status))
}

var codeOf = map[Status]codes.Code{NoLeader: codes.Unavailable, LeaderChanged: codes.Unavailable, TooManyRequests: codes.ResourceExhausted, Timeout: codes.Unavailable}

// Events says what becomes of a watch's response that has events.
type Events struct {
	Do Do `json:"do"`
	// For is how long a delay is.
	For *metav1.Duration `json:"for,omitempty"`
}

// Do is what becomes of a response.
type Do string

const (
	Delay    Do = "delay"    // it waits, and all behind it
	Drop     Do = "drop"     // it is not sent
	Double   Do = "double"   // it is sent twice
	Fragment Do = "fragment" // each event comes in a response of its own, which says that more follow
	Compact  Do = "compact"  // the watch is cancelled in its place, because its revision is compacted
	Early    Do = "early"    // a progress response at its revision comes before it
	Close    Do = "close"    // the stream ends in its place, with all watches that share it
)

var dos = []Do{Delay, Drop, Double, Fragment, Compact, Early, Close}

const (
	watching    = "watch"
	rangeStream = "RangeStream"
)

var verbs = map[string]string{"Range": "range", rangeStream: "range", "Put": "put", "DeleteRange": "deleterange", "Txn": "txn", "Compact": "compact", "Watch": watching}

// Read reads faults from YAML or JSON: {faults: […]}.
func Read(b []byte) ([]Fault, error) {
	var file struct {
		Faults []Fault `json:"faults"`
	}
	if err := yaml.UnmarshalStrict(b, &file); err != nil {
		return nil, fmt.Errorf("%w: a file of faults has `faults`, see docs/faults.md", err)
	}
	if len(file.Faults) == 0 {
		return nil, errors.New("there is no fault in it: say `faults:` and a list, see docs/faults.md")
	}
	for i := range file.Faults {
		if err := file.Faults[i].check(); err != nil {
			return nil, fmt.Errorf("fault %d: %w", i+1, err)
		}
	}
	return file.Faults, nil
}

// check returns an error for a fault that says nothing that can be done.
func (f *Fault) check() error {
	n := 0
	for _, set := range []bool{f.Latency != nil, f.Status != "", f.LoseAnswer, f.Stale != 0, f.Events != nil} {
		if set {
			n++
		}
	}
	if n != 1 {
		return errors.New("say exactly one of latency, status, loseAnswer, stale and events")
	}
	for _, v := range f.Verbs {
		if !slices.Contains(f.possible(), v) {
			return fmt.Errorf("the verb %q is none that it can strike: %s", v, strings.Join(f.possible(), ", "))
		}
	}
	if err := nth.Check(f.Nth, f.Times, f.Probability); err != nil {
		return err
	}
	switch _, known := codeOf[f.Status]; {
	case f.Status != "" && !known:
		return fmt.Errorf("there is no status %q: say %q, %q, %q or %q", f.Status, NoLeader, LeaderChanged, TooManyRequests, Timeout)
	case f.Stale < 0:
		return errors.New("stale: say how many revisions ago")
	case f.Latency != nil && f.Latency.Duration <= 0:
		return errors.New("latency: say how long a request waits, such as 2s")
	case f.Events != nil && !slices.Contains(dos, f.Events.Do):
		return fmt.Errorf("events: there is no %q: say one of %v", f.Events.Do, dos)
	case f.Events != nil && (f.Events.Do == Delay) != (f.Events.For != nil):
		return errors.New("events: a delay, and nothing else, says for how long")
	case f.Events != nil && f.Events.For != nil && f.Events.For.Duration <= 0:
		return errors.New("events: say for how long a delay is, such as 2s")
	}
	return nil
}

// possible are the verbs that it can strike.
func (f *Fault) possible() []string {
	switch {
	case f.Events != nil:
		return []string{watching}
	case f.Stale != 0:
		return []string{"range"}
	case f.Status == NoLeader:
		return []string{"range", "put", "deleterange", "txn", "compact", watching}
	}
	return []string{"range", "put", "deleterange", "txn", "compact"}
}
