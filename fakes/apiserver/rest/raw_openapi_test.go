package rest_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// described returns the documents that are kept, with a pattern of the resources in each: those of the table, events of
// their other group, and reviews.
func described() map[string]string {
	out := map[string]string{
		"apis/events.k8s.io/v1":         "events",
		"apis/authentication.k8s.io/v1": "selfsubjectreviews|tokenreviews",
		"apis/authorization.k8s.io/v1":  "localsubjectaccessreviews|selfsubjectaccessreviews|selfsubjectrulesreviews|subjectaccessreviews",
	}
	for _, r := range apiserver.Resources() {
		name := "apis/" + r.GroupVersion().String()
		if r.Group == "" {
			name = "api/" + r.Version
		}
		out[name] = strings.TrimPrefix(out[name]+"|"+r.Resource, "|")
	}
	return out
}

// TestRealOpenAPI asks a real kube-apiserver for its OpenAPI documents, cuts them down and packs them up:
//
//	make goldens-check RAW=OpenAPI
func TestRealOpenAPI(t *testing.T) {
	s := realSession(realConfig(t, wanted(t, "OpenAPI")))
	defer s.client.CloseIdleConnections()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	documents := described()
	documents[defineTemplates(t, s)] = "insides|outsides"
	for _, name := range slices.Sorted(maps.Keys(documents)) {
		res, err := s.send(ask{method: "GET", path: "/openapi/v3/" + name})
		require.NoError(t, err)
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		small := cutDown(t, body, documents[name])
		w, err := z.Create(name + ".json")
		require.NoError(t, err)
		_, err = w.Write(small)
		require.NoError(t, err)
		t.Logf("%s: %d bytes, %d of them kept", name, len(body), len(small))
	}
	require.NoError(t, z.Close())
	require.NoError(t, os.WriteFile("openapi.zip", out.Bytes(), 0o644))
}

// defineTemplates makes a custom resource within namespaces and one without, and waits until the document that
// describes both is there.
func defineTemplates(t *testing.T, s *session) (document string) {
	t.Helper()
	for kind, scope := range map[string]string{"Inside": "Namespaced", "Outside": "Cluster"} {
		name := strings.ToLower(kind)
		a := post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"`+name+`s.template.example.com"},
"spec":{"group":"template.example.com","scope":"`+scope+`","names":{"plural":"`+name+`s","singular":"`+name+`","kind":"`+kind+`","listKind":"`+kind+`List"},
"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}`)
		require.Contains(t, s.put(step{ask: a})[0], "< 201 ")
	}
	document = "apis/template.example.com/v1"
	require.Eventually(t, func() bool {
		res, err := s.send(look("/openapi/v3/" + document))
		require.NoError(t, err)
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		return bytes.Contains(b, []byte("/insides/{name}/status")) && bytes.Contains(b, []byte("/outsides/{name}/status"))
	}, time.Minute, 100*time.Millisecond)
	return document
}

// cutDown leaves paths of resources and what they refer to.
func cutDown(t *testing.T, body []byte, resources string) []byte {
	t.Helper()
	var doc map[string]any
	require.NoError(t, json.Unmarshal(body, &doc))
	paths, _ := doc["paths"].(map[string]any)
	keep := regexp.MustCompile(`^/apis?/[^{]*?(namespaces/\{namespace\}/)?(` + resources + `)(/|$)`)
	for p := range paths {
		if !keep.MatchString(p) || strings.Contains(p, "/watch/") || strings.Contains(p, "/proxy") {
			delete(paths, p)
		}
	}
	components, _ := doc["components"].(map[string]any)
	schemas, _ := components["schemas"].(map[string]any)
	needed := map[string]bool{}
	refer(paths, schemas, needed)
	for name := range schemas {
		if !needed[name] {
			delete(schemas, name)
		}
	}
	out, err := json.Marshal(doc)
	require.NoError(t, err)
	return out
}

// refer notes what a part of a document refers to, and what that does.
func refer(v any, schemas map[string]any, needed map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			name := strings.TrimPrefix(ref, "#/components/schemas/")
			if !needed[name] {
				needed[name] = true
				refer(schemas[name], schemas, needed)
			}
		}
		for _, w := range v {
			refer(w, schemas, needed)
		}
	case []any:
		for _, w := range v {
			refer(w, schemas, needed)
		}
	}
}
