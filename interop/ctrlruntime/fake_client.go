package main

import (
	"context"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/lwtest/lwtest/plugins/adapter"
)

var fakeClient = adapter.WatchCacheOffer{
	Features: []string{"label-selectors", "generate-name", "plain-update", "update-needs-object", "status-subresource", "sole-writer"},
	Open: func() (adapter.WatchCache, error) {
		return server{fake.NewClientBuilder().WithStatusSubresource(&corev1.Pod{}).Build()}, nil
	},
}

// server is a fake client, of pods.
type server struct{ client client.WithWatch }

// Create implements adapter.WatchCache.
func (s server) Create(ctx context.Context, w adapter.Write) (json.RawMessage, error) {
	p, err := pod(w.Object, w.Namespace)
	if err != nil {
		return nil, err
	}
	return answered(p, s.client.Create(ctx, p))
}

// Update implements adapter.WatchCache.
func (s server) Update(ctx context.Context, w adapter.Write) (json.RawMessage, error) {
	p, err := pod(w.Object, w.Namespace)
	if err != nil {
		return nil, err
	}
	if w.Subresource != "" {
		return answered(p, s.client.Status().Update(ctx, p))
	}
	return answered(p, s.client.Update(ctx, p))
}

// Delete implements adapter.WatchCache.
func (s server) Delete(ctx context.Context, d adapter.Deletion) error {
	o, err := read[metav1.DeleteOptions](d.Options)
	if err != nil {
		return err
	}
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: d.Namespace, Name: d.Name}}
	return failed(s.client.Delete(ctx, p, &client.DeleteOptions{Raw: &o, Preconditions: o.Preconditions}))
}

// Get implements adapter.WatchCache.
func (s server) Get(ctx context.Context, namespace, name string, options json.RawMessage) (json.RawMessage, error) {
	o, err := read[metav1.GetOptions](options)
	if err != nil {
		return nil, err
	}
	p := &corev1.Pod{}
	return answered(p, s.client.Get(ctx, types.NamespacedName{Namespace: namespace, Name: name}, p, &client.GetOptions{Raw: &o}))
}

// List implements adapter.WatchCache.
func (s server) List(ctx context.Context, namespace string, options json.RawMessage) (*adapter.List, error) {
	o, err := listOptions(namespace, options)
	if err != nil {
		return nil, err
	}
	var l corev1.PodList
	if err := s.client.List(ctx, &l, o); err != nil {
		return nil, failed(err)
	}
	out := &adapter.List{Metadata: adapter.ListMeta{ResourceVersion: l.ResourceVersion, Continue: l.Continue, RemainingItemCount: l.RemainingItemCount}}
	for i := range l.Items {
		out.Items = append(out.Items, shown(&l.Items[i]))
	}
	return out, nil
}

// Watch implements adapter.WatchCache.
func (s server) Watch(ctx context.Context, namespace string, options json.RawMessage) (adapter.Watch, error) {
	o, err := listOptions(namespace, options)
	if err != nil {
		return nil, err
	}
	w, err := s.client.Watch(ctx, &corev1.PodList{}, o)
	if err != nil {
		return nil, failed(err)
	}
	return open{w}, nil
}

type open struct{ watch.Interface }

// Next implements adapter.Watch.
func (w open) Next(ctx context.Context) (adapter.Event, bool) {
	select {
	case e, ok := <-w.ResultChan():
		if !ok {
			return adapter.Event{}, false
		}
		if p, ok := e.Object.(*corev1.Pod); ok {
			return adapter.Event{Type: string(e.Type), Object: shown(p)}, true
		}
		return adapter.Event{Type: string(e.Type), Object: plainJSON(e.Object)}, true
	case <-ctx.Done():
		return adapter.Event{}, false
	}
}

// listOptions are those of a list or watch, parsed as its callers give them.
func listOptions(namespace string, options json.RawMessage) (*client.ListOptions, error) {
	o, err := read[metav1.ListOptions](options)
	if err != nil {
		return nil, err
	}
	out := &client.ListOptions{Namespace: namespace, Limit: o.Limit, Continue: o.Continue, Raw: &o}
	if o.LabelSelector != "" {
		out.LabelSelector, err = labels.Parse(o.LabelSelector)
	}
	return out, err
}

// read reads what lwtest has sent.
func read[T any](b json.RawMessage) (v T, err error) {
	if len(b) == 0 {
		return v, nil
	}
	err = json.Unmarshal(b, &v)
	return v, err
}
