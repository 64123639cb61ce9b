package apiserver_test

import (
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

var widgetKind = schema.GroupVersionKind{Group: "probe.example.com", Version: "v1", Kind: "Widget"}

// withWidgets are options with two custom resources more: widgets, and gizmos without a namespace.
func withWidgets(change func(*apiserver.Resource)) apiserver.Options {
	widgets := apiserver.CustomResource(widgetKind, "widgets", true)
	if change != nil {
		change(&widgets)
	}
	gizmo := widgetKind.GroupVersion().WithKind("Gizmo")
	return apiserver.Options{Resources: append(apiserver.Resources(), widgets, apiserver.CustomResource(gizmo, "gizmos", false))}
}

func widgets(s apiserver.API) *apiserver.Client[*unstructured.Unstructured, *unstructured.UnstructuredList] {
	return apiserver.Custom(s, widgetKind.GroupVersion().WithResource("widgets"), "ns")
}

// widget is one of that name, with more of its content in pairs of a field below the top and a value.
func widget(name string, more ...any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{}}}
	u.SetGroupVersionKind(widgetKind)
	if name != "" {
		u.SetName(name)
	}
	for i := 0; i < len(more); i += 2 {
		u.Object[more[i].(string)] = more[i+1]
	}
	return u
}

func TestCustomResource(t *testing.T) {
	bubble(t, withWidgets(nil), func(t *testing.T, s *apiserver.Server) {
		c := widgets(s)
		w, err := c.Watch(ctx, metav1.ListOptions{AllowWatchBookmarks: true})
		require.NoError(t, err)
		defer w.Stop()
		end := (<-w.ResultChan()).Object.(*unstructured.Unstructured)
		require.Equal(t, map[string]any{"apiVersion": "probe.example.com/v1", "kind": "Widget", "metadata": map[string]any{
			"resourceVersion": "1", "annotations": map[string]any{"k8s.io/initial-events-end": "true"}}}, end.Object)

		mine := widget("a", "spec", map[string]any{"n": 1, "list": []any{true, nil, 1.5}}) // an int is no JSON value of apimachinery's
		mine.SetGeneration(9)
		mine.SetFinalizers([]string{"nodomain"})
		o, err := c.Create(ctx, mine, metav1.CreateOptions{})
		require.NoError(t, err)
		require.Equal(t, widgetKind, o.GroupVersionKind())
		require.EqualValues(t, 1, o.GetGeneration())
		require.NotEmpty(t, o.GetUID())
		require.Equal(t, "2", o.GetResourceVersion())
		require.Equal(t, map[string]any{"n": int64(1), "list": []any{true, nil, 1.5}}, o.Object["spec"])

		_, err = c.Update(ctx, widget("a"), metav1.UpdateOptions{})
		require.EqualError(t, err, `widgets.probe.example.com "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`)
		o.Object["status"] = map[string]any{"big": int64(9007199254740993)}
		o, err = c.Update(ctx, o, metav1.UpdateOptions{})
		require.NoError(t, err)
		require.EqualValues(t, 2, o.GetGeneration(), "all but metadata counts, where there is no status subresource")
		patched, err := c.Patch(ctx, "a", types.MergePatchType, []byte(`{"metadata":{"labels":{"k":"v"},"annotations":{}}}`), metav1.PatchOptions{})
		require.NoError(t, err)
		require.EqualValues(t, 2, patched.GetGeneration())
		require.Equal(t, o.Object["status"], patched.Object["status"], "no float on the way")
		require.NotContains(t, patched.Object["metadata"], "annotations", "what is empty is absent")
		again, err := c.Patch(ctx, "a", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{})
		require.NoError(t, err)
		require.Equal(t, patched, again)

		held, err := s.Delete(ctx, apiserver.Request{Resource: widgetKind.GroupVersion().WithResource("widgets"), Namespace: "ns", Name: "a"}, metav1.DeleteOptions{})
		require.NoError(t, err)
		require.EqualValues(t, 3, held.(*unstructured.Unstructured).GetGeneration())
		last, err := c.Patch(ctx, "a", types.MergePatchType, []byte(`{"metadata":{"finalizers":[]}}`), metav1.PatchOptions{})
		require.NoError(t, err)
		require.Equal(t, "5", last.GetResourceVersion())
		require.NotContains(t, last.Object["metadata"], "finalizers")
		for _, want := range []string{"ADDED a@2", "MODIFIED a@3", "MODIFIED a@4", "MODIFIED a@5", "DELETED a@6"} {
			require.Equal(t, want, line(<-w.ResultChan()))
		}
	})
}

