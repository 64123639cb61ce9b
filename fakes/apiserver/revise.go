package apiserver

import (
	"context"
	"time"

	hooksv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// intent is what a write makes of an object, by itself or out of the one that is stored.
type intent struct {
	options
	manager *string // who does it; nil: the object says so already
	// make gives a private object to be stored in place of old; nil: nothing is there. It may be called several
	// times, and needs no lock.
	make func(old *record) (runtime.Object, error)
}

// revise reads an object, makes of it what is wanted, and stores that if the object is still the one that was
// read; else it begins again, as kube-apiserver does
// (k8s.io/apiserver/pkg/storage/etcd3/store.go#GuaranteedUpdate). So nobody waits while a large patch is read, or a webhook asked.
func (v *View) revise(ctx context.Context, k *kind, req Request, want intent) (runtime.Object, error) {
	v.keepAge(time.Now())
	notes, key := notesOf(ctx), k.res.key(req.Namespace, req.Name)
	for before := len(notes.Warnings); ; notes.Warnings = notes.Warnings[:before] {
		v.mu.RLock()
		stored := k.Now().Get(key)
		v.mu.RUnlock()
		old := stored
		if stored != nil && k.stored != nil {
			all, err := k.inVersions(ctx, []*record{stored})
			if err != nil {
				return nil, err
			}
			old = all[0]
		} else if stored != nil && stored.whole != nil {
			old = stored.with(stored.whole)
		}
		in, err := want.make(old)
		if err != nil {
			return nil, err
		}
		if old == nil {
			out, err := v.createMissing(ctx, k, req, in, want)
			if again := apierrors.IsAlreadyExists(err) && v.has(k, key) && ctx.Err() == nil; !again {
				return out, err
			}
			continue
		}
		judged := old
		if k.hub() != k {
			judged = stored
		}
		in, by, err := v.settled(ctx, k, req, old, judged, in, want)
		link := ""
		if err == nil && len(want.DryRun) == 0 {
			link = in.(metav1.Object).GetSelfLink()
			in.(metav1.Object).SetSelfLink("") // which the store does
		}
		put := in
		if err == nil && k.stored != nil {
			put, err = k.stored.as(ctx, in)
		}
		same := err == nil && (equality.Semantic.DeepEqual(in, judged.obj) || want.manager == nil && v.appliesNothing(k, judged, in)) && stored.holds(put)
		switch {
		case err != nil:
			return nil, err
		case same && !old.other && !by.forgets(old, in) && !v.remanages(by, old):
			return k.res.shown(req.Subresource, old.obj), nil
		case link != "" && v.ends(old, in, in.(metav1.Object)): // it does not come to the store
			in.(metav1.Object).SetSelfLink(link)
		}
		if obj, err, done := v.swap(ctx, k, req, stored, in, put, by, len(want.DryRun) > 0); done {
			return obj, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

// appliesNothing reports whether an apply has changed no field and no manager: also of an object whose managers are not shown yet.
func (v *View) appliesNothing(k *kind, old *record, in runtime.Object) bool {
	return len(old.meta.GetManagedFields()) == 0 && equality.Semantic.DeepEqual(in, v.managed(old))
}

// has reports whether there is an object.
func (v *View) has(k *kind, key string) bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return k.Now().Get(key) != nil
}

// settled is a private object that is to be stored in place of old, once webhooks and checks have had their say. judged is old in the
// version in which checks see it, and in which the object is returned.
func (v *View) settled(ctx context.Context, k *kind, req Request, old, judged *record, in runtime.Object, want intent) (runtime.Object, draft, error) {
	hooks := v.asks(ctx, k, req, hooksv1.Update, req.Name, k.res.shown(req.Subresource, old.obj), want.options)
	if defaults := k.res.like(req.Subresource).defaults; hooks != nil && defaults != nil {
		defaults(in)
	}
	in, err := hooks.mutate(ctx, in)
	if err == nil {
		err = gateOf(ctx).write(in, old.obj)
	}
	if err != nil {
		return nil, draft{}, err
	}
	var by draft
	if h := k.hub(); h == k {
		in, by, err = v.revised(k, req, old, in, want.manager, notesOf(ctx))
	} else {
		if want.manager != nil { // of the version that is written
			if req.Subresource == status { // nothing has read it yet
				k.res.read("", in)
			}
			by = v.manage(k, req.Subresource, *want.manager, old, in)
		}
		in, _, err = v.revised(h, req, judged, k.judgedForm(in), nil, notesOf(ctx))
	}
	if o := k.res.other; err == nil && o != nil && o.checkChange != nil {
		if errs := o.checkChange(in, judged.obj); len(errs) > 0 {
			err = apierrors.NewInvalid(k.hub().res.groupKind(), req.Name, errs)
		}
	}
	if err == nil && req.Subresource == "" {
		k.hub().res.warn(notesOf(ctx), in.(metav1.Object), old.meta)
	}
	if err == nil {
		v.mu.RLock()
		err = v.permit(k.hub(), req.Subresource, in, judged.obj, notesOf(ctx))
		v.mu.RUnlock()
	}
	if err == nil && hooks != nil {
		err = hooks.validate(ctx, k.res.shown(req.Subresource, in))
	}
	return in, by, err
}

// swap stores an object, which is put in the stored version, in place of old, or says that another is there by now.
func (v *View) swap(ctx context.Context, k *kind, req Request, old *record, in, put runtime.Object, by draft, dryRun bool) (out runtime.Object, err error, done bool) {
	rec, err, done := v.replaced(k, req, old, in, put, by, dryRun)
	switch {
	case !done, err != nil:
		return nil, err, done
	case rec == nil:
		return k.typed(k.res.shown(req.Subresource, in)), nil, true // with the old resourceVersion, and not what DELETED carries
	}
	out, err = k.shown(ctx, req.Subresource, rec)
	return out, err, true
}

// replaced is swap under the lock; nil: nothing is stored.
func (v *View) replaced(k *kind, req Request, old *record, in, put runtime.Object, by draft, dryRun bool) (rec *record, err error, done bool) {
	now := time.Now()
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case k.Now().Get(old.key) != old:
		return nil, nil, false
	case k.gone:
		return nil, noSuchPath(), true
	}
	rec, err = v.replace(now, k.hub(), req, old, in, put, by, dryRun)
	return rec, err, true
}

// revised is what an update makes of a private object that is to be stored in place of old. notes get warnings.
func (v *View) revised(k *kind, req Request, old *record, in runtime.Object, manager *string, notes *Notes) (out runtime.Object, by draft, err error) {
	if req.Subresource == scale { // whose resourceVersion is looked at last
		by, err = v.manageScale(k, manager, old, in)
	} else {
		err = v.current(k, req, old, in.(metav1.Object))
	}
	if err != nil {
		return nil, by, err
	}
	part := req.Subresource == ephemeral || req.Subresource == resize
	if part && manager != nil { // kube-apiserver counts also what it then leaves as it was
		by = v.manage(k, req.Subresource, *manager, old, in)
	}
	if in, err = k.res.merged(req.Subresource, in, old.obj); err != nil {
		return nil, by, err
	}
	m := in.(metav1.Object)
	if req.Subresource == scale {
		if err := v.current(k, req, old, m); err != nil {
			return nil, by, err
		}
	}
	if manager != nil && req.Subresource != scale && !part {
		by = v.manage(k, req.Subresource, *manager, old, in)
	}
	inherit(k, req.Subresource, old, in, m)
	if err := k.res.validate(req.Subresource, in, m, old, notes); err != nil {
		return nil, by, err
	}
	sameTimes(in, old.obj)
	return in, by, nil
}

// replace stores a revised object, which is put in the stored version; nil: nothing is stored. The lock is held.
func (v *View) replace(now time.Time, k *kind, req Request, old *record, in, put runtime.Object, by draft, dryRun bool) (*record, error) {
	if k.res.admit != nil && req.Subresource != status {
		if err := k.res.admit(v.core, in, old.obj); err != nil {
			return nil, err
		}
	}
	switch last := v.ends(old, in, in.(metav1.Object)); {
	case last && !dryRun:
		v.remove(now, target{k, old})
		fallthrough
	case last: // shown as it is, and not as the store would give it back
		return nil, nil
	}
	other := k.res.comesBack(in)
	other = k.storage().res.comesBack(put) || other
	if dryRun {
		return nil, nil
	}
	if err := fits(in); err != nil {
		return nil, err
	}
	raw := k.readBack(put)
	rec := v.st.record(old.key, put)
	rec.other, rec.raw = other, raw
	by.sign(now, rec)
	v.commit(now, write{kind: k, change: &change{old: old, new: rec}})
	return rec, nil
}
