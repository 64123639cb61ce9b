package apiserver

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"time"

	hooksv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"
)

// Create implements API. The request's name is not used: the object's is, but for subresources.
func (v *View) Create(ctx context.Context, req Request, obj runtime.Object, opts metav1.CreateOptions) (runtime.Object, error) {
	k, err := v.find(ctx, req, "create")
	if err != nil {
		return nil, err
	}
	if k.res.Namespaced && req.Namespace == "" {
		return nil, noSuchMethod()
	}
	if err := invalidOptions("CreateOptions", metav1validation.ValidateCreateOptions(&opts)); err != nil {
		return nil, err
	}
	if req.Subresource != "" {
		return v.act(ctx, k, req, obj, opts)
	}
	in, m, err := k.res.accept(obj)
	if err != nil {
		return nil, err
	}
	if o := k.res.other; o != nil && o.checkNew != nil {
		if err := o.checkNew(in); err != nil {
			return nil, err
		}
	}
	uniqueOwners(notesOf(ctx), m, "")
	now := time.Now()
	v.keepAge(now)
	wipe(m) // before anybody manages it
	by := v.manage(k, "", opts.FieldManager, nil, in)
	return v.create(ctx, now, k, req, in, by, options{DryRun: opts.DryRun, FieldManager: opts.FieldManager, FieldValidation: opts.FieldValidation}, nil)
}

