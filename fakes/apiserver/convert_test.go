package apiserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	hooksv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// twoVersions has two versions: v1, which is stored, has spec.size, and v2 has spec.width.
func twoVersions(t *testing.T) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	version := func(name, field string, storage bool) string {
		return fmt.Sprintf(`{"name":%q,"served":true,"storage":%t,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{%q:{"type":"integer"}}}}}}}`, name, storage, field)
	}
	d := &apiextensionsv1.CustomResourceDefinition{}
	require.NoError(t, json.Unmarshal([]byte(`{"metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","kind":"Widget"},
		"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"url":"https://convert"},"conversionReviewVersions":["v1"]}},
		"versions":[`+version("v1", "size", true)+`,`+version("v2", "width", false)+`]}}`), d))
	return d
}

// converting is a conversion webhook for widgets.
type converting struct {
	calls atomic.Int32
	fail  atomic.Pointer[string]
	admit func(*admissionv1.AdmissionRequest)
}

func (c *converting) call(_ context.Context, to hooksv1.WebhookClientConfig, body []byte) ([]byte, error) {
	if *to.URL != "https://convert" {
		h := hooked{answer: map[string]func(context.Context, *admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error){
			strings.TrimPrefix(*to.URL, "https://"): func(_ context.Context, r *admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error) {
				c.admit(r)
				return patch(`[{"op":"replace","path":"/spec/width","value":99}]`)(ctx, r)
			},
		}}
		return h.call(ctx, to, body)
	}
	c.calls.Add(1)
	var review apiextensionsv1.ConversionReview
	if err := json.Unmarshal(body, &review); err != nil {
		return nil, err
	}
	review.Response = &apiextensionsv1.ConversionResponse{UID: review.Request.UID, Result: metav1.Status{Status: metav1.StatusSuccess}}
	if f := c.fail.Load(); f != nil && *f == "down" {
		return nil, errors.New("connection refused")
	} else if f != nil {
		review.Response.Result = metav1.Status{Status: metav1.StatusFailure, Message: *f}
	}
	for _, raw := range review.Request.Objects {
		u := &unstructured.Unstructured{}
		if err := u.UnmarshalJSON(raw.Raw); err != nil {
			return nil, err
		}
		from, to := "size", "width"
		if strings.HasSuffix(review.Request.DesiredAPIVersion, "v1") {
			from, to = to, from
		}
		spec, _ := u.Object["spec"].(map[string]any)
		if size, ok := spec[from]; ok {
			spec[to] = size
			delete(spec, from) // else the version's schema does not declare it
		}
		u.SetAPIVersion(review.Request.DesiredAPIVersion)
		review.Response.ConvertedObjects = append(review.Response.ConvertedObjects, runtime.RawExtension{Object: u})
	}
	return json.Marshal(review)
}

func sized(version, name string, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/" + version, "kind": "Widget", "metadata": map[string]any{"name": name}, "spec": spec,
	}}
}

func specOf(t *testing.T, obj runtime.Object, err error) map[string]any {
	t.Helper()
	require.NoError(t, err)
	return obj.(*unstructured.Unstructured).Object["spec"].(map[string]any)
}

