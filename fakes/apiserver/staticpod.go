package apiserver

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// PrepareStaticPod sets the defaults of a pod that comes from no API server, and returns an error for a pod that an API server would
// refuse.
func PrepareStaticPod(p *corev1.Pod) error {
	defaultPod(p)
	return checkPodSpec(&p.Spec, field.NewPath("spec")).ToAggregate()
}
