package resources

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/conformance/watchcache"
)

// specNote is the annotation of a namespace that shows as data["spec"].
const specNote = "lwtest/spec"

// Namespaces are the cluster-scoped resource of checks that ask for one; --resource does not choose it. An annotation shows
// as data["spec"], and the label that the server adds is not shown.
var Namespaces = Resource{
	Name:         "namespaces",
	Kind:         "Namespace",
	GroupVersion: corev1.SchemeGroupVersion,
	Fresh:        func() runtime.Object { return &corev1.Namespace{} },
	List:         func() runtime.Object { return &corev1.NamespaceList{} },
	Hide: func(m *corev1.ConfigMap) runtime.Object {
		ns := &corev1.Namespace{ObjectMeta: *m.ObjectMeta.DeepCopy()}
		ns.Annotations = with(ns.Annotations, specNote, m.Data[watchcache.Spec])
		return ns
	},
	Show: func(o runtime.Object) runtime.Object {
		if ns, ok := o.(*corev1.Namespace); ok {
			return showNamespace(ns)
		}
		return o
	},
	ShowList: func(o runtime.Object) *corev1.ConfigMapList {
		l := o.(*corev1.NamespaceList)
		out := &corev1.ConfigMapList{ListMeta: l.ListMeta, Items: make([]corev1.ConfigMap, len(l.Items))}
		for i := range l.Items {
			out.Items[i] = *showNamespace(&l.Items[i])
		}
		return out
	},
}

func showNamespace(ns *corev1.Namespace) *corev1.ConfigMap {
	m := showSpec(*ns.ObjectMeta.DeepCopy(), nonEmpty(ns.Annotations[specNote]))
	m.Labels, m.Annotations = without(m.Labels, corev1.LabelMetadataName), without(m.Annotations, specNote)
	return m
}

func with(all map[string]string, key, value string) map[string]string {
	all = maps.Clone(all)
	if all == nil {
		all = map[string]string{}
	}
	all[key] = value
	return all
}

// without returns nil in place of an empty map.
func without(all map[string]string, key string) map[string]string {
	delete(all, key)
	if len(all) == 0 {
		return nil
	}
	return all
}
