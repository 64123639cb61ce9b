package resources

import (
	_ "embed"
	"encoding/json"
	"fmt"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
)

//go:embed things.yaml
var definition string

// All are those that can be tested with, the default first.
var All = []Resource{ConfigMaps, Leases, Events, Things, Deployments, Pods}

// ConfigMaps are shown as they are.
var ConfigMaps = Resource{
	Name:         "configmaps",
	Kind:         "ConfigMap",
	GroupVersion: corev1.SchemeGroupVersion,
	Lacks:        []harness.Feature{watchcache.NoPastStates, watchcache.CBOR, watchcache.SubresourceCreate, watchcache.CreateOnUpdate, watchcache.StatusSubresource, watchcache.Grace},
	Fresh:        func() runtime.Object { return &corev1.ConfigMap{} },
	List:         func() runtime.Object { return &corev1.ConfigMapList{} },
	Hide:         func(m *corev1.ConfigMap) runtime.Object { return m },
	Show:         func(o runtime.Object) runtime.Object { return o },
	ShowList:     func(o runtime.Object) *corev1.ConfigMapList { return o.(*corev1.ConfigMapList) },
	Patch:        func(b []byte) ([]byte, error) { return b, nil },
	Versions:     []Resource{autoscalersV2, autoscalersV1},
}

// Leases show spec.holderIdentity as data["spec"]; they have no status.
var Leases = Resource{
	Name:         "leases",
	Kind:         "Lease",
	GroupVersion: coordinationv1.SchemeGroupVersion,
	Lacks:        []harness.Feature{watchcache.NoPastStates, watchcache.CBOR, watchcache.ServedVersions, watchcache.SubresourceCreate, watchcache.ClusterScoped, watchcache.UpdateNeedsObject, watchcache.PlainUpdate, watchcache.StatusSubresource, watchcache.Grace},
	Fresh:        func() runtime.Object { return &coordinationv1.Lease{} },
	List:         func() runtime.Object { return &coordinationv1.LeaseList{} },
	Hide: func(m *corev1.ConfigMap) runtime.Object {
		l := &coordinationv1.Lease{ObjectMeta: m.ObjectMeta}
		if holder, ok := m.Data[watchcache.Spec]; ok {
			l.Spec.HolderIdentity = &holder
		}
		return l
	},
	Show: func(o runtime.Object) runtime.Object {
		if l, ok := o.(*coordinationv1.Lease); ok {
			return showSpec(l.ObjectMeta, l.Spec.HolderIdentity)
		}
		return o
	},
	ShowList: func(o runtime.Object) *corev1.ConfigMapList {
		l := o.(*coordinationv1.LeaseList)
		out := &corev1.ConfigMapList{ListMeta: l.ListMeta, Items: make([]corev1.ConfigMap, len(l.Items))}
		for i := range l.Items {
			out.Items[i] = *showSpec(l.Items[i].ObjectMeta, l.Items[i].Spec.HolderIdentity)
		}
		return out
	},
	Patch: moveSpec("spec", "holderIdentity"),
	Step:  stepAt("/spec/holderIdentity"),
}

// Events show message as data["spec"]. They are served without a watch cache.
var Events = Resource{
	Name:         "events",
	Kind:         "Event",
	GroupVersion: corev1.SchemeGroupVersion,
	Lacks:        []harness.Feature{watchcache.NoPastStates, watchcache.CBOR, watchcache.ServedVersions, watchcache.SubresourceCreate, watchcache.ClusterScoped, watchcache.UpdateNeedsObject, watchcache.Bookmarks, watchcache.Window, watchcache.Lag, watchcache.Starting, watchcache.StatusSubresource, watchcache.Grace},
	Fresh:        func() runtime.Object { return &corev1.Event{} },
	List:         func() runtime.Object { return &corev1.EventList{} },
	Hide: func(m *corev1.ConfigMap) runtime.Object {
		e := &corev1.Event{ObjectMeta: m.ObjectMeta, Message: m.Data[watchcache.Spec]}
		e.InvolvedObject.Namespace = m.Namespace // the two must agree
		return e
	},
	Show: func(o runtime.Object) runtime.Object {
		if e, ok := o.(*corev1.Event); ok {
			return showSpec(e.ObjectMeta, nonEmpty(e.Message))
		}
		return o
	},
	ShowList: func(o runtime.Object) *corev1.ConfigMapList {
		l := o.(*corev1.EventList)
		out := &corev1.ConfigMapList{ListMeta: l.ListMeta, Items: make([]corev1.ConfigMap, len(l.Items))}
		for i := range l.Items {
			out.Items[i] = *showSpec(l.Items[i].ObjectMeta, nonEmpty(l.Items[i].Message))
		}
		return out
	},
	Patch: moveSpec("message"),
	Step:  stepAt("/message"),
	Applied: func(p map[string]any) {
		if m, ok := p["metadata"].(map[string]any); ok {
			p["involvedObject"] = map[string]any{"namespace": m["namespace"]} // the two must agree
		}
	},
}

