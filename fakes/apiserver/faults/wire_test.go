package faults_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/faults"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
)

// over runs f with a client of a server over TCP.
func over(t *testing.T, o rest.Options, agent string, f func(kubernetes.Interface), all ...faults.Fault) {
	t.Helper()
	set, err := faults.New(1, all...)
	require.NoError(t, err)
	server := apiserver.New(apiserver.Options{})
	defer func() { require.NoError(t, server.Close()) }()
	api, err := set.API(server, faults.Options{View: o.View})
	require.NoError(t, err)
	s, err := rest.Serve(api, o)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	config := s.RESTConfig()
	config.UserAgent = agent
	h, err := clientrest.HTTPClientFor(config)
	require.NoError(t, err)
	defer h.CloseIdleConnections()
	clients, err := kubernetes.NewForConfigAndClient(config, h)
	require.NoError(t, err)
	f(clients)
}

// Over TCP a reset is one; a stream of HTTP/2 breaks alone, its connection lives.
func TestResetOverTCP(t *testing.T) {
	for _, part := range []faults.Part{faults.Headers, faults.Body} {
		create := func(c kubernetes.Interface) error {
			_, err := c.CoreV1().ConfigMaps("default").Create(context.Background(), named("a"), metav1.CreateOptions{})
			return err
		}
		f := on("create", faults.Fault{Nth: 1, Reset: part})
		over(t, rest.Options{}, "", func(c kubernetes.Interface) {
			err := create(c)
			require.Error(t, err)
			if part == faults.Headers {
				require.True(t, errors.Is(err, syscall.ECONNRESET), "%v", err)
			}
		}, f)
		over(t, rest.Options{TLS: true}, "", func(c kubernetes.Interface) {
			require.ErrorContains(t, create(c), "INTERNAL_ERROR")
		}, f)
		over(t, rest.Options{TLS: true}, "", func(c kubernetes.Interface) {
			w, err := c.CoreV1().ConfigMaps("default").Watch(t.Context(), metav1.ListOptions{})
			require.NoError(t, err)
			defer w.Stop()
			require.Error(t, create(c))
			require.NoError(t, c.CoreV1().ConfigMaps("default").DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}))
			select {
			case _, open := <-w.ResultChan():
				require.True(t, open, "the watch on the same connection goes on")
			default:
			}
		}, f)
	}
}

// Over HTTP, too, a fault may be for one client, and for one view.
func TestChosenOverHTTP(t *testing.T) {
	refused := faults.Fault{UserAgent: "kubelet/", View: "b", Status: &faults.Status{Code: 403}}
	for _, test := range []struct {
		agent, view string
		struck      bool
	}{{"kubelet/v1", "b", true}, {"kubectl/v1", "b", false}, {"kubelet/v1", "a", false}} {
		over(t, rest.Options{View: test.view}, test.agent, func(c kubernetes.Interface) {
			_, err := c.CoreV1().ConfigMaps("").List(t.Context(), metav1.ListOptions{})
			require.Equal(t, test.struck, err != nil, "%+v %v", test, err)
		}, refused)
	}
}

// In place of a server a proxy may answer what is no Status, of a list and of a watch; the server does nothing.
func TestAnswer(t *testing.T) {
	page := faults.Fault{Verbs: []string{"list", "watch", "create"}, Answer: &faults.Answer{Code: 502, Type: "text/html", Body: "<h1>bad</h1>"}}
	over(t, rest.Options{}, "", func(c kubernetes.Interface) {
		maps := c.CoreV1().ConfigMaps("default")
		_, err := maps.List(t.Context(), metav1.ListOptions{})
		_, watched := maps.Watch(t.Context(), metav1.ListOptions{})
		_, created := maps.Create(t.Context(), named("a"), metav1.CreateOptions{})
		for _, err := range []error{err, watched, created} {
			var s apierrors.APIStatus
			require.ErrorAs(t, err, &s)
			require.EqualValues(t, 502, s.Status().Code)
			require.Equal(t, "<h1>bad</h1>", s.Status().Details.Causes[0].Message)
		}
		_, err = maps.Get(t.Context(), "a", metav1.GetOptions{})
		require.True(t, apierrors.IsNotFound(err), "%v", err)
	}, page)
}

// A frame may be any bytes, in JSON and in protobuf.
func TestReplace(t *testing.T) {
	for media, frame := range map[string]string{"application/json": `{"type":"STRANGE","object":{"kind":"ConfigMap","apiVersion":"v1"}}`, "application/vnd.kubernetes.protobuf": "\x08\x01"} {
		set, err := faults.New(1, faults.Fault{Events: &faults.Events{Nth: 1, Do: faults.Replace, Frame: frame}})
		require.NoError(t, err)
		server := apiserver.New(apiserver.Options{})
		defer func() { require.NoError(t, server.Close()) }()
		api, err := set.API(server, faults.Options{})
		require.NoError(t, err)
		w := httptest.NewRecorder()
		_, err = apiserver.ConfigMaps(server, "default").Create(t.Context(), named("a"), metav1.CreateOptions{})
		require.NoError(t, err)
		r := httptest.NewRequest("GET", "/api/v1/namespaces/default/configmaps?watch=1&timeoutSeconds=1", nil)
		r.Header.Set("Accept", media+";stream=watch,"+media)
		rest.Handler(api, rest.Options{}).ServeHTTP(w, r)
		require.Equal(t, 200, w.Code)
		require.Contains(t, w.Body.String(), frame)
		require.NotContains(t, w.Body.String(), `"name":"a"`)
	}
}

// A fault that is added strikes from then on, until it is removed.
func TestAddAndRemove(t *testing.T) {
	set, err := faults.New(1)
	require.NoError(t, err)
	server := apiserver.New(apiserver.Options{})
	defer func() { require.NoError(t, server.Close()) }()
	api, err := set.API(server, faults.Options{})
	require.NoError(t, err)
	list := func() error {
		_, err := apiserver.ConfigMaps(api, "default").List(t.Context(), metav1.ListOptions{})
		return err
	}
	busy := faults.Fault{Name: "busy", Status: &faults.Status{Code: 429}}
	require.NoError(t, list())
	require.NoError(t, set.Add(busy))
	require.ErrorContains(t, set.Add(busy), "two faults are called busy")
	require.ErrorContains(t, set.Add(faults.Fault{Status: busy.Status}), "needs a name")
	require.ErrorContains(t, set.Add(faults.Fault{Name: "old", Stale: &metav1.Duration{Duration: 1}}), "stale")
	require.ErrorContains(t, set.Add(faults.Fault{Name: "none"}), "it does nothing")
	require.True(t, apierrors.IsTooManyRequests(list()))
	require.Equal(t, 1, set.Struck("busy"))
	set.Remove("busy")
	require.NoError(t, list())
}
