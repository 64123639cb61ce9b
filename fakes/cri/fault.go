package cri

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"sigs.k8s.io/yaml"
)

// Fault is what goes wrong with some calls or events. The first fault that fits strikes.
type Fault struct {
	Name string `json:"name,omitempty"` // for Clear
	// Method is a pattern of method names, as "Stop*"; empty: the fault is about events.
	Method string `json:"method,omitempty"`
	// Contains is a text that the request has, as JSON without spaces; empty: any request.
	Contains string `json:"contains,omitempty"`
	// Nth is which of the calls or events that fit is the first to be struck, from 1; 0: the first.
	Nth int `json:"nth,omitempty"`
	// Times is how many are struck; 0: all.
	Times int `json:"times,omitempty"`
	// Chance is how likely each of them is struck; 0: certainly.
	Chance float64 `json:"chance,omitempty"`

	// Delay is how long the call waits before anything is done.
	Delay Duration `json:"delay,omitempty"`
	// Hang makes the call wait until its caller goes, For has passed, or the fault is cleared.
	Hang bool     `json:"hang,omitempty"`
	For  Duration `json:"for,omitempty"`
	// Code is the error of the call; OK: it goes on.
	Code    codes.Code `json:"code,omitempty"`
	Message string     `json:"message,omitempty"`
	// Applied: what was asked is done, though the answer is an error, or hangs.
	Applied bool `json:"applied,omitempty"`
	// Crash: the runtime dies, as by Runtime.Crash. It comes back after the time Restart; 0: it stays down.
	Crash   bool     `json:"crash,omitempty"`
	Restart Duration `json:"restart,omitempty"`
	// Slow is how long the middle of a call takes, when half of what it does is done: a name is reserved, say, and nothing is made. It
	// goes on when the caller has gone. A runtime that dies meanwhile leaves that half.
	Slow Duration `json:"slow,omitempty"`

	// Event is what becomes of events: "drop", "double", or "swap" (it comes after the next one).
	Event string `json:"event,omitempty"`
	// Type is the type of the events, as "CONTAINER_STOPPED_EVENT"; empty: all.
	Type string `json:"type,omitempty"`

	// Struck is called when something goes wrong with a call: before it, in the middle, or after it. Nil: nothing is.
	Struck func() `json:"-"`

	cleared chan struct{} // closed when the fault is cleared
}

// String describes what the fault does, as "code Unavailable, applied".
func (f Fault) String() string {
	var parts []string
	add := func(ok bool, format string, args ...any) {
		if ok {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(f.Event != "", "event %s", f.Event)
	add(f.Delay > 0, "delay %s", time.Duration(f.Delay))
	add(f.Slow > 0, "slow %s", time.Duration(f.Slow))
	add(f.Hang && f.For == 0, "hang")
	add(f.Hang && f.For > 0, "hang for %s", time.Duration(f.For))
	add(f.Code != codes.OK, "code %s", f.Code)
	add(f.Crash && f.Restart == 0, "crash")
	add(f.Crash && f.Restart > 0, "crash for %s", time.Duration(f.Restart))
	add(f.Applied, "applied")
	return strings.Join(parts, ", ")
}

// Duration is a time.Duration that is written as "1s".
type Duration time.Duration

// MarshalText implements encoding.TextMarshaler.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(b []byte) error {
	x, err := time.ParseDuration(string(b))
	*d = Duration(x)
	return err
}

// ReadFaults reads faults from YAML or JSON: {"faults": [...]}. It returns an error for a field that there is not, and for a fault
// that never strikes.
func ReadFaults(b []byte) ([]Fault, error) {
	var file struct {
		Faults []Fault `json:"faults"`
	}
	if err := yaml.UnmarshalStrict(b, &file); err != nil {
		return nil, err
	}
	for i, f := range file.Faults {
		if err := f.Validate(); err != nil {
			return nil, fmt.Errorf("fault %d: %w", i+1, err)
		}
	}
	return file.Faults, nil
}

// Validate returns an error for a fault that never strikes or does nothing.
func (f Fault) Validate() error {
	fits := func(method string) bool {
		ok, err := path.Match(f.Method, method)
		return ok && err == nil
	}
	switch {
	case (f.Method == "") == (f.Event == ""):
		return errors.New("say either the method of calls, or what becomes of events")
	case f.Method != "" && !slices.ContainsFunc(methods(), fits):
		return fmt.Errorf("no method of the CRI is %q", f.Method)
	case f.Event != "" && !slices.Contains([]string{"drop", "double", "swap"}, f.Event):
		return fmt.Errorf("event is %q: say drop, double or swap", f.Event)
	case f.Type != "" && runtimeapi.ContainerEventType_value[f.Type] == 0 && f.Type != "CONTAINER_CREATED_EVENT":
		return fmt.Errorf("there is no type of event %q", f.Type)
	case f.Slow != 0 && !slices.ContainsFunc(slowCalls, fits):
		return fmt.Errorf("only these have a middle, and can be slow: %s", strings.Join(slowCalls, ", "))
	case f.Restart != 0 && !f.Crash:
		return errors.New("restart goes with crash: true")
	case f.Chance < 0 || f.Chance > 1:
		return fmt.Errorf("chance is %v: say 0 to 1", f.Chance)
	case f.Method != "" && f.Delay == 0 && !f.Hang && f.Code == codes.OK && !f.Crash && f.Slow == 0:
		return errors.New("it does nothing: say delay, hang, code, crash or slow")
	}
	return nil
}

// slowCalls are those that have a middle.
var slowCalls = []string{"RunPodSandbox", "StopPodSandbox", "RemovePodSandbox", "CreateContainer", "StartContainer", "StopContainer", "RemoveContainer", "PullImage"}

// methods are the names of all calls.
func methods() (all []string) {
	for _, s := range []grpc.ServiceDesc{runtimeapi.RuntimeService_ServiceDesc, runtimeapi.ImageService_ServiceDesc} {
		for _, m := range s.Methods {
			all = append(all, m.MethodName)
		}
		for _, m := range s.Streams {
			all = append(all, m.StreamName)
		}
	}
	return all
}

type armed struct {
	Fault
	fit    int // how many calls or events have
	struck int
}

// Faults are the faults that are armed in a Runtime, or in a proxy. All methods may be called concurrently.
type Faults struct {
	mu   sync.Mutex
	all  []*armed
	rand *rand.Rand
}

// NewFaults returns no faults. The seed decides chances.
func NewFaults(seed uint64) *Faults { return &Faults{rand: rand.New(rand.NewPCG(seed, 1))} }

// Arm arms a fault. It lasts until Clear, or until it has struck as often as it says.
func (f *Faults) Arm(x Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	x.cleared = make(chan struct{})
	f.all = append(f.all, &armed{Fault: x})
}

// Clear ends the faults whose names match a pattern, as "*".
func (f *Faults) Clear(pattern string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = slices.DeleteFunc(f.all, func(a *armed) bool {
		ok, err := path.Match(pattern, a.Name)
		if ok && err == nil {
			close(a.cleared)
		}
		return ok && err == nil
	})
}

// Arm arms a fault. It lasts until Clear, or until it has struck as often as it says.
func (r *Runtime) Arm(f Fault) { r.faults.Arm(f) }

// Clear ends the faults whose names match a pattern, as "*".
func (r *Runtime) Clear(pattern string) { r.faults.Clear(pattern) }

// strikes counts a call or an event that fits, and reports whether the fault strikes it.
func (a *armed) strikes(f *Faults) bool {
	if a.fit++; a.fit < a.Nth || a.Times > 0 && a.struck >= a.Times || a.Chance > 0 && f.rand.Float64() >= a.Chance {
		return false
	}
	a.struck++
	return true
}

// Strike returns the fault that strikes a call; nil: none. The request of a stream may be nil.
func (f *Faults) Strike(method string, request any) *Fault { return f.strike(method, request, false) }

func (f *Faults) strike(method string, request any, slow bool) *Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, a := range f.all {
		if ok, _ := path.Match(a.Method, method); ok && (a.Slow > 0) == slow && contains(request, a.Contains) && a.strikes(f) {
			return &a.Fault
		}
	}
	return nil
}

