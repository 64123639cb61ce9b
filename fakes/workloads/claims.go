package workloads

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

const (
	claimProtection  = "kubernetes.io/pvc-protection"
	volumeProtection = "kubernetes.io/pv-protection"
)

// claimsOf links a pod with its claims, and a volume with its claim or, if it has none, all that wait for one.
func claimsOf(m *manager, o metav1.Object) (all []types.NamespacedName) {
	switch o := o.(type) {
	case *corev1.Pod:
		for _, v := range o.Spec.Volumes {
			if v.PersistentVolumeClaim != nil {
				all = append(all, types.NamespacedName{Namespace: o.Namespace, Name: v.PersistentVolumeClaim.ClaimName})
			}
		}
	case *corev1.PersistentVolume:
		if ref := o.Spec.ClaimRef; ref != nil {
			return []types.NamespacedName{{Namespace: ref.Namespace, Name: ref.Name}}
		}
		for _, c := range everywhere[*corev1.PersistentVolumeClaim](m, claims) {
			if c.Status.Phase != corev1.ClaimBound {
				all = append(all, types.NamespacedName{Namespace: c.Namespace, Name: c.Name})
			}
		}
	}
	return all
}

// volumeOf links a claim with its volume.
func volumeOf(_ *manager, o metav1.Object) []types.NamespacedName {
	return []types.NamespacedName{{Name: o.(*corev1.PersistentVolumeClaim).Spec.VolumeName}}
}

// syncClaim binds a claim to a volume, and creates one if none fits. It sets the condition Unused, and removes the finalizer of a claim that
// is being deleted once no pod uses it. It writes once, and the next sync goes on.
func (m *manager) syncClaim(namespace, name string) error {
	c, ok := get[*corev1.PersistentVolumeClaim](m, claims, namespace, name)
	if !ok {
		return nil
	}
	used := slices.ContainsFunc(in[*corev1.Pod](m, pods, namespace), func(p *corev1.Pod) bool {
		return !ended(p) && slices.Contains(claimsOf(m, p), types.NamespacedName{Namespace: namespace, Name: name})
	})
	unused := slices.ContainsFunc(c.Status.Conditions, func(x corev1.PersistentVolumeClaimCondition) bool {
		return x.Type == corev1.PersistentVolumeClaimUnused && x.Status == corev1.ConditionTrue
	})
	switch {
	case c.DeletionTimestamp != nil && !used:
		return m.dropFinalizer(claims, c, claimProtection)
	case c.DeletionTimestamp == nil && !slices.Contains(c.Finalizers, claimProtection):
		return m.protect(claims, c, claimProtection)
	case used == unused && c.Status.Phase == corev1.ClaimBound && c.DeletionTimestamp == nil:
		return m.setUnused(c, !used)
	case c.DeletionTimestamp != nil || c.Status.Phase == corev1.ClaimBound:
		return nil
	}
	return m.bind(c)
}

func (m *manager) setUnused(c *corev1.PersistentVolumeClaim, unused bool) error {
	now := corev1.PersistentVolumeClaimCondition{Type: corev1.PersistentVolumeClaimUnused, Status: corev1.ConditionFalse, LastTransitionTime: metav1.Now(),
		Reason: "PodUsingPVC", Message: "A pod is currently referencing this PVC"}
	if unused {
		now.Status, now.Reason, now.Message = corev1.ConditionTrue, "NoPodsUsingPVC", "No pods are currently referencing this PVC"
	}
	c = c.DeepCopy()
	c.Status.Conditions = append(only(c.Status.Conditions, func(x corev1.PersistentVolumeClaimCondition) bool { return x.Type != now.Type }), now)
	_, err := update(m, claims, c, "status")
	return err
}

func (m *manager) bind(c *corev1.PersistentVolumeClaim) error {
	v, err := m.volumeFor(c)
	if v == nil || err != nil {
		return err
	}
	if c.Spec.VolumeName != v.Name || c.Annotations["pv.kubernetes.io/bind-completed"] == "" {
		c = c.DeepCopy()
		if c.Spec.VolumeName == "" {
			metav1.SetMetaDataAnnotation(&c.ObjectMeta, "pv.kubernetes.io/bound-by-controller", "yes")
		}
		metav1.SetMetaDataAnnotation(&c.ObjectMeta, "pv.kubernetes.io/bind-completed", "yes")
		c.Spec.VolumeName = v.Name
		if c, err = update(m, claims, c, ""); err != nil {
			return err
		}
	}
	c = c.DeepCopy()
	c.Status.Phase, c.Status.AccessModes, c.Status.Capacity = corev1.ClaimBound, v.Spec.AccessModes, v.Spec.Capacity
	_, err = update(m, claims, c, "status")
	return err
}

