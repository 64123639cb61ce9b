package kube

import (
	"encoding/json"
	"fmt"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/conformance/watchcache"
)

// resource says how objects of one resource are shown as ConfigMaps.
type resource struct {
	name string
	gv   schema.GroupVersion
	// fresh is an empty object to decode into, list an empty list.
	fresh, list func() runtime.Object
	// hide makes an object of the resource of a ConfigMap.
	hide func(*corev1.ConfigMap) runtime.Object
	// show makes a ConfigMap of an object; what is none of the resource's stays.
	show func(runtime.Object) runtime.Object
	// showList makes a list of ConfigMaps of a list.
	showList func(runtime.Object) *corev1.ConfigMapList
	// patch translates a merge patch of the ConfigMap.
	patch func([]byte) ([]byte, error)
}

func findResource(name string) (resource, error) {
	switch name {
	case "", configMaps.name:
		return configMaps, nil
	case leases.name:
		return leases, nil
	}
	return resource{}, fmt.Errorf("unknown resource %q: there are %s and %s", name, configMaps.name, leases.name)
}

var configMaps = resource{
	name:     "configmaps",
	gv:       corev1.SchemeGroupVersion,
	fresh:    func() runtime.Object { return &corev1.ConfigMap{} },
	list:     func() runtime.Object { return &corev1.ConfigMapList{} },
	hide:     func(m *corev1.ConfigMap) runtime.Object { return m },
	show:     func(o runtime.Object) runtime.Object { return o },
	showList: func(o runtime.Object) *corev1.ConfigMapList { return o.(*corev1.ConfigMapList) },
	patch:    func(b []byte) ([]byte, error) { return b, nil },
}

// leases show spec.holderIdentity as data["spec"]; they have no status.
var leases = resource{
	name:  "leases",
	gv:    coordinationv1.SchemeGroupVersion,
	fresh: func() runtime.Object { return &coordinationv1.Lease{} },
	list:  func() runtime.Object { return &coordinationv1.LeaseList{} },
	hide: func(m *corev1.ConfigMap) runtime.Object {
		l := &coordinationv1.Lease{ObjectMeta: m.ObjectMeta}
		if holder, ok := m.Data[watchcache.Spec]; ok {
			l.Spec.HolderIdentity = &holder
		}
		return l
	},
	show: func(o runtime.Object) runtime.Object {
		if l, ok := o.(*coordinationv1.Lease); ok {
			return showLease(l)
		}
		return o
	},
	showList: func(o runtime.Object) *corev1.ConfigMapList {
		l := o.(*coordinationv1.LeaseList)
		out := &corev1.ConfigMapList{ListMeta: l.ListMeta, Items: make([]corev1.ConfigMap, len(l.Items))}
		for i := range l.Items {
			out.Items[i] = *showLease(&l.Items[i])
		}
		return out
	},
	patch: patchLease,
}

func showLease(l *coordinationv1.Lease) *corev1.ConfigMap {
	m := &corev1.ConfigMap{ObjectMeta: l.ObjectMeta}
	if h := l.Spec.HolderIdentity; h != nil {
		m.Data = map[string]string{watchcache.Spec: *h}
	}
	return m
}

// patchLease moves data.spec of a merge patch to spec.holderIdentity.
func patchLease(b []byte) ([]byte, error) {
	var p map[string]any
	if err := json.Unmarshal(b, &p); err != nil {
		return nil, fmt.Errorf("a patch of a lease must be a merge patch: %w", err)
	}
	if data, ok := p["data"].(map[string]any); ok {
		if v, ok := data[watchcache.Spec]; ok {
			p["spec"] = map[string]any{"holderIdentity": v}
		}
		delete(p, "data")
	}
	return json.Marshal(p)
}

// patchable refuses what patch cannot translate.
func (r *resource) patchable(pt types.PatchType) error {
	if r.name != configMaps.name && pt != types.MergePatchType {
		return fmt.Errorf("%s take only merge patches here, not %s", r.name, pt)
	}
	return nil
}
