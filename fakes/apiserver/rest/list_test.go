package rest_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
)

// A list that is joined from kept bytes is byte for byte the one that is encoded as a whole, which is what an
// API gets that can only copy: of each resource, empty, first asked, asked again, after a change, and page by page.
func TestJoinedListsAreTheSame(t *testing.T) {
	api := apiserver.New(apiserver.Options{})
	defer func() { require.NoError(t, api.Close()) }()
	joining := rest.Handler(api, rest.Options{})
	whole := rest.Handler(struct{ apiserver.API }{api}, rest.Options{})
	do := func(h http.Handler, a ask) string {
		path := strings.ReplaceAll(a.path, "{NAMESPACE}", "default")
		r := httptest.NewRequestWithContext(t.Context(), a.method, path, strings.NewReader(strings.ReplaceAll(a.body, "{NAMESPACE}", "default")))
		if a.method == "POST" {
			r.Header.Set("Content-Type", "application/json")
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		require.Less(t, w.Code, 300, "%s %s: %s", a.method, path, w.Body)
		return w.Header().Get("Content-Type") + "\n" + w.Body.String()
	}
	same := func(path string) {
		t.Helper()
		want := do(whole, look(path))
		assert.Equal(t, want, do(joining, look(path)), path)
		assert.Equal(t, want, do(joining, look(path)), "%s again", path)
	}
	for _, path := range []string{pods, secrets, services, accounts, events, nodes, spaces, leases, deployments, replicasets,
		statefulsets, daemonsets, revisions, jobs, priorities, csinodes, csidrivers, runtimes, benchPath} {
		same(path)
	}
	for _, a := range defaultAsks {
		if a.method == "POST" && !strings.Contains(a.path, "?") && strings.Contains(a.body, `"name":"d"`) {
			do(joining, a)
			same(a.path)
			same(a.path + "?limit=1")
			same(a.path + "?labelSelector=none")
			same(a.path + "?pretty=true")
		}
	}
	for _, name := range []string{"a", "b", "<&>"} {
		do(joining, post(benchPath, `{"metadata":{"name":"`+strings.Trim(name, "<&>")+`","generateName":"x"},"data":{"n":"`+name+`"}}`))
	}
	same(benchPath)
	do(joining, put(benchPath+"/a", `{"metadata":{"name":"a"},"data":{"n":"changed"}}`))
	same(benchPath)
	assert.Contains(t, do(joining, look(benchPath)), "changed")

	do(joining, post(benchPath, `{"metadata":{"name":"large"},"data":{"n":"`+strings.Repeat("x", 200_000)+`"}}`))
	r := httptest.NewRequestWithContext(t.Context(), "GET", benchPath, nil)
	r.Header.Set("Accept-Encoding", "gzip")
	w := httptest.NewRecorder()
	joining.ServeHTTP(w, r)
	z, err := gzip.NewReader(w.Body)
	require.NoError(t, err)
	body, err := io.ReadAll(z)
	require.NoError(t, err)
	assert.Equal(t, do(whole, look(benchPath)), w.Header().Get("Content-Type")+"\n"+string(body))
}