// protect adds a finalizer.
func (m *manager) protect(r schema.GroupVersionResource, o metav1.Object, finalizer string) error {
	_, err := patch(m, r, o, map[string]any{"finalizers": append(slices.Clone(o.GetFinalizers()), finalizer)})
	return err
}

func className(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

// volumeFor returns the volume of a claim, with a reference to it: the one that it names, else the smallest that is free and fits, else a
// new one. nil: the one that it names is not there, or another's.
func (m *manager) volumeFor(c *corev1.PersistentVolumeClaim) (best *corev1.PersistentVolume, err error) {
	size := c.Spec.Resources.Requests.Storage()
	for _, v := range everywhere[*corev1.PersistentVolume](m, volumes) {
		ref := v.Spec.ClaimRef
		if ref != nil && ref.UID == c.UID {
			return v, nil
		}
		mine := ref == nil || ref.UID == "" && ref.Namespace == c.Namespace && ref.Name == c.Name
		if !mine || v.DeletionTimestamp != nil || c.Spec.VolumeName != "" && c.Spec.VolumeName != v.Name || v.Spec.StorageClassName != className(c.Spec.StorageClassName) ||
			v.Spec.Capacity.Storage().Cmp(*size) < 0 || slices.ContainsFunc(c.Spec.AccessModes, func(mode corev1.PersistentVolumeAccessMode) bool { return !slices.Contains(v.Spec.AccessModes, mode) }) {
			continue
		}
		if sel, err := metav1.LabelSelectorAsSelector(c.Spec.Selector); c.Spec.Selector != nil && (err != nil || !sel.Matches(labels.Set(v.Labels))) {
			continue
		}
		if best == nil || v.Spec.Capacity.Storage().Cmp(*best.Spec.Capacity.Storage()) < 0 {
			best = v
		}
	}
	ref := &corev1.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: c.Namespace, Name: c.Name, UID: c.UID, ResourceVersion: c.ResourceVersion}
	if best != nil {
		v := best.DeepCopy()
		v.Spec.ClaimRef = ref
		metav1.SetMetaDataAnnotation(&v.ObjectMeta, "pv.kubernetes.io/bound-by-controller", "yes")
		return update(m, volumes, v, "")
	}
	if c.Spec.VolumeName != "" || c.Spec.Selector != nil {
		return nil, nil
	}
	return create(m, volumes, newVolume(c))
}

// syncVolume sets the phase of a volume, and deletes one whose claim is gone, if it asks for that.
func (m *manager) syncVolume(_, name string) error {
	stored, ok := get[*corev1.PersistentVolume](m, volumes, "", name)
	if !ok {
		return nil
	}
	if stored.DeletionTimestamp == nil && !slices.Contains(stored.Finalizers, volumeProtection) {
		return m.protect(volumes, stored, volumeProtection)
	}
	v := stored.DeepCopy()
	v.Status.Phase = corev1.VolumeAvailable
	if ref := v.Spec.ClaimRef; ref != nil && ref.UID != "" {
		v.Status.Phase = corev1.VolumeBound
		if c, ok := get[*corev1.PersistentVolumeClaim](m, claims, ref.Namespace, ref.Name); !ok || c.UID != ref.UID {
			v.Status.Phase = corev1.VolumeReleased
		}
	}
	switch {
	case v.DeletionTimestamp != nil && v.Status.Phase != corev1.VolumeBound:
		return m.dropFinalizer(volumes, stored, volumeProtection)
	case v.Status.Phase == corev1.VolumeReleased && v.Spec.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimDelete && v.DeletionTimestamp == nil:
		return m.remove(volumes, stored, "")
	}
	if v.Status.Phase != stored.Status.Phase {
		now := metav1.Now()
		v.Status.LastPhaseTransitionTime = &now
	}
	return writeStatus(m, volumes, v, stored.Status, v.Status)
}
