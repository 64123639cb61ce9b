package assets

import (
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	review  = `{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1"}`
	reviews = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
)

// Each kind of credential is who it says, or 401, in the words of kube-apiserver v1.37.1.
func TestAuthentication(t *testing.T) {
	f, port := newFolder(t), freePort(t)
	start(t, "kube-apiserver", f.args(port))
	url := "https://127.0.0.1:" + port
	pair := func(crt, key []byte) *http.Client { return client(t, crt, key) }
	admin, nobody := pair(f.client.sign(t, x509.ExtKeyUsageClientAuth, "admin", "system:masters")), client(t)
	code, body := ask(t, admin, "POST", url+"/api/v1/namespaces/default/serviceaccounts", `{"metadata":{"name":"robot"}}`)
	require.Equal(t, 201, code, body)
	_, body = ask(t, admin, "POST", url+"/api/v1/namespaces/default/serviceaccounts/robot/token", `{}`)
	var made struct{ Status struct{ Token string } }
	require.NoError(t, json.Unmarshal([]byte(body), &made))
	token := "Authorization: Bearer " + made.Status.Token
	changed := token[:len(token)-4] + "AAAA"

	for _, c := range []struct {
		name               string
		client             *http.Client
		header, path, says string
		code               int
	}{
		{"a certificate", admin, "", "/api/v1/nodes", `"kind":"NodeList"`, 200},
		{"a certificate is who it says", admin, "", reviews, `"username":"admin","groups":["system:masters","system:authenticated"],"extra":{"authentication.kubernetes.io/credential-id":["X509SHA256=`, 201},
		{"a certificate comes before a token", admin, "Authorization: Bearer wrong", "/api/v1/nodes", `"kind":"NodeList"`, 200},
		{"a user whom no role names", pair(f.client.sign(t, x509.ExtKeyUsageClientAuth, "bob", "dev")), "", "/api/v1/nodes", `User \"bob\" cannot list resource \"nodes\"`, 403},
		{"a user whom no role names may discover", pair(f.client.sign(t, x509.ExtKeyUsageClientAuth, "bob")), "", "/api", `"APIVersions"`, 200},
		{"a certificate of another authority", pair(newAuthority(t).sign(t, x509.ExtKeyUsageClientAuth, "admin", "system:masters")), "", "/healthz", "Unauthorized", 401},
		{"a certificate of another authority with a token", pair(newAuthority(t).sign(t, x509.ExtKeyUsageClientAuth, "admin")), token, "/api", `"APIVersions"`, 200},
		{"a certificate for servers", pair(f.client.sign(t, x509.ExtKeyUsageServerAuth, "admin", "system:masters")), "", "/api", "Unauthorized", 401},
		{"a certificate without a name", pair(f.client.sign(t, x509.ExtKeyUsageClientAuth, "", "system:masters")), "", "/api", "Unauthorized", 401},
		{"a token", nobody, token, "/api", `"APIVersions"`, 200},
		{"a token is who it says", nobody, token, "/api/v1/nodes", `User \"system:serviceaccount:default:robot\" cannot list`, 403},
		{"a token that was changed", nobody, changed, "/api", "Unauthorized", 401},
		{"a wrong token", nobody, "Authorization: Bearer wrong", "/api", "Unauthorized", 401},
		{"a wrong token, where nobody needs one", nobody, "Authorization: Bearer wrong", "/healthz", "Unauthorized", 401},
		{"a password", nobody, "Authorization: Basic Ym9iOmJvYg==", "/api", `User \"system:anonymous\" cannot get path \"/api\"`, 403},
		{"nothing", nobody, "", "/api", `User \"system:anonymous\" cannot get path \"/api\"`, 403},
		{"nothing, for health", nobody, "", "/healthz", "ok", 200},
		{"nothing, for health at length", nobody, "", "/readyz?verbose&exclude=etcd", "[+]etcd excluded: ok\n", 200},
		{"nothing, for one check", nobody, "", "/livez/ping", `cannot get path \"/livez/ping\"`, 403},
	} {
		method, body := "GET", ""
		if c.path == reviews {
			method, body = "POST", review
		}
		code, got := ask(t, c.client, method, url+c.path, body, c.header)
		assert.Equal(t, c.code, code, c.name)
		assert.Contains(t, got, c.says, c.name)
	}
	for text, says := range map[string]string{
		made.Status.Token: `"authenticated":true,"user":{"username":"system:serviceaccount:default:robot"`,
		strings.TrimPrefix(changed, "Authorization: Bearer "): "error in cryptographic primitive", "wrong": `"error":"invalid bearer token"`,
	} {
		_, got := ask(t, admin, "POST", url+"/apis/authentication.k8s.io/v1/tokenreviews", fmt.Sprintf(`{"spec":{"token":%q}}`, text))
		assert.Contains(t, got, says)
	}
	_, got := ask(t, admin, "GET", url+"/.well-known/openid-configuration", "")
	assert.Contains(t, got, `"issuer":"`+url+`/"`)

	other := freePort(t)
	start(t, "kube-apiserver", newFolder(t).args(other))
	code, _ = ask(t, nobody, "GET", "https://127.0.0.1:"+other+"/api", "", token)
	assert.Equal(t, 401, code, "a token of another server")
}

