package rest_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
)

// memory is a listener whose connections are net.Pipes.
type memory struct {
	conns chan net.Conn
	done  chan struct{}
}

func (m memory) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case m.conns <- there:
		return here, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (m memory) Accept() (net.Conn, error) {
	select {
	case c := <-m.conns:
		return c, nil
	case <-m.done:
		return nil, net.ErrClosed
	}
}

func (m memory) Close() error   { close(m.done); return nil }
func (m memory) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 10250} }

// kubelet answers with what it is asked for, and echoes what follows an upgrade.
func kubelet(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Header.Get("Upgrade") != "":
		conn, buf, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: %s\r\nX-Asked: %s\r\n\r\n", r.Header.Get("Upgrade"), r.URL)
		_, _ = io.Copy(conn, buf)
	case r.URL.Query().Get("follow") == "true":
		fmt.Fprintln(w, "first")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	case r.URL.Query().Get("previous") == "true":
		http.Error(w, "previous terminated container not found", http.StatusBadRequest)
	default:
		fmt.Fprint(w, r.URL, r.Header.Get("Authorization"))
	}
}

// withKubelet runs a test in a bubble with a pod p on a node n, whose kubelet is in memory.
func withKubelet(t *testing.T, secure bool, f func(t *testing.T, b both)) {
	t.Helper()
	other := httptest.NewTLSServer(nil) // for its certificate
	other.Close()
	synctest.Test(t, func(t *testing.T) {
		l := memory{make(chan net.Conn), make(chan struct{})}
		server := &http.Server{Handler: http.HandlerFunc(kubelet), TLSConfig: &tls.Config{Certificates: other.TLS.Certificates}, ErrorLog: log.New(io.Discard, "", 0)}
		serving := make(chan struct{})
		go func() {
			defer close(serving)
			if secure {
				_ = server.ServeTLS(l, "", "")
			} else {
				_ = server.Serve(l)
			}
		}()
		b := open(t, rest.ServePipe, apiserver.Options{}, rest.Options{Token: "secret", DialKubelet: l.dial})
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
		node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeHostName, Address: "nowhere"}, {Type: corev1.NodeInternalIP, Address: "127.0.0.1"}}
		_, err := b.api.Create(t.Context(), apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("nodes")}, node, metav1.CreateOptions{})
		require.NoError(t, err)
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: corev1.PodSpec{NodeName: "n", Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
		_, err = b.api.Create(t.Context(), apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("pods"), Namespace: "default"}, pod, metav1.CreateOptions{})
		require.NoError(t, err)
		f(t, b)
		b.close(t)
		require.NoError(t, server.Close())
		<-serving
	})
}

// bearer sends the server's token.
type bearer struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer secret")
	return b.RoundTripper.RoundTrip(r)
}

// trusted is a client with the server's token.
func trusted(b both) *http.Client {
	c := client(b.RESTConfig(), nil)
	return &http.Client{Transport: bearer{c.Transport}}
}

const podPath = "/api/v1/namespaces/default/pods/p"

// Logs, exec and proxies come from the kubelet of the node, with TLS or without.
func TestKubelet(t *testing.T) {
	for _, secure := range []bool{true, false} {
		t.Run(fmt.Sprintf("TLS=%v", secure), func(t *testing.T) {
			withKubelet(t, secure, func(t *testing.T, b both) {
				c := trusted(b)
				defer c.CloseIdleConnections()
				for path, want := range map[string]string{
					podPath + "/log?tailLines=3&timestamps=true":       "/containerLogs/default/p/c?tailLines=3&timestamps=true",
					"/api/v1/nodes/n/proxy/pods?x=y":                   "/pods?x=y",
					"/api/v1/nodes/n/proxy/":                           "/",
					podPath + "/log?previous=1&timeout=1s":             `"message":"previous terminated container not found\n"`,
					"/api/v1/nodes/n:10250/proxy/stats/summary?a=b%2F": "/stats/summary?a=b%2F",
				} {
					_, body := get(t, c, b.URL()+path)
					assert.Contains(t, body, want, path)
					assert.NotContains(t, body, "Bearer", "the token is for the API server alone")
				}
				execOver(t, b)
			})
		})
	}
}

