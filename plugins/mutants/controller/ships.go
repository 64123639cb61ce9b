package controller

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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
	}
	slices.SortFunc(all, func(a, b *unstructured.Unstructured) int { return strings.Compare(a.GetName(), b.GetName()) })
	return slices.DeleteFunc(all, func(s *unstructured.Unstructured) bool {
		return !metav1.IsControlledBy(s, f) || s.GetLabels()[fleetName] != f.GetName() || s.GetDeletionTimestamp() != nil
	}), nil
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
		err := l.launch(ctx, f, name)
		if err == nil && l.steps {
			err = errNext
		}
		if err != nil {
			return 0, err
		}
	}
	for _, s := range have {
		switch needed := slices.Contains(names, s.GetName()); {
		case needed:
			err = l.paint(ctx, f, s)
		case !l.edge && !l.keeps:
			if err = l.sink(ctx, s); err == nil && l.steps {
				err = errNext
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
