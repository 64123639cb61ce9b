package kube

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/faults"
	"github.com/lwtest/lwtest/fakes/apiserver/requestlog"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
)

// notes are what was noted of each request, in the order of these.
type notes struct {
	mu  sync.Mutex
	of  map[int64]int
	all [][]string
}

func (n *notes) entry(e rig.Entry) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if e.What == rig.Asked {
		n.of[e.Request] = len(n.all)
		n.all = append(n.all, nil)
	}
	object := ""
	if e.Object != nil {
		object = rig.Content(e.Object)
	}
	i := n.of[e.Request]
	n.all[i] = append(n.all[i], fmt.Sprint(e.What, " ", e.Verb, e.Group, "/", e.Version, "/", e.Resource, " of ", e.Namespace, " ", e.URI, " ", e.Accept, " ", string(e.Options),
		" ", e.Event, " ", e.Reason, " ", e.Message, " ", object, " ", e.How))
}

// served is lwtest's own server with faults, which notes what it does.
func served(t *testing.T) (*apiserver.Server, *faults.Set, *url.URL, *notes) {
	t.Helper()
	store := apiserver.New(apiserver.Options{})
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	set, err := faults.New(1)
	require.NoError(t, err)
	api, err := set.API(store, faults.Options{})
	require.NoError(t, err)
	n := &notes{of: map[int64]int{}}
	log := requestlog.New(func(e requestlog.Entry) {
		if e.What != requestlog.Struck {
			n.entry(rig.Entry{What: string(e.What), Request: e.Request, URI: e.URI, Accept: e.Accept, Verb: e.Verb, Group: e.Group, Version: e.Version, Resource: e.Resource, Namespace: e.Namespace,
				Options: e.Options, Object: e.Object, Reason: e.Reason, Message: e.Message, Event: e.Event, How: string(e.How)})
		}
	})
	h, err := rest.Serve(api, rest.Options{Log: log})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.Close()) })
	at, err := url.Parse(h.URL())
	require.NoError(t, err)
	return store, set, at, n
}

// What a proxy notes is what the server itself notes, in JSON and in protobuf: so judges are told the same.
func TestProxyNotesWhatTheServerDoes(t *testing.T) {
	for _, media := range []string{"application/json", "application/vnd.kubernetes.protobuf"} {
		t.Run(media, func(t *testing.T) {
			store, set, at, want := served(t)
			p, err := newProxy(at, http.DefaultTransport)
			require.NoError(t, err)
			got := &notes{of: map[int64]int{}}
			p.Log(got.entry)
			of, err := kubernetes.NewForConfig(&clientrest.Config{Host: p.url, BearerToken: p.token, QPS: -1, ContentConfig: clientrest.ContentConfig{ContentType: media}})
			require.NoError(t, err)
			exchanges(t, store, set, of)
			p.close()
			require.Eventually(t, func() bool { // the server hears of the last end by its connection
				want.mu.Lock()
				defer want.mu.Unlock()
				last := want.all[len(want.all)-1]
				return strings.HasPrefix(last[len(last)-1], rig.Over)
			}, 5*time.Minute, time.Millisecond)
			require.Equal(t, want.all, got.all)
			assert.Len(t, got.all, 9)
		})
	}
}

