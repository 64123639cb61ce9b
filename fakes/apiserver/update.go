package apiserver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Update implements API.
func (v *View) Update(ctx context.Context, req Request, obj runtime.Object, opts metav1.UpdateOptions) (runtime.Object, error) {
	k, err := v.findObject(ctx, req)
	if err != nil {
		return nil, err
	}
	if err := invalidOptions("UpdateOptions", metav1validation.ValidateUpdateOptions(&opts)); err != nil {
		return nil, err
	}
	in, m, err := k.res.accept(obj)
	if err != nil {
		return nil, err
	}
	if m.GetName() == "" {
		return nil, apierrors.NewBadRequest(fmt.Sprintf(
			"the name of the object (%s based on URL) was undeterminable: name must be provided", req.Name))
	}
	if err := belongs(m, req); err != nil {
		return nil, err
	}
	now, dryRun := time.Now(), len(opts.DryRun) > 0
	v.keepAge(now)
	v.mu.Lock()
	defer v.mu.Unlock()
	old := k.now().get(k.res.key(req.Namespace, req.Name))
	if old == nil && !k.res.CreateOnUpdate {
		return nil, apierrors.NewNotFound(k.res.GroupVersionResource.GroupResource(), req.Name)
	}
	if err := sameUID(k, req, m.GetUID(), old); err != nil {
		return nil, err
	}
	if old == nil {
		return v.createMissing(now, k, req, in, m, dryRun)
	}
	return v.update(now, k, req, old, in, m, dryRun)
}

// belongs checks that the object is the one the request names.
func belongs(m metav1.Object, req Request) error {
	if m.GetName() != req.Name {
		return apierrors.NewBadRequest(fmt.Sprintf(
			"the name of the object (%s) does not match the name on the URL (%s)", m.GetName(), req.Name))
	}
	return placeIn(m, req)
}

// sameUID is the precondition that a uid in a PUT is, also where the PUT may create the object.
func sameUID(k *kind, req Request, want types.UID, old *record) error {
	var have types.UID
	if old != nil {
		have = old.meta.GetUID()
	}
	if want == "" || want == have {
		return nil
	}
	key := "/registry/" + k.res.Resource + "/" + k.res.key(req.Namespace, req.Name)
	return apierrors.NewConflict(k.res.GroupVersionResource.GroupResource(), req.Name, fmt.Errorf(
		"StorageError: invalid object, Code: 4, Key: %s, ResourceVersion: 0, AdditionalErrorMsg: "+
			"Precondition failed: UID in precondition: %s, UID in object meta: %s", key, want, have))
}

// createMissing is an update of what does not exist. Which resourceVersion it has does not matter, as
// long as it is one. The lock is held.
func (v *View) createMissing(now time.Time, k *kind, req Request, in runtime.Object, m metav1.Object, dryRun bool) (runtime.Object, error) {
	if _, err := parse(m.GetResourceVersion()); err != nil {
		return nil, bare(err.Error())
	}
	m.SetResourceVersion("")
	return v.create(now, k, req, in, m, dryRun)
}

// update replaces old by a private object. The lock is held.
func (v *View) update(now time.Time, k *kind, req Request, old *record, in runtime.Object, m metav1.Object, dryRun bool) (runtime.Object, error) {
	if err := v.current(k, req, old, m); err != nil {
		return nil, err
	}
	inherit(k, old, in, m)
	if err := k.res.validate(in, m, old.meta); err != nil {
		return nil, err
	}
	if equality.Semantic.DeepEqual(in, old.obj) {
		return old.obj.DeepCopyObject(), nil
	}
	if m.GetDeletionTimestamp() != nil && len(m.GetFinalizers()) == 0 {
		if !dryRun {
			v.remove(now, target{k, old})
		}
		return in, nil // with the old resourceVersion, and not what DELETED carries
	}
	if dryRun {
		return in, nil
	}
	rec := v.st.record(old.key, in)
	v.commit(now, write{kind: k, change: &change{old: old, new: rec}})
	return rec.obj.DeepCopyObject(), nil
}

// current is optimistic concurrency: the object must be at the resourceVersion that is stored, or at
// none where that means any. It leaves the stored one in it.
func (s *core) current(k *kind, req Request, old *record, m metav1.Object) error {
	rev, err := parse(m.GetResourceVersion())
	switch {
	case err != nil:
		return bare(err.Error())
	case rev == 0 && !k.res.Unconditional:
		return apierrors.NewInvalid(schema.GroupKind{Group: k.res.Group, Kind: k.res.Resource}, req.Name, field.ErrorList{
			field.Invalid(field.NewPath("metadata").Child("resourceVersion"), rev, "must be specified for an update"),
		})
	case rev != 0 && rev != old.rev:
		return apierrors.NewConflict(k.res.GroupVersionResource.GroupResource(), req.Name, errors.New(modified))
	}
	m.SetResourceVersion(format(old.rev))
	return nil
}

// inherit takes over from the old object what no update changes.
func inherit(k *kind, old *record, in runtime.Object, m metav1.Object) {
	if m.GetUID() == "" {
		m.SetUID(old.meta.GetUID())
	}
	m.SetCreationTimestamp(old.meta.GetCreationTimestamp())
	if old.meta.GetDeletionTimestamp() != nil {
		m.SetDeletionTimestamp(old.meta.GetDeletionTimestamp().DeepCopy())
	}
	if grace := old.meta.GetDeletionGracePeriodSeconds(); grace != nil {
		grace := *grace
		m.SetDeletionGracePeriodSeconds(&grace)
	}
	m.SetSelfLink("")
	m.SetManagedFields(nil)
	m.SetGeneration(old.meta.GetGeneration())
	if k.res.Spec != nil && !equality.Semantic.DeepEqual(k.res.Spec(in), k.res.Spec(old.obj)) {
		m.SetGeneration(old.meta.GetGeneration() + 1)
	}
}
