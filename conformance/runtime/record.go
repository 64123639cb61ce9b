package runtime

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness/history"
)

// exchange is a call with its answer. It is shared by all rules, and nobody changes it.
type exchange struct {
	Num, Return int32         // events; Return is 0 if it never came back
	From, To    time.Duration // since the start
	Actor       string
	Method      string
	Key         string
	ID          string        // of the sandbox or the container that it names
	Ask         proto.Message // nil: a request that cannot be read
	Reply       proto.Message // nil: it failed
	body        json.RawMessage
	Err         *history.Error
	Faulted     bool // a fault was injected into it
}

// ok reports whether the call succeeded.
func (x *exchange) ok() bool { return x.Return > 0 && x.Err == nil }

// code is that of the answer.
func (x *exchange) code() codes.Code {
	if x.Err == nil {
		return codes.OK
	}
	return codes.Code(x.Err.Code)
}

// vague reports whether nobody can say if the call was done.
func (x *exchange) vague() bool { return x.Return == 0 || x.Err != nil && !x.Err.Definite }

// told is an event that the runtime sent.
type told struct {
	Num   int32
	Actor string
	*runtimeapi.ContainerEventResponse
}

// record is what a history says of a runtime.
type record struct {
	h        *history.History
	calls    []*exchange // in the order of their calls
	byMethod map[string][]*exchange
	events   []told
	kills    []int32 // when the runtime was killed or started: what is under way then is lost
	slack    time.Duration
}

func recordOf(h *history.History) *record { return history.Derive(h, newRecord) }

func newRecord(h *history.History) *record {
	r := &record{h: h, byMethod: map[string][]*exchange{}, slack: slack}
	open := map[int32]*exchange{}
	for i := range h.Events {
		e := &h.Events[i]
		if e.Phase == history.Call && (e.Kind == evKill || e.Kind == evStart) {
			r.kills = append(r.kills, e.Num)
		}
		switch {
		case e.Phase == history.Call:
			x := &exchange{Num: e.Num, From: time.Duration(e.At), Actor: e.Actor, Method: e.Kind, Key: e.Obj.Key, ID: e.Obj.UID, Ask: read(e.Kind+"Request", args(e))}
			open[e.Num] = x
			r.calls, r.byMethod[x.Method] = append(r.calls, x), append(r.byMethod[x.Method], x)
		case e.Phase == history.Return:
			if x := open[e.Call]; x != nil {
				x.Return, x.To, x.Err = e.Num, time.Duration(e.At), e.Err()
				r.pace(x)
				if x.Err == nil && e.X != nil {
					x.Reply, x.body = read(e.Kind+"Response", e.X.Body), e.X.Body
				}
			}
		case e.Kind == KindFault && open[e.Call] != nil:
			open[e.Call].Faulted = true
		case e.Kind == evEvent && e.X != nil:
			if m, ok := read("ContainerEventResponse", e.X.Body).(*runtimeapi.ContainerEventResponse); ok {
				r.events = append(r.events, told{e.Num, e.Actor, m})
			}
		}
	}
	return r
}

// pace makes slack longer by the longest run of a sandbox or start of a container, which wait for nothing but the machine. In virtual
// time no machine is slow.
func (r *record) pace(x *exchange) {
	if r.h.Header.Time == history.RealTime && x.Err == nil && !x.Faulted && (x.Method == "RunPodSandbox" || x.Method == "StartContainer") {
		r.slack = max(r.slack, slack+x.To-x.From)
	}
}

func args(e *history.Event) json.RawMessage {
	if e.X == nil {
		return nil
	}
	return e.X.Args
}

// read reads a message of the CRI; nil: there is none of that name, or it cannot be read.
func read(name string, b json.RawMessage) proto.Message {
	t, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName("runtime.v1." + name))
	if err != nil {
		return nil
	}
	m := t.New().Interface()
	if len(b) > 0 && json.Unmarshal(b, m) != nil {
		return nil
	}
	return m
}

// of returns the calls of some methods, in order.
func (r *record) of(methods ...string) (all []*exchange) {
	for _, m := range methods {
		all = append(all, r.byMethod[m]...)
	}
	if len(methods) > 1 {
		slices.SortFunc(all, func(a, b *exchange) int { return cmp.Compare(a.Num, b.Num) })
	}
	return all
}

// killed reports whether the runtime was killed or started between two events.
func (r *record) killed(from, to int32) bool {
	for _, n := range r.kills {
		if n > from && n < to {
			return true
		}
	}
	return false
}

// down reports whether the runtime was killed before an event, and is not up again.
func (r *record) down(num int32) (down bool) {
	for _, x := range r.of(evKill, evStart) {
		if x.Num < num {
			down = x.Method == evKill || !x.ok() || x.Return > num
		}
	}
	return down
}
