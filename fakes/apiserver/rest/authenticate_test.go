package rest_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientrest "k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
)

// With roles an unknown token is 401. Without them, and without a Token, every token is an administrator's.
func TestUnknownTokens(t *testing.T) {
	for _, c := range []struct {
		o rest.Options
		// codes of a list: with the token of the server's own config, with a wrong token, with none
		own, wrong, none int
	}{
		{rest.Options{}, 200, 200, 200},
		{rest.Options{TLS: true}, 200, 200, 200},
		{rest.Options{Token: "secret"}, 200, 401, 401},
		{rest.Options{RBAC: true}, 200, 401, 200},
		{rest.Options{RBAC: true, TLS: true}, 200, 401, 403},
		{rest.Options{RBAC: true, TLS: true, Token: "secret"}, 200, 401, 401},
		{rest.Options{RBAC: true, TLS: true, Authentication: &rest.Authentication{}}, 401, 401, 401},
		{rest.Options{RBAC: true, TLS: true, Token: "secret", Authentication: &rest.Authentication{Anonymous: true}}, 200, 401, 403},
	} {
		api := apiserver.New(apiserver.Options{Namespaces: true})
		s, err := rest.Serve(api, c.o)
		require.NoError(t, err)
		code := func(token string) int {
			config := s.RESTConfig()
			config.BearerToken = token
			client, err := clientrest.HTTPClientFor(config)
			require.NoError(t, err)
			defer client.CloseIdleConnections()
			res, err := client.Get(s.URL() + benchPath)
			require.NoError(t, err)
			defer res.Body.Close()
			_, _ = io.Copy(io.Discard, res.Body)
			return res.StatusCode
		}
		got := []int{code(s.RESTConfig().BearerToken), code("wrong"), code("")}
		assert.Equal(t, []int{c.own, c.wrong, c.none}, got, fmt.Sprintf("%+v", c.o))
		require.NoError(t, s.Close())
		require.NoError(t, api.Close())
	}
}

// The reports of health have the lines of kube-apiserver v1.37.1.
func TestHealth(t *testing.T) {
	api := apiserver.New(apiserver.Options{})
	defer api.Close()
	ask := asking(t, rest.Handler(api, rest.Options{}))
	for path, want := range map[string]string{
		"/healthz": "ok", "/livez/etcd?verbose": "ok", "/livez?exclude=nope": "ok", "/readyz/shutdown": "ok", "/livez/shutdown": "404 page not found\n",
	} {
		assert.Equal(t, want, ask(http.MethodGet, path, ""), path)
	}
	for _, c := range []struct {
		path  string
		lines int // of checks
		want  []string
	}{
		{"/livez?verbose", 34, []string{"[+]ping ok\n[+]log ok\n[+]loopback-serving-certificate ok\n[+]etcd ok\n", "[+]poststarthook/apiservice-openapiv3-controller ok\nlivez check passed\n"}},
		{"/readyz?verbose", 36, []string{"[+]etcd ok\n[+]etcd-readiness ok\n[+]informer-sync ok\n", "[+]shutdown ok\nreadyz check passed\n"}},
		{"/livez?verbose&exclude=etcd&exclude=b&exclude=a", 34, []string{"[+]etcd excluded: ok\n", "warn: some health checks cannot be excluded: no matches for \"b\",\"a\"\nlivez check passed\n"}},
	} {
		got := ask(http.MethodGet, c.path, "")
		for _, w := range c.want {
			assert.Contains(t, got, w, c.path)
		}
		assert.Equal(t, c.lines, strings.Count(got, "[+]"), c.path)
	}
}
