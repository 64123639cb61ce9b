package rest_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// remoteService is an APIService that names a service.
func remoteService(t *testing.T, version, group, more string) *unstructured.Unstructured {
	t.Helper()
	text := `{"apiVersion":"apiregistration.k8s.io/v1","kind":"APIService","metadata":{"name":"` + version + "." + group + `"},"spec":{"group":"` + group + `","version":"` + version +
		`","groupPriorityMinimum":100,"versionPriority":10,"service":{"namespace":"default","name":"api"}` + more + `}}`
	u := &unstructured.Unstructured{}
	require.NoError(t, u.UnmarshalJSON([]byte(text)))
	return u
}

func apiServices(t *testing.T, b both) dynamic.ResourceInterface {
	t.Helper()
	clients, err := dynamic.NewForConfig(b.RESTConfig())
	require.NoError(t, err)
	return clients.Resource(apiserver.APIServices)
}

func TestAPIServices(t *testing.T) {
	everywhere(t, apiserver.Options{}, func(t *testing.T, b both) {
		client, ctx := apiServices(t, b), t.Context()
		before, err := client.List(ctx, metav1.ListOptions{})
		require.NoError(t, err)
		w, err := client.Watch(ctx, metav1.ListOptions{ResourceVersion: before.GetResourceVersion()})
		require.NoError(t, err)
		defer w.Stop()

		made, err := client.Create(ctx, remoteService(t, "v1alpha1", "wardle.example.com", ""), metav1.CreateOptions{})
		require.NoError(t, err)
		port, _, _ := unstructured.NestedInt64(made.Object, "spec", "service", "port")
		assert.EqualValues(t, 443, port)
		assert.Equal(t, map[string]any{}, made.Object["status"])
		assert.Zero(t, made.GetGeneration())
		e := <-w.ResultChan()
		assert.Equal(t, watch.Added, e.Type)
		assert.Equal(t, made.GetName(), e.Object.(*unstructured.Unstructured).GetName())

		after, err := client.List(ctx, metav1.ListOptions{})
		require.NoError(t, err)
		assert.Len(t, after.Items, len(before.Items)+1)
		for selector, want := range map[string]int{"metadata.name=v1.apps": 1, "metadata.name=" + made.GetName(): 1, "metadata.name=none": 0} {
			l, err := client.List(ctx, metav1.ListOptions{FieldSelector: selector})
			require.NoError(t, err)
			assert.Len(t, l.Items, want, selector)
		}
		labelled, err := client.List(ctx, metav1.ListOptions{LabelSelector: "a=b"})
		require.NoError(t, err)
		assert.Empty(t, labelled.Items)

		for _, pt := range []types.PatchType{types.MergePatchType, types.StrategicMergePatchType} {
			p, err := client.Patch(ctx, made.GetName(), pt, []byte(`{"spec":{"versionPriority":20},"metadata":{"annotations":{"by":"`+strings.Split(string(pt), "/")[1]+`"}}}`), metav1.PatchOptions{})
			require.NoError(t, err, pt)
			assert.NotEmpty(t, p.GetAnnotations(), pt)
		}
		applied := remoteService(t, "v1alpha1", "wardle.example.com", "")
		_, err = client.Apply(ctx, made.GetName(), applied, metav1.ApplyOptions{FieldManager: "me", Force: true})
		require.NoError(t, err)
		got, err := client.Get(ctx, made.GetName(), metav1.GetOptions{})
		require.NoError(t, err)
		priority, _, _ := unstructured.NestedInt64(got.Object, "spec", "versionPriority")
		assert.EqualValues(t, 10, priority)
		got.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Available", "status": "Perhaps"}}}
		_, err = client.UpdateStatus(ctx, got, metav1.UpdateOptions{})
		require.ErrorContains(t, err, `status.conditions[0].status: Unsupported value: "Perhaps": supported values: "True", "False", "Unknown"`)
		require.NoError(t, client.Delete(ctx, made.GetName(), metav1.DeleteOptions{}))

		local, err := client.Get(ctx, "v1.apps", metav1.GetOptions{})
		require.NoError(t, err)
		assert.NotNil(t, local.Object["status"])
		_, err = client.Create(ctx, remoteService(t, "v1", "apps", ""), metav1.CreateOptions{})
		assert.True(t, apierrors.IsAlreadyExists(err), err)
		assert.True(t, apierrors.IsNotFound(client.Delete(ctx, "v1.apps", metav1.DeleteOptions{})))
	})
}

// TestAPIServiceRefused: more is compared with a kube-apiserver, in testdata/raw/mistakes.txt.
func TestAPIServiceRefused(t *testing.T) {
	inBubble(t, apiserver.Options{}, func(t *testing.T, b both) {
		client := apiServices(t, b)
		for more, want := range map[string]string{
			`,"insecureSkipTLSVerify":true,"caBundle":"YQ=="`:     "spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present",
			`,"versionPriority":1001`:                             "spec.versionPriority: Invalid value: 1001: must be positive and less than 1000",
			`,"service":null,"caBundle":"YQ=="`:                   `spec.caBundle: Invalid value: "1 bytes": local APIServices may not have a caBundle`,
			`,"service":{"name":"a","namespace":"","port":70000}`: "spec.service.namespace: Required value",
		} {
			_, err := client.Create(t.Context(), remoteService(t, "v1", "a.b", more), metav1.CreateOptions{})
			assert.True(t, apierrors.IsInvalid(err), err)
			assert.ErrorContains(t, err, want, more)
		}
		other := remoteService(t, "v1", "a.b", "")
		other.SetName("v2.a.b")
		_, err := client.Create(t.Context(), other, metav1.CreateOptions{})
		assert.ErrorContains(t, err, `metadata.name: Invalid value: "v2.a.b": must be `+"`"+`spec.version+"."+spec.group`+"`"+`: "v1.a.b"`)
	})
}

// TestAPIServiceUnreached: without an Aggregator an APIService is unavailable, and discovery has only its name.
func TestAPIServiceUnreached(t *testing.T) {
	inBubble(t, apiserver.Options{}, func(t *testing.T, b both) {
		_, err := apiServices(t, b).Create(t.Context(), remoteService(t, "v1", "a.b", ""), metav1.CreateOptions{})
		require.NoError(t, err)
		code, body := askJSON(t, b, "/apis/a.b/v1/things", "")
		assert.Equal(t, http.StatusServiceUnavailable, code)
		assert.Equal(t, "service unavailable\n", string(body))
		_, body = askJSON(t, b, "/apis/a.b", "")
		var group metav1.APIGroup
		require.NoError(t, json.Unmarshal(body, &group))
		assert.Equal(t, "v1", group.PreferredVersion.Version)
		_, body = askJSON(t, b, "/apis", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
		assert.Contains(t, string(body), `{"metadata":{"name":"a.b"},"versions":[{"version":"v1","freshness":"Stale"}]}`)
		_, body = askJSON(t, b, "/apis/apiregistration.k8s.io/v1/apiservices/v1.a.b", "application/json;g=meta.k8s.io;v=v1;as=Table")
		assert.Contains(t, string(body), `"cells":["v1.a.b","default/api","Unknown","0s"]`)
	})
}
