package apiserver

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

var budgets = policyv1.SchemeGroupVersion.WithResource("poddisruptionbudgets")

// spend takes a disruption from the budget of a pod that is evicted; an error: there is none, or none is left. A pod that does not run,
// or ends already, needs none (pkg/registry/core/pod/storage/eviction.go of kube-apiserver 1.37.1). The lock is held.
func (c *core) spend(now time.Time, pod *corev1.Pod, dryRun bool) error {
	k := c.st.kinds[budgets]
	if k == nil || pod.DeletionTimestamp != nil || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodPending {
		return nil
	}
	old, err := c.budget(k, pod)
	if err != nil || old == nil {
		return err
	}
	b := old.obj.DeepCopyObject().(*policyv1.PodDisruptionBudget)
	if !isReady(pod) && (b.Spec.UnhealthyPodEvictionPolicy != nil && *b.Spec.UnhealthyPodEvictionPolicy == policyv1.AlwaysAllow ||
		b.Status.CurrentHealthy >= b.Status.DesiredHealthy && b.Status.DesiredHealthy > 0) {
		return nil
	}
	if err := spent(b); err != nil || dryRun {
		return err
	}
	b.Status.DisruptionsAllowed--
	if b.Status.DisruptionsAllowed == 0 {
		meta.SetStatusCondition(&b.Status.Conditions, metav1.Condition{Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse,
			Reason: policyv1.InsufficientPodsReason, ObservedGeneration: b.Generation, LastTransitionTime: second(now)})
	}
	if b.Status.DisruptedPods == nil {
		b.Status.DisruptedPods = map[string]metav1.Time{}
	}
	b.Status.DisruptedPods[pod.Name] = second(now)
	c.commit(now, write{kind: k, change: &change{old: old, new: c.st.record(old.key, b)}})
	return nil
}

// budget returns the one that selects a pod; nil: none does.
func (c *core) budget(k *kind, pod *corev1.Pod) (found *record, err error) {
	for r := range k.Now().Within(pod.Namespace+"/", "") {
		b := r.obj.(*policyv1.PodDisruptionBudget)
		sel, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
		if err != nil || b.Namespace != pod.Namespace || !sel.Matches(labels.Set(pod.Labels)) {
			continue
		}
		if found != nil {
			return nil, bare("This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.")
		}
		found = r
	}
	return found, nil
}

// spent says why a budget allows no disruption; nil: it allows one.
func spent(b *policyv1.PodDisruptionBudget) error {
	refused, wait := "", 0
	failed := meta.FindStatusCondition(b.Status.Conditions, policyv1.DisruptionAllowedCondition)
	if failed != nil && (failed.Status != metav1.ConditionFalse || failed.Message == "") {
		failed = nil
	}
	switch {
	case b.Status.ObservedGeneration < b.Generation:
		refused, wait = fmt.Sprintf("The disruption budget %s is still being processed by the server.", b.Name), 10
	case b.Status.DisruptionsAllowed > 0:
		return nil
	case failed != nil && failed.Reason == policyv1.SyncFailedReason:
		refused = fmt.Sprintf("The disruption budget %s does not allow evicting pods currently because it failed sync: %s", b.Name, failed.Message)
	case b.Status.CurrentHealthy <= b.Status.DesiredHealthy:
		refused = fmt.Sprintf("The disruption budget %s needs %d healthy pods and has %d currently", b.Name, b.Status.DesiredHealthy, b.Status.CurrentHealthy)
	default:
		refused = fmt.Sprintf("The disruption budget %s does not allow evicting pods currently", b.Name)
	}
	err := apierrors.NewTooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", wait)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: policyv1.DisruptionBudgetCause, Message: refused}}
	return err
}

func isReady(pod *corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}
