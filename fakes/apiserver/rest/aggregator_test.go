package rest_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	serving "github.com/lwtest/lwtest/fakes/apiserver/serve"
)

// askJSON gets a path.
func askJSON(t *testing.T, s interface{ RESTConfig() *clientrest.Config }, path, accept string) (int, []byte) {
	t.Helper()
	config := s.RESTConfig()
	client, err := clientrest.HTTPClientFor(config)
	require.NoError(t, err)
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, config.Host+path, nil)
	require.NoError(t, err)
	if accept != "" {
		req.Header.Set("Accept", accept)
	}
	res, err := client.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, b
}

// wardle is an aggregated API server that records its requests.
func wardle(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/apis/wardle.example.com/v1alpha1":
		fmt.Fprint(w, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"wardle.example.com/v1alpha1","resources":[{"name":"flunders","singularName":"flunder","namespaced":true,"kind":"Flunder","verbs":["list"]},{"name":"flunders/status","singularName":"","namespaced":true,"kind":"Flunder","verbs":["get"]}]}`)
	case r.Header.Get("Upgrade") != "":
		kubelet(w, r)
	case r.URL.Query().Get("watch") == "true":
		fmt.Fprintln(w, `{"type":"ADDED"}`)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	default:
		_ = json.NewEncoder(w).Encode(map[string]any{"path": r.URL.String(), "header": r.Header, "by": r.TLS.PeerCertificates[0].Subject.CommonName})
	}
}

// aggregating is a server in a bubble with an API server behind it, in memory.
type aggregating struct {
	*serving.Server
	pair    rest.Pair
	behind  memory
	clients *kubernetes.Clientset
}

func withWardle(t *testing.T, handler http.HandlerFunc, test func(t *testing.T, a aggregating)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		a := aggregating{behind: memory{conns: make(chan net.Conn), done: make(chan struct{})}}
		var err error
		a.Server, err = serving.Start(t.Context(), serving.Options{InMemory: true, Options: rest.Options{RBAC: true}, Webhooks: rest.WebhookOptions{Dial: a.behind.dial}})
		require.NoError(t, err)
		defer func() { require.NoError(t, a.Close()) }()
		a.clients, err = kubernetes.NewForConfig(a.First().RESTConfig())
		require.NoError(t, err)
		config, err := a.clients.CoreV1().ConfigMaps("kube-system").Get(t.Context(), "extension-apiserver-authentication", metav1.GetOptions{})
		require.NoError(t, err)
		assert.Equal(t, `["front-proxy-client"]`, config.Data["requestheader-allowed-names"])
		authority := x509.NewCertPool()
		require.True(t, authority.AppendCertsFromPEM([]byte(config.Data["requestheader-client-ca-file"])))
		a.pair, err = rest.NewPair("api.default.svc")
		require.NoError(t, err)
		pair, err := tls.X509KeyPair(a.pair.Certificate, a.pair.Key)
		require.NoError(t, err)
		server := &http.Server{Handler: handler, ErrorLog: log.New(io.Discard, "", 0)}
		ended := make(chan error, 1)
		secure := tls.NewListener(a.behind, &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: authority, SessionTicketsDisabled: true})
		go func() { ended <- server.Serve(secure) }()
		defer func() { _ = server.Close(); <-ended }()
		test(t, a)
	})
}

// register creates the APIService.
func (a aggregating) register(t *testing.T, more string) dynamic.ResourceInterface {
	t.Helper()
	clients, err := dynamic.NewForConfig(a.First().RESTConfig())
	require.NoError(t, err)
	c := clients.Resource(apiserver.APIServices)
	_, err = c.Create(t.Context(), remoteService(t, "v1alpha1", "wardle.example.com", more), metav1.CreateOptions{})
	require.NoError(t, err)
	return c
}

// trusting is the field by which an APIService trusts the API server.
func (a aggregating) trusting() string {
	return `,"caBundle":"` + base64.StdEncoding.EncodeToString(a.pair.Authority) + `"`
}

// reaches adds the service and an endpoint of it.
func (a aggregating) reaches(t *testing.T) {
	t.Helper()
	_, err := a.clients.CoreV1().Services("default").Create(t.Context(), &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "api"}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Name: "https", Port: 443}}}}, metav1.CreateOptions{})
	require.NoError(t, err)
	a.endpoints(t, "https")
}

func (a aggregating) endpoints(t *testing.T, port string) {
	t.Helper()
	_, err := a.clients.DiscoveryV1().EndpointSlices("default").Create(t.Context(), &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "api-", Labels: map[string]string{discoveryv1.LabelServiceName: "api"}}, AddressType: discoveryv1.AddressTypeIPv4,
		Endpoints: []discoveryv1.Endpoint{{Addresses: []string{"10.1.2.3"}}}, Ports: []discoveryv1.EndpointPort{{Name: new(port), Port: new(int32(6443))}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
}

// available returns the condition of the APIService once it has been looked at again.
func (a aggregating) available(t *testing.T, c dynamic.ResourceInterface) (reason, message string) {
	t.Helper()
	time.Sleep(6 * time.Second) // by then even one that answers has been asked again
	synctest.Wait()
	u, err := c.Get(t.Context(), "v1alpha1.wardle.example.com", metav1.GetOptions{})
	require.NoError(t, err)
	s, err := apiserver.ReadAPIService(u)
	require.NoError(t, err)
	is := s.Available()
	assert.Equal(t, is.Reason == "Passed", is.Status == metav1.ConditionTrue)
	return is.Reason, is.Message
}

func TestAggregated(t *testing.T) {
	withWardle(t, wardle, func(t *testing.T, a aggregating) {
		a.reaches(t)
		c := a.register(t, a.trusting())
		reason, message := a.available(t, c)
		require.Equal(t, "Passed", reason, message)
		assert.Equal(t, "all checks passed", message)

		code, body := askJSON(t, a.First(), "/apis/wardle.example.com/v1alpha1/flunders?limit=5", "")
		require.Equal(t, http.StatusOK, code, string(body))
		var shown struct {
			Path, By string
			Header   http.Header
		}
		require.NoError(t, json.Unmarshal(body, &shown))
		assert.Equal(t, "/apis/wardle.example.com/v1alpha1/flunders?limit=5", shown.Path)
		assert.Equal(t, rest.FrontProxy, shown.By)
		assert.Equal(t, []string{"admin"}, shown.Header.Values("X-Remote-User"))
		assert.Equal(t, []string{"system:masters", "system:authenticated"}, shown.Header.Values("X-Remote-Group"))
		assert.Empty(t, shown.Header.Values("Authorization"))

		jane := a.First().RESTConfig()
		jane.Impersonate = clientrest.ImpersonationConfig{UserName: "jane", UID: "7", Extra: map[string][]string{"team": {"a"}}}
		code, _ = askJSON(t, configured{jane}, "/apis/wardle.example.com/v1alpha1/flunders", "")
		assert.Equal(t, http.StatusForbidden, code, "no role lets jane")
		jane.Impersonate.Groups = []string{"system:masters"}
		_, body = askJSON(t, configured{jane}, "/apis/wardle.example.com/v1alpha1/flunders", "")
		shown.Header = nil
		require.NoError(t, json.Unmarshal(body, &shown))
		assert.Equal(t, []string{"jane"}, shown.Header.Values("X-Remote-User"))
		assert.Equal(t, []string{"7"}, shown.Header.Values("X-Remote-Uid"))
		assert.Equal(t, []string{"a"}, shown.Header.Values("X-Remote-Extra-Team"))
		assert.Empty(t, shown.Header.Values("Impersonate-User"))

		a.discovers(t)
		a.streams(t)
	})
}

// configured is a server that is known by its configuration.
type configured struct{ *clientrest.Config }

func (c configured) RESTConfig() *clientrest.Config { return c.Config }

// discovers checks that clients find what is behind the server, by both forms of discovery.
func (a aggregating) discovers(t *testing.T) {
	t.Helper()
	for _, legacy := range []bool{false, true} {
		client, err := discovery.NewDiscoveryClientForConfig(a.First().RESTConfig())
		require.NoError(t, err)
		client.UseLegacyDiscovery = legacy
		_, all, err := client.ServerGroupsAndResources()
		require.NoError(t, err)
		found := false
		for _, l := range all {
			if l.GroupVersion == "wardle.example.com/v1alpha1" {
				found = len(l.APIResources) == 2 && l.APIResources[0].Kind == "Flunder"
			}
		}
		assert.True(t, found, "legacy: %v", legacy)
	}
	_, body := askJSON(t, a.First(), "/openapi/v3", "")
	assert.Contains(t, string(body), `"apis/wardle.example.com/v1alpha1":{"serverRelativeURL":"/openapi/v3/apis/wardle.example.com/v1alpha1"}`)
	_, body = askJSON(t, a.First(), "/openapi/v3/apis/wardle.example.com/v1alpha1", "")
	assert.Contains(t, string(body), `"path":"/openapi/v3/apis/wardle.example.com/v1alpha1"`)
}

// streams checks that a watch and an upgraded connection pass through.
func (a aggregating) streams(t *testing.T) {
	t.Helper()
	config := a.First().RESTConfig()
	client := &http.Client{Transport: &http.Transport{DialContext: config.Dial, DisableKeepAlives: true}}
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, config.Host+"/apis/wardle.example.com/v1alpha1/flunders?watch=true", nil)
	require.NoError(t, err)
	res, err := client.Do(req)
	require.NoError(t, err)
	line, err := bufio.NewReader(res.Body).ReadString('\n')
	require.NoError(t, err)
	assert.Equal(t, `{"type":"ADDED"}`+"\n", line)
	cancel()
	_ = res.Body.Close()

	req, err = http.NewRequestWithContext(t.Context(), http.MethodGet, config.Host+"/apis/wardle.example.com/v1alpha1/flunders/x/shell", nil)
	require.NoError(t, err)
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "test")
	res, err = client.Do(req)
	require.NoError(t, err)
	require.Equal(t, http.StatusSwitchingProtocols, res.StatusCode)
	conn := res.Body.(io.ReadWriteCloser)
	_, err = conn.Write([]byte("ping"))
	require.NoError(t, err)
	b := make([]byte, 4)
	_, err = io.ReadFull(conn, b)
	require.NoError(t, err)
	assert.Equal(t, "ping", string(b))
	require.NoError(t, conn.Close())
}

// TestUnavailable follows an APIService from one reason to the next.
func TestUnavailable(t *testing.T) {
	var failing atomic.Bool
	withWardle(t, func(w http.ResponseWriter, r *http.Request) {
		if failing.Load() {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		wardle(w, r)
	}, func(t *testing.T, a aggregating) {
		c := a.register(t, "")
		is := func(reason, message string) {
			t.Helper()
			r, m := a.available(t, c)
			assert.Equal(t, reason, r)
			assert.Contains(t, m, message)
			if reason != "Passed" {
				code, body := askJSON(t, a.First(), "/apis/wardle.example.com/v1alpha1/flunders", "")
				assert.Equal(t, http.StatusServiceUnavailable, code)
				assert.Equal(t, "service unavailable\n", string(body))
			}
		}
		is("ServiceNotFound", `service/api in "default" is not present`)
		services := a.clients.CoreV1().Services("default")
		made, err := services.Create(t.Context(), &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "api"}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Name: "https", Port: 80}}}}, metav1.CreateOptions{})
		require.NoError(t, err)
		is("ServicePortError", `service/api in "default" is not listening on port 443`)
		made.Spec.Ports[0].Port = 443
		_, err = services.Update(t.Context(), made, metav1.UpdateOptions{})
		require.NoError(t, err)
		is("EndpointsNotFound", `cannot find endpointslices for service/api in "default"`)
		a.endpoints(t, "other")
		is("MissingEndpoints", `endpointslices for service/api in "default" have no addresses with port name "https"`)
		a.endpoints(t, "https")
		is("FailedDiscoveryCheck", "tls: failed to verify certificate: x509: certificate signed by unknown authority")
		_, err = c.Patch(t.Context(), "v1alpha1.wardle.example.com", "application/merge-patch+json", []byte(`{"spec":{"insecureSkipTLSVerify":true}}`), metav1.PatchOptions{})
		require.NoError(t, err)
		is("Passed", "all checks passed")
		failing.Store(true)
		is("FailedDiscoveryCheck", "bad status from https://10.1.2.3:6443/apis/wardle.example.com/v1alpha1: 403")
		_, body := askJSON(t, a.First(), "/apis", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
		assert.Contains(t, string(body), `"resource":"flunders"`, "what it has served is remembered")
		assert.Contains(t, string(body), `"freshness":"Stale"`)
		require.NoError(t, c.Delete(t.Context(), "v1alpha1.wardle.example.com", metav1.DeleteOptions{}))
		code, _ := askJSON(t, a.First(), "/apis/wardle.example.com/v1alpha1/flunders", "")
		assert.Equal(t, http.StatusNotFound, code)
	})
}

// TestFarServices: an address that is neither private nor this machine's is not connected to.
func TestFarServices(t *testing.T) {
	s, err := serving.Start(t.Context(), serving.Options{Webhooks: rest.WebhookOptions{Services: map[string]string{"default/api": "192.0.2.7:443"}}})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	clients, err := dynamic.NewForConfig(s.First().RESTConfig())
	require.NoError(t, err)
	c := clients.Resource(apiserver.APIServices)
	_, err = c.Create(t.Context(), remoteService(t, "v1alpha1", "wardle.example.com", ""), metav1.CreateOptions{})
	require.NoError(t, err)
	w, err := c.Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	defer w.Stop()
	for e := range w.ResultChan() {
		is, err := apiserver.ReadAPIService(e.Object)
		require.NoError(t, err)
		if is.Available().Reason == "" {
			continue
		}
		assert.Contains(t, is.Available().Message, "192.0.2.7 is neither a private address nor one of this machine")
		return
	}
}