// exchanges are one of each sort, one after the other.
func exchanges(t *testing.T, store *apiserver.Server, set *faults.Set, of kubernetes.Interface) {
	t.Helper()
	own, c := apiserver.ConfigMaps(store, "a"), of.CoreV1().ConfigMaps("a")
	put := func(name string) string {
		m, err := own.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"k": strings.Repeat("v", 1000)}}, metav1.CreateOptions{})
		require.NoError(t, err)
		return m.ResourceVersion
	}
	old := put("x")
	now := put("y")
	l, err := c.List(t.Context(), metav1.ListOptions{Limit: 1})
	require.NoError(t, err)
	_, err = c.List(t.Context(), metav1.ListOptions{Limit: 1, Continue: l.Continue})
	require.NoError(t, err)
	_, err = c.List(t.Context(), metav1.ListOptions{ResourceVersionMatch: metav1.ResourceVersionMatchExact})
	require.Error(t, err)
	_, err = c.Get(t.Context(), "none", metav1.GetOptions{})
	require.Error(t, err)
	read := func(o metav1.ListOptions, n int, happen func()) {
		w, err := c.Watch(t.Context(), o)
		require.NoError(t, err)
		happen()
		for range n {
			<-w.ResultChan()
		}
		if n > 0 {
			w.Stop()
		}
		for range w.ResultChan() { // to its end
		}
	}
	one := int64(1)
	read(metav1.ListOptions{ResourceVersion: now, AllowWatchBookmarks: true, LabelSelector: "w!=1"}, 2, func() {
		put("z")
		require.NoError(t, own.Delete(t.Context(), "x", metav1.DeleteOptions{}))
	})
	read(metav1.ListOptions{ResourceVersion: now, TimeoutSeconds: &one}, 0, func() {})
	require.NoError(t, set.Add(faults.Fault{Name: "break", Verbs: []string{"watch"}, Events: &faults.Events{Nth: 2, Do: "break"}}))
	read(metav1.ListOptions{ResourceVersion: now}, 0, func() {})
	set.Remove("break")
	require.NoError(t, set.Add(faults.Fault{Name: "error", Verbs: []string{"watch"}, Events: &faults.Events{Nth: 2, Do: "error", Status: &faults.Status{Code: 410}}}))
	read(metav1.ListOptions{ResourceVersion: now}, 0, func() {})
	set.Remove("error")
	require.NoError(t, store.ForgetEvents(corev1.SchemeGroupVersion.WithResource("configmaps"), ""))
	w, err := c.Watch(t.Context(), metav1.ListOptions{ResourceVersion: old})
	if err == nil {
		for range w.ResultChan() { // an ERROR
		}
	}
}

// Whoever has not the token gets nothing, and nothing of it is noted.
func TestProxyIsForItsClientAlone(t *testing.T) {
	_, _, at, want := served(t)
	p, err := newProxy(at, http.DefaultTransport)
	require.NoError(t, err)
	defer p.close()
	got := &notes{of: map[int64]int{}}
	p.Log(got.entry)
	for _, header := range []string{"", "Bearer ", "Bearer x", p.token} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+"/api/v1/configmaps", nil)
		require.NoError(t, err)
		req.Header.Set("Authorization", header)
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, http.StatusUnauthorized, resp.StatusCode)
	}
	assert.Empty(t, got.all)
	assert.Empty(t, want.all)
}

// The server is asked with the kubeconfig's credentials alone.
func TestProxyAsksByOtherCredentials(t *testing.T) {
	seen := make(chan http.Header, 1)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen <- r.Header }))
	defer s.Close()
	config := &clientrest.Config{Host: s.URL, BearerToken: "secret"}
	to, err := clientrest.TransportFor(config)
	require.NoError(t, err)
	at, _, err := clientrest.DefaultServerUrlFor(config)
	require.NoError(t, err)
	p, err := newProxy(at, to)
	require.NoError(t, err)
	defer p.close()
	of, err := ownClient(p)
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, p.url+"/version", nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+p.token+".informer")
	resp, err := of.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Equal(t, []string{"Bearer secret"}, (<-seen)["Authorization"])
	of.CloseIdleConnections()
}

