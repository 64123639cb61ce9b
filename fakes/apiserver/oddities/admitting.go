package oddities

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

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

// changed is a copy: the client's object stays as it is.
func (a admitted) changed(obj runtime.Object) runtime.Object {
	out := obj.DeepCopyObject()
	if m, ok := out.(metav1.Object); ok {
		a.admit(m)
	}
	return out
}
