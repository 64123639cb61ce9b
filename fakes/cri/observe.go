package cri

import (
	"google.golang.org/protobuf/proto"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// Observer is told what happens in a runtime. Its functions must not call the runtime.
type Observer struct {
	// Call is called when a call comes, and what it returns when that is answered. The request of a stream is nil, and so is the
	// reply of one.
	Call func(method string, request proto.Message) (answered func(reply proto.Message, err error))
	// Exited is called when a container has ended.
	Exited func(id string)
}

// observe tells the observer of a call, and returns what tells of the answer.
func (r *Runtime) observe(method string, request any) func(reply any, err error) {
	if r.o.Observer.Call == nil {
		return func(any, error) {}
	}
	ask, _ := request.(proto.Message)
	answered := r.o.Observer.Call(method, ask)
	return func(reply any, err error) {
		m, _ := reply.(proto.Message)
		if err != nil {
			m = nil
		}
		answered(m, err)
	}
}

// Info describes a container.
type Info struct {
	ID, Sandbox          string
	Namespace, Pod, Name string
	Attempt              uint32
	State                runtimeapi.ContainerState
}

// Containers returns all containers, in the order in which they were created.
func (r *Runtime) Containers() (all []Info) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.sortedContainers() {
		if c.state == unlisted {
			continue
		}
		m := c.pod.config.GetMetadata()
		all = append(all, Info{ID: c.id, Sandbox: c.pod.id, Namespace: m.GetNamespace(), Pod: m.GetName(), Name: c.config.GetMetadata().GetName(), Attempt: c.config.GetMetadata().GetAttempt(), State: c.state})
	}
	return all
}

// Remove removes a container that does not run, as nobody asked for.
func (r *Runtime) Remove(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.container(id); c != nil && c.state != runtimeapi.ContainerState_CONTAINER_RUNNING {
		r.removed(c)
	}
}
