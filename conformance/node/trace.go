package node

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	coordination "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness/history"
)

// request is a request of the agent to the API server, with its answer.
type request struct {
	Num, Return int32         // events; Return is 0 if no answer came
	From, To    time.Duration // since the start
	Verb        string        // in capitals
	Resource    string        // with its subresource: "pods/status"
	Key         string
	args
	Answer  json.RawMessage
	forgets bool // of a restart of the runtime: it knows of nothing then
	Err     *history.Error
}

func (q *request) ok() bool { return q.Return > 0 && q.Err == nil }

// call is a call of the agent to the runtime, with its answer.
type call struct {
	Num, Return int32
	From, To    time.Duration
	Method, ID  string        // ID names a sandbox or a container
	Ask, Reply  proto.Message // Reply is nil if it failed
	Err         *history.Error
}

func (c *call) ok() bool { return c.Return > 0 && c.Err == nil }

// state is a state of an object, as a watch told it.
type state[T any] struct {
	Num     int32
	Since   int32 // the first event after which an agent may know it: when the story wrote it, or Num
	At      time.Duration
	Key     string
	Deleted bool
	Obj     T
}

// sandbox is a pod sandbox that the agent ran.
type sandbox struct {
	id      string
	made    *call
	config  *runtimeapi.PodSandboxConfig
	stopped *call // the first stop or removal that succeeded; nil: none
	removed *call // nil: nobody has removed it
	notAt   int32 // the first event that tells that it is not ready; 0: none
	all     []*container

	twin      bool  // the agent has not run it, and made is the call that told of it
	addressed bool  // it had an address
	bareAt    int32 // the first event that tells that it has none any more; 0: none
}

// container is a container that the agent created.
type container struct {
	id       string
	pod      *sandbox
	name     string
	attempt  uint32
	made     *call
	config   *runtimeapi.ContainerConfig
	started  *call   // nil: nobody has started it
	running  int32   // the first event that tells that it runs; 0: none
	stops    []*call // in order
	removed  *call
	ended    int32 // the first event that tells that it has ended; 0: none
	endedAt  time.Duration
	exited   int32 // when the runtime says that it ended; 0: it did not
	exitedAt time.Duration
	code     *int32 // its exit code, once somebody was told
}

// podTrace is all that is known of a pod, by its UID in the API server, or that of a static pod.
type podTrace struct {
	uid       string
	key       string
	static    bool
	states    []state[*v1.Pod] // those of the mirror pods, if it is static
	sandboxes []*sandbox
}

// containers returns the containers of a pod in the order in which they were created.
func (p *podTrace) containers() (all []*container) {
	for _, s := range p.sandboxes {
		all = append(all, s.all...)
	}
	slices.SortFunc(all, func(a, b *container) int { return int(a.made.Num - b.made.Num) })
	return all
}

// spec returns the newest spec of a pod before an event; nil: none.
func (p *podTrace) at(num int32) *v1.Pod {
	var last *v1.Pod
	for _, s := range p.states {
		if s.Num > num && last != nil {
			break
		}
		last = s.Obj
	}
	return last
}

// wait is a step that waited for something.
type wait struct {
	Num     int32
	At      time.Duration
	Expired bool
	Awaited
}

// Awaited says what a step waited for.
type Awaited struct {
	Clause string        `json:"clause,omitempty"` // the rule that promises it
	What   string        `json:"what"`
	For    time.Duration `json:"for"`
	Why    string        `json:"why,omitempty"` // why it did not come
}

// life is a time during which the agent ran.
type life struct {
	from, to int32         // to is 0 if it runs to the end
	began    time.Duration // when
	timeout  time.Duration // its runtimeRequestTimeout
	backOff  time.Duration // its maxContainerRestartPeriod
}

// lifeAt returns the life of the agent that an event is in, or that ended last before it.
func (t *trace) lifeAt(num int32) (at life) {
	for _, l := range t.lives {
		if l.from < num {
			at = l
		}
	}
	return at
}

// trace is a history as the rules of this package read it.
type trace struct {
	h        *history.History
	told     Config // how the agent is configured if a start does not change it
	config   Config // how it was when it was started last
	requests []*request
	calls    []*call
	pods     []*podTrace // in the order in which they came up
	byUID    map[string]*podTrace
	nodes    []state[*v1.Node]
	leases   []state[*coordination.Lease]
	waits    []wait
	lives    []life
	byID     map[string]any // *sandbox or *container
	user     []*request     // what the story did
}

func traceOf(h *history.History) *trace { return history.Derive(h, newTrace) }

