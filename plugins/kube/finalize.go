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

// metadataOnly asks for lists without the objects' content: secrets stay where they are.
const metadataOnly = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"

// finalize does what a namespace controller would do for these terminating
// namespaces, where nothing is in them. It tries all, and says what stays.
func (s *server) finalize(ctx context.Context, all []corev1.Namespace) map[string]error {
	failed := map[string]error{}
	for i := range all {
		if err := s.empty(ctx, all[i].Name); err != nil {
			failed[all[i].Name] = err
		}
	}
	in, err := s.contents(ctx)
	for i := range all {
		name := all[i].Name
		switch {
		case err != nil:
			failed[name] = advise(err)
		case in[name] != "":
			failed[name] = fmt.Errorf("there are %s in it", in[name])
		default:
			if err := s.finalizeOne(ctx, &all[i]); err != nil {
				failed[name] = advise(err)
			}
		}
	}
	return failed
}

func advise(err error) error {
	if !apierrors.IsForbidden(err) {
		return err
	}
	return errors.Join(err, errors.New("no controller of this server finishes the deletion of namespaces, so lwtest must: bind the second role too (lwtest-bare)"))
}

func (s *server) finalizeOne(ctx context.Context, ns *corev1.Namespace) error {
	done := ns.DeepCopy() // its resourceVersion is a precondition: nobody has looked at it since
	done.Spec.Finalizers = slices.DeleteFunc(done.Spec.Finalizers, func(f corev1.FinalizerName) bool { return f == corev1.FinalizerKubernetes })
	err := s.tidy.core.Put().Resource("namespaces").Name(ns.Name).SubResource("finalize").Body(done).Do(ctx).Error()
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) { // somebody else is at it
		return nil
	}
	return err
}

// contents gives for each namespace that is not empty a resource that is in it.
// Nothing new comes into a terminating namespace, so for those it stays true.
func (s *server) contents(ctx context.Context) (map[string]string, error) {
	paths, err := s.listable(ctx)
	if err != nil {
		return nil, err
	}
	in := map[string]string{}
	for _, path := range paths {
		b, err := s.tidy.core.Get().AbsPath(path).SetHeader("Accept", metadataOnly).DoRaw(ctx)
		switch {
		case apierrors.IsNotFound(err), apierrors.IsMethodNotSupported(err): // served no longer
			continue
		case err != nil:
			return nil, fmt.Errorf("its content cannot be listed: GET %s: %w", path, err)
		}
		var l struct {
			Items []struct {
				Metadata struct{ Namespace string }
			}
		}
		if err := json.Unmarshal(b, &l); err != nil {
			return nil, fmt.Errorf("the answer to %s cannot be read: %w", path, err)
		}
		for _, item := range l.Items {
			in[item.Metadata.Namespace] = path
		}
	}
	return in, nil
}

// listable finds the paths of all that can be listed in namespaces. Where a
// part of the API does not answer, that is not known.
func (s *server) listable(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, goLimit)
	defer cancel()
	groups, err := discovery.NewDiscoveryClient(s.tidy.core).ServerPreferredNamespacedResourcesWithContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("the resources of the server cannot be listed: %w", err)
	}
	var paths []string
	for _, g := range groups {
		gv, err := schema.ParseGroupVersion(g.GroupVersion)
		if err != nil {
			return nil, err
		}
		root := "/apis/" + gv.String() + "/"
		if gv.Group == "" {
			root = "/api/" + gv.Version + "/"
		}
		for _, r := range g.APIResources {
			if slices.Contains(r.Verbs, "list") {
				paths = append(paths, root+r.Name)
			}
		}
	}
	return paths, nil
}
