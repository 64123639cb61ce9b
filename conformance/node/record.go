package node

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// The actors of a history. The kind of a request to the API server is its verb in capitals, a space, and the resource with its
// subresource: "PATCH pods/status". The kind of a call to the runtime is its method.
const (
	agentActor = "agent"   // what the agent asks of the API server
	criActor   = "cri"     // what it asks of the runtime
	apiActor   = "api"     // states of objects, as a watch tells them: the kind is "ADDED pods"
	userActor  = "user"    // what the story does
	truthActor = "runtime" // what the runtime did by itself
)

// Kinds of events that are no requests.
const (
	evExited  = "EXIT"    // a container has ended
	evCame    = "CAME"    // what a step waited for came
	evExpired = "EXPIRED" // it did not
	evStart   = "START"   // the agent is started
	evKill    = "KILL"    // it is killed
	evConfig  = "CONFIG"  // how it is configured
)

// Recorder records what an agent asks, in the form that the rules read. Its methods may be called concurrently.
type Recorder struct {
	t    *harness.T
	mu   sync.Mutex
	last map[string][]byte // the last answer of each call that is repeated for ever
}

// NewRecorder returns a recorder of a case.
func NewRecorder(t *harness.T) *Recorder { return &Recorder{t: t, last: map[string][]byte{}} }

// Request is what the agent asks of the API server.
type Request struct {
	Verb, Resource, Subresource, Namespace, Name string

	PatchType types.PatchType `json:",omitempty"`
	Body      any             `json:",omitempty"` // a patch, or the object that is sent
	Options   any             `json:",omitempty"`
}

// args is a request as histories have it.
type args struct {
	PatchType types.PatchType `json:"patchType,omitempty"`
	Body      json.RawMessage `json:"body,omitempty"`
	Options   json.RawMessage `json:"options,omitempty"`
}

// Request records a request, and returns what records its answer. The answer to a watch is that it has ended.
func (r *Recorder) Request(q Request) func(answer runtime.Object, err error) {
	if q.Resource == "events" { // they are many, and say nothing that the rest does not
		return func(runtime.Object, error) {}
	}
	kind := strings.ToUpper(q.Verb) + " " + q.Resource
	if q.Subresource != "" {
		kind += "/" + q.Subresource
	}
	ref := history.Ref{Key: strings.TrimPrefix(q.Namespace+"/"+q.Name, "/")}
	body, ok := q.Body.(runtime.Object)
	if ok && q.Name == "" {
		if m, err := meta.Accessor(body); err == nil {
			ref.Key = strings.TrimPrefix(q.Namespace+"/"+m.GetName(), "/")
		}
	}
	num := r.t.Begin(harness.Call{Actor: agentActor, Kind: kind, Obj: ref, Args: args{PatchType: q.PatchType, Body: raw(q.Body), Options: raw(q.Options)}})
	return func(answer runtime.Object, err error) {
		a := harness.Answer{Obj: ref}
		switch m, notOne := meta.Accessor(answer); {
		case err != nil:
			a.Err = apiError(err)
		case answer != nil && notOne == nil && !meta.IsListType(answer):
			a.Obj.UID, a.Obj.RV, a.Body = string(m.GetUID()), m.GetResourceVersion(), answer
		}
		r.t.End(num, agentActor, kind, a)
	}
}

func raw(v any) json.RawMessage {
	switch v := v.(type) {
	case nil:
		return nil
	case []byte:
		if json.Valid(v) {
			return v
		}
		return quoted(string(v))
	}
	b, err := json.Marshal(v)
	if err != nil {
		return quoted(err.Error())
	}
	return b
}

func quoted(s string) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // it is a string
	}
	return b
}

func apiError(err error) *history.Error {
	var s apierrors.APIStatus
	if !errors.As(err, &s) {
		return &history.Error{Msg: err.Error()}
	}
	return &history.Error{Code: int(s.Status().Code), Reason: string(s.Status().Reason), Msg: s.Status().Message, Definite: s.Status().Code < 500}
}