func newTrace(h *history.History) *trace {
	t := &trace{h: h, byUID: map[string]*podTrace{}, byID: map[string]any{}}
	requests, calls := map[int32]*request{}, map[int32]*call{}
	for i := range h.Events {
		e := &h.Events[i]
		x := e.X
		if x == nil {
			x = &history.Ext{}
		}
		switch e.Actor {
		case agentActor, userActor:
			t.request(e, x, requests)
		case criActor:
			t.call(e, x, calls)
		case apiActor:
			t.state(e, x)
		case truthActor:
			if c, ok := t.byID[e.Obj.UID].(*container); ok {
				c.exited, c.exitedAt = e.Num, time.Duration(e.At)
				c.end(e.Num, time.Duration(e.At))
			}
		}
	}
	t.known()
	return t
}

// known finds since when an agent may know the states of pods that the story wrote: its watch may be faster than the one that is recorded.
func (t *trace) known() {
	written := map[string]int32{}
	for _, q := range t.user {
		if rv := q.rv(); rv != "" {
			written[rv] = q.Num
		}
	}
	for _, p := range t.pods {
		for i := range p.states {
			s := &p.states[i]
			if n, ok := written[s.Obj.ResourceVersion]; ok {
				s.Since = min(s.Since, n)
			}
		}
	}
}

func (t *trace) request(e *history.Event, x *history.Ext, open map[int32]*request) {
	switch {
	case e.Kind == evConfig:
		_ = json.Unmarshal(x.Body, &t.told) // what cannot be read is zero
		t.config = t.told
	case e.Kind == evStart && e.Phase == history.Call:
		var a struct{ Body Start }
		_ = json.Unmarshal(x.Args, &a) // what cannot be read is zero
		t.config = a.Body.Configure(t.told)
	case e.Kind == evStart && e.Phase == history.Return && x.Err == nil:
		t.lives = append(t.lives, life{from: e.Call, began: time.Duration(e.At), timeout: t.config.RuntimeRequestTimeout, backOff: t.config.MaxContainerRestartPeriod})
	case e.Kind == evKill && e.Phase == history.Call && len(t.lives) > 0:
		t.lives[len(t.lives)-1].to = e.Num
	case e.Kind == evCame || e.Kind == evExpired:
		w := wait{Num: e.Num, At: time.Duration(e.At), Expired: e.Kind == evExpired}
		_ = json.Unmarshal(x.Body, &w.Awaited)
		t.waits = append(t.waits, w)
	case e.Kind == evKill && e.Phase == history.Return && len(t.lives) > 0: // until then it may ask for something
		t.lives[len(t.lives)-1].to = e.Num
	case e.Phase == history.Call:
		q := &request{Num: e.Num, From: time.Duration(e.At), Key: e.Obj.Key}
		q.Verb, q.Resource, _ = strings.Cut(e.Kind, " ")
		_ = json.Unmarshal(x.Args, &q.args)
		q.forgets = e.Kind == "RESTART" && strings.Contains(string(x.Args), "true")
		open[e.Num] = q
		if e.Actor == agentActor {
			t.requests = append(t.requests, q)
		} else {
			t.user = append(t.user, q)
		}
	case e.Phase == history.Return && open[e.Call] != nil:
		if e.Kind == "RESTART" && open[e.Call].forgets {
			t.forget(e.Num, time.Duration(e.At))
		}
		q := open[e.Call]
		q.Return, q.To, q.Answer, q.Err = e.Num, time.Duration(e.At), x.Body, x.Err
	}
}

func (t *trace) call(e *history.Event, x *history.Ext, open map[int32]*call) {
	if e.Phase == history.Call {
		c := &call{Num: e.Num, From: time.Duration(e.At), Method: e.Kind, ID: e.Obj.UID, Ask: read(e.Kind+"Request", x.Args)}
		open[e.Num] = c
		t.calls = append(t.calls, c)
		if e.Kind == "StartContainer" {
			if made, ok := t.byID[c.ID].(*container); ok && made.started == nil {
				made.started = c
			}
		}
		return
	}
	c := open[e.Call]
	if c == nil {
		return
	}
	if c.Return, c.To, c.Err = e.Num, time.Duration(e.At), x.Err; x.Err == nil {
		c.Reply = read(e.Kind+"Response", x.Body)
	}
	t.learn(c)
}

