package faults_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/faults"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
)

// proxied is an API server behind a proxy with faults.
type proxied struct {
	kubernetes.Interface // by the proxy
	direct               kubernetes.Interface
	mu                   sync.Mutex
	struck               []string
}

// strikes returns what has struck so far.
func (p *proxied) strikes() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.struck, "; ")
}

func behindProxy(t *testing.T, file string, protobuf bool) *proxied {
	t.Helper()
	set, err := faults.Read([]byte(file))
	require.NoError(t, err)
	api := apiserver.New(apiserver.Options{Seed: 1})
	server, err := rest.Serve(api, rest.Options{})
	require.NoError(t, err)
	to, err := url.Parse(server.URL())
	require.NoError(t, err)
	p := &proxied{direct: kubernetes.NewForConfigOrDie(server.RESTConfig())}
	up := httputil.NewSingleHostReverseProxy(to)
	up.FlushInterval = -1
	h, err := set.Proxy(up, func(fault, does string, q *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.struck = append(p.struck, fault+" "+does+" "+q.Method)
	})
	require.NoError(t, err)
	front := httptest.NewServer(h)
	config := &clientrest.Config{Host: front.URL}
	if protobuf {
		config.AcceptContentTypes, config.ContentType = "application/vnd.kubernetes.protobuf,application/json", "application/vnd.kubernetes.protobuf"
	}
	p.Interface = kubernetes.NewForConfigOrDie(config)
	t.Cleanup(func() {
		front.CloseClientConnections()
		front.Close()
		assert.NoError(t, server.Close())
		assert.NoError(t, api.Close())
	})
	return p
}

func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// A proxy refuses, loses answers and breaks connections.
func TestProxyRequests(t *testing.T) {
	p := behindProxy(t, `faults:
- {name: busy, verbs: [create], object: a, resource: configmaps, status: {code: 403}}
- {name: lost, verbs: [create], resource: configmaps, nth: 2, loseAnswer: true}
- {name: cut, verbs: [list], resource: secrets, reset: headers}
- {name: half, verbs: [list], resource: configmaps, nth: 1, reset: body}
- {name: other, verbs: [get], resource: secrets, answer: {code: 502, type: text/plain, body: gateway}}
`, false)
	maps := p.CoreV1().ConfigMaps("default")
	_, err := maps.Create(t.Context(), configMap("a"), metav1.CreateOptions{})
	assert.True(t, apierrors.IsForbidden(err), "%v", err)
	_, err = maps.Create(t.Context(), configMap("b"), metav1.CreateOptions{})
	assert.ErrorContains(t, err, "EOF")
	_, err = p.direct.CoreV1().ConfigMaps("default").Get(t.Context(), "b", metav1.GetOptions{})
	assert.NoError(t, err, "it was created all the same")
	err = p.CoreV1().RESTClient().Get().Namespace("default").Resource("secrets").MaxRetries(0).Do(t.Context()).Error()
	assert.ErrorContains(t, err, "EOF")
	_, err = maps.List(t.Context(), metav1.ListOptions{})
	assert.ErrorContains(t, err, "EOF")
	all, err := maps.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	assert.Len(t, all.Items, 1)
	_, err = p.CoreV1().Secrets("default").Get(t.Context(), "x", metav1.GetOptions{})
	assert.ErrorContains(t, err, "gateway")
	assert.Contains(t, p.strikes(), "busy status 403 POST; lost loseAnswer POST")
}

// Events are dropped, doubled, delayed and replaced by an error, for clients of JSON and of protobuf.
func TestProxyEvents(t *testing.T) {
	for _, protobuf := range []bool{false, true} {
		p := behindProxy(t, `faults:
- {name: drop, verbs: [watch], resource: configmaps, events: {types: [ADDED], nth: 2, times: 1, do: drop}}
- {name: double, verbs: [watch], resource: configmaps, events: {types: [ADDED], nth: 2, times: 1, do: double}}
- {name: gone, verbs: [watch], resource: configmaps, events: {types: [DELETED], do: error}}
`, protobuf)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		w, err := p.CoreV1().ConfigMaps("default").Watch(ctx, metav1.ListOptions{})
		require.NoError(t, err)
		maps := p.direct.CoreV1().ConfigMaps("default")
		for _, name := range []string{"a", "b", "c"} {
			_, err := maps.Create(ctx, configMap(name), metav1.CreateOptions{})
			require.NoError(t, err)
		}
		require.NoError(t, maps.Delete(ctx, "a", metav1.DeleteOptions{}))
		var got []string
		for e := range w.ResultChan() {
			if e.Type == watch.Error {
				got = append(got, string(apierrors.FromObject(e.Object).(apierrors.APIStatus).Status().Reason))
				continue
			}
			got = append(got, e.Object.(*corev1.ConfigMap).Name)
		}
		assert.Equal(t, []string{"a", "c", "c", "Expired"}, got)
		cancel()
		assert.Equal(t, "drop drop ADDED GET; double double ADDED GET; gone error DELETED GET", p.strikes())
	}
}

// What only lwtest's own API server can do is refused.
func TestProxyRefuses(t *testing.T) {
	for _, what := range []string{"stale: 1s", "continued: true, empty: true", "limit: 2", "wire: {frame: 1}", "verbs: [watch], events: {do: garble}"} {
		set, err := faults.Read([]byte("faults:\n- {" + what + "}\n"))
		require.NoError(t, err)
		_, err = set.Proxy(nil, nil)
		assert.ErrorContains(t, err, "only lwtest's own API server can", what)
	}
}
