package workloads_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

var (
	statefulSets = appsv1.SchemeGroupVersion.WithResource("statefulsets")
	daemonSets   = appsv1.SchemeGroupVersion.WithResource("daemonsets")
	claims       = corev1.SchemeGroupVersion.WithResource("persistentvolumeclaims")
)

const db = `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 3
  serviceName: db
  selector: {matchLabels: {app: db}}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
  template:
    metadata: {labels: {app: db}}
    spec: {terminationGracePeriodSeconds: 1, containers: [{name: c, image: "i:1"}]}
`

func images(c *cluster) (all []string) {
	for _, p := range list[*corev1.Pod](c, pods) {
		all = append(all, p.Name+" "+p.Spec.Containers[0].Image)
	}
	return all
}

func TestStatefulSetInOrder(t *testing.T) {
	bubble(t, everything, func(c *cluster) {
		c.kubelet.setReady(10 * time.Second)
		c.apply(db)
		c.wait(5 * time.Second)
		assert.Equal(t, []string{"db-0"}, names(list[*corev1.Pod](c, pods)), "the next waits for it")
		c.wait(time.Minute)
		assert.Equal(t, []string{"db-0", "db-1", "db-2"}, names(list[*corev1.Pod](c, pods)))
		p := the[*corev1.Pod](c, pods, "db-1")
		assert.Equal(t, "1", p.Labels["apps.kubernetes.io/pod-index"])
		assert.Equal(t, "db-1", p.Spec.Hostname)
		assert.Equal(t, []string{"data-db-0", "data-db-1", "data-db-2"}, names(list[*corev1.PersistentVolumeClaim](c, claims)))
		assert.Equal(t, corev1.ClaimBound, the[*corev1.PersistentVolumeClaim](c, claims, "data-db-1").Status.Phase)

		change(c, statefulSets, "db", func(s *appsv1.StatefulSet) { *s.Spec.Replicas = 1 })
		c.wait(time.Minute)
		assert.Equal(t, []string{"db-0"}, names(list[*corev1.Pod](c, pods)))
		assert.Len(t, list[*corev1.PersistentVolumeClaim](c, claims), 3, "claims are retained")
	})
}

func TestStatefulSetRolls(t *testing.T) {
	bubble(t, everything, func(c *cluster) {
		c.apply(db)
		c.wait(time.Minute)
		change(c, statefulSets, "db", func(s *appsv1.StatefulSet) {
			s.Spec.Template.Spec.Containers[0].Image = "i:2"
			s.Spec.UpdateStrategy.RollingUpdate.Partition = new(int32(2))
		})
		c.wait(time.Minute)
		assert.Equal(t, []string{"db-0 i:1", "db-1 i:1", "db-2 i:2"}, images(c))
		s := the[*appsv1.StatefulSet](c, statefulSets, "db")
		assert.NotEqual(t, s.Status.CurrentRevision, s.Status.UpdateRevision)
		assert.Equal(t, []int32{3, 2, 1}, []int32{s.Status.ReadyReplicas, s.Status.CurrentReplicas, s.Status.UpdatedReplicas})
		c.remove(pods, "db-0", metav1.DeletePropagationBackground)
		c.wait(time.Minute)
		assert.Equal(t, []string{"db-0 i:1", "db-1 i:1", "db-2 i:2"}, images(c), "below the partition the old template stays")
		change(c, statefulSets, "db", func(s *appsv1.StatefulSet) { *s.Spec.UpdateStrategy.RollingUpdate.Partition = 0 })
		least := 3
		for range 200 {
			c.wait(100 * time.Millisecond)
			n := 0
			for _, p := range list[*corev1.Pod](c, pods) {
				if isReady(p) && p.DeletionTimestamp == nil {
					n++
				}
			}
			least = min(least, n)
		}
		assert.Equal(t, []string{"db-0 i:2", "db-1 i:2", "db-2 i:2"}, images(c))
		assert.Equal(t, 2, least, "one at a time")
	})
}

