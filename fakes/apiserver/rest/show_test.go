package rest_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// tables are the documents of an answer.
func tables(t *testing.T, b both, path string) (out []map[string]any) {
	t.Helper()
	c := client(b.RESTConfig(), nil)
	defer c.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.URL()+path, nil)
	require.NoError(t, err)
	req.Header.Set("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
	res, err := c.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	for d := json.NewDecoder(res.Body); d.More(); {
		var one map[string]any
		require.NoError(t, d.Decode(&one))
		out = append(out, one)
	}
	return out
}

func rows(table map[string]any) []any { return table["rows"].([]any) }

func cells(row any) []any { return row.(map[string]any)["cells"].([]any) }

func part(row any) map[string]any {
	o, _ := row.(map[string]any)["object"].(map[string]any)
	return o
}

func TestTable(t *testing.T) {
	inBubble(t, apiserver.Options{}, func(t *testing.T, b both) {
		const path = "/api/v1/namespaces/default/configmaps"
		empty := tables(t, b, path)[0]
		require.Equal(t, "Table", empty["kind"])
		require.Equal(t, []any{}, empty["rows"])
		for _, name := range []string{"a", "b"} {
			_, err := apiserver.ConfigMaps(b.api, "default").Create(t.Context(), cm(name), metav1.CreateOptions{})
			require.NoError(t, err)
		}
		list := tables(t, b, path+"?limit=1")[0]
		require.Len(t, list["columnDefinitions"], 3)
		require.NotEmpty(t, list["metadata"].(map[string]any)["continue"])
		require.EqualValues(t, 1, list["metadata"].(map[string]any)["remainingItemCount"])
		require.Equal(t, []any{"a", 1.0, "0s"}, cells(rows(list)[0]))
		require.Equal(t, "PartialObjectMetadata", part(rows(list)[0])["kind"])
		for include, want := range map[string]any{"None": nil, "Object": "ConfigMap", "Metadata": "PartialObjectMetadata"} {
			one := tables(t, b, path+"/a?includeObject="+include)[0]
			require.Equal(t, want, part(rows(one)[0])["kind"], include)
		}
	})
}

// On a watch each event has a Table, the first with headers, and so has a bookmark; an ERROR has none.
func TestTableOnWatch(t *testing.T) {
	inBubble(t, apiserver.Options{}, func(t *testing.T, b both) {
		const path = "/api/v1/namespaces/default/configmaps?watch=1&timeoutSeconds=1"
		for _, name := range []string{"a", "b"} {
			_, err := apiserver.ConfigMaps(b.api, "default").Create(t.Context(), cm(name), metav1.CreateOptions{})
			require.NoError(t, err)
		}
		got := tables(t, b, path+"&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true")
		require.Len(t, got, 3)
		for i, e := range got {
			table := e["object"].(map[string]any)
			require.Len(t, rows(table), 1)
			require.Equal(t, i == 0, table["columnDefinitions"] != nil)
		}
		end := rows(got[2]["object"].(map[string]any))[0]
		require.Equal(t, "BOOKMARK", got[2]["type"])
		require.Equal(t, []any{"", 0.0, "<unknown>"}, cells(end))
		require.Equal(t, map[string]any{"k8s.io/initial-events-end": "true"}, part(end)["metadata"].(map[string]any)["annotations"])

		require.NoError(t, b.api.ForgetEvents(configMaps, ""))
		gone := tables(t, b, path+"&resourceVersion=1")
		require.Len(t, gone, 1)
		require.Equal(t, "ERROR", gone[0]["type"])
		require.Equal(t, "Status", gone[0]["object"].(map[string]any)["kind"])
	})
}

// Bookmarks look as those of their kind do.
func TestBookmarkBodies(t *testing.T) {
	inBubble(t, apiserver.Options{FirstRevision: 5}, func(t *testing.T, b both) {
		c := client(b.RESTConfig(), nil)
		defer c.CloseIdleConnections()
		const query = "?watch=1&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&labelSelector=none"
		at := b.api.Revision()
		mark := `"metadata":{"resourceVersion":"` + at + `","annotations":{"k8s.io/initial-events-end":"true"}}`
		for path, want := range map[string]string{
			"/api/v1/configmaps": `{"kind":"ConfigMap","apiVersion":"v1",` + mark + `}`,
			"/api/v1/namespaces": `{"kind":"Namespace","apiVersion":"v1",` + mark + `,"spec":{},"status":{}}`,
			"/api/v1/events": `{"kind":"Event","apiVersion":"v1",` + mark + `,"involvedObject":{},"source":{},"firstTimestamp":null,` +
				`"lastTimestamp":null,"eventTime":null,"reportingComponent":"","reportingInstance":""}`,
			"/apis/probe.example.com/v1/widgets": `{"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"annotations":` +
				`{"k8s.io/initial-events-end":"true"},"resourceVersion":"` + at + `"}}`,
		} {
			_, body := get(t, c, b.URL()+path+query)
			require.Equal(t, `{"type":"BOOKMARK","object":`+want+"}\n", body)
		}
	})
}

// Everything is allowed, and said to be.
func TestAccessReview(t *testing.T) {
	inBubble(t, apiserver.Options{}, func(t *testing.T, b both) {
		for _, kind := range []string{"application/json", "application/vnd.kubernetes.protobuf"} {
			config := b.RESTConfig()
			config.ContentType = kind
			clients, err := kubernetes.NewForConfig(config)
			require.NoError(t, err)
			asked := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
				ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "list", Resource: "pods"},
			}}
			got, err := clients.AuthorizationV1().SelfSubjectAccessReviews().Create(t.Context(), asked, metav1.CreateOptions{})
			require.NoError(t, err)
			require.True(t, got.Status.Allowed)
			require.Equal(t, "list", got.Spec.ResourceAttributes.Verb)
		}
	})
}

// A large list is compressed for who takes that, and not a small one.
func TestGzip(t *testing.T) {
	inBubble(t, apiserver.Options{}, func(t *testing.T, b both) {
		for name, size := range map[string]int{"small": 130_000, "large": 131_000} {
			o := cm(name)
			o.Data["n"] = strings.Repeat("x", size)
			_, err := apiserver.ConfigMaps(b.api, "default").Create(t.Context(), o, metav1.CreateOptions{})
			require.NoError(t, err)
		}
		c := client(b.RESTConfig(), func(tr *http.Transport) { tr.DisableCompression = false })
		defer c.CloseIdleConnections()
		for name, want := range map[string]bool{"small": false, "large": true} {
			res, body := get(t, c, b.URL()+"/api/v1/namespaces/default/configmaps/"+name)
			require.Equal(t, want, res.Uncompressed, name)
			require.Contains(t, body, strings.Repeat("x", 130_000))
		}
	})
}