// repeated are the calls that an agent makes again and again. Of answers that are the same, the history has the first.
var repeated = map[string]bool{"ListPodSandbox": true, "ListContainers": true, "ListImages": true, "Status": true, "Version": true, "PodSandboxStatus": true, "ContainerStatus": true, "ImageStatus": true}

// measured are calls whose answers always differ. The history has those that fail.
var measured = map[string]bool{"ImageFsInfo": true, "ListContainerStats": true, "ContainerStats": true, "ListPodSandboxStats": true, "PodSandboxStats": true}

// Call records a call to the runtime, and returns what records its answer. Nil stands for the answer of a stream.
func (r *Recorder) Call(method string, ask proto.Message) func(reply proto.Message, err error) {
	c := harness.Call{Actor: criActor, Kind: method, Obj: r.about(ask), Args: nothing(ask)}
	if !repeated[method] && !measured[method] {
		num := r.t.Begin(c)
		return func(reply proto.Message, err error) { r.t.End(num, criActor, method, replyOf(reply, err)) }
	}
	return func(reply proto.Message, err error) {
		if a := replyOf(reply, err); err != nil || !measured[method] && r.changed(method, ask, a) {
			r.t.End(r.t.Begin(c), criActor, method, a)
		}
	}
}

// nothing makes of a typed nil one that is not recorded.
func nothing(m proto.Message) any {
	if m == nil || !m.ProtoReflect().IsValid() {
		return nil
	}
	return m
}

func replyOf(reply proto.Message, err error) harness.Answer {
	if err != nil {
		s := status.Convert(err)
		return harness.Answer{Err: &history.Error{Code: int(s.Code()), Reason: s.Code().String(), Msg: s.Message()}}
	}
	return harness.Answer{Body: nothing(reply)}
}

// changed reports whether a call is answered otherwise than before.
func (r *Recorder) changed(method string, ask proto.Message, a harness.Answer) bool {
	key, now := method+string(raw(ask)), raw(a.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	if was, ok := r.last[key]; ok && bytes.Equal(was, now) {
		return false
	}
	r.last[key] = now
	return true
}

// about returns what a call is about: the id that it names, and a name for people.
func (r *Recorder) about(ask proto.Message) (ref history.Ref) {
	switch q := ask.(type) {
	case *runtimeapi.RunPodSandboxRequest:
		ref.Key = q.GetConfig().GetMetadata().GetNamespace() + "/" + q.GetConfig().GetMetadata().GetName()
	case *runtimeapi.CreateContainerRequest:
		m := q.GetSandboxConfig().GetMetadata()
		ref.Key, ref.UID = fmt.Sprintf("%s/%s/%s", m.GetNamespace(), m.GetName(), q.GetConfig().GetMetadata().GetName()), q.GetPodSandboxId()
	case interface{ GetContainerId() string }:
		ref.UID = q.GetContainerId()
	case interface{ GetPodSandboxId() string }:
		ref.UID = q.GetPodSandboxId()
	case interface{ GetImage() *runtimeapi.ImageSpec }:
		ref.Key = q.GetImage().GetImage()
	}
	return ref
}

// State records a state of an object that a watch told, or that it was deleted.
func (r *Recorder) State(event watch.EventType, resource string, obj runtime.Object) {
	m, err := meta.Accessor(obj)
	if err != nil {
		return
	}
	r.t.Seen(apiActor, string(event)+" "+resource, 0, harness.Answer{Body: obj,
		Obj: history.Ref{Key: strings.TrimPrefix(m.GetNamespace()+"/"+m.GetName(), "/"), UID: string(m.GetUID()), RV: m.GetResourceVersion()}})
}

// Exited records that a container has ended.
func (r *Recorder) Exited(id string) {
	r.t.Seen(truthActor, evExited, 0, harness.Answer{Obj: history.Ref{UID: id}})
}
