package rest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	openapi_v3 "github.com/google/gnostic-models/openapiv3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	kubeproto "k8s.io/kube-openapi/pkg/util/proto"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
)

// Custom resources are described, too, by names of their own: kubectl creates and explains nothing else.
func TestOpenAPICustom(t *testing.T) {
	gv := schema.GroupVersion{Group: "probe.example.com", Version: "v1beta2"}
	custom := []apiserver.Resource{
		apiserver.CustomResource(gv.WithKind("Gadget"), "gadgets", false).WithStatus(),
		apiserver.CustomResource(gv.WithKind("Widget"), "widgets", true),
		apiserver.CustomResource(schema.GroupVersionKind{Group: "example", Version: "v1", Kind: "Thing"}, "things", true),
	}
	api := apiserver.New(apiserver.Options{Resources: custom})
	defer api.Close()
	s, err := rest.Serve(api, rest.Options{Resources: custom})
	require.NoError(t, err)
	defer s.Close()
	c := &http.Client{}
	defer c.CloseIdleConnections()

	_, index := get(t, c, s.URL()+"/openapi/v3")
	assert.Contains(t, index, `"apis/probe.example.com/v1beta2":`)
	assert.Contains(t, index, `"apis/example/v1":`)
	assert.NotContains(t, index, "template")
	assert.NotContains(t, index, "apps")

	_, body := get(t, c, s.URL()+"/openapi/v3/apis/probe.example.com/v1beta2")
	var doc struct {
		Paths map[string]struct {
			Patch struct {
				OperationID string                  `json:"operationId"`
				GVK         schema.GroupVersionKind `json:"x-kubernetes-group-version-kind"`
			}
		}
		Components struct{ Schemas map[string]any }
	}
	require.NoError(t, json.Unmarshal([]byte(body), &doc))
	const in = "/apis/probe.example.com/v1beta2"
	for _, path := range []string{"/gadgets", "/gadgets/{name}", "/gadgets/{name}/status", "/widgets", "/namespaces/{namespace}/widgets", "/namespaces/{namespace}/widgets/{name}"} {
		assert.Contains(t, doc.Paths, in+path)
		delete(doc.Paths, in+path)
		if path == "/gadgets/{name}/status" {
			assert.Contains(t, body, `"operationId":"patchProbeExampleComV1beta2GadgetStatus"`)
		}
	}
	assert.Empty(t, doc.Paths)
	assert.Contains(t, doc.Components.Schemas, "com.example.probe.v1beta2.WidgetList")
	assert.Contains(t, body, `{"group":"probe.example.com","kind":"Widget","version":"v1beta2"}`)
	for _, left := range []string{"template.example", "TemplateE", "emplateExample", "Inside", "insides", "Outside", "outsides"} {
		assert.False(t, strings.Contains(body, left), left)
	}

	req, err := http.NewRequest(http.MethodGet, s.URL()+"/openapi/v3/apis/example/v1", nil)
	require.NoError(t, err)
	req.Header.Set("Accept", "application/com.github.proto-openapi.spec.v3@v1.0+protobuf")
	res, err := c.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	assert.Equal(t, http.StatusOK, res.StatusCode)
	raw, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	pb := &openapi_v3.Document{}
	require.NoError(t, proto.Unmarshal(raw, pb))
	assert.Len(t, pb.Paths.Path, 3)
}

// Every resource that is served is described: else kubectl explain does not find it. If this fails, make openapi.zip anew; see TestRealOpenAPI.
func TestOpenAPIOfAll(t *testing.T) {
	b := open(t, rest.Serve, apiserver.Options{}, rest.Options{})
	defer b.close(t)
	c := &http.Client{}
	defer c.CloseIdleConnections()
	for _, r := range apiserver.Resources() {
		path := "/apis/" + r.GroupVersion().String()
		if r.Group == "" {
			path = "/api/" + r.Version
		}
		_, body := get(t, c, b.URL()+"/openapi/v3"+path)
		if r.Namespaced {
			path += "/namespaces/{namespace}"
		}
		assert.Contains(t, body, `"`+path+"/"+r.Resource+`/{name}"`)
	}
}

// Version 2 has the definitions of version 3, with their kinds and words, and client-go can read it.
func TestOpenAPIv2(t *testing.T) {
	b := open(t, rest.Serve, apiserver.Options{}, rest.Options{})
	defer b.close(t)
	config := b.RESTConfig()
	client, err := discovery.NewDiscoveryClientForConfig(config)
	require.NoError(t, err)
	doc, err := client.OpenAPISchema()
	require.NoError(t, err)
	models, err := kubeproto.NewOpenAPIData(doc)
	require.NoError(t, err)
	deployment, ok := models.LookupModel("io.k8s.api.apps.v1.Deployment").(*kubeproto.Kind)
	require.True(t, ok)
	require.Contains(t, deployment.GetDescription(), "declarative updates")
	require.Contains(t, deployment.GetExtensions(), "x-kubernetes-group-version-kind")
	spec, ok := deployment.Fields["spec"].(*kubeproto.Ref)
	require.True(t, ok)
	require.Equal(t, "io.k8s.api.apps.v1.DeploymentSpec", spec.Reference())
}
