package workloads

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	replicaSetKind            = appsv1.SchemeGroupVersion.WithKind("ReplicaSet")
	replicationControllerKind = corev1.SchemeGroupVersion.WithKind("ReplicationController")
)

// replicas is a ReplicaSet, or a ReplicationController that was converted to one.
type replicas struct {
	*appsv1.ReplicaSet
	source   string
	kind     schema.GroupVersionKind
	resource schema.GroupVersionResource
}

func (m *manager) syncReplicaSet(namespace, name string) error {
	rs, ok := get[*appsv1.ReplicaSet](m, replicaSets, namespace, name)
	if !ok {
		return nil
	}
	s := replicas{rs, "replicaset-controller", replicaSetKind, replicaSets}
	status, syncErr := m.syncReplicas(s)
	now := rs.DeepCopy()
	now.Status = status
	return cmp.Or(syncErr, writeStatus(m, replicaSets, now, rs.Status, now.Status))
}

func (m *manager) syncReplicationController(namespace, name string) error {
	rc, ok := get[*corev1.ReplicationController](m, replicationControllers, namespace, name)
	if !ok {
		return nil
	}
	rs := &appsv1.ReplicaSet{ObjectMeta: rc.ObjectMeta, Spec: appsv1.ReplicaSetSpec{Replicas: rc.Spec.Replicas, MinReadySeconds: rc.Spec.MinReadySeconds,
		Selector: &metav1.LabelSelector{MatchLabels: rc.Spec.Selector}, Template: *rc.Spec.Template}}
	for _, c := range rc.Status.Conditions {
		rs.Status.Conditions = append(rs.Status.Conditions, appsv1.ReplicaSetCondition{Type: appsv1.ReplicaSetConditionType(c.Type), Status: c.Status, LastTransitionTime: c.LastTransitionTime, Reason: c.Reason, Message: c.Message})
	}
	status, syncErr := m.syncReplicas(replicas{rs, "replication-controller", replicationControllerKind, replicationControllers})
	now := rc.DeepCopy()
	now.Status = corev1.ReplicationControllerStatus{Replicas: status.Replicas, FullyLabeledReplicas: status.FullyLabeledReplicas, ReadyReplicas: status.ReadyReplicas,
		AvailableReplicas: status.AvailableReplicas, ObservedGeneration: status.ObservedGeneration}
	for _, c := range status.Conditions {
		now.Status.Conditions = append(now.Status.Conditions, corev1.ReplicationControllerCondition{Type: corev1.ReplicationControllerConditionType(c.Type), Status: c.Status, LastTransitionTime: c.LastTransitionTime, Reason: c.Reason, Message: c.Message})
	}
	return cmp.Or(syncErr, writeStatus(m, replicationControllers, now, rc.Status, now.Status))
}

// syncReplicas creates and deletes pods, and returns the status after that. The error is one of a pod.
func (m *manager) syncReplicas(s replicas) (appsv1.ReplicaSetStatus, error) {
	selector := selectorOf(s.ReplicaSet)
	all, err := claim[*corev1.Pod](m, pods, s, s.kind, selector)
	if err != nil {
		return s.Status, err
	}
	reason := ""
	if s.DeletionTimestamp == nil {
		reason, err = m.scalePods(s, only(all, active))
		all = indexed[*corev1.Pod](m, pods, string(s.UID))
	}
	status := m.replicasStatus(s, all)
	failed := slices.IndexFunc(status.Conditions, func(c appsv1.ReplicaSetCondition) bool { return c.Type == appsv1.ReplicaSetReplicaFailure })
	switch {
	case err != nil && failed < 0:
		status.Conditions = append(slices.Clone(status.Conditions), appsv1.ReplicaSetCondition{Type: appsv1.ReplicaSetReplicaFailure, Status: corev1.ConditionTrue,
			LastTransitionTime: metav1.Now(), Reason: reason, Message: err.Error()})
	case err == nil && failed >= 0:
		status.Conditions = slices.Delete(slices.Clone(status.Conditions), failed, failed+1)
	}
	return status, err
}

// scalePods creates missing pods, or deletes surplus ones in the order of compareLoss.
func (m *manager) scalePods(s replicas, has []*corev1.Pod) (failure string, err error) {
	diff := len(has) - int(*s.Spec.Replicas)
	for ; diff < 0; diff++ {
		if err := m.createPod(s.source, s.kind, s, podOf(&s.Spec.Template, s, s.kind)); err != nil {
			return "FailedCreate", err
		}
	}
	if diff > 0 {
		on := map[string]int{}
		for _, p := range has {
			on[p.Spec.NodeName]++
		}
		slices.SortStableFunc(has, func(a, b *corev1.Pod) int { return compareLoss(a, b, on) })
	}
	return "FailedDelete", each(has[:max(diff, 0)], func(p *corev1.Pod) error { return m.removePod(s.source, s.kind, s, p) })
}

// compareLoss orders pods by what is deleted first (pkg/controller/controller_utils.go of Kubernetes, ActivePodsWithRanks); on counts the
// pods on each node.
func compareLoss(a, b *corev1.Pod, on map[string]int) int {
	phase := map[corev1.PodPhase]int{corev1.PodPending: 0, corev1.PodUnknown: 1, corev1.PodRunning: 2}
	cost := func(p *corev1.Pod) int {
		n, _ := strconv.Atoi(p.Annotations[corev1.PodDeletionCost])
		return n
	}
	restarts := func(p *corev1.Pod) (n int32) {
		for _, c := range p.Status.ContainerStatuses {
			n = max(n, c.RestartCount)
		}
		return n
	}
	since := func(p *corev1.Pod) time.Time {
		if !ready(p) {
			return time.Time{}
		}
		return condition(p, corev1.PodReady).LastTransitionTime.Time
	}
	no := map[bool]int{false: 1}
	return cmp.Or(
		no[b.Spec.NodeName != ""]-no[a.Spec.NodeName != ""], phase[a.Status.Phase]-phase[b.Status.Phase], no[ready(b)]-no[ready(a)], cost(a)-cost(b),
		on[b.Spec.NodeName]-on[a.Spec.NodeName], since(b).Compare(since(a)), int(restarts(b)-restarts(a)), b.CreationTimestamp.Compare(a.CreationTimestamp.Time),
	)
}

// replicasStatus counts pods.
func (m *manager) replicasStatus(s replicas, all []*corev1.Pod) appsv1.ReplicaSetStatus {
	status := appsv1.ReplicaSetStatus{ObservedGeneration: s.Generation, Conditions: s.Status.Conditions, TerminatingReplicas: new(int32)}
	template := labels.SelectorFromSet(s.Spec.Template.Labels)
	for _, p := range all {
		if !active(p) {
			if !ended(p) {
				*status.TerminatingReplicas++
			}
			continue
		}
		status.Replicas++
		if template.Matches(labels.Set(p.Labels)) {
			status.FullyLabeledReplicas++
		}
		if ready(p) {
			status.ReadyReplicas++
		}
		if ok, left := available(p, s.Spec.MinReadySeconds); ok {
			status.AvailableReplicas++
		} else if left > 0 {
			m.after(s.resource, s, left)
		}
	}
	return status
}
