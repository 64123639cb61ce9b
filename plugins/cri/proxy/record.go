package proxy

import (
	"encoding/json"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/conformance/runtime"
	"github.com/lwtest/lwtest/fakes/cri"
	"github.com/lwtest/lwtest/harness/history"
)

// Summary counts what passed.
type Summary struct {
	Calls, Failed int // Failed: they were answered with an error
	Events        int // of GetContainerEvents
	Faults        int // that were injected
	Recorded      int // events of the history
}

// recorder writes a history, event by event, so that nothing is lost if the proxy is killed.
type recorder struct {
	mu      sync.Mutex
	out     *history.Writer // nil: nothing is recorded, or not any more
	start   time.Time
	num     int32
	secrets bool
	problem func(error)
	err     error // why it cannot be written
	closed  bool
	names   map[string]named // by the ids of what is there
	sum     Summary
}

// named is a sandbox or a container.
type named struct{ key, pod string } // pod: the id of the sandbox of a container

func newRecorder(h history.Header, o Options) (r *recorder, err error) {
	r = &recorder{start: time.Now(), secrets: o.Secrets, problem: o.Problem, names: map[string]named{}}
	if o.Out != nil {
		r.out, err = history.NewWriter(o.Out, h)
	}
	return r, err
}

// close completes the history. Events that come later are dropped.
func (r *recorder) close() (Summary, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.out != nil && r.err == nil && !r.closed {
		r.err = r.out.Close(int(r.num))
	}
	r.closed = true
	return r.sum, r.err
}

// add writes an event and returns its number. The caller holds the lock.
func (r *recorder) add(e history.Event) int32 {
	if r.out == nil || r.closed || r.err != nil {
		return 0
	}
	r.num++
	e.Num, e.At = r.num, int64(time.Since(r.start))
	if r.err = r.out.Write(&e); r.err != nil {
		if r.problem != nil {
			r.problem(r.err)
		}
		return 0
	}
	r.sum.Recorded++
	return e.Num
}

// administered records that the runtime went down, or is up again.
func (r *recorder) administered(kind string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	num := r.add(history.Event{Actor: "admin", Kind: kind, Phase: history.Call})
	r.add(history.Event{Actor: "admin", Kind: kind, Phase: history.Return, Call: num})
}

// mostOutput is how much of an output of an exec is kept, in bytes.
const mostOutput = 16 << 10

// body is a message as histories have it.
func (r *recorder) body(m proto.Message) json.RawMessage {
	if m == nil || r.out == nil {
		return nil
	}
	if x, ok := m.(*runtimeapi.ExecSyncResponse); ok {
		m = &runtimeapi.ExecSyncResponse{ExitCode: x.ExitCode, Stdout: x.Stdout[:min(len(x.Stdout), mostOutput)], Stderr: x.Stderr[:min(len(x.Stderr), mostOutput)]}
	}
	if !r.secrets {
		m = Redact(m)
	}
	b, err := json.Marshal(m)
	if err != nil {
		return nil
	}
	return b
}

// call is a call that is recorded.
type call struct {
	*recorder
	actor, kind string
	num         int32
	ask         proto.Message
	over        bool
}

// begin records a call. ask may be nil.
func (r *recorder) begin(actor, kind string, ask proto.Message) *call {
	args := r.body(ask)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sum.Calls++
	e := history.Event{Actor: actor, Kind: kind, Phase: history.Call, Obj: r.about(ask)}
	if args != nil {
		e.X = &history.Ext{Args: args}
	}
	return &call{recorder: r, actor: actor, kind: kind, ask: ask, num: r.add(e)}
}

// end records the answer to a call, once, and reports whether it did.
func (c *call) end(reply proto.Message, err error) bool {
	var x history.Ext
	if err != nil {
		x.Err = runtime.Failure(err)
	} else {
		x.Body = c.body(reply)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return false
	}
	c.over = true
	if err != nil {
		c.sum.Failed++
	} else {
		c.learn(c.ask, reply)
	}
	c.add(history.Event{Actor: c.actor, Kind: c.kind, Phase: history.Return, Call: c.num, X: &x})
	return true
}

