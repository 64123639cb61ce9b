package apiserver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
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
	k, err := v.findObject(ctx, req, "update")
	if err != nil {
		return nil, err
	}
	if err := invalidOptions("UpdateOptions", metav1validation.ValidateUpdateOptions(&opts)); err != nil {
		return nil, err
	}
	return v.revise(ctx, k, req, intent{options{DryRun: opts.DryRun, FieldManager: opts.FieldManager, FieldValidation: opts.FieldValidation}, &opts.FieldManager, func(old *record) (runtime.Object, error) {
		in, m, err := k.res.like(req.Subresource).accept(obj)
		if err != nil {
			return nil, err
		}
		if err := belongs(m, req); err != nil {
			return nil, err
		}
		uniqueOwners(notesOf(ctx), m, "")
		if old == nil && !k.creates(req) {
			return nil, apierrors.NewNotFound(k.res.GroupVersionResource.GroupResource(), req.Name)
		}
		return in, sameUID(k, req, m.GetUID(), old, len(opts.DryRun) > 0)
	}})
}

// creates reports whether an update of what does not exist creates it. A service is created by its status, too, without an address.
func (k *kind) creates(req Request) bool {
	return k.res.CreateOnUpdate && (req.Subresource == "" || req.Subresource == status)
}

// belongs checks that the object is the one the request names.
func belongs(m metav1.Object, req Request) error {
	if err := placeIn(m, req); err != nil {
		return err
	}
	return named(m, req)
}

// named checks that the object has the name that the request has.
func named(m metav1.Object, req Request) error {
	switch m.GetName() {
	case req.Name:
		return nil
	case "":
		return apierrors.NewBadRequest(fmt.Sprintf(
			"the name of the object (%s based on URL) was undeterminable: name must be provided", req.Name))
	}
	return apierrors.NewBadRequest(fmt.Sprintf(
		"the name of the object (%s) does not match the name on the URL (%s)", m.GetName(), req.Name))
}

// sameUID is the precondition that a uid in a PUT is, also where the PUT may create the object.
func sameUID(k *kind, req Request, want types.UID, old *record, dryRun bool) error {
	var have types.UID
	if old != nil {
		have = old.meta.GetUID()
	}
	if want == "" || want == have {
		return nil
	}
	key := k.storedAt(req)
	if dryRun { // which does not reach the store
		key = strings.TrimPrefix(key, "/registry")
	}
	return apierrors.NewConflict(k.res.GroupVersionResource.GroupResource(), req.Name, fmt.Errorf(
		"StorageError: invalid object, Code: 4, Key: %s, ResourceVersion: 0, AdditionalErrorMsg: "+
			"Precondition failed: UID in precondition: %s, UID in object meta: %s", key, want, have))
}

// storedAt is the key in etcd that messages name.
func (k *kind) storedAt(req Request) string {
	key := k.res.Resource + "/" + k.res.key(req.Namespace, req.Name)
	switch {
	case k.res.Custom:
		key = k.res.Group + "/" + key
	case k.res.Group == "":
		for name, folder := range map[string]string{"services": "services/specs", "nodes": "minions", "replicationcontrollers": "controllers"} {
			if k.res.Resource == name {
				key = folder + strings.TrimPrefix(key, name)
			}
		}
	}
	return "/registry/" + key
}

// createMissing is a write to what does not exist. Which resourceVersion it has does not matter, as
// long as it is one; nobody takes it from a dry run, which no store sees.
func (v *View) createMissing(ctx context.Context, k *kind, req Request, in runtime.Object, want intent) (runtime.Object, error) {
	var by draft
	if want.manager != nil {
		by = v.manage(k, req.Subresource, *want.manager, nil, in)
	}
	m := in.(metav1.Object)
	if _, err := parse(m.GetResourceVersion()); err != nil {
		if pod, ok := in.(*corev1.Pod); ok { // whose admission comes first
			v.mu.Lock()
			defer v.mu.Unlock()
			if err := v.mutate(k, pod); err != nil {
				return nil, err
			}
		}
		return nil, bare(err.Error())
	}
	if len(want.DryRun) == 0 {
		m.SetResourceVersion("")
	}
	out, err := v.create(ctx, time.Now(), k, req, in, by, want.options, gateOf(ctx).create())
	if err == nil {
		notesOf(ctx).Created = true
	}
	return out, err
}

// ends says that an update takes the last that holds an object which is being deleted.
func (s *core) ends(old *record, in runtime.Object, m metav1.Object) bool {
	grace := old.meta.GetDeletionGracePeriodSeconds()
	if old.meta.GetDeletionTimestamp() == nil || len(m.GetFinalizers()) > 0 || grace != nil && *grace > 0 {
		return false
	}
	ns, ok := in.(*corev1.Namespace)
	return !ok || !s.o.Namespaces || len(ns.Spec.Finalizers) == 0
}

// current is optimistic concurrency: the object must be at the resourceVersion that is stored, or at
// none where that means any. It leaves the stored one in it.
func (s *core) current(k *kind, req Request, old *record, m metav1.Object) error {
	rev, err := parse(m.GetResourceVersion())
	switch {
	case err != nil:
		return bare(err.Error())
	case rev == 0 && !k.res.Unconditional && (req.Subresource != scale || m.GetResourceVersion() != ""):
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
func inherit(k *kind, sub string, old *record, in runtime.Object, m metav1.Object) {
	if m.GetUID() == "" {
		m.SetUID(old.meta.GetUID())
	}
	m.SetCreationTimestamp(old.meta.GetCreationTimestamp())
	if old.meta.GetDeletionTimestamp() != nil {
		m.SetDeletionTimestamp(old.meta.GetDeletionTimestamp().DeepCopy())
	}
	if grace := old.meta.GetDeletionGracePeriodSeconds(); grace != nil && m.GetDeletionGracePeriodSeconds() == nil {
		grace := *grace
		m.SetDeletionGracePeriodSeconds(&grace)
	}
	m.SetGeneration(old.meta.GetGeneration())
	k.res.settle(sub, in, old.obj)
	if k.res.Spec != nil && sub != status && !equality.Semantic.DeepEqual(k.res.Spec(in), k.res.Spec(old.obj)) {
		m.SetGeneration(old.meta.GetGeneration() + 1)
	}
}