// Without RBAC everybody who is somebody may do everything, and nobody is anonymous.
func TestAlwaysAllow(t *testing.T) {
	f, port := newFolder(t), freePort(t)
	start(t, "kube-apiserver", append(f.args(port), "--authorization-mode=AlwaysAllow"))
	crt, key := f.client.sign(t, x509.ExtKeyUsageClientAuth, "bob")
	code, _ := ask(t, client(t, crt, key), "GET", "https://127.0.0.1:"+port+"/api/v1/nodes", "")
	require.Equal(t, 200, code)
	code, _ = ask(t, client(t), "GET", "https://127.0.0.1:"+port+"/healthz", "")
	require.Equal(t, 401, code)
}

// etcd is well at once, says that it stores nothing, and remembers API servers: the second says that the objects of the first are lost.
func TestLostObjects(t *testing.T) {
	f, etcd := newFolder(t), "http://127.0.0.1:"+freePort(t)
	told := start(t, "etcd", []string{"--listen-client-urls=" + etcd, "--data-dir=x", "--unsafe-no-fsync=true", "--listen-peer-urls=http://localhost:0", "--advertise-client-urls=" + etcd})
	require.Contains(t, told.String(), "it stores nothing")
	code, body := ask(t, client(t), "GET", etcd+"/health", "")
	require.Equal(t, 200, code)
	require.Equal(t, `{"health":"true"}`, body)
	code, body = ask(t, client(t), "GET", etcd+"/v3/kv/range", "")
	require.Equal(t, 404, code)
	require.Contains(t, body, "stores nothing")

	require.NotContains(t, start(t, "kube-apiserver", f.args(freePort(t), "--etcd-servers="+etcd)).String(), "lost")
	require.Empty(t, f.read(notesFile))
	require.Contains(t, start(t, "kube-apiserver", f.args(freePort(t), "--etcd-servers="+etcd)).String(), "1 API servers were on the etcd "+etcd+" before: their objects are lost")
	require.Contains(t, f.read(notesFile), "their objects are lost")
	require.Contains(t, start(t, "kube-apiserver", f.args(freePort(t), "--etcd-servers=http://127.0.0.1:"+freePort(t))).String(), "no etcd answers")

	for args, says := range map[string]string{
		"--listen-client-urls=https://127.0.0.1:1": "say http://HOST:PORT", "--cert-file=x": "--cert-file is not supported", "--nonsense": "unknown flag",
	} {
		status, _, errs := run(t.Context(), "etcd", []string{args})
		assert.Equal(t, 1, status)
		assert.Contains(t, errs, says)
	}
}