func TestStatefulSetParallelOnDelete(t *testing.T) {
	bubble(t, everything, func(c *cluster) {
		c.kubelet.setReady(-1)
		c.apply(db)
		c.remove(statefulSets, "db", metav1.DeletePropagationBackground)
		c.wait(time.Minute)
		s := &appsv1.StatefulSet{}
		s.Namespace, s.Name = "default", "db"
		s.Spec = appsv1.StatefulSetSpec{Replicas: new(int32(3)), PodManagementPolicy: appsv1.ParallelPodManagement, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "db"}},
			UpdateStrategy: appsv1.StatefulSetUpdateStrategy{Type: appsv1.OnDeleteStatefulSetStrategyType}}
		s.Spec.Template.Labels = map[string]string{"app": "db"}
		s.Spec.Template.Spec.Containers = []corev1.Container{{Name: "c", Image: "i:1"}}
		c.create(s)
		c.wait(time.Minute)
		assert.Len(t, images(c), 3, "no pod waits for another")
		change(c, statefulSets, "db", func(s *appsv1.StatefulSet) { s.Spec.Template.Spec.Containers[0].Image = "i:2" })
		c.wait(time.Minute)
		assert.Equal(t, []string{"db-0 i:1", "db-1 i:1", "db-2 i:1"}, images(c))
		c.remove(pods, "db-1", metav1.DeletePropagationBackground)
		c.wait(time.Minute)
		assert.Equal(t, []string{"db-0 i:1", "db-1 i:2", "db-2 i:1"}, images(c))
	})
}

func TestClaimsGoWithTheSet(t *testing.T) {
	bubble(t, everything, func(c *cluster) {
		c.apply(db)
		change(c, statefulSets, "db", func(s *appsv1.StatefulSet) {
			s.Spec.PersistentVolumeClaimRetentionPolicy = &appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{WhenDeleted: "Delete", WhenScaled: "Delete"}
		})
		c.wait(time.Minute)
		change(c, statefulSets, "db", func(s *appsv1.StatefulSet) { *s.Spec.Replicas = 2 })
		c.wait(time.Minute)
		assert.Equal(t, []string{"data-db-0", "data-db-1"}, names(list[*corev1.PersistentVolumeClaim](c, claims)))
		c.remove(statefulSets, "db", metav1.DeletePropagationBackground)
		c.wait(time.Minute)
		assert.Empty(t, list[*corev1.PersistentVolumeClaim](c, claims))
		l, err := c.List(ctx, apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("persistentvolumes")}, metav1.ListOptions{})
		require.NoError(t, err)
		assert.Empty(t, l.(*corev1.PersistentVolumeList).Items, "their volumes go as well")
	})
}

const agent = `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {terminationGracePeriodSeconds: 1, containers: [{name: c, image: "i:1"}]}
`

func TestDaemonSet(t *testing.T) {
	bubble(t, everything, func(c *cluster) {
		c.apply(agent)
		c.wait(time.Minute)
		on := map[string]string{}
		for _, p := range list[*corev1.Pod](c, pods) {
			on[p.Spec.NodeName] = p.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0].MatchFields[0].Values[0]
		}
		assert.Equal(t, map[string]string{"node-1": "node-1", "node-2": "node-2"}, on)
		c.create(readyNode("node-3"))
		tainted := readyNode("node-4")
		tainted.Spec.Taints = []corev1.Taint{{Key: "no", Effect: corev1.TaintEffectNoSchedule}}
		c.create(tainted)
		c.wait(time.Minute)
		d := the[*appsv1.DaemonSet](c, daemonSets, "agent")
		assert.Equal(t, []int32{3, 3, 3}, []int32{d.Status.DesiredNumberScheduled, d.Status.NumberAvailable, d.Status.UpdatedNumberScheduled})

		change(c, daemonSets, "agent", func(d *appsv1.DaemonSet) { d.Spec.Template.Spec.Containers[0].Image = "i:2" })
		least := 3
		for range 300 {
			c.wait(100 * time.Millisecond)
			n := 0
			for _, p := range list[*corev1.Pod](c, pods) {
				if isReady(p) && p.DeletionTimestamp == nil {
					n++
				}
			}
			least = min(least, n)
		}
		assert.Equal(t, 2, least, "one at a time")
		for _, p := range list[*corev1.Pod](c, pods) {
			assert.Equal(t, "i:2", p.Spec.Containers[0].Image)
		}
		change(c, daemonSets, "agent", func(d *appsv1.DaemonSet) {
			d.Spec.Template.Spec.NodeSelector = map[string]string{corev1.LabelHostname: "node-2"}
		})
		c.wait(time.Minute)
		assert.Len(t, list[*corev1.Pod](c, pods), 1)
	})
}

