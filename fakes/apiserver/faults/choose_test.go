package faults_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/faults"
)

func timeout(t *testing.T, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), d)
}

// Each field chooses, and a fault strikes only what has all of them.
func TestChoose(t *testing.T) {
	server := apiserver.New(apiserver.Options{})
	defer func() { require.NoError(t, server.Close()) }()
	ask := func(f faults.Fault) bool {
		f.Status = &faults.Status{Code: 403}
		set, err := faults.New(1, f)
		require.NoError(t, err)
		api, err := set.API(server, faults.Options{View: "b"})
		require.NoError(t, err)
		ctx := apiserver.WithCaller(t.Context(), apiserver.Caller{UserAgent: "kubelet/v1.37.1 (linux/amd64)"})
		_, err = api.Get(ctx, apiserver.Request{Resource: coordinationv1.SchemeGroupVersion.WithResource("leases"), Namespace: "ns", Name: "x"}, metav1.GetOptions{})
		return apierrors.IsForbidden(err)
	}
	for _, test := range []struct {
		yes, no faults.Fault
	}{
		{faults.Fault{}, faults.Fault{Verbs: []string{"list", "update"}}},
		{faults.Fault{Verbs: []string{"list", "get"}}, faults.Fault{Verbs: []string{"watch"}}},
		{faults.Fault{Resource: "leases.coordination.k8s.io"}, faults.Fault{Resource: "configmaps"}},
		{faults.Fault{Namespace: "ns"}, faults.Fault{Namespace: "n"}},
		{faults.Fault{Object: "x"}, faults.Fault{Object: "y"}},
		{faults.Fault{UserAgent: "kubelet"}, faults.Fault{UserAgent: "kubectl"}},
		{faults.Fault{View: "b"}, faults.Fault{View: "a"}},
		{faults.Fault{Nth: 1}, faults.Fault{Nth: 2}},
		{faults.Fault{}, faults.Fault{Subresource: "status"}},
	} {
		require.True(t, ask(test.yes), "%+v", test.yes)
		require.False(t, ask(test.no), "%+v", test.no)
	}
}

// A streaming list is told from a watch that only follows.
func TestChooseStreaming(t *testing.T) {
	server := apiserver.New(apiserver.Options{})
	defer func() { require.NoError(t, server.Close()) }()
	yes, no := true, false
	for _, test := range []struct{ chooses, asks, struck *bool }{
		{&yes, &yes, &yes}, {&yes, &no, &no}, {&yes, nil, &no}, {&no, nil, &yes}, {&no, &no, &yes}, {&no, &yes, &no}, {nil, &yes, &yes}, {nil, nil, &yes},
	} {
		set, err := faults.New(1, faults.Fault{Verbs: []string{"watch"}, Streaming: test.chooses, Status: &faults.Status{Code: 403}})
		require.NoError(t, err)
		api, err := set.API(server, faults.Options{})
		require.NoError(t, err)
		o := metav1.ListOptions{ResourceVersion: "1", SendInitialEvents: test.asks}
		if test.asks != nil {
			o.ResourceVersionMatch, o.AllowWatchBookmarks = metav1.ResourceVersionMatchNotOlderThan, true
		}
		w, err := apiserver.ConfigMaps(api, "default").Watch(t.Context(), o)
		require.Equal(t, *test.struck, apierrors.IsForbidden(err), "%v", test)
		if err == nil {
			w.Stop()
		}
	}
	_, err := faults.New(1, faults.Fault{Verbs: []string{"list"}, Streaming: &yes, Status: &faults.Status{Code: 403}})
	require.ErrorContains(t, err, "streaming")
}

// A further page is told from a first one.
func TestChooseContinued(t *testing.T) {
	server := apiserver.New(apiserver.Options{})
	defer func() { require.NoError(t, server.Close()) }()
	for _, name := range []string{"a", "b"} {
		_, err := apiserver.ConfigMaps(server, "default").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		require.NoError(t, err)
	}
	first, err := apiserver.ConfigMaps(server, "default").List(t.Context(), metav1.ListOptions{Limit: 1})
	require.NoError(t, err)
	yes, no := true, false
	for _, test := range []struct {
		chooses     *bool
		first, page bool
	}{{&yes, false, true}, {&no, true, false}, {nil, true, true}} {
		set, err := faults.New(1, faults.Fault{Verbs: []string{"list"}, Continued: test.chooses, Status: &faults.Status{Code: 403}})
		require.NoError(t, err)
		api, err := set.API(server, faults.Options{})
		require.NoError(t, err)
		_, err = apiserver.ConfigMaps(api, "default").List(t.Context(), metav1.ListOptions{Limit: 1})
		require.Equal(t, test.first, apierrors.IsForbidden(err), "%v", test)
		_, err = apiserver.ConfigMaps(api, "default").List(t.Context(), metav1.ListOptions{Limit: 1, Continue: first.Continue})
		require.Equal(t, test.page, apierrors.IsForbidden(err), "%v", test)
	}
	_, err = faults.New(1, faults.Fault{Verbs: []string{"watch"}, Continued: &yes, Status: &faults.Status{Code: 403}})
	require.ErrorContains(t, err, "continued")
}

