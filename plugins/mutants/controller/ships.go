package controller

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

func (l *living) configMaps(f *unstructured.Unstructured) dynamic.ResourceInterface {
	return l.client.Resource(configMaps).Namespace(f.GetNamespace())
}

// owned returns the ships of a fleet, sorted by name.
func (l *living) owned(ctx context.Context, f *unstructured.Unstructured) (all []*unstructured.Unstructured, err error) {
	if l.draws && !l.stale {
		list, err := l.configMaps(f).List(ctx, metav1.ListOptions{LabelSelector: fleetName + "=" + f.GetName()})
		if err != nil {
			return nil, err
		}
		for i := range list.Items {
			all = append(all, &list.Items[i])
		}
	} else {
		for _, obj := range l.ships.GetIndexer().List() {
			all = append(all, obj.(*unstructured.Unstructured))
		}
		all = append(all, l.unseen(all)...)
	}
	slices.SortFunc(all, func(a, b *unstructured.Unstructured) int { return strings.Compare(a.GetName(), b.GetName()) })
	return slices.DeleteFunc(all, func(s *unstructured.Unstructured) bool {
		return !metav1.IsControlledBy(s, f) || s.GetLabels()[fleetName] != f.GetName() || s.GetDeletionTimestamp() != nil
	}), nil
}

// unseen returns the ships that were launched a short while ago and are not among those of the cache.
func (l *living) unseen(seen []*unstructured.Unstructured) []*unstructured.Unstructured {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.launched = slices.DeleteFunc(l.launched, func(s *unstructured.Unstructured) bool {
		return time.Since(s.GetCreationTimestamp().Time) > l.trusts || slices.ContainsFunc(seen, func(o *unstructured.Unstructured) bool { return o.GetUID() == s.GetUID() })
	})
	return slices.Clone(l.launched)
}

// names returns those of the ships that a fleet wants. Names that are drawn are empty: first those that it has.
func (l *living) names(f *unstructured.Unstructured, have []*unstructured.Unstructured) (all []string) {
	for i := range int(size(f)) {
		name := fmt.Sprintf("%s-%d", f.GetName(), i)
		if l.renames {
			name = fmt.Sprintf("%s-%s-%d", f.GetName(), l.id, i)
		}
		if l.draws {
			name = ""
		}
		if l.draws && i < len(have) {
			name = have[i].GetName()
		}
		all = append(all, name)
	}
	return all
}

var errNext = errors.New("the next step is to follow")

// sail makes the ships of a fleet, and returns how many there are.
func (l *living) sail(ctx context.Context, f *unstructured.Unstructured) (int64, error) {
	have, err := l.owned(ctx, f)
	if err != nil {
		return 0, err
	}
	names := l.names(f, have)
	for _, name := range names {
		if slices.ContainsFunc(have, func(s *unstructured.Unstructured) bool { return s.GetName() == name }) {
			continue
		}
		if err := l.launch(ctx, f, name); err != nil || l.steps {
			return 0, cmp.Or(err, errNext)
		}
	}
	for _, s := range have {
		switch needed := slices.Contains(names, s.GetName()); {
		case needed:
			err = l.paint(ctx, f, s)
		case !l.edge && !l.keeps:
			if err = l.sink(ctx, s); l.steps {
				err = cmp.Or(err, errNext)
			}
		}
		if err != nil {
			return 0, err
		}
	}
	return int64(len(names)), l.trim(ctx, f, names)
}

// ship is one as it should be.
func (l *living) ship(f *unstructured.Unstructured, name string) *unstructured.Unstructured {
	data := map[string]any{"colour": colour(f)}
	if l.paints {
		data["painter"] = l.id
	}
	if l.shuffles {
		data["crew"] = strings.Join(slices.Collect(maps.Keys(map[string]bool{"a": true, "b": true, "c": true, "d": true, "e": true, "f": true})), " ")
	}
	s := object("v1", "ConfigMap", name, map[string]any{"data": data})
	if name == "" {
		s.SetGenerateName(f.GetName() + "-")
	}
	s.SetLabels(map[string]string{fleetName: f.GetName()})
	s.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(f, f.GroupVersionKind())})
	return s
}

