// Package node has node agents with exactly one fault each, and ones that are odd but correct. They are the reference agent, with
// another configuration, or with something between it and the API server, the runtime or its manifests.
package node

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"sync"

	"google.golang.org/grpc"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	conformance "github.com/lwtest/lwtest/conformance/node"
	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/cri"
	agent "github.com/lwtest/lwtest/fakes/node"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/mutants"
	plugin "github.com/lwtest/lwtest/plugins/node"
)

// row is a mutant or an oddity. What is nil is as in the reference agent.
type row struct {
	name, rule, about string

	config   func(*agent.Config)
	lacks    harness.Feature
	manifest func() func(name string, body []byte) []byte // what the agent finds instead of a manifest
	runtime  cri.Options

	// What the agent asks of the API server. resource is "pods/status" for one.
	create func(resource string, obj runtime.Object)
	update func(resource string, obj runtime.Object)
	patch  func(resource string, body map[string]any)
	twice  string // patches of this resource are made twice
	remove func(resource string, o *metav1.DeleteOptions)
	list   func(resource string, o *metav1.ListOptions)                  // of watches, too
	skip   string                                                        // "VERB RESOURCE": it succeeds, and nothing is done
	shows  func(obj runtime.Object)                                      // changes the objects that watches bring
	blind  int                                                           // watches of pods after so many bring nothing; negative: none does
	also   func(ctx context.Context, api apiserver.API, resource string) // is done when a watch is opened

	// What it asks of the runtime, and what it is answered. on is a pattern of methods.
	on     string
	ask    func(q any)
	answer func(q, reply any, err error) error
	around func() around
	stream func(error) error // changes the error of a stream
}

// around is done instead of a call. invoke makes that, or another one.
type around func(ctx context.Context, method string, q, reply any, invoke invoker) error

type invoker func(ctx context.Context, method string, q, reply any) error

// onRuntime is a connection on which a row changes what is asked and answered.
type onRuntime struct {
	grpc.ClientConnInterface
	row    row
	around around
}

// Invoke implements grpc.ClientConnInterface.
func (c onRuntime) Invoke(ctx context.Context, method string, q, m any, o ...grpc.CallOption) error {
	name := path.Base(method)
	if ok, _ := path.Match(c.row.on, name); !ok {
		return c.ClientConnInterface.Invoke(ctx, method, q, m, o...)
	}
	if c.row.ask != nil {
		c.row.ask(q)
	}
	invoke := func(ctx context.Context, other string, q, m any) error {
		service := "/runtime.v1.RuntimeService/"
		if slices.Contains([]string{"PullImage", "ImageStatus", "RemoveImage", "ListImages", "ImageFsInfo"}, other) {
			service = "/runtime.v1.ImageService/"
		}
		return c.ClientConnInterface.Invoke(ctx, service+other, q, m, o...)
	}
	var err error
	if c.around != nil {
		err = c.around(ctx, name, q, m, invoke)
	} else {
		err = invoke(ctx, name, q, m)
	}
	if c.row.answer != nil {
		err = c.row.answer(q, m, err)
	}
	return err
}

// NewStream implements grpc.ClientConnInterface.
func (c onRuntime) NewStream(ctx context.Context, d *grpc.StreamDesc, method string, o ...grpc.CallOption) (grpc.ClientStream, error) {
	s, err := c.ClientConnInterface.NewStream(ctx, d, method, o...)
	if ok, _ := path.Match(c.row.on, path.Base(method)); ok && c.row.stream != nil && err == nil {
		return onStream{s, c.row}, nil
	}
	return s, err
}

type onStream struct {
	grpc.ClientStream
	row row
}

func (s onStream) RecvMsg(m any) error { return s.row.stream(s.ClientStream.RecvMsg(m)) }

// onAPI is an API server on which a row changes what is asked.
type onAPI struct {
	apiserver.API
	row row

	mu      *sync.Mutex
	watches *int // of pods
}

func nameOf(q apiserver.Request) string {
	if q.Subresource != "" {
		return q.Resource.Resource + "/" + q.Subresource
	}
	return q.Resource.Resource
}

// Create implements apiserver.API.
func (a onAPI) Create(ctx context.Context, q apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
	if a.row.skip == "create "+nameOf(q) {
		return obj, nil
	}
	if a.row.create != nil {
		a.row.create(nameOf(q), obj)
	}
	return a.API.Create(ctx, q, obj, o)
}

// Update implements apiserver.API.
func (a onAPI) Update(ctx context.Context, q apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
	if a.row.update != nil {
		a.row.update(nameOf(q), obj)
	}
	return a.API.Update(ctx, q, obj, o)
}

// Patch implements apiserver.API.
func (a onAPI) Patch(ctx context.Context, q apiserver.Request, pt types.PatchType, b []byte, o metav1.PatchOptions) (runtime.Object, error) {
	if a.row.skip == "patch "+nameOf(q) {
		return a.Get(ctx, apiserver.Request{Resource: q.Resource, Namespace: q.Namespace, Name: q.Name}, metav1.GetOptions{})
	}
	var body map[string]any
	if a.row.patch != nil && json.Unmarshal(b, &body) == nil {
		a.row.patch(nameOf(q), body)
		if changed, err := json.Marshal(body); err == nil {
			b = changed
		}
	}
	obj, err := a.API.Patch(ctx, q, pt, b, o)
	if a.row.twice == nameOf(q) && err == nil {
		return a.API.Patch(ctx, q, pt, b, o)
	}
	return obj, err
}

