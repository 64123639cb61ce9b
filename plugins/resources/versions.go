package resources

import (
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/conformance/watchcache"
)

// InVersion returns the resource of stories with two versions, by its first or its other version. r has Versions.
func (r Resource) InVersion(other bool) Resource {
	if other {
		return r.Versions[1]
	}
	return r.Versions[0]
}

// autoscalersV2 and autoscalersV1 show the version of what is scaled as data["spec"]. Nothing is scaled: there is no such
// ReplicationController. They are asked for where ConfigMaps are tested, which they resemble in all that the suite wants of them.
var autoscalersV2, autoscalersV1 = func() (v2, v1 Resource) {
	v2 = Resource{
		Name: "horizontalpodautoscalers", Kind: "HorizontalPodAutoscaler", GroupVersion: autoscalingv2.SchemeGroupVersion, Controlled: true,
		Fresh: func() runtime.Object { return &autoscalingv2.HorizontalPodAutoscaler{} },
		List:  func() runtime.Object { return &autoscalingv2.HorizontalPodAutoscalerList{} },
		Hide: func(m *corev1.ConfigMap) runtime.Object {
			ref := autoscalingv2.CrossVersionObjectReference{Kind: scaled, Name: "none", APIVersion: m.Data[watchcache.Spec]}
			return &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: m.ObjectMeta, Spec: autoscalingv2.HorizontalPodAutoscalerSpec{ScaleTargetRef: ref, MaxReplicas: 1}}
		},
		Show: func(o runtime.Object) runtime.Object {
			if a, ok := o.(*autoscalingv2.HorizontalPodAutoscaler); ok {
				return showSpec(a.ObjectMeta, nonEmpty(a.Spec.ScaleTargetRef.APIVersion))
			}
			return o
		},
		ShowList: func(o runtime.Object) *corev1.ConfigMapList {
			l := o.(*autoscalingv2.HorizontalPodAutoscalerList)
			out := &corev1.ConfigMapList{ListMeta: l.ListMeta, Items: make([]corev1.ConfigMap, len(l.Items))}
			for i := range l.Items {
				out.Items[i] = *showSpec(l.Items[i].ObjectMeta, nonEmpty(l.Items[i].Spec.ScaleTargetRef.APIVersion))
			}
			return out
		},
		Patch: moveSpec("spec", "scaleTargetRef", "apiVersion"),
		Step:  stepAt("/spec/scaleTargetRef/apiVersion"),
		Applied: func(p map[string]any) {
			p["spec"] = map[string]any{"maxReplicas": 1, "scaleTargetRef": map[string]any{"kind": scaled, "name": "none"}}
		},
	}
	v1 = v2
	v1.GroupVersion = autoscalingv1.SchemeGroupVersion
	v1.Fresh = func() runtime.Object { return &autoscalingv1.HorizontalPodAutoscaler{} }
	v1.List = func() runtime.Object { return &autoscalingv1.HorizontalPodAutoscalerList{} }
	v1.Hide = func(m *corev1.ConfigMap) runtime.Object {
		ref := autoscalingv1.CrossVersionObjectReference{Kind: scaled, Name: "none", APIVersion: m.Data[watchcache.Spec]}
		return &autoscalingv1.HorizontalPodAutoscaler{ObjectMeta: m.ObjectMeta, Spec: autoscalingv1.HorizontalPodAutoscalerSpec{ScaleTargetRef: ref, MaxReplicas: 1}}
	}
	v1.Show = func(o runtime.Object) runtime.Object {
		if a, ok := o.(*autoscalingv1.HorizontalPodAutoscaler); ok {
			return showSpec(a.ObjectMeta, nonEmpty(a.Spec.ScaleTargetRef.APIVersion))
		}
		return o
	}
	v1.ShowList = func(o runtime.Object) *corev1.ConfigMapList {
		l := o.(*autoscalingv1.HorizontalPodAutoscalerList)
		out := &corev1.ConfigMapList{ListMeta: l.ListMeta, Items: make([]corev1.ConfigMap, len(l.Items))}
		for i := range l.Items {
			out.Items[i] = *showSpec(l.Items[i].ObjectMeta, nonEmpty(l.Items[i].Spec.ScaleTargetRef.APIVersion))
		}
		return out
	}
	return v2, v1
}()

// scaled is the kind of what autoscalers of stories scale: one whose apiVersion may be anything.
const scaled = "ReplicationController"
