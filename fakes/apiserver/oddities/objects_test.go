package oddities_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

var deployments = appsv1.SchemeGroupVersion.WithResource("deployments")

// stated is a deployment that was created with a status.
func stated(t *testing.T, api apiserver.API) *appsv1.Deployment {
	t.Helper()
	pods := map[string]string{"p": "q"}
	o, err := api.Create(ctx, apiserver.Request{Resource: deployments, Namespace: "ns"}, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "d"},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: pods},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: pods, Annotations: map[string]string{"lwtest/spec": "v"}},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
			},
		},
		Status: appsv1.DeploymentStatus{Conditions: []appsv1.DeploymentCondition{{Type: "lwtest", Status: "True", Message: "s"}}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	return o.(*appsv1.Deployment)
}

func statusOf(d *appsv1.Deployment) string { return d.Status.Conditions[0].Message }

var pods = corev1.SchemeGroupVersion.WithResource("pods")

// onNode makes a pod on a node.
func onNode(t *testing.T, api apiserver.API) {
	t.Helper()
	_, err := api.Create(ctx, apiserver.Request{Resource: pods, Namespace: "ns"}, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p"},
		Spec:       corev1.PodSpec{NodeName: "n", Containers: []corev1.Container{{Name: "c", Image: "i"}}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
}