func contains(request any, text string) bool {
	m, ok := request.(proto.Message)
	if text == "" || !ok {
		return text == ""
	}
	b, err := protojson.Marshal(m)
	return err == nil && strings.Contains(strings.ReplaceAll(string(b), " ", ""), strings.ReplaceAll(text, " ", ""))
}

// slow returns the fault that makes the middle of a call slow; nil: none.
func (f *Faults) slow(method string, request any) *Fault { return f.strike(method, request, true) }

// struck tells whoever wants to know that something goes wrong.
func (x *Fault) struck() {
	if x.Struck != nil {
		x.Struck()
	}
}

// Before does what a fault does before a call; of nil, nothing. It returns an error if nothing of the call is to be done. crash kills
// the runtime.
func (x *Fault) Before(ctx context.Context, crash func()) error {
	if x == nil {
		return nil
	}
	sleep(ctx, time.Duration(x.Delay))
	if x.Applied {
		return nil
	}
	return x.fail(ctx, crash)
}

// After does what a fault does after a call; of nil, nothing. It returns an error if the caller gets one in the place of the answer.
func (x *Fault) After(ctx context.Context, crash func()) error {
	if x == nil || !x.Applied {
		return nil
	}
	return x.fail(ctx, crash)
}

func (x *Fault) fail(ctx context.Context, crash func()) error {
	x.struck()
	if x.Hang {
		patience, cancel := ctx, context.CancelFunc(func() {})
		if x.For > 0 {
			patience, cancel = context.WithTimeout(ctx, time.Duration(x.For))
		}
		select {
		case <-patience.Done():
		case <-x.cleared:
		}
		cancel()
	}
	if x.Crash {
		crash()
		return status.Error(codes.Unavailable, "the runtime died")
	}
	if ctx.Err() != nil {
		return status.FromContextError(ctx.Err()).Err()
	}
	if x.Code != codes.OK {
		return status.Error(x.Code, x.Message)
	}
	return nil
}

// EventFaults is what faults do to the events of one stream.
type EventFaults struct {
	*Faults
	late *runtimeapi.ContainerEventResponse // it comes after the next event
}

// Send returns what is sent in the place of an event, and the fault that strikes it; nil: none. It must not be called concurrently.
func (f *EventFaults) Send(e *runtimeapi.ContainerEventResponse) (all []*runtimeapi.ContainerEventResponse, by *Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	late := f.late
	f.late = nil
	all = []*runtimeapi.ContainerEventResponse{e}
	for _, a := range f.all {
		if a.Event == "" || a.Type != "" && a.Type != e.GetContainerEventType().String() || !contains(e, a.Contains) || !a.strikes(f.Faults) {
			continue
		}
		by = &a.Fault
		switch a.Event {
		case "drop":
			all = nil
		case "double":
			all = append(all, e)
		case "swap":
			f.late, all = e, nil
		}
		break
	}
	if late != nil {
		all = append(all, late)
	}
	return all, by
}
