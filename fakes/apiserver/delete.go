package apiserver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	hooksv1 "k8s.io/api/admissionregistration/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Delete implements API.
func (v *View) Delete(ctx context.Context, req Request, opts metav1.DeleteOptions) (runtime.Object, error) {
	k, err := v.findObject(ctx, req, "delete")
	if err != nil {
		return nil, err
	}
	if err := invalidOptions("DeleteOptions", metav1validation.ValidateDeleteOptions(&opts)); err != nil {
		return nil, err
	}
	if _, system := systemPriorities[req.Name]; system && k.res.GroupVersionResource == priorityClasses {
		return nil, apierrors.NewForbidden(priorityClasses.GroupResource(), req.Name, errors.New("this is a system priority class and cannot be deleted"))
	}
	if err := unsafeDelete(k, opts); err != nil {
		return nil, err
	}
	warnOfOrphans(ctx, k, opts)
	obj, err := v.delete(ctx, k, req, opts)
	if err != nil {
		return nil, err
	}
	return k.as(ctx, obj)
}

// unsafeDelete refuses to delete what cannot be read, where kube-apiserver's storage has no such delete.
func unsafeDelete(k *kind, opts metav1.DeleteOptions) error {
	if unsafe := opts.IgnoreStoreReadErrorWithClusterBreakingPotential; unsafe == nil || !*unsafe ||
		k.res.GroupVersionResource != namespaces && k.res.Group != rbacv1.GroupName {
		return nil
	}
	return apierrors.NewInternalError(errors.New("no unsafe deleter provided, can not honor ignoreStoreReadErrorWithClusterBreakingPotential"))
}

// warnOfOrphans notes that the pods of jobs stay.
func warnOfOrphans(ctx context.Context, k *kind, opts metav1.DeleteOptions) {
	unsafe := opts.IgnoreStoreReadErrorWithClusterBreakingPotential
	//lint:ignore SA1019 clients still send it
	if k.res.GroupVersionResource == jobs && (unsafe == nil || !*unsafe) && opts.PropagationPolicy == nil && opts.OrphanDependents == nil {
		notes := notesOf(ctx)
		notes.Warnings = append(notes.Warnings, "child pods are preserved by default when jobs are deleted; "+
			"set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning")
	}
}

// DeleteCollection implements API.
func (v *View) DeleteCollection(ctx context.Context, req Request, opts metav1.DeleteOptions, which metav1.ListOptions) (runtime.Object, error) {
	k, err := v.find(ctx, req, "deletecollection")
	if err != nil {
		return nil, err
	}
	if k.res.NoCollection || k.res.Namespaced && req.Namespace == "" {
		return nil, noSuchMethod()
	}
	if err := invalidOptions("DeleteOptions", metav1validation.ValidateDeleteOptions(&opts)); err != nil {
		return nil, err
	}
	if unsafe := opts.IgnoreStoreReadErrorWithClusterBreakingPotential; unsafe != nil && *unsafe {
		return nil, invalidOptions("DeleteOptions", field.ErrorList{field.Invalid(field.NewPath("ignoreStoreReadErrorWithClusterBreakingPotential"), true,
			"is not allowed with DELETECOLLECTION, try again after removing the option")})
	}
	if which.ResourceVersion != "" && which.ResourceVersion != "0" && which.Limit == 0 {
		which.Limit = math.MaxInt32 // kube-apiserver lists pages, and so exactly that state
	}
	l, err := v.list(ctx, k, req, which)
	if err != nil {
		return nil, err
	}
	warnOfOrphans(ctx, k, opts)
	for _, rec := range l.items {
		req.Name = rec.meta.GetName()
		if _, err := v.delete(ctx, k, req, opts); err != nil && !apierrors.IsNotFound(err) {
			return nil, err
		}
	}
	return l.object(ctx, k)
}