// Delete implements apiserver.API.
func (a onAPI) Delete(ctx context.Context, q apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
	if a.row.skip == "delete "+nameOf(q) {
		return &metav1.Status{Status: metav1.StatusSuccess}, nil
	}
	if a.row.remove != nil {
		a.row.remove(nameOf(q), &o)
	}
	return a.API.Delete(ctx, q, o)
}

// List implements apiserver.API.
func (a onAPI) List(ctx context.Context, q apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
	if a.row.list != nil {
		a.row.list(nameOf(q), &o)
	}
	return a.API.List(ctx, q, o)
}

// Watch implements apiserver.API.
func (a onAPI) Watch(ctx context.Context, q apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
	if a.row.list != nil {
		a.row.list(nameOf(q), &o)
	}
	if a.row.also != nil {
		a.row.also(ctx, a.API, nameOf(q))
	}
	w, err := a.API.Watch(ctx, q, o)
	if err != nil {
		return nil, err
	}
	blind := a.blind(nameOf(q))
	return apiserver.NewRelay(ctx, w, func(r *apiserver.Relay) {
		defer w.Stop()
		for e := range r.In() {
			if blind {
				continue
			}
			if a.row.shows != nil && e.Object != nil {
				e.Object = e.Object.DeepCopyObject()
				a.row.shows(e.Object)
			}
			if !r.Send(e) {
				return
			}
		}
	}), nil
}

// blind reports whether a watch brings nothing.
func (a onAPI) blind(resource string) bool {
	if a.row.blind == 0 || resource != "pods" {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	*a.watches++
	return *a.watches > a.row.blind
}

func (x row) open(t *harness.T) (conformance.Subject, error) {
	r := plugin.Reference{CRI: x.runtime, Config: x.config}
	if x.manifest != nil {
		r.Manifest = x.manifest()
	}
	r.API = func(api apiserver.API) apiserver.API { return onAPI{api, x, &sync.Mutex{}, new(0)} }
	r.Wrap = func(_ *harness.T, conn grpc.ClientConnInterface) grpc.ClientConnInterface {
		c := onRuntime{ClientConnInterface: conn, row: x}
		if x.around != nil {
			c.around = x.around()
		}
		return c
	}
	return plugin.OpenReference(t, r)
}

func targets(sort string, rows []row) (all []mutants.Target) {
	for _, x := range rows {
		name := sort + "/" + x.name
		has := slices.DeleteFunc(slices.Clone(plugin.ReferenceFeatures), func(f harness.Feature) bool { return f == x.lacks })
		all = append(all, mutants.Target{Name: x.name, Rule: "node/" + x.rule, About: x.about, Target: harness.Target{Name: "node:" + name}, Cases: func() []harness.Case {
			return conformance.Suite.Bind(harness.Plugin[conformance.Subject]{Name: name, Features: has, Open: x.open})
		}})
	}
	return all
}

// Correct returns the reference agent.
func Correct() []mutants.Target {
	return []mutants.Target{mutants.Right("reference", plugin.ReferenceTarget())}
}

// Mutants returns all mutants.
func Mutants() []mutants.Target { return targets("mutant", rows) }

// Pairs returns the mutants whose fault shows only where two things meet. Random stories find them; the checks of the suite may not.
func Pairs() []mutants.Target { return targets("mutant", pairs) }

// Nulls returns an agent that does nothing, and one that has its Node and runs no pod. No rule may pass on them, but those about the
// Node on the second.
func Nulls() []mutants.Target {
	idle := mutants.Target{Name: "idle", About: "it does nothing", Target: harness.Target{Name: "node:null/idle"}, Cases: func() []harness.Case {
		return conformance.Suite.Bind(harness.Plugin[conformance.Subject]{Name: "null/idle", Features: plugin.ReferenceFeatures, Open: plugin.OpenIdle})
	}}
	all := append([]mutants.Target{idle}, targets("null", []row{nodeOnly})...)
	all[1].Rule = ""
	for _, r := range conformance.Suite.Rules {
		all[0].Withholds = append(all[0].Withholds, "node/"+r.Address())
		if section, _, _ := strings.Cut(r.Address(), "/"); section != "node-status" && section != "lease" && r.Address() != "source/scope" {
			all[1].Withholds = append(all[1].Withholds, "node/"+r.Address())
		}
	}
	return all
}

// Oddities returns all oddities.
func Oddities() []mutants.Target { return targets("oddity", oddities) }

// Open returns the reference agent, a mutant, an oddity or a null by its name: "reference", "mutant/NAME" …
func Open(name string) (harness.Target, error) {
	return mutants.Find("node:"+name, slices.Concat(Correct(), Mutants(), Pairs(), Nulls(), Oddities()))
}
