package rest_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
)

// asking returns what a handler answers.
func asking(t testing.TB, h http.Handler) func(method, path, body string, headers ...string) string {
	return func(method, path, body string, headers ...string) string {
		r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		for i := 0; i+1 < len(headers); i += 2 {
			r.Header.Add(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		b, err := io.ReadAll(w.Body)
		require.NoError(t, err)
		return string(b)
	}
}

// Anybody can check the token of a service account with the key that the server publishes.
func TestTokenKey(t *testing.T) {
	api := apiserver.New(apiserver.Options{Namespaces: true, Accounts: true})
	defer api.Close()
	ask := asking(t, rest.Handler(api, rest.Options{}))
	require.Contains(t, ask("GET", "/.well-known/openid-configuration", ""), `"jwks_uri":"http://example.com/openid/v1/jwks"`)
	var keys struct{ Keys []apiserver.JWK }
	require.NoError(t, json.Unmarshal([]byte(ask("GET", "/openid/v1/jwks", "")), &keys))
	var made authenticationv1.TokenRequest
	require.NoError(t, json.Unmarshal([]byte(ask("POST", "/api/v1/namespaces/default/serviceaccounts/default/token", "{}")), &made))
	end := strings.LastIndex(made.Status.Token, ".")
	decode := func(text string) []byte {
		b, err := base64.RawURLEncoding.DecodeString(text)
		require.NoError(t, err)
		return b
	}
	raw, sum, k := decode(made.Status.Token[end+1:]), sha256.Sum256([]byte(made.Status.Token[:end])), keys.Keys[0]
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), slices.Concat([]byte{4}, decode(k.X), decode(k.Y)))
	require.NoError(t, err)
	require.True(t, ecdsa.Verify(public, sum[:], new(big.Int).SetBytes(raw[:32]), new(big.Int).SetBytes(raw[32:])))
}

// Who impersonates somebody is that user; a group alone is refused.
func TestImpersonation(t *testing.T) {
	api := apiserver.New(apiserver.Options{})
	defer api.Close()
	ask := asking(t, rest.Handler(api, rest.Options{}))
	who := func(headers ...string) string {
		return ask("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", `{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1"}`, headers...)
	}
	require.Contains(t, who(), `"username":"admin"`)
	require.Contains(t, who("Impersonate-User", "bob", "Impersonate-Group", "g", "Impersonate-Extra-Scopes", "s"), `"userInfo":{"username":"bob","groups":["g","system:authenticated"],"extra":{"scopes":["s"]}}`)
	require.Contains(t, who("Impersonate-User", "system:serviceaccount:n:a"), `"groups":["system:serviceaccounts","system:serviceaccounts:n","system:authenticated"]`)
	require.Contains(t, who("Impersonate-Group", "g"), `"code":400`)
}

// /metrics counts requests, and profiles are served to who asks for them at the start.
func TestAbout(t *testing.T) {
	api := apiserver.New(apiserver.Options{})
	defer api.Close()
	ask := asking(t, rest.Handler(api, rest.Options{Pprof: true}))
	ask("GET", benchPath, "")
	ask("GET", benchPath+"/a", "")
	require.Contains(t, ask("GET", "/metrics", ""), `apiserver_request_total{group="",resource="configmaps",subresource="",verb="LIST",version="v1"} 1`)
	require.Contains(t, ask("GET", "/debug/pprof/", ""), "goroutine")
	require.Contains(t, asking(t, rest.Handler(api, rest.Options{}))("GET", "/debug/pprof/", ""), "404")
}

// With RBAC a user may do what roles allow, in the words of kube-apiserver if not; aggregated roles have the rules of others.
func TestRBAC(t *testing.T) {
	api := apiserver.New(apiserver.Options{Namespaces: true})
	defer api.Close()
	require.NoError(t, rest.AddBootstrapRoles(t.Context(), api))
	ask := asking(t, rest.Handler(api, rest.Options{RBAC: true}))
	as := func(user, method, path, body string) string { return ask(method, path, body, "Impersonate-User", user) }
	require.Contains(t, as("bob", "GET", benchPath, ""), `configmaps is forbidden: User \"bob\" cannot list resource \"configmaps\" in API group \"\" in the namespace \"default\"`)
	require.Contains(t, as("bob", "GET", "/metrics", ""), `forbidden: User \"bob\" cannot get path \"/metrics\"`)
	require.Contains(t, as("bob", "GET", "/api/v1/nodes/n", ""), `nodes \"n\" is forbidden: User \"bob\" cannot get resource \"nodes\" in API group \"\" at the cluster scope`)
	require.Contains(t, as("bob", "GET", "/version", ""), "gitVersion", "everybody may")
	may := `{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","spec":{"resourceAttributes":{"verb":"list","resource":"configmaps","namespace":"default"}}}`
	const reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
	require.Contains(t, as("bob", "POST", reviews, may), `"allowed":false`)
	bound := ask("POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings", `{"metadata":{"name":"b"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"view"},"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"bob"}]}`)
	require.Contains(t, bound, `"kind":"RoleBinding"`)
	require.Contains(t, as("bob", "GET", benchPath, ""), `"kind":"ConfigMapList"`)
	require.Contains(t, as("bob", "POST", reviews, may), `"allowed":true,"reason":"RBAC: allowed by RoleBinding \"b/default\" of ClusterRole \"view\" to `)
	require.Contains(t, as("bob", "DELETE", benchPath+"/a", ""), `cannot delete resource`)
	require.Contains(t, as("bob", "GET", strings.Replace(benchPath, "default", "kube-system", 1), ""), `"code":403`)
	require.Contains(t, ask("GET", benchPath, ""), `"kind":"ConfigMapList"`, "the administrator may all")
	embedding := struct{ apiserver.API }{api}
	require.Contains(t, asking(t, rest.Handler(embedding, rest.Options{RBAC: true}))("GET", benchPath, "", "Impersonate-User", "bob"), `"kind":"ConfigMapList"`, "also where objects are not shared")
}

// A server is compatible with the minor version before its own.
func TestVersion(t *testing.T) {
	api := apiserver.New(apiserver.Options{})
	defer func() { require.NoError(t, api.Close()) }()
	var got map[string]string
	require.NoError(t, json.Unmarshal([]byte(asking(t, rest.Handler(api, rest.Options{Version: "v1.37.1"}))("GET", "/version", "")), &got))
	want := map[string]string{"major": "1", "minor": "37", "emulationMajor": "1", "emulationMinor": "37", "minCompatibilityMajor": "1", "minCompatibilityMinor": "36", "gitVersion": "v1.37.1"}
	for name, value := range want {
		require.Equal(t, value, got[name], name)
	}
}
