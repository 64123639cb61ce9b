package node

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/conformance/node"
	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/faults"
)

// server is the API server of a case, as its administrator sees it.
type server struct {
	store  *apiserver.Server
	faults *faults.Set
	agents *recorded
}

func at(o node.Object) apiserver.Request {
	return apiserver.Request{Resource: o.Resource, Namespace: o.Namespace, Name: o.Name, Subresource: o.Subresource}
}

// Create implements node.API.
func (s server) Create(ctx context.Context, o node.Object, obj runtime.Object) (runtime.Object, error) {
	o.Name = ""
	return s.store.Create(ctx, at(o), obj, metav1.CreateOptions{})
}

// Patch implements node.API.
func (s server) Patch(ctx context.Context, o node.Object, t types.PatchType, b []byte) (runtime.Object, error) {
	return s.store.Patch(ctx, at(o), t, b, metav1.PatchOptions{})
}

// Delete implements node.API.
func (s server) Delete(ctx context.Context, o node.Object, options metav1.DeleteOptions) error {
	_, err := s.store.Delete(ctx, at(o), options)
	return err
}

// Get implements node.API.
func (s server) Get(ctx context.Context, o node.Object) (runtime.Object, error) {
	return s.store.Get(ctx, at(o), metav1.GetOptions{})
}

// Arm implements node.API.
func (s server) Arm(f node.APIFault) error {
	var own faults.Fault
	if err := convert(f, &own); err != nil {
		return err
	}
	return s.faults.Add(own)
}

// Clear implements node.API.
func (s server) Clear(name string) { s.faults.Remove(name) }

// Refuse implements node.API.
func (s server) Refuse(on bool) { s.agents.refuse(on) }

// convert makes a value of another type with the same JSON.
func convert(from, to any) error {
	b, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, to)
}

// recorded is the API server as the agent sees it: what it asks is recorded, and its connections can be refused.
type recorded struct {
	apiserver.API
	recorder *node.Recorder

	mu      sync.Mutex
	refused bool
	watches map[context.Context]context.CancelFunc
	upTo    map[string]uint64 // by resource: the newest state that is recorded
	more    chan struct{}     // closed when upTo grows
}

// recordedUpTo says that a state of an object is recorded.
func (r *recorded) recordedUpTo(resource string, obj runtime.Object) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.upTo == nil {
		r.upTo = map[string]uint64{}
	}
	r.upTo[resource] = max(r.upTo[resource], versionOf(obj))
	if r.more != nil {
		close(r.more)
		r.more = nil
	}
}

// await waits until a state is recorded that the agent is about to see: what it does then comes after it in the history. States of kinds
// that are not recorded need no wait.
func (r *recorded) await(ctx context.Context, resource string, obj runtime.Object) {
	if !slices.ContainsFunc(watched, func(w schema.GroupVersionResource) bool { return w.Resource == resource }) {
		return
	}
	for version := versionOf(obj); ; {
		r.mu.Lock()
		reached := r.upTo[resource] >= version
		if r.more == nil {
			r.more = make(chan struct{})
		}
		more := r.more
		r.mu.Unlock()
		if reached {
			return
		}
		select {
		case <-more:
		case <-ctx.Done():
			return
		}
	}
}

// versionOf returns the resourceVersion of an object; 0: it has none.
func versionOf(obj runtime.Object) uint64 {
	m, err := meta.Accessor(obj)
	if err != nil {
		return 0
	}
	v, _ := strconv.ParseUint(m.GetResourceVersion(), 10, 64) // 0 for what is no number
	return v
}

func (r *recorded) refuse(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refused = on
	for _, stop := range r.watches {
		if on {
			stop()
		}
	}
}

// ask records a request. The error is that of one that is refused.
func (r *recorded) ask(verb string, q apiserver.Request, body, options any, pt types.PatchType) (func(runtime.Object, error), error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refused {
		return func(runtime.Object, error) {}, faults.ErrCut
	}
	return r.recorder.Request(node.Request{Verb: verb, Resource: q.Resource.Resource, Subresource: q.Subresource, Namespace: q.Namespace, Name: q.Name, PatchType: pt, Body: body, Options: options}), nil
}

// do makes a request. Its answer is returned once the state that it tells is recorded.
func (r *recorded) do(ctx context.Context, verb string, q apiserver.Request, body, options any, pt types.PatchType, f func() (runtime.Object, error)) (runtime.Object, error) {
	answered, err := r.ask(verb, q, body, options, pt)
	if err != nil {
		return nil, err
	}
	obj, err := f()
	answered(obj, err)
	if err == nil {
		r.await(ctx, q.Resource.Resource, obj)
	}
	return obj, err
}

// Create implements apiserver.API.
func (r *recorded) Create(ctx context.Context, q apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
	return r.do(ctx, "create", q, obj.DeepCopyObject(), nil, "", func() (runtime.Object, error) { return r.API.Create(ctx, q, obj, o) })
}

// Update implements apiserver.API.
func (r *recorded) Update(ctx context.Context, q apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
	return r.do(ctx, "update", q, obj.DeepCopyObject(), nil, "", func() (runtime.Object, error) { return r.API.Update(ctx, q, obj, o) })
}

// Patch implements apiserver.API.
func (r *recorded) Patch(ctx context.Context, q apiserver.Request, pt types.PatchType, b []byte, o metav1.PatchOptions) (runtime.Object, error) {
	return r.do(ctx, "patch", q, b, nil, pt, func() (runtime.Object, error) { return r.API.Patch(ctx, q, pt, b, o) })
}

// Delete implements apiserver.API.
func (r *recorded) Delete(ctx context.Context, q apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
	return r.do(ctx, "delete", q, nil, o, "", func() (runtime.Object, error) { return r.API.Delete(ctx, q, o) })
}

// Get implements apiserver.API.
func (r *recorded) Get(ctx context.Context, q apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
	return r.do(ctx, "get", q, nil, nil, "", func() (runtime.Object, error) { return r.API.Get(ctx, q, o) })
}

// List implements apiserver.API.
func (r *recorded) List(ctx context.Context, q apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
	return r.do(ctx, "list", q, nil, o, "", func() (runtime.Object, error) { return r.API.List(ctx, q, o) })
}

// Watch implements apiserver.API.
func (r *recorded) Watch(ctx context.Context, q apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
	answered, err := r.ask("watch", q, nil, o, "")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	w, err := r.API.Watch(ctx, q, o)
	if err != nil {
		cancel()
		answered(nil, err)
		return nil, err
	}
	r.mu.Lock()
	if r.refused { // meanwhile
		cancel()
	}
	r.watches[ctx] = cancel
	r.mu.Unlock()
	return apiserver.NewRelay(ctx, w, func(relay *apiserver.Relay) {
		for e := range relay.In() {
			if e.Type != watch.Bookmark {
				r.await(ctx, q.Resource.Resource, e.Object)
			}
			if !relay.Send(e) {
				break
			}
		}
		cancel()
		r.mu.Lock()
		delete(r.watches, ctx)
		r.mu.Unlock()
		answered(nil, nil)
	}), nil
}