func TestCustomRefusals(t *testing.T) {
	other := widget("x")
	other.SetKind("Gadget")
	old := widget("x")
	old.SetAPIVersion("probe.example.com/v2")
	unkind := widget("x")
	delete(unkind.Object, "kind")
	versioned := widget("x")
	versioned.SetResourceVersion("4")
	patch := func(p string) func(*apiserver.Server) error {
		return func(s *apiserver.Server) error {
			_, err := widgets(s).Patch(ctx, "a", types.MergePatchType, []byte(p), metav1.PatchOptions{})
			return err
		}
	}
	create := func(u *unstructured.Unstructured) func(*apiserver.Server) error {
		return func(s *apiserver.Server) error {
			_, err := widgets(s).Create(ctx, u, metav1.CreateOptions{})
			return err
		}
	}
	for name, test := range map[string]struct {
		call func(*apiserver.Server) error
		code int32
		want string
	}{
		"no kind": {create(unkind), 400, `the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing in ` +
			`'{"apiVersion":"probe.example.com/v1","metadata":{"name":"x"}}' ({"apiVersion":"probe.example.c ...)`},
		"other version": {create(old), 400, "the API version in the data (probe.example.com/v2) does not match the expected API version (probe.example.com/v1)"},
		"other kind":    {create(other), 422, `Gadget.probe.example.com "x" is invalid: kind: Invalid value: "Gadget": must be Widget`},
		"labels": {create(widget("x", "metadata", map[string]any{"labels": 5})), 400, `Widget in version "v1" cannot be handled as a Widget: ` +
			`json: cannot unmarshal number into Go struct field ObjectMeta.labels of type map[string]string`},
		"no JSON": {create(widget("x", "spec", make(chan int))), 400, "json: unsupported type: chan int"},
		"no name": {create(widget("")), 422, `Widget.probe.example.com "" is invalid: metadata.name: Required value: name or generateName is required`},
		"version": {create(versioned), 500, "resourceVersion should not be set on objects to be created"},
		"exists":  {create(widget("a")), 409, `widgets.probe.example.com "a" already exists`},
		"typed": {func(s *apiserver.Server) error {
			_, err := s.Create(ctx, apiserver.Request{Resource: widgetKind.GroupVersion().WithResource("widgets"), Namespace: "ns"}, cm("x"), metav1.CreateOptions{})
			return err
		}, 400, "*v1.ConfigMap cannot be handled as a Widget"},
		"patch kind":    {patch(`{"kind":"Gadget"}`), 422, `Gadget.probe.example.com "a" is invalid: kind: Invalid value: "Gadget": must be Widget`},
		"patch version": {patch(`{"apiVersion":"probe.example.com/v2"}`), 422, `Widget.probe.example.com "a" is invalid: apiVersion: Invalid value: "probe.example.com/v2": must be probe.example.com/v1`},
		"patch uid":     {patch(`{"metadata":{"uid":"abc"}}`), 422, `Widget.probe.example.com "a" is invalid: metadata.uid: Invalid value: "abc": field is immutable`},
		"field": {func(s *apiserver.Server) error {
			_, err := widgets(s).List(ctx, metav1.ListOptions{FieldSelector: "spec.foo=1"})
			return err
		}, 400, "field label not supported: spec.foo"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, withWidgets(nil), func(t *testing.T, s *apiserver.Server) {
				_, err := widgets(s).Create(ctx, widget("a"), metav1.CreateOptions{})
				require.NoError(t, err)
				got := status(t, test.call(s))
				require.Equal(t, test.want, got.Message)
				require.Equal(t, test.code, got.Code)
				require.Equal(t, "2", s.Revision())
			})
		})
	}
}