// create stores a private object. Webhooks are called without the lock. What may have changed meanwhile is looked at again. barred is why
// the user may not create it; nil: he may.
func (v *View) create(ctx context.Context, now time.Time, k *kind, req Request, in runtime.Object, by draft, o options, barred error) (runtime.Object, error) {
	m := in.(metav1.Object)
	if err := placeIn(m, req); err != nil {
		return nil, err
	}
	hooks, gate := v.asks(ctx, k, req, hooksv1.Create, m.GetName(), nil, o), gateOf(ctx)
	if hooks != nil || gate.Write != nil {
		v.mu.RLock()
		err := v.admit(k, req, m)
		v.mu.RUnlock()
		if err != nil {
			return nil, err
		}
	}
	if hooks != nil {
		wipe(m)
		if k.res.defaults != nil {
			k.res.defaults(in)
		}
		var err error
		if in, err = hooks.mutate(ctx, in); err != nil {
			return nil, err
		}
	}
	if err := gate.write(in, nil); err != nil {
		return nil, err
	}
	via := k
	if k = k.hub(); k != via {
		in = via.judgedForm(in)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	dryRun := len(o.DryRun) > 0
	if err := v.prepare(now, k, req, in, dryRun, notesOf(ctx), barred); err != nil {
		return nil, err
	}
	put := in
	if hooks != nil || k.stored != nil {
		var err error
		v.unlocked(func() {
			if err = hooks.validate(ctx, in); err == nil && k.stored != nil {
				put, err = k.stored.as(ctx, in)
			}
		})
		if err == nil {
			err = v.admit(k, req, in.(metav1.Object))
		}
		if err != nil {
			return nil, err
		}
	}
	rec, err := v.insert(now, k, req, put, by, dryRun)
	if err != nil || rec == nil {
		k.res.comesBack(in)
		return via.typed(in), err
	}
	out := k.res.shown("", rec.obj)
	if via.stored != nil {
		v.unlocked(func() { out, err = via.shown(ctx, "", rec) })
	}
	return out, err
}

// unlocked does something that takes time while the lock, which is held, is not.
func (v *View) unlocked(f func()) {
	v.mu.Unlock()
	defer v.mu.Lock()
	f()
}

// errVersionSaid is of the store.
var errVersionSaid = bare("resourceVersion should not be set on objects to be created")

// prepare makes a private object what is stored, or says why it cannot be: barred, if nothing is wrong with the object. The lock is held.
func (v *View) prepare(now time.Time, k *kind, req Request, in runtime.Object, dryRun bool, notes *Notes, barred error) error {
	m := in.(metav1.Object)
	if err := placeIn(m, req); err != nil { // a webhook may have moved it
		return err
	}
	if err := v.admit(k, req, m); err != nil {
		return err
	}
	if err := v.fill(now, k, in, m, req.Subresource == ""); err != nil {
		return err
	}
	if err := k.res.validate("", in, m, nil, nil); err != nil {
		return err
	}
	k.res.warn(notes, m, nil)
	if barred != nil {
		return barred
	}
	if err := v.permit(k, req.Subresource, in, nil, notes); err != nil {
		return err
	}
	if rev, err := parse(m.GetResourceVersion()); err == nil && rev != 0 && !dryRun { // the store does not see a dry run
		return errVersionSaid
	}
	if err := fits(in); err != nil && !dryRun {
		return err
	}
	return k.open(m.GetName())
}

// insert stores what prepare has made, in the stored version; nil for a dry run. The lock is held.
func (v *View) insert(now time.Time, k *kind, req Request, in runtime.Object, by draft, dryRun bool) (*record, error) {
	m := in.(metav1.Object)
	if err := k.open(m.GetName()); err != nil {
		return nil, err
	}
	key := k.res.key(req.Namespace, m.GetName())
	if there := k.Now().Get(key); there != nil {
		err := apierrors.NewAlreadyExists(k.res.GroupVersionResource.GroupResource(), m.GetName())
		if m.GetGenerateName() != "" { // also if the name was given
			err = apierrors.NewGenerateNameConflict(k.res.GroupVersionResource.GroupResource(), m.GetName(), 1)
		}
		if there.meta.GetDeletionTimestamp() != nil {
			err.ErrStatus.Message = "object is being deleted: " + err.ErrStatus.Message
		}
		return nil, err
	}
	other := k.storage().res.comesBack(in)
	if err := v.charge(now, k, in, dryRun); err != nil || dryRun {
		return nil, err
	}
	raw := k.readBack(in)
	rec := v.st.record(key, in)
	rec.other, rec.raw = other, raw
	by.sign(now, rec)
	v.commit(now, write{kind: k, change: &change{new: rec}})
	if k.res.Resource == "namespaces" {
		v.addAccounts(now, key)
	}
	return rec, nil
}

// placeIn puts the object into the request's namespace; one that says another is refused.
func placeIn(m metav1.Object, req Request) error {
	if ns := m.GetNamespace(); ns != "" && ns != req.Namespace && req.Namespace != "" { // without one it is forgotten
		return apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	m.SetNamespace(req.Namespace)
	return nil
}

// admit refuses what is created in a namespace that is not there, or going.
func (v *View) admit(k *kind, req Request, m metav1.Object) error {
	place := v.st.kinds[corev1.SchemeGroupVersion.WithResource("namespaces")]
	if !v.o.Namespaces || !k.res.Namespaced || place == nil {
		return nil
	}
	ns := place.Now().Get(req.Namespace)
	if ns == nil {
		return apierrors.NewNotFound(place.res.GroupVersionResource.GroupResource(), req.Namespace)
	}
	if ns.meta.GetDeletionTimestamp() == nil {
		return nil
	}
	err := apierrors.NewForbidden(k.res.GroupVersionResource.GroupResource(), m.GetName(),
		fmt.Errorf("unable to create new content in namespace %s because it is being terminated", req.Namespace))
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{
		Type: "NamespaceTerminating", Message: fmt.Sprintf("namespace %s is being terminated", req.Namespace), Field: "metadata.namespace",
	}}
	return err
}

// wipe drops what the system decides.
func wipe(m metav1.Object) {
	m.SetUID("")
	m.SetCreationTimestamp(metav1.Time{})
	m.SetDeletionTimestamp(nil)
	m.SetDeletionGracePeriodSeconds(nil)
	m.SetSelfLink("")
}

// fill sets what the system decides, and drops what a client may not. With admitted it sets also what depends on other objects.
func (s *core) fill(now time.Time, k *kind, in runtime.Object, m metav1.Object, admitted bool) error {
	wipe(m)
	m.SetUID(s.newUID())
	m.SetCreationTimestamp(second(now))
	if k.res.Spec != nil && !k.res.LateGeneration {
		m.SetGeneration(1)
	}
	if k.res.defaults != nil {
		k.res.defaults(in)
	}
	if err := s.mutate(k, in); err != nil { // whose errors do not know the generated name
		return err
	}
	if base := m.GetGenerateName(); base != "" && m.GetName() == "" {
		m.SetName(s.newName(k, m.GetNamespace(), base))
		m.SetLabels(maps.Clone(m.GetLabels())) // as kube-apiserver copies it for each name that it tries; see defaultJob
	}
	if k.res.admit != nil && admitted {
		if err := k.res.admit(s, in, nil); err != nil {
			return err
		}
	}
	k.res.settle("", in, nil)
	return nil
}

// newName is a name that no object has, if a few tries find one. It is made as kube-apiserver makes it
// (k8s.io/apiserver/pkg/storage/names), but from the server's seed.
func (s *core) newName(k *kind, namespace, base string) string {
	const most, letters, tries = 58, 27, 8
	name := ""
	for range tries {
		suffix := make([]byte, 5)
		for i := range suffix {
			suffix[i] = byte(s.rand.IntN(letters))
		}
		name = base[:min(len(base), most)] + rand.SafeEncodeString(string(suffix))
		if k.Now().Get(k.res.key(namespace, name)) == nil {
			break
		}
	}
	return name
}

// newUID is a random (version 4) UUID from the server's seed.
func (s *core) newUID() types.UID {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], s.rand.Uint64())
	binary.BigEndian.PutUint64(b[8:], s.rand.Uint64())
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return types.UID(fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]))
}

// second is a time as it comes back from the wire.
func second(t time.Time) metav1.Time { return metav1.NewTime(t).Rfc3339Copy() }
