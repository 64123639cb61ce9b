package faults_test

import (
	"context"
	"errors"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
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