func TestAsked(t *testing.T) {
	for _, c := range []struct{ method, uri, want string }{
		{"GET", "/api/v1/configmaps", "list /v1/configmaps of "},
		{"GET", "/api/v1/namespaces/a/configmaps?limit=2", `list /v1/configmaps of a {"limit":2}`},
		{"GET", "/api/v1/namespaces/a/configmaps?watch=1", `watch /v1/configmaps of a {"watch":true}`},
		{"GET", "/api/v1/namespaces/a/configmaps?watch=false", "list /v1/configmaps of a"},
		{"GET", "/api/v1/namespaces/a/configmaps/x?watch=1", "get /v1/configmaps of a"},
		{"PUT", "/apis/coordination.k8s.io/v1/namespaces/a/leases/x", "update coordination.k8s.io/v1/leases of a"},
		{"POST", "/api/v1/namespaces/a/configmaps", "create /v1/configmaps of a"},
		{"GET", "/api/v1/namespaces", "list /v1/namespaces of"},
		{"GET", "/api/v1/namespaces/a", "get /v1/namespaces of"},
		{"GET", "/api/v1", "// of"},
		{"GET", "/version", "// of"},
		{"GET", "/", "// of"},
	} {
		e := asked(httptest.NewRequest(c.method, c.uri, nil))
		assert.Equal(t, strings.TrimSpace(c.want), strings.TrimSpace(fmt.Sprintf("%s %s/%s/%s of %s %s", e.Verb, e.Group, e.Version, e.Resource, e.Namespace, e.Options)), c.uri)
		assert.Equal(t, c.uri, e.URI)
	}
}

// Bytes come out as they went in, and each frame is noted once, before any of it has come out.
func TestFrames(t *testing.T) {
	const a, b, gb = `{"type":"ADDED","object":{"metadata":{"name":"a"}}}` + "\n", `{"type":"DELETED","object":{"metadata":{"name":"b"}}}` + "\n", "garbage\n"
	counted := "\x00\x00\x00\x02\x0a\x00"
	for _, c := range []struct {
		name, media, in string
		want            []string
		whole           bool
	}{
		{"nothing", "application/json", "", nil, true},
		{"two", "application/json", a + b, []string{"event ADDED", "event DELETED"}, true},
		{"the last without an end of its line", "application/json;stream=watch", a + b[:len(b)-1], []string{"event ADDED", "event DELETED"}, true},
		{"one that is cut", "application/json", a + b[:20], []string{"event ADDED"}, false},
		{"one that cannot be read", "application/json", a + gb + b, []string{"event ADDED", "spoiled ", "event DELETED"}, true},
		{"protobuf that cannot be read", "application/vnd.kubernetes.protobuf;stream=watch", counted, []string{"spoiled "}, true},
		{"protobuf whose length is cut", "application/vnd.kubernetes.protobuf", counted + "\x00\x00", []string{"spoiled "}, false},
		{"protobuf that is cut", "application/vnd.kubernetes.protobuf", counted + counted[:5], []string{"spoiled "}, false},
		{"more than anything has", "application/vnd.kubernetes.protobuf", "\xff\xff\xff\xff", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			from := io.NopCloser(strings.NewReader(c.in))
			f := &frames{Closer: from, next: framing(c.media, from), event: func(b []byte) rig.Entry { return newCodec().event(c.media, b) },
				note: func(e rig.Entry) { got = append(got, e.What+" "+e.Event) }}
			var out bytes.Buffer
			one := make([]byte, 1)
			for {
				n, err := f.Read(one)
				out.Write(one[:n])
				if err != nil {
					break
				}
			}
			assert.Equal(t, c.in, out.String())
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.whole, f.whole)
		})
	}
}

func TestAnswers(t *testing.T) {
	const list, status = `{"kind":"ConfigMapList","items":[]}`, `{"kind":"Status","status":"Failure","reason":"Expired","message":"gone","code":410}`
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write([]byte(list))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	text, gz := http.Header{"Content-Type": {"text/plain"}}, http.Header{"Content-Encoding": {"gzip"}}
	for _, c := range []struct {
		code int
		h    http.Header
		body string
		want rig.Entry
	}{
		{200, http.Header{}, list, rig.Entry{Code: 200, Object: []byte(list)}},
		{200, gz, packed.String(), rig.Entry{Code: 200, Object: []byte(list)}},
		{200, gz, list, rig.Entry{Code: 200, Message: "the answer cannot be unpacked: gzip: invalid header"}},
		{410, http.Header{}, status, rig.Entry{Code: 410, Reason: "Expired", Message: "gone", Object: []byte(status)}},
		{503, text, "busy", rig.Entry{Code: 503, Message: "busy"}},
	} {
		c.want.What = rig.Answered
		assert.Equal(t, c.want, newCodec().answer(c.code, c.h, []byte(c.body)))
	}
}