// learn keeps what an answer of the runtime tells.
func (t *trace) learn(c *call) {
	switch reply := c.Reply.(type) {
	case *runtimeapi.RunPodSandboxResponse:
		if t.byID[reply.GetPodSandboxId()] == nil { // else it was listed before the answer came, or is what CRI-O made for an agent that was killed
			t.addSandbox(reply.GetPodSandboxId(), c)
		}
	case *runtimeapi.CreateContainerResponse:
		if t.byID[reply.GetContainerId()] == nil {
			t.addContainer(reply.GetContainerId(), c)
		}
	case *runtimeapi.ContainerStatusResponse:
		t.sees(c, reply.GetStatus().GetId(), reply.GetStatus().GetState(), reply.GetStatus())
	case *runtimeapi.ListContainersResponse:
		for _, x := range reply.GetContainers() {
			if t.byID[x.GetId()] == nil {
				t.addContainer(x.GetId(), t.lostCreation(x))
			}
			t.sees(c, x.GetId(), x.GetState(), nil)
		}
	case *runtimeapi.ListPodSandboxResponse:
		for _, x := range reply.GetItems() {
			if t.byID[x.GetId()] == nil {
				t.addSandbox(x.GetId(), t.lostRun(x.GetMetadata()))
			}
			if t.byID[x.GetId()] == nil {
				t.addTwin(x.GetId(), x.GetMetadata(), c)
			}
			if s, ok := t.byID[x.GetId()].(*sandbox); ok && x.GetState() != runtimeapi.PodSandboxState_SANDBOX_READY && s.notAt == 0 {
				s.notAt = c.Return
			}
		}
	case *runtimeapi.PodSandboxStatusResponse:
		if s, ok := t.byID[reply.GetStatus().GetId()].(*sandbox); ok {
			s.sees(c, reply.GetStatus())
		}
	}
	t.ends(c)
}

// sees keeps what the agent was told of a sandbox.
func (s *sandbox) sees(c *call, told *runtimeapi.PodSandboxStatus) {
	switch ready, address := told.GetState() == runtimeapi.PodSandboxState_SANDBOX_READY, told.GetNetwork().GetIp() != ""; {
	case !ready && s.notAt == 0:
		s.notAt = c.Return
	case ready && address:
		s.addressed = true
	case ready && s.addressed && s.bareAt == 0:
		s.bareAt = c.Return
	}
}

// addSandbox keeps a sandbox that a call ran; nil: none.
func (t *trace) addSandbox(id string, made *call) {
	if made == nil {
		return
	}
	ask, ok := made.Ask.(*runtimeapi.RunPodSandboxRequest)
	if !ok {
		return
	}
	s := &sandbox{id: id, made: made, config: ask.GetConfig()}
	t.byID[s.id] = s
	m := s.config.GetMetadata()
	p := t.pod(m.GetUid(), m.GetNamespace()+"/"+m.GetName())
	p.sandboxes = append(p.sandboxes, s)
	if from := s.config.GetAnnotations()[sourceAnnotation]; from != "" && from != "api" {
		p.static = true
	}
}

// addTwin keeps a sandbox of a known pod that the agent has not run: a list told of it, or a container was created in it after a stream
// had told of it, whose answers no history has.
func (t *trace) addTwin(id string, m *runtimeapi.PodSandboxMetadata, by *call) {
	if p := t.byUID[m.GetUid()]; p != nil && len(p.sandboxes) > 0 {
		config := proto.CloneOf(p.sandboxes[0].config)
		config.Metadata = m
		s := &sandbox{id: id, made: by, config: config, twin: true}
		t.byID[s.id] = s
		p.sandboxes = append(p.sandboxes, s)
	}
}

// lostRun returns the last call that may have run a sandbox, though it did not say so; nil: none.
func (t *trace) lostRun(m *runtimeapi.PodSandboxMetadata) *call {
	for _, c := range slices.Backward(t.calls) {
		ask, ok := c.Ask.(*runtimeapi.RunPodSandboxRequest)
		if ok && !c.ok() && proto.Equal(ask.GetConfig().GetMetadata(), m) {
			return c
		}
	}
	return nil
}

// addContainer keeps a container that a call created; nil: none.
func (t *trace) addContainer(id string, made *call) {
	if made == nil {
		return
	}
	ask, ok := made.Ask.(*runtimeapi.CreateContainerRequest)
	if t.byID[ask.GetPodSandboxId()] == nil {
		t.addTwin(ask.GetPodSandboxId(), ask.GetSandboxConfig().GetMetadata(), made)
	}
	if s, known := t.byID[ask.GetPodSandboxId()].(*sandbox); ok && known {
		m := ask.GetConfig().GetMetadata()
		x := &container{id: id, pod: s, name: m.GetName(), attempt: m.GetAttempt(), made: made, config: ask.GetConfig()}
		t.byID[x.id] = x
		s.all = append(s.all, x)
	}
}

