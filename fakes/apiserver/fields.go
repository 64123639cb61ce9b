package apiserver

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// fieldFuncs are the fields of a kind that can be selected.
type fieldFuncs = map[string]func(runtime.Object) string

func secretFields() fieldFuncs {
	return fieldFuncs{"type": of(func(s *corev1.Secret) string { return string(s.Type) })}
}

func namespaceFields() fieldFuncs {
	return fieldFuncs{"status.phase": of(func(n *corev1.Namespace) string { return string(n.Status.Phase) })}
}

func nodeFields() fieldFuncs {
	return fieldFuncs{"spec.unschedulable": of(func(n *corev1.Node) string { return strconv.FormatBool(n.Spec.Unschedulable) })}
}

func serviceFields() fieldFuncs {
	return fieldFuncs{
		"spec.clusterIP": of(func(s *corev1.Service) string { return s.Spec.ClusterIP }),
		"spec.type":      of(func(s *corev1.Service) string { return string(s.Spec.Type) }),
	}
}

func podFields() fieldFuncs {
	return fieldFuncs{
		"spec.nodeName":            of(func(p *corev1.Pod) string { return p.Spec.NodeName }),
		"spec.restartPolicy":       of(func(p *corev1.Pod) string { return string(p.Spec.RestartPolicy) }),
		"spec.schedulerName":       of(func(p *corev1.Pod) string { return p.Spec.SchedulerName }),
		"spec.serviceAccountName":  of(func(p *corev1.Pod) string { return p.Spec.ServiceAccountName }),
		"spec.hostNetwork":         of(func(p *corev1.Pod) string { return strconv.FormatBool(p.Spec.HostNetwork) }),
		"status.phase":             of(func(p *corev1.Pod) string { return string(p.Status.Phase) }),
		"spec.host":                of(func(p *corev1.Pod) string { return p.Spec.NodeName }),
		"status.podIPs":            func(runtime.Object) string { return "" }, // known, and never set
		"status.podIP":             of(func(p *corev1.Pod) string { return p.Status.PodIP }),
		"status.nominatedNodeName": of(func(p *corev1.Pod) string { return p.Status.NominatedNodeName }),
	}
}

func eventFields() fieldFuncs {
	return fieldFuncs{
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