// notice records what belongs to a call and is no answer to it, and counts it. id is that of a container or a sandbox; "": none.
func (c *call) notice(kind, id string, x *history.Ext, count *int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(history.Event{Actor: c.actor, Kind: kind, Call: c.num, Obj: c.ref(id), X: x})
	*count++
}

// struck records a fault that strikes a call, or an event of it; of nil, nothing.
func (c *call) struck(fault *cri.Fault, event *runtimeapi.ContainerEventResponse) {
	if fault == nil {
		return
	}
	does := map[string]string{"name": fault.Name, "does": fault.String()}
	if event != nil {
		does["event"] = event.GetContainerEventType().String()
	}
	b, _ := json.Marshal(does) // texts
	c.notice(runtime.KindFault, event.GetContainerId(), &history.Ext{Body: b}, &c.sum.Faults)
}

// event records an event that the runtime sent.
func (c *call) event(e *runtimeapi.ContainerEventResponse) {
	c.notice(runtime.KindEvent, e.GetContainerId(), &history.Ext{Body: c.body(e)}, &c.sum.Events)
}

// about is what a request is about. The caller holds the lock.
func (r *recorder) about(ask proto.Message) history.Ref {
	switch q := ask.(type) {
	case *runtimeapi.RunPodSandboxRequest:
		return history.Ref{Key: podKey(q.GetConfig().GetMetadata())}
	case *runtimeapi.CreateContainerRequest:
		return history.Ref{Key: r.names[r.whole(q.GetPodSandboxId())].key + "/" + q.GetConfig().GetMetadata().GetName()}
	case interface{ GetContainerId() string }:
		return r.ref(q.GetContainerId())
	case interface{ GetPodSandboxId() string }:
		return r.ref(q.GetPodSandboxId())
	case interface {
		GetImage() *runtimeapi.ImageSpec
	}:
		return history.Ref{Key: q.GetImage().GetImage()}
	}
	return history.Ref{}
}

func podKey(m *runtimeapi.PodSandboxMetadata) string { return m.GetNamespace() + "/" + m.GetName() }

func (r *recorder) ref(id string) history.Ref {
	id = r.whole(id)
	return history.Ref{Key: r.names[id].key, UID: id}
}

// whole returns the id that begins with a text, if it is known and the only one.
func (r *recorder) whole(begin string) string {
	const most = 64 // digits of an id
	if _, ok := r.names[begin]; ok || begin == "" || len(begin) >= most {
		return begin
	}
	found := ""
	for id := range r.names {
		if strings.HasPrefix(id, begin) {
			if found != "" {
				return begin
			}
			found = id
		}
	}
	if found == "" {
		return begin
	}
	return found
}

// learn takes names from an answer, and forgets those of what was removed. The caller holds the lock.
func (r *recorder) learn(ask, reply proto.Message) {
	switch a := reply.(type) {
	case *runtimeapi.RunPodSandboxResponse:
		r.names[a.GetPodSandboxId()] = named{key: r.about(ask).Key}
	case *runtimeapi.CreateContainerResponse:
		q, _ := ask.(*runtimeapi.CreateContainerRequest)
		r.names[a.GetContainerId()] = named{key: r.about(ask).Key, pod: r.whole(q.GetPodSandboxId())}
	case *runtimeapi.ListPodSandboxResponse:
		for _, s := range a.GetItems() {
			r.names[s.GetId()] = named{key: podKey(s.GetMetadata())}
		}
	case *runtimeapi.ListContainersResponse:
		for _, c := range a.GetContainers() {
			r.names[c.GetId()] = named{key: r.names[c.GetPodSandboxId()].key + "/" + c.GetMetadata().GetName(), pod: c.GetPodSandboxId()}
		}
	case *runtimeapi.RemoveContainerResponse:
		delete(r.names, r.about(ask).UID)
	case *runtimeapi.RemovePodSandboxResponse:
		pod := r.about(ask).UID
		delete(r.names, pod)
		for id, n := range r.names {
			if n.pod == pod {
				delete(r.names, id)
			}
		}
	}
}