// lostCreation returns the last call that may have created a container, though it did not say so; nil: none.
func (t *trace) lostCreation(x *runtimeapi.Container) *call {
	for _, c := range slices.Backward(t.calls) {
		ask, ok := c.Ask.(*runtimeapi.CreateContainerRequest)
		if ok && !c.ok() && ask.GetPodSandboxId() == x.GetPodSandboxId() && proto.Equal(ask.GetConfig().GetMetadata(), x.GetMetadata()) {
			return c
		}
	}
	return nil
}

// sees keeps the state of a container that the agent was told.
func (t *trace) sees(c *call, id string, state runtimeapi.ContainerState, status *runtimeapi.ContainerStatus) {
	x, ok := t.byID[id].(*container)
	if ok && state == runtimeapi.ContainerState_CONTAINER_RUNNING && x.running == 0 {
		x.running = c.Return
	}
	if !ok || state != runtimeapi.ContainerState_CONTAINER_EXITED {
		return
	}
	x.end(c.Return, c.To)
	if status != nil {
		x.code = new(status.GetExitCode())
	}
}

func (x *container) end(num int32, at time.Duration) {
	if x.ended == 0 {
		x.ended, x.endedAt = num, at
	}
}

// ends keeps which containers and sandboxes a call has ended.
func (t *trace) ends(c *call) {
	switch c.Method {
	case "StopContainer", "RemoveContainer":
		if x, ok := t.byID[c.ID].(*container); ok {
			if c.Method == "StopContainer" {
				x.stops = append(x.stops, c)
			}
			if c.ok() {
				x.end(c.Return, c.To)
			}
			if c.Method == "RemoveContainer" && c.ok() {
				x.removed = c
			}
		}
	case "StopPodSandbox", "RemovePodSandbox":
		if s, ok := t.byID[c.ID].(*sandbox); ok && c.ok() {
			if s.stopped == nil {
				s.stopped = c
			}
			if c.Method == "RemovePodSandbox" {
				s.removed = c
			}
			if s.notAt == 0 {
				s.notAt = c.Return
			}
			for _, x := range s.all {
				x.end(c.Return, c.To)
			}
		}
	}
}

// forget keeps that the runtime has lost everything.
func (t *trace) forget(num int32, at time.Duration) {
	for _, x := range t.byID {
		switch x := x.(type) {
		case *container:
			x.end(num, at)
		case *sandbox:
			if x.notAt == 0 {
				x.notAt = num
			}
		}
	}
}

// pod returns the pod with a UID.
func (t *trace) pod(uid, key string) *podTrace {
	p := t.byUID[uid]
	if p == nil {
		p = &podTrace{uid: uid, key: key}
		t.byUID[uid] = p
		t.pods = append(t.pods, p)
	}
	return p
}

func (t *trace) state(e *history.Event, x *history.Ext) {
	event, resource, _ := strings.Cut(e.Kind, " ")
	switch resource {
	case "pods":
		s := stateOf[v1.Pod](e, x, event)
		uid := string(s.Obj.UID)
		if hash := s.Obj.Annotations[mirrorAnnotation]; hash != "" {
			uid = hash
		}
		p := t.pod(uid, s.Key)
		p.static = p.static || uid != string(s.Obj.UID)
		p.states = append(p.states, s)
	case "nodes":
		t.nodes = append(t.nodes, stateOf[v1.Node](e, x, event))
	case "leases":
		t.leases = append(t.leases, stateOf[coordination.Lease](e, x, event))
	}
}

// mirrorAnnotation marks the mirror pod of a static pod. Its value is the UID of that, as the agent has it.
const mirrorAnnotation = v1.MirrorPodAnnotationKey

func stateOf[T any](e *history.Event, x *history.Ext, event string) state[*T] {
	s := state[*T]{Num: e.Num, Since: e.Num, At: time.Duration(e.At), Key: e.Obj.Key, Deleted: event == "DELETED", Obj: new(T)}
	_ = json.Unmarshal(x.Body, s.Obj) // what cannot be read is empty
	return s
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

// of returns the requests of some kinds, such as "PATCH pods/status".
func (t *trace) of(kinds ...string) (all []*request) {
	for _, q := range t.requests {
		if slices.Contains(kinds, q.Verb+" "+q.Resource) {
			all = append(all, q)
		}
	}
	return all
}

// alive reports whether the agent asked something between two events.
func (t *trace) alive(from, to int32) bool {
	for _, q := range t.requests {
		if q.Num > from && q.Num < to {
			return true
		}
	}
	return slices.ContainsFunc(t.calls, func(c *call) bool { return c.Num > from && c.Num < to })
}