// Things are of a custom resource of lwtest's own; spec.value is data["spec"], and status.value data["status"]. Two versions are served,
// of which v1 is stored.
var Things = func() Resource {
	r := thing("v1")
	r.Versions = []Resource{r, thing("v2")}
	return r
}()

func thing(version string) Resource {
	gv := schema.GroupVersion{Group: "conformance.lwtest.github.io", Version: version}
	return Resource{
		Name:         "things",
		Kind:         "Thing",
		GroupVersion: gv,
		Lacks:        []harness.Feature{watchcache.NoPastStates, watchcache.CBOR, watchcache.SubresourceCreate, watchcache.ClusterScoped, watchcache.PlainUpdate, watchcache.CreateOnUpdate, watchcache.Grace, watchcache.StrategicPatch, watchcache.Protobuf},
		Definition:   definition,
		Fresh:        func() runtime.Object { return &unstructured.Unstructured{} },
		List:         func() runtime.Object { return &unstructured.UnstructuredList{} },
		Hide: func(m *corev1.ConfigMap) runtime.Object {
			meta, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&m.ObjectMeta)
			if err != nil {
				panic(err) // it is a struct of plain data
			}
			u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": gv.String(), "kind": "Thing", "metadata": meta}}
			u.Object[watchcache.Spec] = map[string]any{} // a patch that removes the value leaves that, and an update must not change it
			for _, part := range []string{watchcache.Spec, watchcache.Status} {
				if v, ok := m.Data[part]; ok {
					u.Object[part] = map[string]any{"value": v}
				}
			}
			return u
		},
		Show: func(o runtime.Object) runtime.Object {
			if u, ok := o.(*unstructured.Unstructured); ok && u.GetKind() == "Thing" {
				return showThing(u)
			}
			return o
		},
		ShowList: func(o runtime.Object) *corev1.ConfigMapList {
			l := o.(*unstructured.UnstructuredList)
			out := &corev1.ConfigMapList{Items: make([]corev1.ConfigMap, len(l.Items))}
			out.ResourceVersion, out.Continue, out.RemainingItemCount = l.GetResourceVersion(), l.GetContinue(), l.GetRemainingItemCount()
			if s, ok, _ := unstructured.NestedString(l.Object, "metadata", "shardInfo", "selector"); ok {
				out.ShardInfo = &metav1.ShardInfo{Selector: s}
			}
			for i := range l.Items {
				out.Items[i] = *showThing(&l.Items[i])
			}
			return out
		},
		Patch: moveParts(map[string]move{watchcache.Spec: to("spec", "value"), watchcache.Status: to("status", "value")}),
		Step:  stepAt("/spec/value"),
	}
}

func showThing(u *unstructured.Unstructured) *corev1.ConfigMap {
	m := &corev1.ConfigMap{}
	if meta, ok := u.Object["metadata"].(map[string]any); ok {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(meta, &m.ObjectMeta); err != nil {
			m.ObjectMeta = metav1.ObjectMeta{Name: u.GetName(), Namespace: u.GetNamespace(), ResourceVersion: u.GetResourceVersion()}
		}
	}
	for _, part := range []string{watchcache.Spec, watchcache.Status} {
		if v, ok, _ := unstructured.NestedString(u.Object, part, "value"); ok {
			put(m, part, v)
		}
	}
	return m
}

// put is one of the strings of an object's data.
func put(m *corev1.ConfigMap, part, value string) {
	if m.Data == nil {
		m.Data = map[string]string{}
	}
	m.Data[part] = value
}

func showSpec(meta metav1.ObjectMeta, spec *string) *corev1.ConfigMap {
	m := &corev1.ConfigMap{ObjectMeta: meta}
	if spec != nil {
		m.Data = map[string]string{watchcache.Spec: *spec}
	}
	return m
}

func nonEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// move puts a value of a patch of the ConfigMap, or nil that takes it away, where the resource has it.
type move func(patch map[string]any, value any) error

// to is a field of the resource.
func to(path ...string) move {
	return func(p map[string]any, v any) error { return unstructured.SetNestedField(p, v, path...) }
}

// moveSpec moves data.spec of a merge patch to a field of the resource.
func moveSpec(path ...string) func([]byte) ([]byte, error) {
	return moveParts(map[string]move{watchcache.Spec: to(path...)})
}

// moveParts moves what a merge patch has in data; what there is no place for goes.
func moveParts(parts map[string]move) func([]byte) ([]byte, error) {
	return func(b []byte) ([]byte, error) {
		var p map[string]any
		if err := json.Unmarshal(b, &p); err != nil {
			return nil, fmt.Errorf("this must be a merge patch: %w", err)
		}
		if data, ok := p["data"].(map[string]any); ok {
			for part, move := range parts {
				if v, ok := data[part]; ok {
					if err := move(p, v); err != nil {
						return nil, err
					}
				}
			}
			delete(p, "data")
		}
		return json.Marshal(p)
	}
}