func TestPatchOfWrongType(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		create(t, s, "ns", cm("a"))
		got := status(t, patches("a", `{"data":{"k":5}}`)(apiserver.ConfigMaps(s, "ns")))
		require.Regexp(t, `^ "" is invalid: patch: Invalid value: "{.*}": json: cannot unmarshal number into Go struct field ConfigMap.data of type string$`, got.Message)
		require.Empty(t, got.Details.Kind)
		require.EqualValues(t, 422, got.Code)
	})
}

// The first request for a cold cache starts it and is refused; so after a restart.
func TestColdCache(t *testing.T) {
	bubble(t, withWidgets(func(r *apiserver.Resource) { r.Cold = true }), func(t *testing.T, s *apiserver.Server) {
		for range 2 {
			_, err := widgets(s).List(ctx, metav1.ListOptions{})
			require.EqualError(t, err, "storage is (re)initializing")
			l, err := widgets(s).List(ctx, metav1.ListOptions{})
			require.NoError(t, err)
			require.Equal(t, "WidgetList", l.GetKind())
			s.Restart()
		}
		page, err := widgets(s).List(ctx, metav1.ListOptions{Limit: 1})
		require.NoError(t, err, "a page is asked of the store")
		require.Empty(t, page.Items)
	})
}

// A token has a slash where the page came from a cache.
func TestTokensOfCustomResources(t *testing.T) {
	bubble(t, withWidgets(nil), func(t *testing.T, s *apiserver.Server) {
		for _, name := range []string{"a", "b"} {
			_, err := widgets(s).Create(ctx, widget(name), metav1.CreateOptions{})
			require.NoError(t, err)
		}
		gvr := widgetKind.GroupVersion().WithResource("widgets")
		token := func() string {
			l, err := widgets(s).List(ctx, metav1.ListOptions{Limit: 1})
			require.NoError(t, err)
			rest, err := widgets(s).List(ctx, metav1.ListOptions{Limit: 1, Continue: l.GetContinue()})
			require.NoError(t, err)
			require.Equal(t, "b", rest.Items[0].GetName())
			b, err := base64.RawURLEncoding.DecodeString(l.GetContinue())
			require.NoError(t, err)
			return string(b)
		}
		require.JSONEq(t, `{"v":"meta.k8s.io/v1","rv":3,"start":"/a\u0000"}`, token())
		require.NoError(t, s.StopCache(gvr))
		require.JSONEq(t, `{"v":"meta.k8s.io/v1","rv":3,"start":"a\u0000"}`, token())
	})
}

// A kind without a namespace is served at the root, and only there.
func TestClusterScope(t *testing.T) {
	bubble(t, withWidgets(nil), func(t *testing.T, s *apiserver.Server) {
		gizmos := apiserver.Custom(s, widgetKind.GroupVersion().WithResource("gizmos"), "")
		o := widget("a")
		o.SetKind("Gizmo")
		made, err := gizmos.Create(ctx, o, metav1.CreateOptions{})
		require.NoError(t, err)
		require.Empty(t, made.GetNamespace())
		l, err := gizmos.List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=a", Limit: 1})
		require.NoError(t, err)
		require.Len(t, l.Items, 1)
		require.Empty(t, l.GetContinue())
		_, err = gizmos.List(ctx, metav1.ListOptions{FieldSelector: "metadata.namespace=ns"})
		require.EqualError(t, err, "field label not supported: metadata.namespace")
		o.SetNamespace("ns")
		o.SetName("b")
		made, err = gizmos.Create(ctx, o, metav1.CreateOptions{})
		require.NoError(t, err)
		require.Empty(t, made.GetNamespace(), "kube-apiserver v1.37.1 forgets it")
		_, err = apiserver.Custom(s, widgetKind.GroupVersion().WithResource("gizmos"), "ns").Get(ctx, "a", metav1.GetOptions{})
		require.EqualValues(t, 404, status(t, err).Code)
		require.NoError(t, gizmos.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
	})
}
