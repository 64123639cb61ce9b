package workloads

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var budgetKind = policyv1.SchemeGroupVersion.WithKind("PodDisruptionBudget")

// evictionTime is how long an eviction that was allowed counts before the pod is deleted.
const evictionTime = 2 * time.Minute

func (m *manager) syncBudget(namespace, name string) error {
	stored, ok := get[*policyv1.PodDisruptionBudget](m, budgets, namespace, name)
	if !ok || stored.DeletionTimestamp != nil {
		return nil
	}
	b := stored.DeepCopy()
	s := &b.Status
	evicted := map[string]metav1.Time{}
	s.CurrentHealthy = 0
	var all []*corev1.Pod
	for _, p := range in[*corev1.Pod](m, pods, namespace) {
		if ended(p) || !selectorOf(b).Matches(labels.Set(p.Labels)) {
			continue
		}
		all = append(all, p)
		if at, ok := s.DisruptedPods[p.Name]; ok && p.DeletionTimestamp == nil && time.Since(at.Time) < evictionTime {
			evicted[p.Name] = at
			m.after(budgets, b, time.Until(at.Add(evictionTime)))
		} else if p.DeletionTimestamp == nil && ready(p) {
			s.CurrentHealthy++
		}
	}
	if len(all) == 0 {
		m.event("controllermanager", budgetKind, b, corev1.EventTypeNormal, "NoPods", "No matching pods found")
	}
	if s.DisruptedPods = nil; len(evicted) > 0 {
		s.DisruptedPods = evicted
	}
	s.ExpectedPods, s.DesiredHealthy = m.expected(b, all)
	s.DisruptionsAllowed, s.ObservedGeneration = max(0, s.CurrentHealthy-s.DesiredHealthy), b.Generation
	c := metav1.Condition{Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionTrue, Reason: policyv1.SufficientPodsReason, ObservedGeneration: b.Generation}
	if s.DisruptionsAllowed == 0 || s.ExpectedPods == 0 {
		s.DisruptionsAllowed, c.Status, c.Reason = 0, metav1.ConditionFalse, policyv1.InsufficientPodsReason
	}
	meta.SetStatusCondition(&s.Conditions, c)
	return writeStatus(m, budgets, b, stored.Status, b.Status)
}

// expected returns how many pods there should be, and how many of them must be healthy. Percentages and maxUnavailable count from the replicas
// of the pods' controllers.
func (m *manager) expected(b *policyv1.PodDisruptionBudget, all []*corev1.Pod) (expected, healthy int32) {
	byMin := b.Spec.MinAvailable
	if byMin != nil && byMin.Type == intstr.Int {
		return int32(len(all)), byMin.IntVal
	}
	seen := map[types.UID]bool{}
	for _, p := range all {
		uid, n := m.replicasBehind(p)
		if !seen[uid] {
			expected += n
		}
		seen[uid] = true
	}
	if byMin != nil {
		n, _ := intstr.GetScaledValueFromIntOrPercent(byMin, int(expected), true)
		return expected, int32(n)
	}
	n := 0
	if b.Spec.MaxUnavailable != nil {
		n, _ = intstr.GetScaledValueFromIntOrPercent(b.Spec.MaxUnavailable, int(expected), true)
	}
	return expected, max(0, expected-int32(n))
}

// replicasBehind returns who makes a pod, and how many of them; a pod without a controller stands for itself.
func (m *manager) replicasBehind(p *corev1.Pod) (types.UID, int32) {
	var o metav1.Object = p
	for ref := metav1.GetControllerOfNoCopy(o); ref != nil; ref = metav1.GetControllerOfNoCopy(o) {
		at, ok := m.cache.byUID(ref.UID)
		if !ok {
			break
		}
		o = m.cache.get(at)
	}
	switch o := o.(type) {
	case *appsv1.Deployment:
		return o.UID, *o.Spec.Replicas
	case *appsv1.ReplicaSet:
		return o.UID, *o.Spec.Replicas
	case *appsv1.StatefulSet:
		return o.UID, *o.Spec.Replicas
	case *corev1.ReplicationController:
		return o.UID, *o.Spec.Replicas
	}
	return p.UID, 1
}
