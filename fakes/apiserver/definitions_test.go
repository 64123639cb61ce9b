package apiserver_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

var (
	crds    = apiserver.Request{Resource: apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions")}
	gadgets = apiserver.Request{Resource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "gadgets"}, Namespace: "ns"}
)

func gadgetDefinition(t *testing.T, plural string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	d := &apiextensionsv1.CustomResourceDefinition{}
	require.NoError(t, json.Unmarshal(fmt.Appendf(nil, `{"metadata":{"name":"%[1]s.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"%[1]s","kind":"K%[1]s"},
		"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"a":{"type":"integer","minimum":1}}}}}}}]}}`, plural), d))
	return d
}

func gadget(name string, a int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Kgadgets", "metadata": map[string]any{"name": name}, "spec": map[string]any{"a": a, "unknown": true},
	}}
}

// A definition is served once it is created; its deletion deletes the objects and ends the watches.
func TestDefinition(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		_, err := s.Create(ctx, gadgets, gadget("a", 1), metav1.CreateOptions{})
		require.True(t, apierrors.IsNotFound(err))
		made, err := s.Create(ctx, crds, gadgetDefinition(t, "gadgets"), metav1.CreateOptions{})
		require.NoError(t, err)
		require.Empty(t, made.(*apiextensionsv1.CustomResourceDefinition).Status.Conditions)
		require.Len(t, s.Defined().Resources, 1)

		obj, err := s.Create(ctx, gadgets, gadget("a", 1), metav1.CreateOptions{})
		require.NoError(t, err)
		require.Equal(t, map[string]any{"a": int64(1)}, obj.(*unstructured.Unstructured).Object["spec"])
		_, err = s.Create(ctx, gadgets, gadget("b", 0), metav1.CreateOptions{})
		require.True(t, apierrors.IsInvalid(err), "%v", err)

		w, err := s.Watch(ctx, gadgets, metav1.ListOptions{ResourceVersion: "0"})
		require.NoError(t, err)
		require.Equal(t, "a", (<-w.ResultChan()).Object.(metav1.Object).GetName())
		before := s.Defined()
		remove := crds
		remove.Name = "gadgets.example.com"
		_, err = s.Delete(ctx, remove, metav1.DeleteOptions{})
		require.NoError(t, err)
		for range w.ResultChan() {
			continue
		}
		require.NotSame(t, before, s.Defined())
		require.Empty(t, s.Defined().Resources)
		_, err = s.List(ctx, gadgets, metav1.ListOptions{})
		require.True(t, apierrors.IsNotFound(err), "%v", err)
		_, err = s.Get(ctx, remove, metav1.GetOptions{})
		require.True(t, apierrors.IsNotFound(err), "%v", err)
	})
}

// Another schema defaults what is stored already, and ends the watches, as a kube-apiserver does.
func TestDefinitionChanges(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		_, err := s.Create(ctx, crds, gadgetDefinition(t, "gadgets"), metav1.CreateOptions{})
		require.NoError(t, err)
		_, err = s.Create(ctx, gadgets, gadget("a", 1), metav1.CreateOptions{})
		require.NoError(t, err)
		w, err := s.Watch(ctx, gadgets, metav1.ListOptions{})
		require.NoError(t, err)
		defer w.Stop()

		one := crds
		one.Name = "gadgets.example.com"
		obj, err := s.Get(ctx, one, metav1.GetOptions{})
		require.NoError(t, err)
		d := obj.(*apiextensionsv1.CustomResourceDefinition)
		spec := d.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
		spec.Properties["b"] = apiextensionsv1.JSONSchemaProps{Type: "string", Default: &apiextensionsv1.JSON{Raw: []byte(`"x"`)}}
		_, err = s.Update(ctx, one, d, metav1.UpdateOptions{})
		require.NoError(t, err)
		for range w.ResultChan() {
			continue
		}
		l, err := s.List(ctx, gadgets, metav1.ListOptions{})
		require.NoError(t, err)
		require.Equal(t, map[string]any{"a": int64(1), "b": "x"}, l.(*unstructured.UnstructuredList).Items[0].Object["spec"])
	})
}

// Definitions come and go while others read and write.
func TestDefinitionsMeanwhile(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		view := s.AddView()
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				for range 50 {
					_, _ = s.Create(ctx, gadgets, gadget(fmt.Sprint("o", i), 1), metav1.CreateOptions{}) // it is there or not
					_, _ = view.List(ctx, gadgets, metav1.ListOptions{ResourceVersion: "0"})
					if w, err := view.Watch(ctx, gadgets, metav1.ListOptions{}); err == nil {
						w.Stop()
					}
				}
			})
		}
		all.Go(func() {
			for range 50 {
				_, err := s.Create(ctx, crds, gadgetDefinition(t, "gadgets"), metav1.CreateOptions{})
				if err != nil {
					t.Error(err)
				}
				one := crds
				one.Name = "gadgets.example.com"
				if _, err := s.Delete(ctx, one, metav1.DeleteOptions{}); err != nil {
					t.Error(err)
				}
			}
		})
		all.Wait()
		synctest.Wait()
	})
}

// A default of status is set when an object is created, and a write to /status may remove it, as in kube-apiserver v1.37.1.
func TestDefaultOfStatus(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		d := gadgetDefinition(t, "gadgets")
		v := &d.Spec.Versions[0]
		v.Subresources = &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}}
		v.Schema.OpenAPIV3Schema.Properties["status"] = apiextensionsv1.JSONSchemaProps{
			Type: "object", Default: &apiextensionsv1.JSON{Raw: []byte(`{"seen":-1}`)},
			Properties: map[string]apiextensionsv1.JSONSchemaProps{"seen": {Type: "integer"}, "x": {Type: "string"}},
		}
		_, err := s.Create(ctx, crds, d, metav1.CreateOptions{})
		require.NoError(t, err)
		statusOf := func(obj any, err error) any {
			require.NoError(t, err)
			return obj.(*unstructured.Unstructured).Object["status"]
		}
		in := gadget("a", 1)
		in.Object["status"] = map[string]any{"x": "dropped"}
		seen := map[string]any{"seen": int64(-1)}
		require.Equal(t, seen, statusOf(s.Create(ctx, gadgets, in, metav1.CreateOptions{})))
		named := gadgets
		named.Name = "a"
		got, err := s.Get(ctx, named, metav1.GetOptions{})
		require.Equal(t, seen, statusOf(got, err))
		next := got.(*unstructured.Unstructured)
		delete(next.Object, "status")
		got, err = s.Update(ctx, named, next, metav1.UpdateOptions{})
		require.Equal(t, seen, statusOf(got, err))

		named.Subresource = "status"
		next = got.(*unstructured.Unstructured)
		next.Object["status"] = map[string]any{"x": "y"}
		require.Equal(t, map[string]any{"x": "y"}, statusOf(s.Update(ctx, named, next, metav1.UpdateOptions{})))
	})
}
