package controller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

func object(version, kind, name string, rest map[string]any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: rest}
	u.SetAPIVersion(version)
	u.SetKind(kind)
	u.SetName(name)
	return u
}

// exists is the error of a create, unless what was to be created is there.
func exists(err error) error {
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// patch changes a fleet by a merge patch. What is not there any more is not changed.
func (l *living) patch(ctx context.Context, f *unstructured.Unstructured, patch map[string]any, subresources ...string) error {
	b, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	now, err := l.client.Resource(fleets).Namespace(f.GetNamespace()).Patch(ctx, f.GetName(), types.MergePatchType, b, metav1.PatchOptions{}, subresources...)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err == nil {
		f.Object = now.Object
	}
	return err
}

// annotate writes an annotation of a fleet; nil takes it away.
func (l *living) annotate(ctx context.Context, f *unstructured.Unstructured, key string, value any) error {
	return l.patch(ctx, f, map[string]any{"metadata": map[string]any{"annotations": map[string]any{key: value}}})
}

const lockKey = "example.com/lock"

func (l *living) finalizer() string {
	if l.own {
		return finalizer + "-" + l.id
	}
	return finalizer
}

// tie gives a fleet the finalizer.
func (l *living) tie(ctx context.Context, f *unstructured.Unstructured) error {
	if l.first {
		if err := l.enter(ctx, f); err != nil {
			return err
		}
	}
	return l.finalizers(ctx, f, append(f.GetFinalizers(), l.finalizer()))
}

// letGo takes the finalizer away.
func (l *living) letGo(ctx context.Context, f *unstructured.Unstructured) error {
	return l.finalizers(ctx, f, slices.DeleteFunc(f.GetFinalizers(), func(s string) bool { return s == l.finalizer() }))
}

func (l *living) finalizers(ctx context.Context, f *unstructured.Unstructured, all []string) error {
	return l.patch(ctx, f, map[string]any{"metadata": map[string]any{"resourceVersion": f.GetResourceVersion(), "finalizers": all}})
}

// register enters the fleet in the register.
func (l *living) register(ctx context.Context, f *unstructured.Unstructured) error {
	if _, there, err := l.ships.GetIndexer().GetByKey(f.GetNamespace() + "/register-" + f.GetName()); err != nil || there || l.bare || l.first {
		return err
	}
	if there, err := l.lives(ctx, f); err != nil || !there {
		return err // the cache is behind, and nobody would take the entry away
	}
	return exists(l.enter(ctx, f))
}

func (l *living) enter(ctx context.Context, f *unstructured.Unstructured) error {
	entry := object("v1", "ConfigMap", "register-"+f.GetName(), map[string]any{"data": map[string]any{"fleet": f.GetName()}})
	_, err := l.configMaps(f).Create(ctx, entry, metav1.CreateOptions{})
	return err
}

// log notes a change in the register.
func (l *living) log(ctx context.Context, f *unstructured.Unstructured) error {
	entry, err := l.configMaps(f).Get(ctx, "register-"+f.GetName(), metav1.GetOptions{})
	if err != nil {
		return err
	}
	log, _, _ := unstructured.NestedString(entry.Object, "data", "log")
	entry.Object["data"].(map[string]any)["log"] = fmt.Sprintf("%s%d of %s;", log, size(f), colour(f))
	_, err = l.configMaps(f).Update(ctx, entry, metav1.UpdateOptions{})
	return err
}

// lives asks the API server whether a fleet is there, and is not being deleted.
func (l *living) lives(ctx context.Context, f *unstructured.Unstructured) (bool, error) {
	now, err := l.client.Resource(fleets).Namespace(f.GetNamespace()).Get(ctx, f.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil && now.GetUID() == f.GetUID() && now.GetDeletionTimestamp() == nil, err
}

// claim makes the claim of a fleet.
func (l *living) claim(ctx context.Context, f *unstructured.Unstructured) error {
	all := l.client.Resource(claims).Namespace(f.GetNamespace())
	have, err := all.Get(ctx, f.GetName(), metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		if l.marks {
			if f.GetAnnotations()["example.com/claimed"] != "" {
				return nil
			}
			if err := l.annotate(ctx, f, "example.com/claimed", "yes"); err != nil {
				return err
			}
		}
		return l.createClaim(ctx, f, f.GetName(), []metav1.OwnerReference{*metav1.NewControllerRef(f, f.GroupVersionKind())})
	case err != nil:
		return err
	case l.foreign && !metav1.IsControlledBy(have, f):
		err = all.Delete(ctx, f.GetName(), metav1.DeleteOptions{})
	case l.recreates && have.GetLabels()["colour"] != colour(f) && metav1.IsControlledBy(have, f):
		err = all.Delete(ctx, f.GetName(), metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(have.GetUID()))})
	case metav1.IsControlledBy(have, f):
		return nil
	}
	return errors.Join(err, errors.New("it is made when that of before is gone"))
}

