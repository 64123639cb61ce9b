package resources

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
)

// What comes before and after data["spec"] in the image of a pod's container, so that it may begin and end
// with white space; the image of one that has none; and whom all these pods wait for: no scheduler has that
// name.
const (
	imageBegin, imageEnd = "lwtest/", ":none"
	noImage              = "none"
	nobody               = "lwtest-none"
)

// Pods show the image of their container as data["spec"], status.message as data["status"], which has a
// subresource, and spec.nodeName as data["node"]. Nothing runs them: no scheduler takes them, and what is
// on a node is on one that there is not.
var Pods = Resource{
	Name:         "pods",
	Kind:         "Pod",
	GroupVersion: corev1.SchemeGroupVersion,
	Lacks:        []harness.Feature{watchcache.NoPastStates, watchcache.CBOR, watchcache.ServedVersions, watchcache.ClusterScoped, watchcache.CreateOnUpdate},
	Fresh:        func() runtime.Object { return &corev1.Pod{} },
	List:         func() runtime.Object { return &corev1.PodList{} },
	Hide:         hidePod,
	Show: func(o runtime.Object) runtime.Object {
		if p, ok := o.(*corev1.Pod); ok {
			return showPod(p)
		}
		return o
	},
	ShowList: func(o runtime.Object) *corev1.ConfigMapList {
		l := o.(*corev1.PodList)
		out := &corev1.ConfigMapList{ListMeta: l.ListMeta, Items: make([]corev1.ConfigMap, len(l.Items))}
		for i := range l.Items {
			out.Items[i] = *showPod(&l.Items[i])
		}
		return out
	},
	Patch: moveParts(map[string]move{
		watchcache.Spec: func(p map[string]any, v any) error {
			image, ok := v.(string)
			c := map[string]any{"name": "none", "image": imageOf(image, ok), "imagePullPolicy": string(corev1.PullNever)}
			return to("spec", "containers")(p, []any{c})
		},
		watchcache.Status: to("status", "message"),
		watchcache.Node:   to("spec", "nodeName"),
	}),
	Step: func(part string, o map[string]any) error {
		if text, ok := o["value"].(string); ok {
			o["value"] = imageOf(text, true)
		}
		return stepAt("/spec/containers/0/image")(part, o)
	},
	// A field that a manager does not name it does not own: an apply without data["spec"] has no image.
	Applied: func(p map[string]any) {
		p["spec"] = map[string]any{
			"schedulerName": nobody, "serviceAccountName": "default", "automountServiceAccountToken": false,
			"containers": []any{map[string]any{"name": "none", "imagePullPolicy": string(corev1.PullNever)}},
		}
	},
}

func imageOf(spec string, given bool) string {
	if !given {
		return noImage
	}
	return imageBegin + spec + imageEnd
}

func hidePod(m *corev1.ConfigMap) runtime.Object {
	spec, given := m.Data[watchcache.Spec]
	no := false
	return &corev1.Pod{
		ObjectMeta: m.ObjectMeta,
		Spec: corev1.PodSpec{
			NodeName:      m.Data[watchcache.Node],
			SchedulerName: nobody,
			// What a cluster would fill in, and then refuse to change.
			ServiceAccountName:           "default",
			AutomountServiceAccountToken: &no,
			Containers:                   []corev1.Container{{Name: "none", Image: imageOf(spec, given), ImagePullPolicy: corev1.PullNever}},
		},
		Status: corev1.PodStatus{Message: m.Data[watchcache.Status]},
	}
}

func showPod(p *corev1.Pod) *corev1.ConfigMap {
	m := &corev1.ConfigMap{ObjectMeta: p.ObjectMeta}
	for _, c := range p.Spec.Containers {
		if c.Image != noImage {
			put(m, watchcache.Spec, strings.TrimSuffix(strings.TrimPrefix(c.Image, imageBegin), imageEnd))
		}
	}
	if p.Status.Message != "" {
		put(m, watchcache.Status, p.Status.Message)
	}
	if p.Spec.NodeName != "" {
		put(m, watchcache.Node, p.Spec.NodeName)
	}
	return m
}

// EvictionDryRun is an eviction that the server checks, and does not carry out.
func EvictionDryRun(namespace, name string) *policyv1.Eviction {
	return &policyv1.Eviction{
		ObjectMeta:    metav1.ObjectMeta{Namespace: namespace, Name: name},
		DeleteOptions: &metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}},
	}
}