// DeleteTogether deletes objects of any kinds in one revision, as an expired etcd lease or any other
// transaction over several keys does. Finalizers do not hold them. If one of them does not exist, it is
// an error and nothing is deleted.
func (s *Server) DeleteTogether(reqs ...Request) error {
	now := time.Now()
	s.keepAge(now)
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []target
	for _, req := range reqs {
		k, err := s.findObject(context.Background(), req, "delete")
		if err != nil {
			return err
		}
		rec := k.Now().Get(k.res.key(req.Namespace, req.Name))
		if rec == nil {
			return apierrors.NewNotFound(k.res.GroupVersionResource.GroupResource(), req.Name)
		}
		if t := (target{k, rec}); !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	if len(all) > 0 {
		s.remove(now, all...)
	}
	return nil
}

func (v *View) delete(ctx context.Context, k *kind, req Request, opts metav1.DeleteOptions) (runtime.Object, error) {
	v.keepAge(time.Now())
	for {
		asked, err := v.askDelete(ctx, k, req, opts)
		if err != nil {
			return nil, err
		}
		v.mu.Lock()
		if asked == nil || k.Now().Get(asked.key) == asked || ctx.Err() != nil { // else webhooks have seen another
			defer v.mu.Unlock()
			return v.deleteHeld(k, req, opts)
		}
		v.mu.Unlock()
	}
}

// askDelete asks webhooks about a delete. It returns the object that they have seen; nil: none.
func (v *View) askDelete(ctx context.Context, k *kind, req Request, opts metav1.DeleteOptions) (*record, error) {
	hooks := v.asks(ctx, k, req, hooksv1.Delete, req.Name, nil, options{DryRun: opts.DryRun})
	if hooks == nil && k.through == nil {
		return nil, nil
	}
	v.mu.RLock()
	stored := k.Now().Get(k.res.key(req.Namespace, req.Name))
	v.mu.RUnlock()
	old, err := k.readInVersion(ctx, stored)
	if old == nil || err != nil || hooks == nil {
		return nil, err
	}
	if hooks.old = old.obj; holds(k, req, opts.Preconditions, old.meta) != nil {
		return nil, nil // refused without them
	}
	if _, err = hooks.mutate(ctx, nil); err == nil {
		err = hooks.validate(ctx, nil)
	}
	return stored, err
}

// deleteHeld is delete while the lock is held.
func (v *View) deleteHeld(k *kind, req Request, opts metav1.DeleteOptions) (runtime.Object, error) {
	now, dryRun := time.Now(), len(opts.DryRun) > 0
	old := k.Now().Get(k.res.key(req.Namespace, req.Name))
	if old == nil {
		return nil, apierrors.NewNotFound(k.res.GroupVersionResource.GroupResource(), req.Name)
	}
	if unsafe := opts.IgnoreStoreReadErrorWithClusterBreakingPotential; unsafe != nil && *unsafe {
		return nil, apierrors.NewConflict(k.res.GroupVersionResource.GroupResource(), req.Name, fmt.Errorf("StorageError: invalid object, Code: 4, Key: %s, ResourceVersion: 0, "+
			"AdditionalErrorMsg: unsafe deletion is not allowed because the object is decodable from storage", k.storedAt(req)))
	}
	if err := v.spare(k, req, opts.Preconditions, old.meta); err != nil {
		return nil, err
	}
	if err := holds(k, req, opts.Preconditions, old.meta); err != nil {
		return nil, err
	}
	if v.o.Namespaces && k.res.GroupVersionResource == namespaces && stays(old) {
		return v.terminate(now, k, old, opts, dryRun), nil
	}
	if def, ok := old.obj.(*apiextensionsv1.CustomResourceDefinition); ok && def.DeletionTimestamp == nil {
		return v.endDefinition(now, k, old, dryRun), nil
	}
	keep := finalizers(k.res, opts, old.meta.GetFinalizers())
	left, pending := v.grace(k.res, old, opts.GracePeriodSeconds)
	gone := old.obj
	switch {
	case pending:
		return old.obj.DeepCopyObject(), nil
	case len(keep) > 0 || left > 0:
		return v.markDeleted(now, k, old, keep, left, dryRun), nil
	case k.res.Grace == nil || outOfTime(old.meta): // in one step, without what keep says
		if slices.Equal(keep, old.meta.GetFinalizers()) {
			break
		}
		if dryRun { // kube-apiserver then shows nothing of it
			return k.res.New(), nil
		}
		if p := opts.Preconditions; p != nil && p.ResourceVersion != nil { // and has no resourceVersion to compare
			return nil, apierrors.NewConflict(k.res.GroupVersionResource.GroupResource(), req.Name, fmt.Errorf("StorageError: invalid object, Code: 4, Key: %s, ResourceVersion: 0, "+
				"AdditionalErrorMsg: Precondition failed: ResourceVersion in precondition: , ResourceVersion in object meta: %s", k.storedAt(req), old.meta.GetResourceVersion()))
		}
	case !v.o.Quirks.OneStep: // deleted in two steps
		if gone = v.markDeleted(now, k, old, keep, left, dryRun); !dryRun {
			old = k.Now().Get(old.key)
		}
	}
	if !dryRun {
		gone = v.remove(now, v.together(k, old, req)...)
	}
	if v.o.Quirks.DeleteAnswersObject || k.res.ShowsDeleted {
		return gone.DeepCopyObject(), nil
	}
	return &metav1.Status{Status: metav1.StatusSuccess, Details: &metav1.StatusDetails{
		Name: req.Name, Group: k.res.Group, Kind: k.res.Resource, UID: old.meta.GetUID(),
	}}, nil
}

// holds checks a delete's preconditions.
func holds(k *kind, req Request, p *metav1.Preconditions, m metav1.Object) error {
	var broken error
	switch {
	case p == nil:
	case p.UID != nil && *p.UID != m.GetUID():
		broken = fmt.Errorf("the UID in the precondition (%s) does not match the UID in record (%s). "+
			"The object might have been deleted and then recreated", *p.UID, m.GetUID())
	case p.ResourceVersion != nil && *p.ResourceVersion != m.GetResourceVersion():
		broken = fmt.Errorf("the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%s). "+
			"The object might have been modified", *p.ResourceVersion, m.GetResourceVersion())
	}
	if broken == nil {
		return nil
	}
	return apierrors.NewConflict(schema.GroupResource{Group: k.res.Group, Resource: k.res.Kind}, req.Name, broken)
}

// outOfTime reports whether an object is being deleted and nothing but finalizers holds it.
func outOfTime(m metav1.Object) bool {
	has := m.GetDeletionGracePeriodSeconds()
	return m.GetDeletionTimestamp() != nil && (has == nil || *has == 0)
}

// grace is how long a deleted object has left, in seconds. What is being deleted already can only get less:
// else that is pending, and the delete changes nothing.
func (s *core) grace(res *Resource, old *record, asked *int64) (left int64, pending bool) {
	has := old.meta.GetDeletionGracePeriodSeconds()
	switch {
	case res.Grace == nil:
		return 0, false
	case old.meta.GetDeletionTimestamp() == nil:
		return res.Grace(old.obj, asked), false
	case outOfTime(old.meta):
		return 0, false
	case asked == nil:
		return *has, true
	}
	if left = *asked; left < 0 {
		left = 1
	}
	return left, left == *has || left > *has && !s.o.Quirks.GraceGrows
}

// finalizers are what an object has once the delete's propagation policy has had its say.
func finalizers(res *Resource, opts metav1.DeleteOptions, have []string) []string {
	const orphan, foreground = metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents
	//lint:ignore SA1019 clients still send it
	policy, orphans, want := opts.PropagationPolicy, opts.OrphanDependents, ""
	switch {
	case res.Uncollected:
	case policy != nil && *policy == metav1.DeletePropagationOrphan:
		want = orphan
	case policy != nil && *policy == metav1.DeletePropagationForeground:
		want = foreground
	case orphans != nil && *orphans:
		want = orphan
	case policy == nil && orphans == nil && res.Orphans && !slices.Contains(have, foreground):
		want = orphan
	case policy == nil && orphans == nil:
		return have
	}
	keep := slices.DeleteFunc(slices.Clone(have), func(f string) bool {
		return (f == orphan || f == foreground) && f != want
	})
	if want != "" && !slices.Contains(keep, want) {
		keep = append(keep, want)
	}
	return keep
}

// markDeleted is the delete of an object that has some seconds left, or that finalizers hold: it stays, with
// the deletionTimestamp at which it is due.
func (v *View) markDeleted(now time.Time, k *kind, old *record, keep []string, left int64, dryRun bool) runtime.Object {
	in := old.stored().DeepCopyObject()
	m := in.(metav1.Object)
	m.SetFinalizers(keep)
	has := m.GetDeletionGracePeriodSeconds()
	switch due := m.GetDeletionTimestamp(); {
	case due == nil:
		at := second(now.Add(time.Duration(left) * time.Second))
		m.SetDeletionTimestamp(&at)
		m.SetDeletionGracePeriodSeconds(&left)
		if m.GetGeneration() > 0 {
			m.SetGeneration(m.GetGeneration() + 1)
		}
	case has != nil && *has != left:
		at := metav1.NewTime(due.Add(time.Duration(left-*has) * time.Second))
		m.SetDeletionTimestamp(&at)
		m.SetDeletionGracePeriodSeconds(&left)
	case slices.Equal(keep, old.meta.GetFinalizers()):
		return in // nothing new
	}
	if dryRun {
		return in
	}
	rec := v.st.record(old.key, in)
	v.commit(now, write{kind: k, change: &change{old: old, new: rec}})
	return rec.obj.DeepCopyObject()
}

// target is an object about to be removed.
type target struct {
	kind *kind
	rec  *record
}

// together is the object and what goes with it.
func (s *core) together(k *kind, rec *record, req Request) []target {
	all := []target{{k, rec}}
	if s.o.Quirks.DeleteWith == nil {
		return all
	}
	for _, more := range s.o.Quirks.DeleteWith(req) {
		if k := s.st.kinds[more.Resource]; k != nil {
			if rec := k.Now().Get(k.res.key(more.Namespace, more.Name)); rec != nil && len(rec.meta.GetFinalizers()) == 0 {
				all = append(all, target{k, rec})
			}
		}
	}
	return all
}

// remove deletes objects in one revision and gives the first as it was last, at that revision: what
// its DELETED carries. The lock is held.
func (s *core) remove(now time.Time, all ...target) runtime.Object {
	writes := make([]write, len(all))
	for i, t := range all {
		last := s.st.record(t.rec.key, t.rec.obj.DeepCopyObject())
		writes[i] = write{kind: t.kind, change: &change{old: t.rec, new: last, deleted: true}}
	}
	s.commit(now, writes...)
	for _, t := range all {
		s.closeNamespace(now, t.rec.meta.GetNamespace())
		s.restoreSystemObject(now, t)
	}
	return writes[0].new.obj
}