// A conversion webhook stands between the versions of a custom resource, whatever is asked.
func TestConversion(t *testing.T) {
	c := &converting{}
	bubble(t, apiserver.Options{Webhooks: c.call}, func(t *testing.T, s *apiserver.Server) {
		_, err := s.Create(ctx, crds, twoVersions(t), metav1.CreateOptions{})
		require.NoError(t, err)
		v1 := apiserver.Request{Resource: gadgets.Resource.GroupResource().WithVersion("v1"), Namespace: "ns"}
		v1.Resource.Resource = "widgets"
		v2 := v1
		v2.Resource.Version = "v2"
		one := func(r apiserver.Request) apiserver.Request { r.Name = "a"; return r }

		w, err := s.Watch(ctx, v2, metav1.ListOptions{})
		require.NoError(t, err)
		obj, err := s.Create(ctx, v1, sized("v1", "a", map[string]any{"size": int64(1)}), metav1.CreateOptions{})
		require.Equal(t, map[string]any{"size": int64(1)}, specOf(t, obj, err))
		require.Equal(t, map[string]any{"width": int64(1)}, specOf(t, (<-w.ResultChan()).Object, nil))
		require.EqualValues(t, 1, c.calls.Load())

		obj, err = s.Get(ctx, one(v2), metav1.GetOptions{})
		require.Equal(t, map[string]any{"width": int64(1)}, specOf(t, obj, err))
		obj.(*unstructured.Unstructured).Object["spec"] = map[string]any{"width": int64(2)}
		obj, err = s.Update(ctx, one(v2), obj, metav1.UpdateOptions{})
		require.Equal(t, map[string]any{"width": int64(2)}, specOf(t, obj, err))
		require.Equal(t, map[string]any{"width": int64(2)}, specOf(t, (<-w.ResultChan()).Object, nil))
		obj, err = s.Get(ctx, one(v1), metav1.GetOptions{ResourceVersion: "0"})
		require.Equal(t, map[string]any{"size": int64(2)}, specOf(t, obj, err))

		obj, err = s.Patch(ctx, one(v2), types.MergePatchType, []byte(`{"spec":{"width":3},"metadata":{"labels":{"l":"1"}}}`), metav1.PatchOptions{})
		require.Equal(t, map[string]any{"width": int64(3)}, specOf(t, obj, err))
		<-w.ResultChan()
		obj, err = s.Patch(ctx, one(v2), types.ApplyYAMLPatchType, []byte(`{"apiVersion":"example.com/v2","kind":"Widget","metadata":{"name":"a"},"spec":{"width":4}}`), metav1.PatchOptions{FieldManager: "m", Force: new(true)})
		require.Equal(t, map[string]any{"width": int64(4)}, specOf(t, obj, err))
		<-w.ResultChan()

		_, err = s.Create(ctx, v2, sized("v2", "b", map[string]any{"width": int64(5)}), metav1.CreateOptions{})
		require.NoError(t, err)
		<-w.ResultChan()
		before := c.calls.Load()
		l, err := s.List(ctx, v2, metav1.ListOptions{})
		require.NoError(t, err)
		require.Equal(t, before, c.calls.Load(), "what the watch has seen is not converted again")
		items := l.(*unstructured.UnstructuredList).Items
		require.Len(t, items, 2)
		require.Equal(t, map[string]any{"width": int64(4)}, items[0].Object["spec"])
		require.Equal(t, map[string]string{"l": "1"}, items[0].GetLabels())

		c.fail.Store(new("cannot"))
		const failed = "conversion webhook for example.com/v1, Kind=Widget failed: "
		_, err = s.Get(ctx, one(v2), metav1.GetOptions{})
		require.ErrorContains(t, err, "object not decodable revision=")
		require.ErrorContains(t, err, failed+"cannot")
		c.fail.Store(new("down"))
		_, err = s.Patch(ctx, one(v2), types.MergePatchType, []byte(`{"spec":{"width":6}}`), metav1.PatchOptions{})
		require.EqualError(t, err, "conversion webhook for example.com/v2, Kind=Widget failed: connection refused")
		_, err = s.Patch(ctx, one(v1), types.MergePatchType, []byte(`{"spec":{"size":6}}`), metav1.PatchOptions{})
		require.NoError(t, err)
		e := <-w.ResultChan()
		require.Equal(t, watch.Error, e.Type)
		require.Equal(t, failed+"connection refused", e.Object.(*metav1.Status).Message)
		_, open := <-w.ResultChan()
		require.False(t, open)
		_, err = s.List(ctx, v2, metav1.ListOptions{})
		require.EqualError(t, err, failed+"connection refused")
		_, err = s.Create(ctx, v2, sized("v2", "c", map[string]any{"width": int64(5)}), metav1.CreateOptions{})
		require.EqualError(t, err, "conversion webhook for example.com/v2, Kind=Widget failed: connection refused")
	})
}

// A webhook whose rules name another version is asked about the object in that version.
func TestWebhooksEquivalent(t *testing.T) {
	c := &converting{}
	bubble(t, apiserver.Options{Webhooks: c.call}, func(t *testing.T, s *apiserver.Server) {
		_, err := s.Create(ctx, crds, twoVersions(t), metav1.CreateOptions{})
		require.NoError(t, err)
		hook := mutating("m", func(w *hooksv1.MutatingWebhook) {
			w.Rules = []hooksv1.RuleWithOperations{{Operations: []hooksv1.OperationType{"CREATE"}, Rule: hooksv1.Rule{APIGroups: []string{"example.com"}, APIVersions: []string{"v2"}, Resources: []string{"widgets"}}}}
		})
		_, err = s.Create(ctx, apiserver.Request{Resource: hooksv1.SchemeGroupVersion.WithResource("mutatingwebhookconfigurations")}, hook, metav1.CreateOptions{})
		require.NoError(t, err)
		c.admit = func(r *admissionv1.AdmissionRequest) {
			require.Equal(t, "v2", r.Kind.Version)
			require.Equal(t, "v1", r.RequestKind.Version)
			require.Contains(t, string(r.Object.Raw), `"width":1`)
		}
		req := gadgets
		req.Resource.Resource = "widgets"
		obj, err := s.Create(ctx, req, sized("v1", "a", map[string]any{"size": int64(1)}), metav1.CreateOptions{})
		require.Equal(t, map[string]any{"size": int64(99)}, specOf(t, obj, err))
	})
}

