package apiserver

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// intent is what a write makes of an object, by itself or out of the one that is stored.
type intent struct {
	dryRun  bool
	manager *string // who does it; nil: the object says so already
	// make gives a private object to be stored in place of old; nil: nothing is there. It may be called several
	// times, and needs no lock.
	make func(old *record) (runtime.Object, error)
}

// revise reads an object, makes of it what is wanted, and stores that if the object is still the one that was
// read; else it begins again, as kube-apiserver does
// (k8s.io/apiserver/pkg/storage/etcd3/store.go#GuaranteedUpdate). So nobody waits while a large patch is read.
func (v *View) revise(ctx context.Context, k *kind, req Request, want intent) (runtime.Object, error) {
	v.keepAge(time.Now())
	notes, key := notesOf(ctx), k.res.key(req.Namespace, req.Name)
	for before := len(notes.Warnings); ; notes.Warnings = notes.Warnings[:before] {
		v.mu.RLock()
		stored := k.now().get(key)
		v.mu.RUnlock()
		old := k.inVersion(stored)
		in, err := want.make(old)
		var by draft
		if err == nil && old == nil && want.manager != nil {
			by = v.manage(k, "", *want.manager, nil, in)
		}
		if err == nil && old != nil {
			if in, by, err = v.revised(k, req, old, in, want.manager); err == nil {
				err = judge(ctx, k, in, old.obj)
			}
			if err == nil && req.Subresource == "" {
				k.res.warn(notes, in.(metav1.Object), old.meta)
			}
		}
		switch {
		case err != nil:
			return nil, err
		case old != nil && !by.forgets(old, in) && (equality.Semantic.DeepEqual(in, old.obj) || want.manager == nil && v.appliesNothing(k, old, in)):
			return k.res.shown(req.Subresource, old.obj), nil
		}
		if obj, err, stored := v.swap(ctx, k, req, stored, in, by, want.dryRun); stored {
			return obj, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

// appliesNothing reports whether an apply has changed no field and no manager: also of an object whose managers are not shown yet.
func (v *View) appliesNothing(k *kind, old *record, in runtime.Object) bool {
	return len(old.meta.GetManagedFields()) == 0 && equality.Semantic.DeepEqual(in, v.managed(k, old))
}

// swap stores an object in place of old, or says that another is there by now.
func (v *View) swap(ctx context.Context, k *kind, req Request, old *record, in runtime.Object, by draft, dryRun bool) (out runtime.Object, err error, stored bool) {
	now := time.Now()
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case k.now().get(k.res.key(req.Namespace, req.Name)) != old:
		return nil, nil, false
	case k.gone:
		return nil, noSuchPath(), true
	case old == nil:
		out, err = v.createMissing(now, k, req, in, by, dryRun)
		if notesOf(ctx).Created = err == nil; err == nil {
			k.res.warn(notesOf(ctx), in.(metav1.Object), nil)
		}
	default:
		out, err = v.replace(now, k, req, old, in, by, dryRun)
	}
	return out, err, true
}

// revised is what an update makes of a private object that is to be stored in place of old.
func (v *View) revised(k *kind, req Request, old *record, in runtime.Object, manager *string) (out runtime.Object, by draft, err error) {
	if err := v.current(k, req, old, in.(metav1.Object)); err != nil {
		return nil, by, err
	}
	if req.Subresource == scale {
		if by, err = v.manageScale(k, manager, old, in); err != nil {
			return nil, by, err
		}
	}
	if in, err = k.res.merged(req.Subresource, in, old.obj); err != nil {
		return nil, by, err
	}
	m := in.(metav1.Object)
	if manager != nil && req.Subresource != scale {
		by = v.manage(k, req.Subresource, *manager, old, in)
	}
	inherit(k, req.Subresource, old, in, m)
	if err := k.res.validate(req.Subresource, in, m, old); err != nil {
		return nil, by, err
	}
	sameTimes(in, old.obj)
	return in, by, nil
}

// replace stores a revised object. The lock is held.
func (v *View) replace(now time.Time, k *kind, req Request, old *record, in runtime.Object, by draft, dryRun bool) (runtime.Object, error) {
	if k.res.admit != nil {
		if err := k.res.admit(v.core, in, old.obj); err != nil {
			return nil, err
		}
	}
	switch last := v.ends(old, in, in.(metav1.Object)); {
	case last && !dryRun:
		v.remove(now, target{k, old})
		fallthrough
	case last, dryRun:
		return k.res.shown(req.Subresource, in), nil // with the old resourceVersion, and not what DELETED carries
	}
	if err := fits(in); err != nil {
		return nil, err
	}
	rec := v.st.record(old.key, k.asStored(in))
	by.sign(now, rec)
	v.commit(now, write{kind: k, change: &change{old: old, new: rec}})
	return k.shown(req.Subresource, rec.obj), nil
}
