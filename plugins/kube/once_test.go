package kube

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/plugins/resources"
)

// requests is a server that keeps what it was asked.
type requests struct {
	*httptest.Server
	mu  sync.Mutex
	got []string // "METHOD URI\nbody"
}

// listen answers by h, after the request was noted.
func listen(t *testing.T, h http.HandlerFunc) *requests {
	r := &requests{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		b, _ := io.ReadAll(req.Body)
		r.mu.Lock()
		r.got = append(r.got, req.Method+" "+req.RequestURI+"\n"+string(b))
		r.mu.Unlock()
		req.Body = io.NopCloser(bytes.NewReader(b)) // for h to read it again
		w.Header().Set("Content-Type", "application/json")
		h(w, req)
	}))
	t.Cleanup(r.Close)
	return r
}

// take gives what was asked since the last time.
func (r *requests) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	got := r.got
	r.got = nil
	return got
}

// dial makes a server of a URL, without asking it anything.
func dial(t *testing.T, url, name string) *server {
	t.Helper()
	r, err := resources.Find(name)
	require.NoError(t, err)
	s := &server{resource: r, clock: &clock{}}
	require.NoError(t, s.clients(dialConfig(url)))
	t.Cleanup(s.hangUp)
	return s
}

func dialConfig(url string) *rest.Config { return &rest.Config{Host: url} }

func refuse(w http.ResponseWriter, code int) {
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(code)
	fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"not now","reason":"Timeout","details":{"retryAfterSeconds":1},"code":%d}`, code)
}

// calls are all that a drive can ask.
var calls = map[string]func(context.Context, client) error{
	"create": func(ctx context.Context, c client) error {
		_, err := c.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "x"}}, metav1.CreateOptions{})
		return err
	},
	"update": func(ctx context.Context, c client) error {
		_, err := c.Update(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "x"}}, metav1.UpdateOptions{})
		return err
	},
	"patch": func(ctx context.Context, c client) error {
		_, err := c.Patch(ctx, "x", types.MergePatchType, []byte(`{"data":{"spec":"v"}}`), metav1.PatchOptions{})
		return err
	},
	"delete": func(ctx context.Context, c client) error { return c.Delete(ctx, "x", metav1.DeleteOptions{}) },
	"get":    func(ctx context.Context, c client) error { _, err := c.Get(ctx, "x", metav1.GetOptions{}); return err },
	"list":   func(ctx context.Context, c client) error { _, err := c.List(ctx, metav1.ListOptions{}); return err },
	"watch":  func(ctx context.Context, c client) error { _, err := c.Watch(ctx, metav1.ListOptions{}); return err },
}

func TestOneCallIsOneRequest(t *testing.T) {
	for _, code := range []int{429, 500, 503, 504} {
		r := listen(t, func(w http.ResponseWriter, _ *http.Request) { refuse(w, code) })
		for _, name := range []string{"configmaps", "leases"} {
			s := dial(t, r.URL, name)
			for verb, call := range calls {
				err := call(t.Context(), client{s.objects, s.resource, "a"})
				require.Len(t, r.take(), 1, "%s of %s at %d", verb, name, code)
				var status apierrors.APIStatus
				require.ErrorAs(t, err, &status, "%s at %d: the server's own answer", verb, code)
				require.EqualValues(t, code, status.Status().Code)
				require.Equal(t, "not now", status.Status().Message)
			}
		}
	}
}

// A write whose connection breaks is not repeated: nobody knows whether it happened.
func TestABrokenConnectionIsNotTriedAgain(t *testing.T) {
	r := listen(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			conn.Close()
		}
	})
	s := dial(t, r.URL, "configmaps")
	for verb, call := range calls {
		err := call(t.Context(), client{s.objects, s.resource, "a"})
		require.Len(t, r.take(), 1, verb)
		if verb != "watch" { // client-go gives an empty one
			require.Error(t, err, verb)
			require.False(t, isAnswer(err), "%s: %v", verb, err)
		}
	}
}

func TestRequestsAreWhatWasAsked(t *testing.T) {
	r := listen(t, func(w http.ResponseWriter, _ *http.Request) { refuse(w, 404) })
	cm, lease := dial(t, r.URL, "configmaps"), dial(t, r.URL, "leases")
	uid, timeout := types.UID("u"), int64(6)
	a, all := client{cm.objects, cm.resource, "a"}, client{cm.objects, cm.resource, ""}
	l := client{lease.objects, lease.resource, "a"}

	_, _ = a.List(t.Context(), metav1.ListOptions{ResourceVersion: "5", ResourceVersionMatch: "Exact", LabelSelector: "app=one", Limit: 2})
	_, _ = all.Watch(t.Context(), metav1.ListOptions{ResourceVersion: "5", AllowWatchBookmarks: true, TimeoutSeconds: &timeout})
	_ = a.Delete(t.Context(), "x", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
	_, _ = l.Update(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "x", ResourceVersion: "7"}, Data: map[string]string{"spec": "v1"}}, metav1.UpdateOptions{})
	_, _ = l.Patch(t.Context(), "x", types.MergePatchType, []byte(`{"metadata":{"resourceVersion":"7"},"data":{"spec":"v2"}}`), metav1.PatchOptions{})
	_, _ = a.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "x"}}, metav1.CreateOptions{DryRun: []string{"All"}})

	require.Equal(t, []string{
		"GET /api/v1/namespaces/a/configmaps?labelSelector=app%3Done&limit=2&resourceVersion=5&resourceVersionMatch=Exact\n",
		"GET /api/v1/configmaps?allowWatchBookmarks=true&resourceVersion=5&timeoutSeconds=6&watch=true\n",
		`DELETE /api/v1/namespaces/a/configmaps/x` + "\n" + `{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"u"}}` + "\n",
		`PUT /apis/coordination.k8s.io/v1/namespaces/a/leases/x` + "\n" + `{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"x","resourceVersion":"7"},"spec":{"holderIdentity":"v1"}}` + "\n",
		`PATCH /apis/coordination.k8s.io/v1/namespaces/a/leases/x` + "\n" + `{"metadata":{"resourceVersion":"7"},"spec":{"holderIdentity":"v2"}}`,
		`POST /api/v1/namespaces/a/configmaps?dryRun=All` + "\n" + `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x"}}` + "\n",
	}, r.take())
}
