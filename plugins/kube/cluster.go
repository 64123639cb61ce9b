package kube

import (
	"context"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/plugins/resources"
)

// Cluster implements watchcache.ClusterScoper: the resource is namespaces. Each that a check makes carries the marks of this
// run, which no check sees, and is removed when the case ends.
func (s *subject) Cluster() (c watchcache.Client, prefix string) {
	var marks corev1.Namespace
	s.mark(&marks, s.t.ID())
	return ofCluster{formed{client{s.core, marked(marks.ObjectMeta), ""}, s.forms}, s}, baseName(s.t.ID()) + "-"
}

// marked is the resource namespaces of which each object has these labels and annotations too.
func marked(marks metav1.ObjectMeta) resources.Resource {
	r := resources.Namespaces
	unmark := func(m *corev1.ConfigMap) {
		for key := range marks.Labels {
			delete(m.Labels, key)
		}
		for key := range marks.Annotations {
			delete(m.Annotations, key)
		}
	}
	r.Hide = func(m *corev1.ConfigMap) runtime.Object {
		ns := resources.Namespaces.Hide(m).(*corev1.Namespace)
		ns.Labels = maps.Clone(ns.Labels)
		if ns.Labels == nil {
			ns.Labels = map[string]string{}
		}
		maps.Copy(ns.Labels, marks.Labels)
		maps.Copy(ns.Annotations, marks.Annotations)
		return ns
	}
	r.Show = func(o runtime.Object) runtime.Object {
		o = resources.Namespaces.Show(o)
		if m, ok := o.(*corev1.ConfigMap); ok {
			unmark(m)
		}
		return o
	}
	r.ShowList = func(o runtime.Object) *corev1.ConfigMapList {
		l := resources.Namespaces.ShowList(o)
		for i := range l.Items {
			unmark(&l.Items[i])
		}
		return l
	}
	return r
}

// ofCluster is a client of namespaces that removes what it creates.
type ofCluster struct {
	formed
	s *subject
}

func (c ofCluster) Create(ctx context.Context, m *corev1.ConfigMap, o metav1.CreateOptions) (*corev1.ConfigMap, error) {
	out, err := c.client.Create(ctx, m, o)
	if !refused(err) && len(o.DryRun) == 0 {
		ns := &corev1.Namespace{}
		ns.Name = m.Name
		if out != nil {
			ns.UID = out.UID
		}
		c.s.t.Cleanup(func() { c.s.note(c.s.remove(context.Background(), ns)) })
	}
	return out, err
}
