package rest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// Load creates the objects of a file, which is documents of YAML or JSON, in order; those of a List, as kubectl
// get prints several, one by one. What names no namespace and needs one is put into "default", and what a server
// has said of itself (resourceVersion, uid and the like) is not taken. resources are those of the API; nil:
// apiserver.Resources().
func Load(ctx context.Context, api apiserver.API, resources []apiserver.Resource, file io.Reader) error {
	if resources == nil {
		resources = apiserver.Resources()
	}
	docs := yaml.NewYAMLReader(bufio.NewReader(file))
	for n := 1; ; n++ {
		doc, err := docs.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = load(ctx, api, resources, doc)
		}
		if err != nil {
			return fmt.Errorf("document %d: %w", n, err)
		}
	}
}

func load(ctx context.Context, api apiserver.API, resources []apiserver.Resource, doc []byte) error {
	body, err := yaml.ToJSON(doc)
	if err != nil {
		return err
	}
	if body = bytes.TrimSpace(body); len(body) == 0 || bytes.Equal(body, []byte("null")) {
		return nil // comments
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(body); err != nil {
		return err
	}
	if u.IsList() {
		return u.EachListItem(func(item runtime.Object) error {
			return loadOne(ctx, api, resources, item.(*unstructured.Unstructured))
		})
	}
	return loadOne(ctx, api, resources, u)
}

func loadOne(ctx context.Context, api apiserver.API, resources []apiserver.Resource, u *unstructured.Unstructured) error {
	res := ofKind(resources, u.GroupVersionKind())
	if res == nil {
		return fmt.Errorf("%s is not served", u.GroupVersionKind())
	}
	u.SetResourceVersion("")
	u.SetManagedFields(nil)
	obj := res.New()
	if _, custom := obj.(*unstructured.Unstructured); custom {
		obj = u
	} else if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(u.Object, obj, true); err != nil {
		return fmt.Errorf("%s %s: %w", u.GetKind(), u.GetName(), err)
	}
	req := apiserver.Request{Resource: res.GroupVersionResource, Namespace: u.GetNamespace()}
	if res.Namespaced && req.Namespace == "" {
		req.Namespace = metav1.NamespaceDefault
	}
	_, err := api.Create(ctx, req, obj, metav1.CreateOptions{})
	return err
}

func ofKind(resources []apiserver.Resource, gvk schema.GroupVersionKind) *apiserver.Resource {
	for i := range resources {
		if r := &resources[i]; r.Kind == gvk.Kind && r.GroupVersion() == gvk.GroupVersion() {
			return r
		}
	}
	return nil
}