// A request that says from which resourceVersion is told from one that takes what there is.
func TestChooseVersioned(t *testing.T) {
	server := apiserver.New(apiserver.Options{})
	defer func() { require.NoError(t, server.Close()) }()
	yes, no := true, false
	for _, test := range []struct {
		chooses         *bool
		versioned, bare bool
	}{{&yes, true, false}, {&no, false, true}, {nil, true, true}} {
		set, err := faults.New(1, faults.Fault{Verbs: []string{"list", "watch"}, Versioned: test.chooses, Status: &faults.Status{Code: 403}})
		require.NoError(t, err)
		api, err := set.API(server, faults.Options{})
		require.NoError(t, err)
		for rv, want := range map[string]bool{"1": test.versioned, "0": test.bare, "": test.bare} {
			_, err = apiserver.ConfigMaps(api, "default").List(t.Context(), metav1.ListOptions{ResourceVersion: rv})
			require.Equal(t, want, apierrors.IsForbidden(err), "%v %q", test, rv)
			w, err := apiserver.ConfigMaps(api, "default").Watch(t.Context(), metav1.ListOptions{ResourceVersion: rv})
			require.Equal(t, want, apierrors.IsForbidden(err), "%v %q", test, rv)
			if err == nil {
				w.Stop()
			}
		}
	}
	_, err := faults.New(1, faults.Fault{Verbs: []string{"get"}, Versioned: &yes, Status: &faults.Status{Code: 403}})
	require.ErrorContains(t, err, "versioned")
}

// The object of a create is the one in its body.
func TestChooseCreated(t *testing.T) {
	server := apiserver.New(apiserver.Options{})
	defer func() { require.NoError(t, server.Close()) }()
	set, err := faults.New(1, faults.Fault{Object: "x", Status: &faults.Status{Code: 403}})
	require.NoError(t, err)
	api, err := set.API(server, faults.Options{})
	require.NoError(t, err)
	for _, name := range []string{"y", "x"} {
		_, err = apiserver.ConfigMaps(api, "ns").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		require.Equal(t, name == "x", apierrors.IsForbidden(err), "%s: %v", name, err)
	}
}

// Nth, Times and Probability, and the same by the same seed.
func TestCounts(t *testing.T) {
	server := apiserver.New(apiserver.Options{})
	defer func() { require.NoError(t, server.Close()) }()
	ask := func(seed uint64, n int, f faults.Fault) (out []int) {
		f.Status = &faults.Status{Code: 403}
		set, err := faults.New(seed, f)
		require.NoError(t, err)
		api, err := set.API(server, faults.Options{})
		require.NoError(t, err)
		for i := range n {
			if _, err := apiserver.ConfigMaps(api, "ns").List(t.Context(), metav1.ListOptions{}); err != nil {
				out = append(out, i+1)
			}
		}
		require.Equal(t, len(out), set.Struck("fault-1"))
		return out
	}
	half := 0.5
	require.Equal(t, []int{1, 2, 3}, ask(1, 3, faults.Fault{}))
	require.Equal(t, []int{2}, ask(1, 5, faults.Fault{Nth: 2}))
	require.Equal(t, []int{2, 3}, ask(1, 5, faults.Fault{Nth: 2, Times: 2}))
	require.Equal(t, []int{1, 2}, ask(1, 5, faults.Fault{Times: 2}))
	some := ask(1, 100, faults.Fault{Probability: &half})
	require.InDelta(t, 50, len(some), 20)
	require.Equal(t, some, ask(1, 100, faults.Fault{Probability: &half}))
	require.NotEqual(t, some, ask(2, 100, faults.Fault{Probability: &half}))
}

