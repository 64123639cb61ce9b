package kind

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
)

func node(is ...corev1.NodeCondition) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Status: corev1.NodeStatus{Conditions: is}}
}

// controlPlanePods are n, of which the last is as told.
func controlPlanePods(n int, last corev1.ConditionStatus) []runtime.Object {
	var out []runtime.Object
	for i := range n {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: fmt.Sprint("p", i), Labels: map[string]string{"tier": "control-plane"}}}
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
		if i == n-1 {
			p.Status.Conditions[0].Status = last
		}
		out = append(out, p)
	}
	return out
}

// Ready is when nodes, control plane and controllers are.
func TestNotReady(t *testing.T) {
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "default"}}
	ready := node(corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionTrue})
	for name, c := range map[string]struct {
		has  []runtime.Object
		want string
	}{
		"nothing is there":          {want: "some pods of the control plane do not exist yet"},
		"a node says nothing":       {[]runtime.Object{node()}, "node n: it does not report that it is ready"},
		"a node is not":             {[]runtime.Object{node(corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionFalse, Message: "no network"})}, "node n: no network"},
		"pods are missing":          {append(controlPlanePods(3, corev1.ConditionTrue), ready), "some pods"},
		"a pod is not":              {append(controlPlanePods(4, corev1.ConditionFalse), ready), "pod p3 is not ready"},
		"controllers are not there": {append(controlPlanePods(4, corev1.ConditionTrue), ready), `"default" not found`},
	} {
		t.Run(name, func(t *testing.T) {
			assert.ErrorContains(t, notReady(t.Context(), fake.NewClientset(c.has...)), c.want)
		})
	}
	require.NoError(t, notReady(t.Context(), fake.NewClientset(append(controlPlanePods(4, corev1.ConditionTrue), ready, account)...)))
}
