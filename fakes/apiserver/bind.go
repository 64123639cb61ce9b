package apiserver

import (
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

var pods = corev1.SchemeGroupVersion.WithResource("pods")

// bind puts a pod on a node, once.
func (v *View) bind(k *kind, req Request, b *corev1.Binding, dryRun bool) error {
	if err := checkTarget(b.Target); err != nil {
		return bare(err.Error())
	}
	now := time.Now()
	v.keepAge(now)
	v.mu.Lock()
	defer v.mu.Unlock()
	old := k.Now().Get(k.res.key(req.Namespace, req.Name))
	if old == nil {
		return apierrors.NewNotFound(pods.GroupResource(), req.Name)
	}
	pod := old.obj.DeepCopyObject().(*corev1.Pod)
	if err := sameUID(k, req, b.UID, old, dryRun); err != nil {
		return err
	}
	var broken error
	switch {
	case pod.DeletionTimestamp != nil:
		broken = fmt.Errorf("pod %s is being deleted, cannot be assigned to a host", pod.Name)
	case pod.Spec.NodeName != "":
		broken = fmt.Errorf("pod %s is already assigned to node %q", pod.Name, pod.Spec.NodeName)
	case len(pod.Spec.SchedulingGates) > 0:
		broken = fmt.Errorf("pod %s has non-empty .spec.schedulingGates", pod.Name)
	}
	if broken != nil {
		return apierrors.NewConflict(corev1.Resource("pods/binding"), req.Name, broken)
	}
	if dryRun {
		return nil
	}
	pod.Spec.NodeName = b.Target.Name
	if len(b.Annotations) > 0 {
		if pod.Annotations == nil {
			pod.Annotations = map[string]string{}
		}
		maps.Copy(pod.Annotations, b.Annotations)
	}
	pod.Labels = merged(pod.Labels, merged(b.Labels, v.place(b.Target.Name)))
	pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{
		Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: second(now),
	})
	v.commit(now, write{kind: k, change: &change{old: old, new: v.st.record(old.key, pod)}})
	return nil
}

func checkTarget(t corev1.ObjectReference) error {
	path, errs := field.NewPath("target"), field.ErrorList{}
	if t.Kind != "" && t.Kind != "Node" {
		errs = append(errs, field.NotSupported(path.Child("kind"), t.Kind, []string{"Node", "<empty>"}))
	}
	if t.Name == "" {
		errs = append(errs, field.Required(path.Child("name"), ""))
	} else if t.Kind == "" || t.Kind == "Node" {
		errs = append(errs, wrongs(path.Child("name"), t.Name, subdomain(t.Name))...)
	}
	return errs.ToAggregate()
}

// place are the labels of a node that say where it is, which its pods get. The lock is held.
func (c *core) place(node string) map[string]string {
	k := c.st.kinds[corev1.SchemeGroupVersion.WithResource("nodes")]
	if k == nil {
		return nil
	}
	found := k.Now().Get(node)
	if found == nil {
		return nil
	}
	out := map[string]string{}
	for _, name := range []string{corev1.LabelTopologyZone, corev1.LabelTopologyRegion} {
		if v, ok := found.meta.GetLabels()[name]; ok {
			out[name] = v
		}
	}
	return out
}

// merged are two sets of labels; the second one's values win. nil: there are none.
func merged(a, b map[string]string) map[string]string {
	if len(a) == 0 {
		return b
	}
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// evict deletes a pod and says so in its status, if its budget allows that.
func (v *View) evict(k *kind, req Request, o metav1.DeleteOptions) error {
	now := time.Now()
	v.keepAge(now)
	v.mu.Lock()
	defer v.mu.Unlock()
	old := k.Now().Get(k.res.key(req.Namespace, req.Name))
	if old == nil {
		return apierrors.NewNotFound(pods.GroupResource(), req.Name)
	}
	if err := holds(k, req, o.Preconditions, old.meta); err != nil {
		return err
	}
	if err := v.spend(now, old.obj.(*corev1.Pod), len(o.DryRun) > 0); err != nil {
		return err
	}
	if len(o.DryRun) == 0 && old.meta.GetDeletionTimestamp() == nil {
		pod := old.obj.DeepCopyObject().(*corev1.Pod)
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{
			Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, LastTransitionTime: second(now),
			Reason: "EvictionByEvictionAPI", Message: "Eviction API: evicting",
		})
		v.commit(now, write{kind: k, change: &change{old: old, new: v.st.record(old.key, pod)}})
	}
	o.Preconditions = nil
	_, err := v.deleteHeld(k, req, o)
	return err
}
