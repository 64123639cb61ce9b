package kube

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/resources"
)

// What is hidden in an object of any resource is shown again as it was.
func TestResourcesKeepWhatTheyAreGiven(t *testing.T) {
	m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "x", UID: "u", ResourceVersion: "7", Labels: map[string]string{"k": "v"},
		Finalizers: []string{"example.com/f"}}, Data: map[string]string{watchcache.Spec: "v1"}}
	for _, r := range resources.All {
		t.Run(r.Name, func(t *testing.T) {
			o := r.Hide(m.DeepCopy())
			assert.Equal(t, m, r.Show(o))
			status := &metav1.Status{Code: 410}
			assert.Same(t, status, r.Show(status), "what is no object stays")
			none := m.DeepCopy()
			none.Data = nil
			assert.Equal(t, none, r.Show(r.Hide(none.DeepCopy())))
		})
	}
	l := resources.Things.List().(*unstructured.UnstructuredList)
	l.SetResourceVersion("9")
	l.SetContinue("more")
	l.Items = []unstructured.Unstructured{*resources.Things.Hide(m.DeepCopy()).(*unstructured.Unstructured)}
	shown := resources.Things.ShowList(l)
	assert.Equal(t, "9", shown.ResourceVersion)
	assert.Equal(t, "more", shown.Continue)
	assert.Equal(t, []corev1.ConfigMap{*m}, shown.Items)
}

func TestPatchesAreTranslated(t *testing.T) {
	in := []byte(`{"metadata":{"labels":{"a":"b"}},"data":{"spec":"v1"}}`)
	for name, want := range map[string]string{
		"configmaps":  `{"metadata":{"labels":{"a":"b"}},"data":{"spec":"v1"}}`,
		"leases":      `{"metadata":{"labels":{"a":"b"}},"spec":{"holderIdentity":"v1"}}`,
		"events":      `{"metadata":{"labels":{"a":"b"}},"message":"v1"}`,
		"things":      `{"metadata":{"labels":{"a":"b"}},"spec":{"value":"v1"}}`,
		"deployments": `{"metadata":{"labels":{"a":"b"}},"spec":{"template":{"metadata":{"annotations":{"lwtest/spec":"v1"}}}}}`,
		"pods":        `{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"none","image":"lwtest/v1:none","imagePullPolicy":"Never"}]}}`,
	} {
		r, err := resources.Find(name)
		require.NoError(t, err)
		out, err := r.Patch(in)
		require.NoError(t, err)
		assert.JSONEq(t, want, string(out), name)
	}
	_, err := resources.Find("secrets")
	require.ErrorContains(t, err, "there are configmaps, leases, events, things, deployments, pods")
	_, err = resources.Leases.Patch([]byte("no"))
	require.ErrorContains(t, err, "merge patch")
}

func TestJSONPatchesAreTranslated(t *testing.T) {
	const in = `[{"op":"test","path":"/metadata/labels/a","value":"b"},{"op":"replace","path":"/data/spec","value":"v1"}]`
	for name, want := range map[string]string{
		"configmaps":  `{"op":"replace","path":"/data/spec","value":"v1"}`,
		"leases":      `{"op":"replace","path":"/spec/holderIdentity","value":"v1"}`,
		"events":      `{"op":"replace","path":"/message","value":"v1"}`,
		"things":      `{"op":"replace","path":"/spec/value","value":"v1"}`,
		"deployments": `{"op":"replace","path":"/spec/template/metadata/annotations/lwtest~1spec","value":"v1"}`,
		"pods":        `{"op":"replace","path":"/spec/containers/0/image","value":"lwtest/v1:none"}`,
	} {
		r, err := resources.Find(name)
		require.NoError(t, err)
		out, err := r.PatchOf(types.JSONPatchType, []byte(in))
		require.NoError(t, err)
		assert.JSONEq(t, `[{"op":"test","path":"/metadata/labels/a","value":"b"},`+want+`]`, string(out), name)
	}
	_, err := resources.Leases.PatchOf(types.JSONPatchType, []byte(`[{"op":"remove","path":"/data/status"}]`))
	require.ErrorContains(t, err, `data["status"]`)
	_, err = resources.Leases.PatchOf(types.JSONPatchType, []byte("no"))
	require.ErrorContains(t, err, "JSON patch")
	out, err := resources.Leases.PatchOf(types.StrategicMergePatchType, []byte(`{"data":{"spec":"v1"}}`))
	require.NoError(t, err)
	assert.JSONEq(t, `{"spec":{"holderIdentity":"v1"}}`, string(out))
	_, err = resources.Leases.PatchOf("text/plain", nil)
	require.ErrorContains(t, err, "text/plain")
}

// A feature is declared where the resource has it and somebody can see to it.
func TestDeclared(t *testing.T) {
	has := func(s *server, f harness.Feature) bool {
		for _, d := range s.declared() {
			if d == f {
				return true
			}
		}
		return false
	}
	plain := &server{resource: resources.ConfigMaps}
	assert.True(t, has(plain, watchcache.Bookmarks))
	assert.True(t, has(plain, watchcache.Window))
	for _, f := range []harness.Feature{watchcache.Compaction, watchcache.Together, watchcache.Restart, watchcache.Lag, watchcache.Starting} {
		assert.False(t, has(plain, f), f)
	}
	helped := &server{resource: resources.Events, etcd: &etcd{}, restart: func(context.Context) error { return nil }}
	assert.True(t, has(helped, watchcache.Compaction))
	assert.True(t, has(helped, watchcache.Together))
	assert.True(t, has(helped, watchcache.Restart))
	assert.False(t, has(helped, watchcache.Bookmarks), "events have no cache")
	assert.False(t, has(&server{resource: resources.Leases}, watchcache.UpdateNeedsObject))
	assert.True(t, has(&server{resource: resources.Things}, watchcache.UpdateNeedsObject))
}

// The codec of custom resources reads objects of any kind, and a Status as one.
func TestAnyKind(t *testing.T) {
	info := anyKind().SupportedMediaTypes()[0]
	o, _, err := info.Serializer.Decode([]byte(`{"apiVersion":"conformance.lwtest.github.io/v1","kind":"Thing","metadata":{"name":"x"},"spec":{"value":"v"}}`), nil, nil)
	require.NoError(t, err)
	assert.Equal(t, "v", resources.Things.Show(o).(*corev1.ConfigMap).Data[watchcache.Spec])
	o, _, err = info.Serializer.Decode([]byte(`{"apiVersion":"v1","kind":"Status","code":410,"reason":"Expired"}`), nil, nil)
	require.NoError(t, err)
	s, ok := o.(*metav1.Status)
	require.True(t, ok, "%T", o)
	assert.EqualValues(t, 410, s.Code)
	b, err := runtime.Encode(info.Serializer, resources.Things.Hide(&corev1.ConfigMap{}))
	require.NoError(t, err)
	assert.Contains(t, string(b), `"kind":"Thing"`)
}
