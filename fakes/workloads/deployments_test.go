package workloads_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

const web = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {terminationGracePeriodSeconds: 1, containers: [{name: c, image: "i:1"}]}
`

func image(i string) func(*appsv1.Deployment) {
	return func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = i }
}

// progress is the condition Progressing.
func progress(d *appsv1.Deployment) string {
	for _, c := range d.Status.Conditions {
		if c.Type == appsv1.DeploymentProgressing {
			return string(c.Status) + " " + c.Reason
		}
	}
	return ""
}

// sizes are the replicas of ReplicaSets by revision.
func sizes(c *cluster) map[string]int32 {
	out := map[string]int32{}
	for _, rs := range list[*appsv1.ReplicaSet](c, replicaSets) {
		out[rs.Annotations["deployment.kubernetes.io/revision"]] = *rs.Spec.Replicas
	}
	return out
}

func TestRollout(t *testing.T) {
	bubble(t, everything, func(c *cluster) {
		c.apply(web)
		c.wait(time.Minute)
		d := the[*appsv1.Deployment](c, deployments, "web")
		assert.Equal(t, int32(4), d.Status.AvailableReplicas)
		assert.Equal(t, "True NewReplicaSetAvailable", progress(d))
		require.Equal(t, map[string]int32{"1": 4}, sizes(c))
		rs := list[*appsv1.ReplicaSet](c, replicaSets)[0]
		assert.Regexp(t, `^web-[a-z0-9]{5,10}$`, rs.Name)
		assert.Equal(t, "web-"+rs.Labels["pod-template-hash"], rs.Name)
		for _, p := range list[*corev1.Pod](c, pods) {
			assert.True(t, metav1.IsControlledBy(p, rs))
			assert.NotEmpty(t, p.Spec.NodeName)
		}

		change(c, deployments, "web", image("i:2"))
		c.wait(time.Minute)
		assert.Equal(t, map[string]int32{"1": 0, "2": 4}, sizes(c))
		change(c, deployments, "web", image("i:1"))
		c.wait(time.Minute)
		assert.Equal(t, map[string]int32{"3": 4, "2": 0}, sizes(c))
		assert.Equal(t, "1", the[*appsv1.ReplicaSet](c, replicaSets, rs.Name).Annotations["deployment.kubernetes.io/revision-history"])
		assert.Equal(t, "3", the[*appsv1.Deployment](c, deployments, "web").Annotations["deployment.kubernetes.io/revision"])
	})
}

func TestRolloutStaysWithinBounds(t *testing.T) {
	for _, way := range []struct{ surge, unavailable, most, least int }{{1, 0, 5, 4}, {0, 1, 4, 3}, {2, 1, 6, 3}} {
		bubble(t, everything, func(c *cluster) {
			c.apply(web)
			change(c, deployments, "web", func(d *appsv1.Deployment) {
				d.Spec.Strategy.RollingUpdate.MaxSurge = new(intstr.FromInt(way.surge))
				d.Spec.Strategy.RollingUpdate.MaxUnavailable = new(intstr.FromInt(way.unavailable))
				d.Spec.MinReadySeconds = 3
			})
			c.wait(time.Minute)
			change(c, deployments, "web", image("i:2"))
			most, least := 0, 100
			for range 600 { // in steps of 100 ms
				c.wait(100 * time.Millisecond)
				all, ready := 0, 0
				for _, p := range list[*corev1.Pod](c, pods) {
					if p.DeletionTimestamp != nil {
						continue
					}
					all++
					if isReady(p) && time.Since(p.CreationTimestamp.Time) > 3*time.Second {
						ready++
					}
				}
				most, least = max(most, all), min(least, ready)
			}
			assert.Equal(t, way.most, most, "%+v", way)
			assert.Equal(t, way.least, least, "%+v", way)
			assert.Equal(t, map[string]int32{"1": 0, "2": 4}, sizes(c))
		})
	}
}

func TestPausedAndResized(t *testing.T) {
	bubble(t, everything, func(c *cluster) {
		c.apply(web)
		c.wait(time.Minute)
		change(c, deployments, "web", func(d *appsv1.Deployment) { d.Spec.Paused = true; image("i:2")(d) })
		c.wait(time.Minute)
		assert.Equal(t, map[string]int32{"1": 4}, sizes(c))
		assert.Equal(t, "Unknown DeploymentPaused", progress(the[*appsv1.Deployment](c, deployments, "web")))
		change(c, deployments, "web", func(d *appsv1.Deployment) { *d.Spec.Replicas = 6 })
		c.wait(time.Minute)
		assert.Equal(t, map[string]int32{"1": 6}, sizes(c), "a paused one follows its size")

		c.kubelet.setReady(-1) // the rollout stops half way
		change(c, deployments, "web", func(d *appsv1.Deployment) { d.Spec.Paused = false })
		c.wait(time.Minute)
		assert.Equal(t, map[string]int32{"1": 5, "2": 3}, sizes(c))
		change(c, deployments, "web", func(d *appsv1.Deployment) { *d.Spec.Replicas = 12 })
		c.wait(time.Minute)
		assert.Equal(t, map[string]int32{"1": 9, "2": 6}, sizes(c), "both grow in proportion")
		c.wait(time.Hour)
		assert.Equal(t, "False ProgressDeadlineExceeded", progress(the[*appsv1.Deployment](c, deployments, "web")))
	})
}

func TestRecreate(t *testing.T) {
	bubble(t, everything, func(c *cluster) {
		c.apply(web)
		change(c, deployments, "web", func(d *appsv1.Deployment) {
			d.Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}
		})
		c.wait(time.Minute)
		change(c, deployments, "web", image("i:2"))
		both := false
		for range 100 {
			c.wait(100 * time.Millisecond)
			images := map[string]bool{}
			for _, p := range list[*corev1.Pod](c, pods) {
				images[p.Spec.Containers[0].Image] = true
			}
			both = both || len(images) > 1
		}
		assert.False(t, both, "pods of both templates at once")
		assert.Equal(t, map[string]int32{"1": 0, "2": 4}, sizes(c))
	})
}

func TestOldReplicaSetsAreDeleted(t *testing.T) {
	bubble(t, everything, func(c *cluster) {
		c.apply(web)
		change(c, deployments, "web", func(d *appsv1.Deployment) { *d.Spec.RevisionHistoryLimit = 1 })
		c.wait(time.Minute)
		for _, i := range []string{"i:2", "i:3", "i:4"} {
			change(c, deployments, "web", image(i))
			c.wait(time.Minute)
		}
		assert.Equal(t, map[string]int32{"3": 0, "4": 4}, sizes(c))
	})
}

func TestAdoption(t *testing.T) {
	bubble(t, everything, func(c *cluster) {
		c.apply(web)
		c.wait(time.Minute)
		name := list[*corev1.Pod](c, pods)[0].Name
		hash := the[*corev1.Pod](c, pods, name).Labels["pod-template-hash"]
		change(c, pods, name, func(p *corev1.Pod) { delete(p.Labels, "pod-template-hash") })
		c.wait(time.Minute)
		assert.Empty(t, the[*corev1.Pod](c, pods, name).OwnerReferences, "released")
		assert.Len(t, list[*corev1.Pod](c, pods), 5)
		change(c, pods, name, func(p *corev1.Pod) { p.Labels["pod-template-hash"] = hash })
		c.wait(time.Minute)
		assert.Len(t, list[*corev1.Pod](c, pods), 4, "adopted, and one too many")
		_, there := get[*corev1.Pod](c, pods, name)
		if there {
			assert.NotEmpty(t, the[*corev1.Pod](c, pods, name).OwnerReferences)
		}
	})
}

func TestThousandPods(t *testing.T) {
	bubble(t, everything, func(c *cluster) {
		c.apply(web)
		change(c, deployments, "web", func(d *appsv1.Deployment) { *d.Spec.Replicas = 1000 })
		c.wait(time.Minute)
		assert.Equal(t, int32(1000), the[*appsv1.Deployment](c, deployments, "web").Status.AvailableReplicas)
	})
}

func TestWhichPodsAreDeleted(t *testing.T) {
	bubble(t, everything, func(c *cluster) {
		c.apply(web)
		c.wait(time.Minute)
		all := names(list[*corev1.Pod](c, pods))
		change(c, pods, all[2], func(p *corev1.Pod) { metav1.SetMetaDataAnnotation(&p.ObjectMeta, corev1.PodDeletionCost, "-1") })
		p := the[*corev1.Pod](c, pods, all[1])
		for i := range p.Status.Conditions {
			if p.Status.Conditions[i].Type == corev1.PodReady {
				p.Status.Conditions[i].Status = corev1.ConditionFalse
			}
		}
		c.kubelet.setReady(-1)
		_, err := c.Update(ctx, apiserver.Request{Resource: pods, Namespace: "default", Name: p.Name, Subresource: "status"}, p, metav1.UpdateOptions{})
		require.NoError(t, err)
		c.wait(time.Second) // until the controllers know
		change(c, deployments, "web", func(d *appsv1.Deployment) { *d.Spec.Replicas = 3 })
		c.wait(time.Minute)
		assert.Equal(t, []string{all[0], all[2], all[3]}, names(list[*corev1.Pod](c, pods)), "first the one that is not ready")
		change(c, deployments, "web", func(d *appsv1.Deployment) { *d.Spec.Replicas = 2 })
		c.wait(time.Minute)
		assert.Equal(t, []string{all[0], all[3]}, names(list[*corev1.Pod](c, pods)), "then the one that costs the least")
	})
}