func TestDaemonSetSurges(t *testing.T) {
	bubble(t, everything, func(c *cluster) {
		c.apply(agent)
		c.merge(daemonSets, "agent", `{spec: {updateStrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}}}`)
		c.wait(time.Minute)
		c.merge(daemonSets, "agent", `{spec: {template: {spec: {containers: [{name: c, image: "i:2"}]}}}}`)
		least, most := 2, 0
		for range 200 {
			c.wait(100 * time.Millisecond)
			ready, all := 0, 0
			for _, p := range list[*corev1.Pod](c, pods) {
				if p.DeletionTimestamp == nil {
					all++
					if isReady(p) {
						ready++
					}
				}
			}
			least, most = min(least, ready), max(most, all)
		}
		assert.Equal(t, []int{2, 3}, []int{least, most})
		for _, p := range list[*corev1.Pod](c, pods) {
			assert.Equal(t, "i:2", p.Spec.Containers[0].Image)
		}
	})
}

func TestUnschedulable(t *testing.T) {
	bubble(t, everything, func(c *cluster) {
		c.create(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "p"}, Spec: corev1.PodSpec{
			NodeSelector: map[string]string{"disk": "fast"}, Containers: []corev1.Container{{Name: "c", Image: "i"}}}})
		c.wait(time.Minute)
		p := the[*corev1.Pod](c, pods, "p")
		require.Len(t, p.Status.Conditions, 1)
		assert.Equal(t, "Unschedulable", p.Status.Conditions[0].Reason)
		assert.Contains(t, p.Status.Conditions[0].Message, "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector")
		fast := readyNode("fast")
		fast.Labels["disk"] = "fast"
		c.create(fast)
		c.wait(time.Minute)
		assert.Equal(t, "fast", the[*corev1.Pod](c, pods, "p").Spec.NodeName)
	})
}

func TestEndpoints(t *testing.T) {
	slices := discoveryv1.SchemeGroupVersion.WithResource("endpointslices")
	ready := func(c *cluster) (n, all int) {
		for _, s := range list[*discoveryv1.EndpointSlice](c, slices) {
			if s.Labels[discoveryv1.LabelServiceName] != "web" {
				continue
			}
			for _, e := range s.Endpoints {
				all++
				if *e.Conditions.Ready {
					n++
				}
			}
		}
		return n, all
	}
	bubble(t, everything, func(c *cluster) {
		c.create(&corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}, Spec: corev1.ServiceSpec{Selector: map[string]string{"app": "web"}, Ports: []corev1.ServicePort{{Port: 80}}}})
		c.kubelet.setReady(10 * time.Second)
		c.apply(web)
		c.wait(5 * time.Second)
		n, all := ready(c)
		assert.Equal(t, []int{0, 4}, []int{n, all})
		c.wait(time.Minute)
		n, all = ready(c)
		assert.Equal(t, []int{4, 4}, []int{n, all})
		change(c, deployments, "web", func(d *appsv1.Deployment) { *d.Spec.Replicas = 250 })
		c.wait(time.Minute)
		n, all = ready(c)
		assert.Equal(t, []int{250, 250}, []int{n, all})
		name := list[*corev1.Pod](c, pods)[0].Name
		change(c, pods, name, func(p *corev1.Pod) { p.Finalizers = []string{"test/holds"} })
		c.remove(pods, name, metav1.DeletePropagationBackground)
		c.wait(time.Minute)
		n, all = ready(c)
		assert.Equal(t, []int{250, 251}, []int{n, all}, "one that is being deleted is not ready")
		c.remove(services, "web", metav1.DeletePropagationBackground)
		c.wait(time.Minute)
		n, all = ready(c)
		assert.Equal(t, []int{0, 0}, []int{n, all})
	})
}

var services = corev1.SchemeGroupVersion.WithResource("services")

func TestBudget(t *testing.T) {
	evict := func(c *cluster) error {
		name := list[*corev1.Pod](c, pods)[0].Name
		_, err := c.Create(ctx, apiserver.Request{Resource: pods, Namespace: "default", Name: name, Subresource: "eviction"}, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}, metav1.CreateOptions{})
		return err
	}
	bubble(t, everything, func(c *cluster) {
		c.kubelet.setReady(10 * time.Second)
		c.apply(web)
		c.create(&policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}, Spec: policyv1.PodDisruptionBudgetSpec{
			MaxUnavailable: new(intstr.FromInt(1)), Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}})
		c.wait(time.Minute)
		b := the[*policyv1.PodDisruptionBudget](c, policyv1.SchemeGroupVersion.WithResource("poddisruptionbudgets"), "web")
		assert.Equal(t, []int32{4, 4, 3, 1}, []int32{b.Status.ExpectedPods, b.Status.CurrentHealthy, b.Status.DesiredHealthy, b.Status.DisruptionsAllowed})
		require.NoError(t, evict(c))
		c.wait(time.Second)
		assert.True(t, apierrors.IsTooManyRequests(evict(c)))
		c.wait(time.Minute)
		assert.NoError(t, evict(c))
	})
}