// A file says what Go can, and what it says wrongly is told with what to say instead.
func TestRead(t *testing.T) {
	set, err := faults.Read([]byte(`
seed: 7
faults:
- {name: busy, verbs: [list], resource: configmaps, nth: 1, times: 3, status: {code: 429, retryAfter: 2}}
- {verbs: [watch], userAgent: kubelet, probability: 0.1, events: {types: [MODIFIED], nth: 2, do: drop}}
- {verbs: [watch], events: {after: 5s, do: error, status: {code: 410}}}
- {latency: 250ms}
- {verbs: [create], loseAnswer: true}
- {verbs: [get], hang: body, for: 30s}
- {reset: headers, view: b}
- {stale: 10s}
- {verbs: [list], continued: true, empty: true}
- {limit: 2}
`))
	require.NoError(t, err)
	require.Zero(t, set.Struck("busy"))
	for file, want := range map[string]string{
		``:                                                                       "there is no fault in it",
		`faults: [{latency: 1s, nt: 2}]`:                                         `unknown field "nt"`,
		`faults: [{latency: 1s, latency: 2s}]`:                                   `"latency" already set`,
		`faults: [{latency: soon}]`:                                              "invalid duration",
		`faults: [{empty: true}]`:                                                "empty: a page without items needs a token to go on with",
		`faults: [{limit: -2}]`:                                                  "limit: say how many items a page has at most",
		`faults: [{verbs: [watch], limit: 2}]`:                                   "limit cannot strike a watch: say list",
		`faults: [{latency: 0s}]`:                                                "say more than 0",
		`faults: [{verbs: [get]}]`:                                               "it does nothing: say one of latency",
		`faults: [{answer: {code: 101}}]`:                                        "answer.code: 101 ends no request",
		`faults: [{events: {do: replace}}]`:                                      "events.frame: it is what a frame is replaced with",
		`faults: [{events: {do: drop, frame: x}}]`:                               "events.frame: it is what a frame is replaced with",
		`faults: [{latency: 1s, status: {code: 500}}]`:                           "make a fault of each",
		`faults: [{verbs: [fetch], latency: 1s}]`:                                `there is no "fetch": say get, list`,
		`faults: [{status: {code: 200}}]`:                                        "200 is no error: say 400 to 599",
		`faults: [{hang: trailers}]`:                                             "say headers",
		`faults: [{latency: 1s, for: 1s}]`:                                       "it is for a hang alone",
		`faults: [{verbs: [list], events: {do: drop}}]`:                          "events cannot strike a list: say watch",
		`faults: [{verbs: [create], stale: 1s}]`:                                 "stale cannot strike a create: say get, list, watch",
		`faults: [{verbs: [watch], loseAnswer: true}]`:                           "loseAnswer cannot strike a watch",
		`faults: [{probability: 2, latency: 1s}]`:                                "more than 0 and at most 1",
		`faults: [{nth: -1, latency: 1s}]`:                                       "count from 1",
		`faults: [{events: {do: eat}}]`:                                          `there is no "eat": say one of drop, double`,
		`faults: [{events: {types: [CHANGED], do: drop}}]`:                       "say ADDED, MODIFIED",
		`faults: [{events: {after: 1s, do: drop}}]`:                              "drop needs an event",
		`faults: [{events: {after: 1s, nth: 2, do: close}}]`:                     "it is a moment",
		`faults: [{events: {do: delay}}]`:                                        "delay needs it, to say how long",
		`faults: [{events: {do: drop, by: 3}}]`:                                  "it is for do: lie",
		`faults: [{events: {do: drop, status: {code: 410}}}]`:                    "it is for do: error",
		`faults: [{name: x, latency: 1s}, {name: x, latency: 1s}]`:               "two faults are called x",
		`{"faults": [{"name": "slow", "latency": "1s", "status": {"code": 1}}]}`: "slow (the 1. of them)",
	} {
		_, err := faults.Read([]byte(file))
		require.ErrorContains(t, err, want, file)
	}
}

// What no API has is refused, where the API is known.
func TestNotServed(t *testing.T) {
	server := apiserver.New(apiserver.Options{})
	defer func() { require.NoError(t, server.Close()) }()
	for file, want := range map[string]string{
		`faults: [{latency: 1s, resource: foos}]`:                         `fault-1: resource: there is no "foos": say one of configmaps, secrets`,
		`faults: [{latency: 1s, resource: deployments}]`:                  `there is no "deployments": say deployments.apps`,
		`faults: [{latency: 1s, subresource: foo}]`:                       `subresource: there is no "foo": say one of approval, binding, ephemeralcontainers, eviction, finalize, resize, scale, status, token`,
		`faults: [{latency: 1s, resource: configmaps, subresource: foo}]`: `subresource: there is no "foo": there are none`,
		`faults: [{latency: 1s, resource: pods, subresource: scale}]`:     `there is no "scale": say one of binding, ephemeralcontainers, eviction, resize, status`,
		`faults: [{latency: 1s, resource: pods, subresource: status}]`:    "",
		`faults: [{latency: 1s, resource: foos, view: another}]`:          "",
	} {
		set, err := faults.Read([]byte(file))
		require.NoError(t, err)
		if _, err = set.API(server, faults.Options{}); want == "" {
			require.NoError(t, err, file)
		} else {
			require.ErrorContains(t, err, want)
		}
	}
	set, err := faults.New(1, faults.Fault{View: "b", Status: &faults.Status{Code: 500}})
	require.NoError(t, err)
	require.NoError(t, set.Views("a", "b"))
	require.ErrorContains(t, set.Views("a", "c"), `fault-1: view: there is no "b": say one of a, c`)
}
