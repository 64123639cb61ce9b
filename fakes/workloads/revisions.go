package workloads

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// history has the ControllerRevisions of a StatefulSet or DaemonSet, oldest first, and among them that of its present template.
type history struct {
	all        []*appsv1.ControllerRevision
	update     *appsv1.ControllerRevision
	collisions *int32
}

// history finds or makes the revision of a template. Where others have its name, collisions grows, and that is an error.
func (m *manager) history(owner metav1.Object, kind schema.GroupVersionKind, selector labels.Selector, template *corev1.PodTemplateSpec, collisions *int32) (h *history, err error) {
	h = &history{collisions: collisions}
	if h.all, err = claim[*appsv1.ControllerRevision](m, revisions, owner, kind, selector); err != nil {
		return h, err
	}
	byNumber := func(a, b *appsv1.ControllerRevision) int { return int(a.Revision - b.Revision) }
	slices.SortStableFunc(h.all, byNumber)
	next := int64(1)
	for _, r := range h.all {
		next = r.Revision + 1
		if t := templateOf(r); equality.Semantic.DeepEqual(t, template) {
			h.update = r
		}
	}
	switch {
	case owner.GetDeletionTimestamp() != nil || h.update != nil && h.update.Revision == next-1:
		return h, nil
	case h.update != nil: // an undo
		r := h.update.DeepCopy()
		r.Revision = next
		out, err := update(m, revisions, r, "")
		if err != nil {
			return h, err
		}
		h.all[slices.Index(h.all, h.update)], h.update = out, out
		slices.SortStableFunc(h.all, byNumber)
		return h, nil
	}
	return h, m.addRevision(h, owner, kind, template, next)
}

func (m *manager) addRevision(h *history, owner metav1.Object, kind schema.GroupVersionKind, template *corev1.PodTemplateSpec, n int64) error {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(template)
	if err != nil {
		return err
	}
	fields["$patch"] = "replace"
	data, err := json.Marshal(map[string]any{"spec": map[string]any{"template": fields}})
	if err != nil {
		return err
	}
	hash := hashOf(template, h.collisions)
	r := &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{Namespace: owner.GetNamespace(), Name: fmt.Sprintf("%.223s-%s", owner.GetName(), hash), Labels: maps.Clone(template.Labels),
		Annotations: maps.Clone(owner.GetAnnotations()), OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(owner, kind)}}, Data: runtime.RawExtension{Raw: data}, Revision: n}
	label := appsv1.ControllerRevisionHashLabelKey
	if kind == statefulSetKind {
		label = "controller.kubernetes.io/hash"
	}
	metav1.SetMetaDataLabel(&r.ObjectMeta, label, hash)
	out, err := create(m, revisions, r)
	if apierrors.IsAlreadyExists(err) {
		h.collisions = new(*cmp.Or(h.collisions, new(int32)) + 1)
	}
	if err == nil {
		h.all, h.update = append(h.all, out), out
	}
	return err
}

// templateOf returns the template that a revision keeps.
func templateOf(r *appsv1.ControllerRevision) *corev1.PodTemplateSpec {
	var data struct {
		Spec struct{ Template corev1.PodTemplateSpec }
	}
	if json.Unmarshal(r.Data.Raw, &data) != nil {
		return nil
	}
	return &data.Spec.Template
}

// truncate deletes the oldest revisions beyond a limit, of those that no pod has.
func (m *manager) truncate(h *history, limit *int32, live func(*appsv1.ControllerRevision) bool) error {
	idle := only(h.all, func(r *appsv1.ControllerRevision) bool { return r != h.update && !live(r) })
	return each(idle[:max(0, len(idle)-int(*cmp.Or(limit, new(int32(10)))))], func(r *appsv1.ControllerRevision) error { return m.remove(revisions, r, "") })
}
