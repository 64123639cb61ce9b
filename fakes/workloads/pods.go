package workloads

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/utils/dump"
)

func ended(p *corev1.Pod) bool {
	return p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
}

// active reports whether a pod runs or will, and is not being deleted.
func active(p *corev1.Pod) bool { return !ended(p) && p.DeletionTimestamp == nil }

func condition(p *corev1.Pod, what corev1.PodConditionType) *corev1.PodCondition {
	for i := range p.Status.Conditions {
		if p.Status.Conditions[i].Type == what {
			return &p.Status.Conditions[i]
		}
	}
	return nil
}

func ready(p *corev1.Pod) bool {
	c := condition(p, corev1.PodReady)
	return c != nil && c.Status == corev1.ConditionTrue
}

// available reports whether a pod has been ready for so many seconds, and if it is only ready, how long that takes.
func available(p *corev1.Pod, minReadySeconds int32) (ok bool, left time.Duration) {
	if !ready(p) {
		return false, 0
	}
	left = time.Until(condition(p, corev1.PodReady).LastTransitionTime.Add(time.Duration(minReadySeconds) * time.Second))
	return minReadySeconds == 0 || left <= 0, left
}

// podOf makes a pod by a template.
func podOf(t *corev1.PodTemplateSpec, owner metav1.Object, kind schema.GroupVersionKind) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: owner.GetNamespace(), GenerateName: owner.GetName() + "-", Labels: maps.Clone(t.Labels), Annotations: maps.Clone(t.Annotations),
		Finalizers: slices.Clone(t.Finalizers), OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(owner, kind)},
	}, Spec: *t.Spec.DeepCopy()}
	if p.Labels == nil {
		p.Labels = map[string]string{}
	}
	return p
}

// createPod creates a pod of owner, and says so in an event.
func (m *manager) createPod(c string, kind schema.GroupVersionKind, owner metav1.Object, p *corev1.Pod) error {
	out, err := create(m, pods, p)
	if err != nil {
		m.event(c, kind, owner, corev1.EventTypeWarning, "FailedCreate", "Error creating: %v", err)
		return err
	}
	m.event(c, kind, owner, corev1.EventTypeNormal, "SuccessfulCreate", "Created pod: %s", out.Name)
	return nil
}

// removePod deletes a pod of owner, and says so in an event.
func (m *manager) removePod(c string, kind schema.GroupVersionKind, owner metav1.Object, p *corev1.Pod) error {
	if err := m.remove(pods, p, ""); err != nil {
		m.event(c, kind, owner, corev1.EventTypeWarning, "FailedDelete", "Error deleting: %v", err)
		return err
	}
	m.event(c, kind, owner, corev1.EventTypeNormal, "SuccessfulDelete", "Deleted pod: %s", p.Name)
	return nil
}

// hashOf names a template, or another one if others have had that name so many times.
func hashOf(template any, collisions *int32) string {
	h := fnv.New32a()
	fmt.Fprint(h, dump.ForHash(template))
	if collisions != nil {
		fmt.Fprint(h, *collisions)
	}
	return rand.SafeEncodeString(fmt.Sprint(h.Sum32()))
}

// selectorOf returns the label selector of an object. It selects nothing if the selector is invalid or missing.
func selectorOf(o metav1.Object) labels.Selector {
	var s *metav1.LabelSelector
	switch o := o.(type) {
	case *appsv1.Deployment:
		s = o.Spec.Selector
	case *appsv1.ReplicaSet:
		s = o.Spec.Selector
	case *appsv1.StatefulSet:
		s = o.Spec.Selector
	case *appsv1.DaemonSet:
		s = o.Spec.Selector
	case *batchv1.Job:
		s = o.Spec.Selector
	case *policyv1.PodDisruptionBudget:
		s = o.Spec.Selector
	case *corev1.ReplicationController:
		s = &metav1.LabelSelector{MatchLabels: o.Spec.Selector}
	case *corev1.Service:
		if len(o.Spec.Selector) > 0 {
			s = &metav1.LabelSelector{MatchLabels: o.Spec.Selector}
		}
	}
	sel, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		return labels.Nothing()
	}
	return sel
}

// owner links an object with its controller of a kind, or if it has none with those that could adopt it.
func owner(kind string, r schema.GroupVersionResource) func(*manager, metav1.Object) []types.NamespacedName {
	return func(m *manager, o metav1.Object) []types.NamespacedName {
		ref := metav1.GetControllerOfNoCopy(o)
		switch {
		case ref == nil:
			return selecting(r)(m, o)
		case ref.Kind == kind && strings.HasPrefix(ref.APIVersion, r.Group):
			return []types.NamespacedName{{Namespace: o.GetNamespace(), Name: ref.Name}}
		}
		return nil
	}
}

// selecting links an object with those whose selector matches it.
func selecting(r schema.GroupVersionResource) func(*manager, metav1.Object) []types.NamespacedName {
	return func(m *manager, o metav1.Object) (all []types.NamespacedName) {
		for _, s := range in[object](m, r, o.GetNamespace()) {
			if selectorOf(s).Matches(labels.Set(o.GetLabels())) {
				all = append(all, types.NamespacedName{Namespace: s.GetNamespace(), Name: s.GetName()})
			}
		}
		return all
	}
}

// ownerOfOwner links a pod with the Deployment of its ReplicaSet.
func ownerOfOwner(m *manager, o metav1.Object) []types.NamespacedName {
	ref := metav1.GetControllerOfNoCopy(o)
	if ref == nil || ref.Kind != "ReplicaSet" {
		return nil
	}
	if rs, ok := get[*appsv1.ReplicaSet](m, replicaSets, o.GetNamespace(), ref.Name); ok {
		return owner("Deployment", deployments)(m, rs)
	}
	return nil
}

// memberOf reports whether owner gives its pods such a name. Only a StatefulSet has rules for that.
func memberOf(owner metav1.Object, p *corev1.Pod) bool {
	set, ok := owner.(*appsv1.StatefulSet)
	return !ok || ordinal(set, p) >= 0
}

// sameName links an object with the one of its name.
func sameName(_ *manager, o metav1.Object) []types.NamespacedName {
	return []types.NamespacedName{{Namespace: o.GetNamespace(), Name: o.GetName()}}
}