// createClaim makes a claim, if there is none.
func (l *living) createClaim(ctx context.Context, f *unstructured.Unstructured, name string, owners []metav1.OwnerReference) error {
	c := object("v1", "PersistentVolumeClaim", name, map[string]any{"spec": map[string]any{"accessModes": []any{"ReadWriteOnce"}, "resources": map[string]any{"requests": map[string]any{"storage": "1Gi"}}}})
	c.SetLabels(map[string]string{fleetName: f.GetName(), "colour": colour(f)})
	c.SetOwnerReferences(owners)
	_, err := l.client.Resource(claims).Namespace(f.GetNamespace()).Create(ctx, c, metav1.CreateOptions{})
	return exists(err)
}

// trim deletes the claims of ships that are not wanted.
func (l *living) trim(ctx context.Context, f *unstructured.Unstructured, names []string) error {
	if !l.trims {
		return nil
	}
	return l.deleteClaims(ctx, fleetName+"="+f.GetName(), func(c unstructured.Unstructured) bool {
		return c.GetName() == f.GetName() || slices.Contains(names, c.GetName())
	})
}

// sweepClaims deletes the claims of fleets that are not in the cache.
func (l *living) sweepClaims(ctx context.Context) {
	_ = l.deleteClaims(ctx, fleetName, func(c unstructured.Unstructured) bool {
		_, there, _ := l.fleets.GetIndexer().GetByKey(c.GetNamespace() + "/" + c.GetLabels()[fleetName])
		return there
	})
}

func (l *living) deleteClaims(ctx context.Context, selector string, keep func(unstructured.Unstructured) bool) error {
	list, err := l.client.Resource(claims).List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return err
	}
	for _, c := range list.Items {
		if !keep(c) {
			err = errors.Join(err, l.client.Resource(claims).Namespace(c.GetNamespace()).Delete(ctx, c.GetName(), metav1.DeleteOptions{}))
		}
	}
	return err
}

// report writes the status of a fleet, if it says something else.
func (l *living) report(ctx context.Context, f *unstructured.Unstructured, n int64) error {
	have, _, _ := unstructured.NestedMap(f.Object, "status")
	want := map[string]any{"ships": n, "observedGeneration": f.GetGeneration() + l.ahead}
	if l.flips {
		want["looked"] = time.Now().Format(time.RFC3339Nano)
	}
	if l.most {
		was, _ := have["most"].(int64)
		want["most"] = max(was, n)
	}
	if have["trouble"] == true || l.trouble && l.notes["trouble"] {
		want["trouble"] = true
	}
	if l.beats > time.Second {
		want["beat"] = time.Now().Truncate(l.beats).Format(time.RFC3339)
	}
	if fmt.Sprint(have) == fmt.Sprint(want) || l.shrugs && l.note(fmt.Sprint(f.GetUID(), want)) {
		return nil
	}
	if l.logs && !observed(f) {
		if err := l.log(ctx, f); err != nil {
			return err
		}
	}
	if l.patches {
		return l.patch(ctx, f, map[string]any{"status": want}, "status")
	}
	f.Object["status"] = want
	now, err := l.client.Resource(fleets).Namespace(f.GetNamespace()).UpdateStatus(ctx, f, metav1.UpdateOptions{})
	if err == nil && l.locks {
		return l.annotate(ctx, now, lockKey, nil)
	}
	return err
}

// finish takes a fleet that is deleted out of the register, and lets it go.
func (l *living) finish(ctx context.Context, f *unstructured.Unstructured) error {
	if !slices.Contains(f.GetFinalizers(), l.finalizer()) {
		return nil
	}
	if left := time.Until(f.GetDeletionTimestamp().Add(l.pause)); left > 0 {
		l.queue.AddAfter(f.GetNamespace()+"/"+f.GetName(), left)
		return nil
	}
	if l.early {
		if err := l.letGo(ctx, f); err != nil {
			return err
		}
	}
	err := l.configMaps(f).Delete(ctx, "register-"+f.GetName(), metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) && !l.mustRegister {
		err = nil
	}
	if err != nil || l.early {
		return err
	}
	all := l.client.Resource(claims).Namespace(f.GetNamespace())
	if _, err := all.Get(ctx, f.GetName(), metav1.GetOptions{}); l.waits && !apierrors.IsNotFound(err) {
		return errors.New("the claim is there")
	}
	if l.wipes {
		if err := all.Delete(ctx, f.GetName(), metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return l.letGo(ctx, f)
}
