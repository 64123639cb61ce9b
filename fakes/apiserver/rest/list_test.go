package rest_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/faults"
	"github.com/lwtest/lwtest/fakes/apiserver/requestlog"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
)

// A list that is joined from kept bytes is byte for byte the one that is encoded as a whole, which is what an
// API gets that can only copy: of each resource, empty, first asked, asked again, after a change, and page by page.
func TestJoinedListsAreTheSame(t *testing.T) {
	api := apiserver.New(apiserver.Options{Resources: resources()})
	defer func() { require.NoError(t, api.Close()) }()
	joining := rest.Handler(api, rest.Options{Resources: resources()})
	whole := rest.Handler(struct{ apiserver.API }{api}, rest.Options{Resources: resources()})
	logged := rest.Handler(withFaults(t, api), rest.Options{Resources: resources(), Log: requestlog.New(func(requestlog.Entry) {})})
	do := func(h http.Handler, a ask, accept ...string) string {
		path := strings.ReplaceAll(a.path, "{NAMESPACE}", "default")
		r := httptest.NewRequestWithContext(t.Context(), a.method, path, strings.NewReader(strings.ReplaceAll(a.body, "{NAMESPACE}", "default")))
		if a.method == "POST" {
			r.Header.Set("Content-Type", "application/json")
		}
		r.Header["Accept"] = accept
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		require.Less(t, w.Code, 300, "%s %s: %s", a.method, path, w.Body)
		return w.Header().Get("Content-Type") + "\n" + tableAges.ReplaceAllString(w.Body.String(), `"AGE"`)
	}
	same := func(path string) {
		t.Helper()
		for _, accept := range []string{"application/json", "application/vnd.kubernetes.protobuf", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
			"application/json;as=PartialObjectMetadataList;v=v1beta1;g=meta.k8s.io", "application/json;as=Table;v=v1;g=meta.k8s.io"} {
			if strings.Contains(path, "widgets") && strings.HasSuffix(accept, "protobuf") {
				continue // custom resources have none
			}
			want := do(whole, look(path), accept)
			assert.Equal(t, want, do(joining, look(path), accept), path)
			assert.Equal(t, want, do(joining, look(path), accept), "%s again", path)
			assert.Equal(t, want, do(logged, look(path), accept), "%s with a log and faults", path)
		}
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

	// Cells that JSON does not have as they are, and a row with a condition.
	do(joining, post(events, `{"metadata":{"name":"odd","namespace":"default"},"involvedObject":{"namespace":"default","name":"é"},"message":"<&>\\ \"é\u2028\u0001"}`))
	do(joining, put(pods+"/d/status", `{"metadata":{"name":"d"},"status":{"phase":"Succeeded"}}`))
	same(events)
	same(pods)
	assert.Contains(t, do(joining, look(pods), "application/json;as=Table;v=v1;g=meta.k8s.io"), `"conditions":[{"type":"Completed"`)

	const custom = "/apis/probe.example.com/v1/namespaces/default/widgets"
	same(custom)
	for _, name := range []string{"a", "b"} {
		do(joining, post(custom, `{"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"`+name+`","annotations":{"items":"\"items\":[]"}},"spec":{"n":"<&>","items":[]}}`))
		same(custom)
	}
	same(custom + "?limit=1")
	do(joining, ask{method: "DELETE", path: custom + "/a"})
	do(joining, post(custom, `{"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"n":"changed"}}`))
	same(custom)
	assert.Contains(t, do(joining, look(custom)), "changed")

	do(joining, post(benchPath, `{"metadata":{"name":"large"},"data":{"n":"`+strings.Repeat("x", 200_000)+`"}}`))
	zipped := func() string {
		r := httptest.NewRequestWithContext(t.Context(), "GET", benchPath, nil)
		r.Header.Set("Accept-Encoding", "gzip")
		w := httptest.NewRecorder()
		joining.ServeHTTP(w, r)
		z, err := gzip.NewReader(w.Body)
		require.NoError(t, err)
		body, err := io.ReadAll(z)
		require.NoError(t, err)
		return w.Header().Get("Content-Type") + "\n" + string(body)
	}
	want := do(whole, look(benchPath))
	for range 3 { // streamed, kept, and from what is kept
		assert.Equal(t, want, zipped())
	}
	do(joining, put(benchPath+"/a", `{"metadata":{"name":"a"},"data":{"n":"changed again"}}`))
	assert.Equal(t, do(whole, look(benchPath)), zipped())
}

// tableAges are cells of Tables that change with time.
var tableAges = regexp.MustCompile(`"\d+[smh](\d+s)?"`)

// overriding is an API that answers otherwise than the Server that it embeds.
type overriding struct{ *apiserver.Server }

func (overriding) List(context.Context, apiserver.Request, metav1.ListOptions) (runtime.Object, error) {
	return nil, errors.New("overridden")
}

// Faults and a log do not hide that a server shares its objects: what `lwtest serve` serves is served from kept bytes. An API that
// embeds a server is not taken for it.
func TestWhatShares(t *testing.T) {
	api := apiserver.New(apiserver.Options{})
	defer func() { require.NoError(t, api.Close()) }()
	shares := func(a apiserver.API) bool {
		_, ok := apiserver.Shares(a)
		return ok
	}
	log := requestlog.New(func(requestlog.Entry) {})
	assert.True(t, shares(api))
	assert.True(t, shares(api.View))
	assert.True(t, shares(log.API(withFaults(t, api.View), "")))
	assert.False(t, shares(overriding{api}))
	assert.False(t, shares(log.API(withFaults(t, overriding{api}), "")))
	w := httptest.NewRecorder()
	rest.Handler(withFaults(t, overriding{api}), rest.Options{Log: log}).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", benchPath, nil))
	assert.Contains(t, w.Body.String(), "overridden")
}

func withFaults(t *testing.T, api apiserver.API) apiserver.API {
	set, err := faults.New(0)
	require.NoError(t, err)
	out, err := set.API(api, faults.Options{})
	require.NoError(t, err)
	return out
}
