package resources

import (
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
)

// What a deployment has from each part: the annotation of its pods that is data["spec"], and the type
// of the condition whose message is data["status"].
const (
	podsNote  = "lwtest/spec"
	condition = "lwtest"
)

// pods are what the selector of each deployment asks for.
var pods = map[string]string{"lwtest": "none"}

// Deployments show an annotation of their pods as data["spec"], and the message of a condition as
// data["status"], which has a subresource. They are paused and have no replicas, so that nothing is
// run of them; but where a controller looks after them it writes to each, its status.observedGeneration at least.
var Deployments = Resource{
	Name:         "deployments",
	Kind:         "Deployment",
	GroupVersion: appsv1.SchemeGroupVersion,
	Controlled:   true,
	Lacks:        []harness.Feature{watchcache.NoPastStates, watchcache.CBOR, watchcache.ServedVersions, watchcache.SubresourceCreate, watchcache.ClusterScoped, watchcache.CreateOnUpdate, watchcache.Grace},
	Fresh:        func() runtime.Object { return &appsv1.Deployment{} },
	List:         func() runtime.Object { return &appsv1.DeploymentList{} },
	Hide:         hideDeployment,
	Show: func(o runtime.Object) runtime.Object {
		if d, ok := o.(*appsv1.Deployment); ok {
			return showDeployment(d)
		}
		return o
	},
	ShowList: func(o runtime.Object) *corev1.ConfigMapList {
		l := o.(*appsv1.DeploymentList)
		out := &corev1.ConfigMapList{ListMeta: l.ListMeta, Items: make([]corev1.ConfigMap, len(l.Items))}
		for i := range l.Items {
			out.Items[i] = *showDeployment(&l.Items[i])
		}
		return out
	},
	Patch: moveParts(map[string]move{
		watchcache.Spec: to("spec", "template", "metadata", "annotations", podsNote),
		watchcache.Status: func(p map[string]any, v any) error {
			if v != nil {
				v = []any{map[string]any{"type": condition, "status": string(corev1.ConditionTrue), "message": v}}
			}
			return to("status", "conditions")(p, v)
		},
	}),
	Step: stepAt("/spec/template/metadata/annotations/" + strings.ReplaceAll(podsNote, "/", "~1")),
	Applied: func(p map[string]any) {
		labels := map[string]any{"lwtest": "none"}
		p["spec"] = map[string]any{
			"replicas": 0, "paused": true, "selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{
				"metadata": map[string]any{"labels": labels},
				"spec":     map[string]any{"containers": []any{map[string]any{"name": "none", "image": "none"}}},
			},
		}
	},
}

func hideDeployment(m *corev1.ConfigMap) runtime.Object {
	no := int32(0)
	d := &appsv1.Deployment{ObjectMeta: m.ObjectMeta, Spec: appsv1.DeploymentSpec{
		Replicas: &no,
		Paused:   true,
		Selector: &metav1.LabelSelector{MatchLabels: pods},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: pods},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "none", Image: "none"}}},
		},
	}}
	if v, ok := m.Data[watchcache.Spec]; ok {
		d.Spec.Template.Annotations = map[string]string{podsNote: v}
	}
	if v, ok := m.Data[watchcache.Status]; ok {
		d.Status.Conditions = []appsv1.DeploymentCondition{{Type: condition, Status: corev1.ConditionTrue, Message: v}}
	}
	return d
}

func showDeployment(d *appsv1.Deployment) *corev1.ConfigMap {
	m := &corev1.ConfigMap{ObjectMeta: d.ObjectMeta}
	if v, ok := d.Spec.Template.Annotations[podsNote]; ok {
		put(m, watchcache.Spec, v)
	}
	for _, c := range d.Status.Conditions {
		if c.Type == condition {
			put(m, watchcache.Status, c.Message)
		}
	}
	return m
}