// Faults, views and a log are as those of `lwtest serve apiserver`.
func TestVariables(t *testing.T) {
	f, port := newFolder(t), freePort(t)
	dir := t.TempDir()
	faults := filepath.Join(dir, "faults.yaml")
	require.NoError(t, os.WriteFile(faults, []byte("faults: [{name: busy, verbs: [get], resource: configmaps, nth: 1, status: {code: 429}}]"), 0o600))
	start(t, "kube-apiserver", f.args(port), "LWTEST_FAULTS="+faults, "LWTEST_LOG="+filepath.Join(dir, "log-%p.jsonl"), "LWTEST_VIEW=b=-1s,c=1s")
	crt, key := f.client.sign(t, x509.ExtKeyUsageClientAuth, "admin", "system:masters")
	c, url := client(t, crt, key), "https://127.0.0.1:"+port
	code, _ := ask(t, c, "GET", url+"/api/v1/namespaces/default/configmaps/a", "")
	require.Equal(t, 429, code)
	_, view, ok := strings.Cut(strings.Split(f.read(notesFile), "\n")[0], "view b at ")
	require.True(t, ok, f.read(notesFile))
	code, _ = ask(t, c, "POST", url+"/api/v1/namespaces", `{"metadata":{"name":"n"}}`)
	require.Equal(t, 201, code)
	code, _ = ask(t, c, "GET", view+"/api/v1/namespaces/n?resourceVersion=0", "")
	require.Equal(t, 404, code)
	b, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("log-%d.jsonl", os.Getpid())))
	require.NoError(t, err)
	require.Contains(t, string(b), `"fault":"busy"`)

	for _, env := range []string{"LWTEST_FAULTS=nowhere", "LWTEST_VIEW=b", "LWTEST_LOG=" + filepath.Join(dir, "none", "log"), "LWTEST_WORKLOADS=maybe", "LWTEST_MANAGED_FIELDS=1", "LWTEST_ORPHANS=bla"} {
		status, _, errs := run(t.Context(), "kube-apiserver", f.args(freePort(t)), env)
		assert.Equal(t, 1, status)
		name, _, _ := strings.Cut(env, "=")
		assert.Contains(t, errs, name)
	}
}

// An object has managedFields from its creation on, unless LWTEST_MANAGED_FIELDS says otherwise.
func TestManagedFields(t *testing.T) {
	for env, want := range map[string]string{"": `"manager":"m"`, "LWTEST_MANAGED_FIELDS=true": `"manager":"m"`, "LWTEST_MANAGED_FIELDS=false": ""} {
		f, port := newFolder(t), freePort(t)
		start(t, "kube-apiserver", f.args(port), env)
		crt, key := f.client.sign(t, x509.ExtKeyUsageClientAuth, "admin", "system:masters")
		code, body := ask(t, client(t, crt, key), "POST", "https://127.0.0.1:"+port+"/api/v1/namespaces/default/configmaps?fieldManager=m", `{"metadata":{"name":"a"},"data":{"k":"v"}}`)
		require.Equal(t, 201, code)
		assert.Contains(t, body, want, env)
		assert.Equal(t, want != "", strings.Contains(body, "managedFields"), env)
	}
}

// --service-cluster-ip-range has the addresses of services.
func TestServiceRange(t *testing.T) {
	f, port := newFolder(t), freePort(t)
	start(t, "kube-apiserver", f.args(port, "--service-cluster-ip-range=10.96.0.0/12"))
	crt, key := f.client.sign(t, x509.ExtKeyUsageClientAuth, "admin", "system:masters")
	c, url := client(t, crt, key), "https://127.0.0.1:"+port+"/api/v1/namespaces/default/services"
	_, body := ask(t, c, "GET", url+"/kubernetes", "")
	require.Contains(t, body, `"clusterIP":"10.96.0.1"`)
	code, body := ask(t, c, "POST", url, `{"metadata":{"name":"s"},"spec":{"clusterIP":"10.111.255.3","ports":[{"port":80}]}}`)
	require.Equal(t, 201, code, body)
}
