package oddities

import (
	"context"
	"fmt"
	"hash/fnv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// admitting are oddities of admission: what is stored has more than was sent.
func admitting() []Oddity {
	return []Oddity{
		{
			Name: "admission-labels", Clause: "watchcache/write/response",
			About: "admission gives each object a label that nobody sent, when it is created and again when an update leaves it out",
			Open: admission(func(m metav1.Object) {
				labels := m.GetLabels()
				if labels == nil {
					labels = map[string]string{}
				}
				labels["team"] = "x"
				m.SetLabels(labels)
			}),
		},
		{
			Name: "admission-annotates", Clause: "watchcache/write/response",
			About: "admission gives each object that is created an annotation",
			Open: admission(func(m metav1.Object) {
				notes := m.GetAnnotations()
				if notes == nil {
					notes = map[string]string{}
				}
				notes["example.com/admitted"] = "yes"
				m.SetAnnotations(notes)
			}),
		},
		{
			Name: "admission-digests", Clause: "watchcache/write/response",
			About: "admission gives each object an annotation with a digest of its data, which is another one when these change",
			Open: admission(func(m metav1.Object) {
				c, ok := m.(*corev1.ConfigMap)
				if !ok {
					return
				}
				if c.Annotations == nil {
					c.Annotations = map[string]string{}
				}
				h := fnv.New64a()
				_, _ = fmt.Fprint(h, c.Data) // maps are printed in the order of their keys
				c.Annotations["example.com/digest"] = fmt.Sprintf("%x", h.Sum64())
			}),
		},
		{
			Name: "status-apart", Clause: "watchcache/write/response",
			About: "status is not what creates and updates set, as of kinds whose status has a subresource",
			Open: admission(func(m metav1.Object) {
				if c, ok := m.(*corev1.ConfigMap); ok {
					delete(c.Data, "status")
				}
			}),
		},
		{
			Name: "admission-fills-in", Clause: "watchcache/write/response",
			About: "admission fills in data that was left out",
			Open: admission(func(m metav1.Object) {
				if c, ok := m.(*corev1.ConfigMap); ok && c.Data["status"] == "" {
					if c.Data == nil {
						c.Data = map[string]string{}
					}
					c.Data["status"] = "pending"
				}
			}),
		},
		{
			Name: "generations", Clause: "watchcache/write/response",
			About: "objects have a generation, which grows with their data and with the mark of a deletion, as of kinds with a spec",
			Open: with(each(func(r *apiserver.Resource) {
				if r.Kind == "ConfigMap" {
					r.Spec = func(o runtime.Object) any { return o.(*corev1.ConfigMap).Data }
				}
			})),
		},
		{
			Name: "created-finely", Clause: "watchcache/list/snapshot",
			About: "a create is answered with its time to the nanosecond, of which what is read has whole seconds, as JSON has",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				s := apiserver.New(o)
				return fine{s}, s
			},
		},
	}
}

// admission is an API whose f changes what is created and updated before it is stored.
func admission(f func(metav1.Object)) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
		s := apiserver.New(o)
		return admitted{s, f}, s
	}
}

type admitted struct {
	*apiserver.Server
	admit func(metav1.Object)
}

// Create implements apiserver.API.
func (a admitted) Create(ctx context.Context, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
	return a.Server.Create(ctx, r, a.changed(obj), o)
}

// Update implements apiserver.API.
func (a admitted) Update(ctx context.Context, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
	return a.Server.Update(ctx, r, a.changed(obj), o)
}

// Patch implements apiserver.API. What an apply creates is admitted, too.
func (a admitted) Patch(ctx context.Context, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
	if pt == types.ApplyYAMLPatchType {
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(data, &u.Object); err == nil && u.Object != nil {
			a.admit(u)
			if b, err := u.MarshalJSON(); err == nil {
				data = b
			}
		}
	}
	return a.Server.Patch(ctx, r, pt, data, o)
}

// changed is a copy: the client's object stays as it is.
func (a admitted) changed(obj runtime.Object) runtime.Object {
	out := obj.DeepCopyObject()
	if m, ok := out.(metav1.Object); ok {
		a.admit(m)
	}
	return out
}

// fine answers with more of a time than it stores.
type fine struct{ *apiserver.Server }

// Create implements apiserver.API.
func (f fine) Create(ctx context.Context, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
	out, err := f.Server.Create(ctx, r, obj, o)
	if m, ok := out.(metav1.Object); ok && err == nil {
		m.SetCreationTimestamp(metav1.NewTime(m.GetCreationTimestamp().Add(time.Second / 2)))
	}
	return out, err
}
