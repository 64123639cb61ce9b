package workloads_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// TestTaintsEvict: a NoExecute taint deletes pods that do not tolerate it, at once or after tolerationSeconds, unless it is removed before.
func TestTaintsEvict(t *testing.T) {
	bubble(t, everything, func(c *cluster) {
		pod := func(name string, tolerates ...corev1.Toleration) {
			c.create(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}, Spec: corev1.PodSpec{NodeName: "node-1", Tolerations: tolerates, Containers: []corev1.Container{{Name: "c", Image: "i"}}}})
		}
		seconds := func(n int64) *int64 { return &n }
		pod("plain")
		pod("always", corev1.Toleration{Key: "k", Operator: corev1.TolerationOpExists})
		pod("minute", corev1.Toleration{Key: "k", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: seconds(60)})
		pod("hour", corev1.Toleration{Key: "k", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: seconds(3600)})
		c.wait(5 * time.Second)
		left := func() (names []string) {
			l, err := c.List(ctx, apiserver.Request{Resource: pods, Namespace: "default"}, metav1.ListOptions{})
			require.NoError(t, err)
			for _, p := range l.(*corev1.PodList).Items {
				if p.DeletionTimestamp == nil {
					names = append(names, p.Name)
				}
			}
			return names
		}
		taint := func(all ...corev1.Taint) {
			o, err := c.Get(ctx, apiserver.Request{Resource: nodes, Name: "node-1"}, metav1.GetOptions{})
			require.NoError(t, err)
			n := o.(*corev1.Node)
			n.Spec.Taints = all
			_, err = c.Update(ctx, apiserver.Request{Resource: nodes, Name: "node-1"}, n, metav1.UpdateOptions{})
			require.NoError(t, err)
		}
		taint(corev1.Taint{Key: "k", Effect: corev1.TaintEffectNoSchedule})
		c.wait(time.Second)
		assert.Len(t, left(), 4)
		taint(corev1.Taint{Key: "k", Effect: corev1.TaintEffectNoExecute})
		c.wait(time.Second)
		assert.Equal(t, []string{"always", "hour", "minute"}, left())
		c.wait(2 * time.Minute)
		assert.Equal(t, []string{"always", "hour"}, left())
		taint()
		c.wait(2 * time.Hour)
		assert.Equal(t, []string{"always", "hour"}, left())
	})
}
