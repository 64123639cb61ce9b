package apiserver

import (
	"strconv"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
)

// Resources is the table of what is served unless Options say otherwise. Each call makes a new one,
// which the caller may change.
func Resources() []Resource {
	return []Resource{
		{
			GroupVersionResource: corev1.SchemeGroupVersion.WithResource("configmaps"),
			Kind:                 "ConfigMap", Namespaced: true, Unconditional: true,
			New:     func() runtime.Object { return &corev1.ConfigMap{} },
			NewList: func() runtime.Object { return &corev1.ConfigMapList{} },
		},
		{
			GroupVersionResource: corev1.SchemeGroupVersion.WithResource("secrets"),
			Kind:                 "Secret", Namespaced: true, Unconditional: true,
			Fields: map[string]func(runtime.Object) string{
				"type": of(func(s *corev1.Secret) string { return string(s.Type) }),
			},
			New:     func() runtime.Object { return &corev1.Secret{} },
			NewList: func() runtime.Object { return &corev1.SecretList{} },
		},
		{
			GroupVersionResource: corev1.SchemeGroupVersion.WithResource("namespaces"),
			Kind:                 "Namespace", Unconditional: true, NoCollection: true,
			Fields: map[string]func(runtime.Object) string{
				"name":         of(func(n *corev1.Namespace) string { return n.Name }),
				"status.phase": of(func(n *corev1.Namespace) string { return string(n.Status.Phase) }),
			},
			ValidName: validation.NameIsDNSLabel,
			New:       func() runtime.Object { return &corev1.Namespace{} },
			NewList:   func() runtime.Object { return &corev1.NamespaceList{} },
		},
		{
			GroupVersionResource: corev1.SchemeGroupVersion.WithResource("pods"),
			Kind:                 "Pod", Namespaced: true, Unconditional: true,
			Fields:  podFields(),
			Spec:    func(o runtime.Object) any { return &o.(*corev1.Pod).Spec },
			New:     func() runtime.Object { return &corev1.Pod{} },
			NewList: func() runtime.Object { return &corev1.PodList{} },
		},
		{
			GroupVersionResource: corev1.SchemeGroupVersion.WithResource("events"),
			Kind:                 "Event", Namespaced: true, Unconditional: true, CreateOnUpdate: true, Uncached: true,
			Fields:  eventFields(),
			New:     func() runtime.Object { return &corev1.Event{} },
			NewList: func() runtime.Object { return &corev1.EventList{} },
		},
		{
			GroupVersionResource: coordinationv1.SchemeGroupVersion.WithResource("leases"),
			Kind:                 "Lease", Namespaced: true, CreateOnUpdate: true,
			New:     func() runtime.Object { return &coordinationv1.Lease{} },
			NewList: func() runtime.Object { return &coordinationv1.LeaseList{} },
		},
	}
}

func podFields() map[string]func(runtime.Object) string {
	return map[string]func(runtime.Object) string{
		"spec.nodeName":            of(func(p *corev1.Pod) string { return p.Spec.NodeName }),
		"spec.restartPolicy":       of(func(p *corev1.Pod) string { return string(p.Spec.RestartPolicy) }),
		"spec.schedulerName":       of(func(p *corev1.Pod) string { return p.Spec.SchedulerName }),
		"spec.serviceAccountName":  of(func(p *corev1.Pod) string { return p.Spec.ServiceAccountName }),
		"spec.hostNetwork":         of(func(p *corev1.Pod) string { return strconv.FormatBool(p.Spec.HostNetwork) }),
		"status.phase":             of(func(p *corev1.Pod) string { return string(p.Status.Phase) }),
		"status.podIP":             of(func(p *corev1.Pod) string { return p.Status.PodIP }),
		"status.nominatedNodeName": of(func(p *corev1.Pod) string { return p.Status.NominatedNodeName }),
	}
}

func eventFields() map[string]func(runtime.Object) string {
	return map[string]func(runtime.Object) string{
		"involvedObject.kind":            of(func(e *corev1.Event) string { return e.InvolvedObject.Kind }),
		"involvedObject.namespace":       of(func(e *corev1.Event) string { return e.InvolvedObject.Namespace }),
		"involvedObject.name":            of(func(e *corev1.Event) string { return e.InvolvedObject.Name }),
		"involvedObject.uid":             of(func(e *corev1.Event) string { return string(e.InvolvedObject.UID) }),
		"involvedObject.apiVersion":      of(func(e *corev1.Event) string { return e.InvolvedObject.APIVersion }),
		"involvedObject.resourceVersion": of(func(e *corev1.Event) string { return e.InvolvedObject.ResourceVersion }),
		"involvedObject.fieldPath":       of(func(e *corev1.Event) string { return e.InvolvedObject.FieldPath }),
		"reason":                         of(func(e *corev1.Event) string { return e.Reason }),
		"reportingComponent":             of(func(e *corev1.Event) string { return e.ReportingController }),
		"source":                         of(func(e *corev1.Event) string { return e.Source.Component }),
		"type":                           of(func(e *corev1.Event) string { return e.Type }),
	}
}

// of lets a row of the table name its own type.
func of[T runtime.Object](f func(T) string) func(runtime.Object) string {
	return func(o runtime.Object) string { return f(o.(T)) }
}
