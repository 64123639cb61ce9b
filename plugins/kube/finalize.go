package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

// sweeper does what a namespace controller would do for empty namespaces.
type sweeper struct {
	*server
	paths []string // with a %s for the namespace: what can be listed in one
}

// finalize ends deleted namespaces that nobody else ends, and in which nothing is.
func (w *sweeper) finalize(ctx context.Context, all []corev1.Namespace) error {
	var errs []error
	for i := range all {
		if ctx.Err() != nil {
			return errors.Join(append(errs, fmt.Errorf("the namespaces %s are deleted, and stay: there was no time to look whether they are empty", names(all[i:])))...)
		}
		if err := w.one(ctx, &all[i]); err != nil {
			errs = append(errs, fmt.Errorf("the namespace %s is deleted, and stays: %w", all[i].Name, err))
			if apierrors.IsForbidden(err) { // so it is for the others
				errs = append(errs, errors.New("no controller of this server ends deleted namespaces, so lwtest would: that needs the second role that it prints (lwtest-bare)"))
				break
			}
		}
	}
	return errors.Join(errs...)
}

func (w *sweeper) one(ctx context.Context, ns *corev1.Namespace) error {
	if err := w.empty(ctx, ns.Name); err != nil {
		return err
	}
	if err := w.nothingIn(ctx, ns.Name); err != nil {
		return err
	}
	done := ns.DeepCopy() // its resourceVersion is a precondition: nobody has looked at it since
	done.Spec.Finalizers = slices.DeleteFunc(done.Spec.Finalizers, func(f corev1.FinalizerName) bool { return f == corev1.FinalizerKubernetes })
	err := w.core.Put().Resource("namespaces").Name(ns.Name).SubResource("finalize").Body(done).Do(ctx).Error()
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}

// nothingIn gives an error that says what is in a namespace, or why that cannot be known.
func (w *sweeper) nothingIn(ctx context.Context, name string) error {
	if w.paths == nil {
		if err := w.discover(); err != nil {
			return err
		}
	}
	for _, p := range w.paths {
		path := fmt.Sprintf(p, name)
		b, err := w.core.Get().AbsPath(path).Param("limit", "1").DoRaw(ctx)
		switch {
		case apierrors.IsNotFound(err), apierrors.IsMethodNotSupported(err): // served no longer
			continue
		case err != nil:
			return fmt.Errorf("what is in it cannot be listed: %w", err)
		}
		var l struct{ Items []json.RawMessage }
		if err := json.Unmarshal(b, &l); err != nil {
			return fmt.Errorf("the answer to %s cannot be read: %w", path, err)
		}
		if len(l.Items) > 0 {
			return fmt.Errorf("there is something below %s", path)
		}
	}
	return nil
}

// discover finds what can be listed in a namespace. Where a part of the API
// does not answer, that is not known.
func (w *sweeper) discover() error {
	groups, err := discovery.NewDiscoveryClient(w.core).ServerPreferredNamespacedResources()
	if err != nil {
		return fmt.Errorf("what there may be in it cannot be found out: %w", err)
	}
	w.paths = []string{}
	for _, g := range groups {
		gv, err := schema.ParseGroupVersion(g.GroupVersion)
		if err != nil {
			return err
		}
		root := "/apis/" + gv.String()
		if gv.Group == "" {
			root = "/api/" + gv.Version
		}
		for _, r := range g.APIResources {
			if slices.Contains(r.Verbs, "list") {
				w.paths = append(w.paths, root+"/namespaces/%s/"+r.Name)
			}
		}
	}
	return nil
}