// A service is reached at a ready endpoint that is a pod with the address. Others there are none.
func TestServiceProxy(t *testing.T) {
	withKubelet(t, false, func(t *testing.T, b both) {
		create := func(resource schema.GroupVersionResource, obj runtime.Object) {
			t.Helper()
			_, err := b.api.Create(t.Context(), apiserver.Request{Resource: resource, Namespace: "default"}, obj, metav1.CreateOptions{})
			require.NoError(t, err)
		}
		_, err := b.api.Patch(t.Context(), apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("pods"), Namespace: "default", Name: "p", Subresource: "status"},
			types.MergePatchType, []byte(`{"status":{"podIP":"127.0.0.1","podIPs":[{"ip":"127.0.0.1"}]}}`), metav1.PatchOptions{})
		require.NoError(t, err)
		for name, e := range map[string]discoveryv1.Endpoint{
			"ready": {}, "unready": {Conditions: discoveryv1.EndpointConditions{Ready: new(false)}}, "other": {Addresses: []string{"127.0.0.2"}}, "nopod": {TargetRef: &corev1.ObjectReference{Namespace: "default", Name: "q"}},
		} {
			create(corev1.SchemeGroupVersion.WithResource("services"), &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Name: "web", Port: 80}}}})
			if e.Addresses == nil {
				e.Addresses = []string{"127.0.0.1"}
			}
			if e.TargetRef == nil {
				e.TargetRef = &corev1.ObjectReference{Namespace: "default", Name: "p"}
			}
			create(discoveryv1.SchemeGroupVersion.WithResource("endpointslices"), &discoveryv1.EndpointSlice{
				ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{discoveryv1.LabelServiceName: name}}, AddressType: discoveryv1.AddressTypeIPv4,
				Ports: []discoveryv1.EndpointPort{{Name: new("web"), Port: new(int32(8080))}}, Endpoints: []discoveryv1.Endpoint{e},
			})
		}
		c := trusted(b)
		defer c.CloseIdleConnections()
		for path, want := range map[string]string{
			"ready:web/proxy/x?y=z": "/x?y=z", "http:ready:80/proxy/": "/",
			"ready/proxy/": `no endpoints available for service \"ready\"`, "unready:web/proxy/": "no endpoints available", "other:web/proxy/": "no endpoints available", "nopod:web/proxy/": "no endpoints available",
			"ready:81/proxy/": `no service port 81 found for service \"ready\"`, "nosuch:80/proxy/": `services \"nosuch\" not found`, "nosuch/proxy/": `no endpoints available for service \"nosuch\"`,
		} {
			_, body := get(t, c, b.URL()+"/api/v1/namespaces/default/services/"+path)
			assert.Contains(t, body, want, path)
		}
	})
}

// execOver upgrades a connection to the kubelet and says something over it.
func execOver(t *testing.T, b both) {
	t.Helper()
	conn, err := b.RESTConfig().Dial(t.Context(), "", "")
	require.NoError(t, err)
	defer conn.Close()
	fmt.Fprintf(conn, "POST %s/exec?command=ls&command=-l&stdin=true&tty=1&stderr=false HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer secret\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n", podPath)
	in := bufio.NewReader(conn)
	res, err := http.ReadResponse(in, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusSwitchingProtocols, res.StatusCode)
	require.Equal(t, "/exec/default/p/c?command=ls&command=-l&input=1&tty=1", res.Header.Get("X-Asked"))
	fmt.Fprint(conn, "hello\n")
	line, err := in.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "hello\n", line)
}

// What follows comes at once, and ends with the server.
func TestKubeletFollow(t *testing.T) {
	withKubelet(t, true, func(t *testing.T, b both) {
		c := trusted(b)
		defer c.CloseIdleConnections()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.URL()+podPath+"/log?follow=true", nil)
		require.NoError(t, err)
		res, err := c.Do(req)
		require.NoError(t, err)
		defer res.Body.Close()
		line, err := bufio.NewReader(res.Body).ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "first\n", line)
		time.Sleep(time.Hour)
	})
}

// A node that gives itself an address elsewhere is not connected to.
func TestKubeletElsewhere(t *testing.T) {
	inBubble(t, apiserver.Options{}, func(t *testing.T, b both) {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
		node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "198.51.100.1"}}
		_, err := b.api.Create(t.Context(), apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("nodes")}, node, metav1.CreateOptions{})
		require.NoError(t, err)
		c := client(b.RESTConfig(), nil)
		defer c.CloseIdleConnections()
		res, body := get(t, c, b.URL()+"/api/v1/nodes/n/proxy/healthz")
		require.Equal(t, http.StatusServiceUnavailable, res.StatusCode)
		require.Contains(t, body, "198.51.100.1 is neither a private address nor one of this machine")
	})
}