// launch creates a ship.
func (l *living) launch(ctx context.Context, f *unstructured.Unstructured, name string) error {
	if l.memory && l.note("made "+string(f.GetUID())+name) {
		return nil
	}
	if there, _, err := l.lives(ctx, f); err != nil || !there {
		return cmp.Or(err, errNext) // the cache is behind
	}
	if l.holds {
		if err := l.createClaim(ctx, f, name, nil); err != nil {
			return err
		}
	}
	if l.apply {
		return l.applyShip(ctx, f, name)
	}
	s := l.ship(f, name)
	data := s.Object["data"]
	if l.halves {
		delete(s.Object, "data")
	}
	now, err := l.configMaps(f).Create(ctx, s, metav1.CreateOptions{})
	if err == nil && l.trusts > 0 {
		l.mu.Lock()
		l.launched = append(l.launched, now)
		l.mu.Unlock()
	}
	if err == nil && l.halves {
		now.Object["data"] = data
		_, err = l.configMaps(f).Update(ctx, now, metav1.UpdateOptions{})
	}
	return exists(err)
}

// applyShip writes a ship by server-side apply.
func (l *living) applyShip(ctx context.Context, f *unstructured.Unstructured, name string) error {
	_, err := l.configMaps(f).Apply(ctx, name, l.ship(f, name), metav1.ApplyOptions{FieldManager: "fleet", Force: true})
	return err
}

// paint gives a ship its colour.
func (l *living) paint(ctx context.Context, f, s *unstructured.Unstructured) (err error) {
	want := l.ship(f, s.GetName()).Object["data"]
	if reflect.DeepEqual(want, s.Object["data"]) || s.Object["data"] == nil && l.halves {
		return nil
	}
	switch {
	case l.replaces:
		return l.sink(ctx, s) // its event brings it again
	case l.overwrites:
		_, err = l.configMaps(f).Update(ctx, l.ship(f, s.GetName()), metav1.UpdateOptions{})
		return err
	case l.apply:
		return l.applyShip(ctx, f, s.GetName())
	}
	now := s.DeepCopy()
	if l.held[s.GetName()] == nil && l.keepsOld {
		l.held[s.GetName()] = now
	}
	now = cmp.Or(l.held[s.GetName()], now)
	now.Object["data"] = want
	if l.tidies {
		now.SetAnnotations(nil)
	}
	if _, err = l.configMaps(f).Update(ctx, now, metav1.UpdateOptions{}); err == nil && l.keepsOld {
		delete(l.held, s.GetName())
	}
	return err
}

// sink deletes a ship.
func (l *living) sink(ctx context.Context, s *unstructured.Unstructured) error {
	err := l.configMaps(s).Delete(ctx, s.GetName(), metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(s.GetUID()))})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}

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
	if there, _, err := l.lives(ctx, f); err != nil || !there {
		return err // the cache is behind, and nobody would take the entry away
	}
	return exists(l.enter(ctx, f))
}

func (l *living) enter(ctx context.Context, f *unstructured.Unstructured) error {
	_, err := l.configMaps(f).Create(ctx, object("v1", "ConfigMap", "register-"+f.GetName(), map[string]any{"data": map[string]any{"fleet": f.GetName()}}), metav1.CreateOptions{})
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

// lives asks the API server whether a fleet is there, and is not being deleted. It reports whether the cache shows what its users want now, too.
func (l *living) lives(ctx context.Context, f *unstructured.Unstructured) (there, current bool, err error) {
	now, err := l.client.Resource(fleets).Namespace(f.GetNamespace()).Get(ctx, f.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, false, nil
	}
	if err != nil {
		return false, false, err
	}
	there = now.GetUID() == f.GetUID() && now.GetDeletionTimestamp() == nil
	return there, there && now.GetGeneration() == f.GetGeneration(), nil
}

// claim makes the claim of a fleet.
func (l *living) claim(ctx context.Context, f *unstructured.Unstructured) error {
	all := l.client.Resource(claims).Namespace(f.GetNamespace())
	have, err := all.Get(ctx, f.GetName(), metav1.GetOptions{})
	if l.recreates {
		if _, current, err := l.lives(ctx, f); err != nil || !current {
			return errors.Join(err, errors.New("the fleet may have another colour by now"))
		}
	}
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
	labels := map[string]string{fleetName: f.GetName()}
	if l.recreates {
		labels["colour"] = colour(f)
	}
	c.SetLabels(labels)
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
	if l.spins {
		looks, _ := have["looks"].(int64)
		want["looks"] = looks + 1
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