// Each entry of managedFields has the version that was written. A manager of another version loses what is applied in this one.
func TestManagersOfVersions(t *testing.T) {
	c := &converting{}
	bubble(t, apiserver.Options{Webhooks: c.call}, func(t *testing.T, s *apiserver.Server) {
		_, err := s.Create(ctx, crds, twoVersions(t), metav1.CreateOptions{})
		require.NoError(t, err)
		v1 := gadgets
		v1.Resource.Resource, v1.Name = "widgets", "a"
		v2 := v1
		v2.Resource.Version = "v2"
		apply := func(req apiserver.Request, manager, spec string) runtime.Object {
			t.Helper()
			obj, err := s.Patch(ctx, req, types.ApplyYAMLPatchType, fmt.Appendf(nil, `{"apiVersion":"example.com/%s","kind":"Widget","metadata":{"name":"a"},"spec":%s}`,
				req.Resource.Version, spec), metav1.PatchOptions{FieldManager: manager, Force: new(true)})
			require.NoError(t, err)
			return obj
		}

		unnamed := v1
		unnamed.Name = ""
		_, err = s.Create(ctx, unnamed, sized("v1", "a", map[string]any{"size": int64(1)}), metav1.CreateOptions{FieldManager: "creator"})
		require.NoError(t, err)
		require.Equal(t, []string{`applier example.com/v2 {"f:spec":{}}`, `creator example.com/v1 {"f:spec":{".":{},"f:size":{}}}`}, managersOf(apply(v2, "applier", "{}")))
		require.Equal(t, []string{`applier example.com/v2 {"f:spec":{"f:width":{}}}`, `creator example.com/v1 {"f:spec":{}}`}, managersOf(apply(v2, "applier", `{"width":2}`)))
		obj := apply(v1, "applier", `{"size":3}`)
		require.Equal(t, map[string]any{"size": int64(3)}, specOf(t, obj, nil))
		require.Equal(t, []string{`applier example.com/v1 {"f:spec":{"f:size":{}}}`, `creator example.com/v1 {"f:spec":{}}`}, managersOf(obj))
	})
}

// Who manages fields in a version that the definition has no more lets nobody apply the object.
func TestManagersOfRemovedVersion(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		d := twoVersions(t)
		d.Spec.Conversion = nil
		d.Spec.Versions[1].Schema = d.Spec.Versions[0].Schema
		d.Spec.Versions[0].Storage, d.Spec.Versions[1].Storage = false, true
		_, err := s.Create(ctx, crds, d, metav1.CreateOptions{})
		require.NoError(t, err)
		req := gadgets
		req.Resource.Resource, req.Name = "widgets", "a"
		apply := func(version, manager string) error {
			req := req
			req.Resource.Version = version
			_, err := s.Patch(ctx, req, types.ApplyYAMLPatchType, fmt.Appendf(nil, `{"apiVersion":"example.com/%s","kind":"Widget","metadata":{"name":"a"},"spec":{"size":1}}`, version),
				metav1.PatchOptions{FieldManager: manager})
			return err
		}
		require.NoError(t, apply("v1", "m"))
		named := crds
		named.Name = d.Name
		there, err := s.Get(ctx, named, metav1.GetOptions{})
		require.NoError(t, err)
		d = there.(*apiextensionsv1.CustomResourceDefinition)
		d.Spec.Versions = d.Spec.Versions[1:]
		_, err = s.Update(ctx, named, d, metav1.UpdateOptions{})
		require.NoError(t, err)
		for _, manager := range []string{"m", "other"} {
			require.ErrorContains(t, apply("v2", manager), "request to convert CR to an invalid group/version: example.com/v1")
		}
	})
}

// managersOf returns, sorted, manager, version and fields of managedFields.
func managersOf(obj runtime.Object) (all []string) {
	for _, e := range obj.(metav1.Object).GetManagedFields() {
		all = append(all, fmt.Sprintf("%s %s %s", e.Manager, e.APIVersion, e.FieldsV1))
	}
	slices.Sort(all)
	return all
}
