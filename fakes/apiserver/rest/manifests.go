package rest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"

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
	all, err := ReadFrom(file)
	if err != nil {
		return err
	}
	for _, o := range all {
		if err := o.load(ctx, api, resources); err != nil {
			return err
		}
	}
	return nil
}

// LoadFiles is Load for several files, which need no order; see Read.
func LoadFiles(ctx context.Context, api apiserver.API, resources []apiserver.Resource, names ...string) error {
	if resources == nil {
		resources = apiserver.Resources()
	}
	all, err := Read(names...)
	if err != nil {
		return err
	}
	for _, o := range all {
		if err := o.load(ctx, api, resources); err != nil {
			return err
		}
	}
	return nil
}

// Read returns the objects of files in the order in which they should be created: what others ask for when they are created (definitions,
// namespaces, classes of priority and of runtimes) comes first, in the order of the files. An error begins with the file's name.
func Read(names ...string) (all []Manifest, err error) {
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		some, err := ReadFrom(bytes.NewReader(b))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for i := range some {
			some[i].File = name
		}
		all = append(all, some...)
	}
	slices.SortStableFunc(all, func(a, b Manifest) int { return a.turn() - b.turn() })
	return all, nil
}

// Manifest is an object of a file.
type Manifest struct {
	File     string // "": it came from a reader
	Document int    // of the file, from 1
	*unstructured.Unstructured
}

// turn says when it is created: before what asks for it. Webhooks are created last, so that nobody need serve them yet.
func (m Manifest) turn() int {
	order := []string{"CustomResourceDefinition", "Namespace", "PriorityClass", "RuntimeClass", "", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"}
	if i := slices.Index(order, m.GetKind()); i >= 0 {
		return i
	}
	return slices.Index(order, "")
}

func (m Manifest) load(ctx context.Context, api apiserver.API, resources []apiserver.Resource) error {
	if err := loadOne(ctx, api, resources, m.Unstructured); err != nil {
		return fmt.Errorf("%s: %w", m.Place(), err)
	}
	return nil
}

// Place says where the object is, to begin an error with.
func (m Manifest) Place() string {
	place := fmt.Sprintf("document %d", m.Document)
	if m.File != "" {
		place = m.File + ": " + place
	}
	return place
}

// ReadFrom returns the objects of a file in YAML or JSON, in their order.
func ReadFrom(file io.Reader) (all []Manifest, err error) {
	docs := yaml.NewYAMLReader(bufio.NewReader(file))
	for n := 1; ; n++ {
		doc, err := docs.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		var some []*unstructured.Unstructured
		if err == nil {
			some, err = objectsOf(doc)
		}
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", n, err)
		}
		for _, u := range some {
			all = append(all, Manifest{Document: n, Unstructured: u})
		}
	}
}

// objectsOf is the object of a document, or those of a List.
func objectsOf(doc []byte) (all []*unstructured.Unstructured, err error) {
	body, err := yaml.ToJSON(doc)
	if err == nil && !json.Valid(body) { // YAML that begins as JSON does
		body, err = sigsyaml.YAMLToJSON(doc)
	}
	if err != nil {
		return nil, err
	}
	if body = bytes.TrimSpace(body); len(body) == 0 || bytes.Equal(body, []byte("null")) {
		return nil, nil // comments
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(body); err != nil {
		return nil, err
	}
	if !u.IsList() {
		return []*unstructured.Unstructured{u}, nil
	}
	err = u.EachListItem(func(item runtime.Object) error {
		all = append(all, item.(*unstructured.Unstructured))
		return nil
	})
	return all, err
}

func loadOne(ctx context.Context, api apiserver.API, resources []apiserver.Resource, u *unstructured.Unstructured) error {
	res := ofKind(resources, u.GroupVersionKind())
	if defined := apiserver.DefinedBy(api); res == nil && defined != nil {
		res = ofKind(defined.Resources, u.GroupVersionKind())
	}
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
	_, err := api.Create(ctx, req, obj, metav1.CreateOptions{FieldManager: "lwtest"})
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
