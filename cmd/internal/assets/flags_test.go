package assets

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"net"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// has reports whether a help has a flag, as envtest does (pkg/internal/testing/process, CheckFlag).
func has(help, flag string) bool {
	return regexp.MustCompile(`(?m)^\s*--` + flag + `\b`).MatchString(help)
}

// --help exits with 0 wherever it stands, and has each flag that envtest looks for or gives, and no other.
func TestHelp(t *testing.T) {
	for name, flags := range map[string]map[string]bool{
		"kube-apiserver": {
			"insecure-port": false, "secure-port": true, "cert-dir": true, "client-ca-file": true, "audit-policy-file": true, "oidc-issuer-url": true,
			"service-account-signing-key-file": true, "runtime-config": true, "vmodule": true,
		},
		"etcd": {"unsafe-no-fsync": true, "listen-client-urls": true, "experimental-corrupt-check-time": true, "secure-port": false},
	} {
		for _, args := range [][]string{{"--help"}, {"--help", "--nonsense"}, {"--cert-dir=x", "-h"}} {
			status, help, errs := run(t.Context(), name, args)
			assert.Zero(t, status)
			assert.Empty(t, errs)
			for flag, want := range flags {
				assert.Equal(t, want, has(help, flag), "%s --%s", name, flag)
			}
		}
		_, version, _ := run(t.Context(), name, []string{"--version"})
		assert.Contains(t, version, "lwtest's stand-in")
	}
}

// Each flag is once in the table, and says why it is refused.
func TestTables(t *testing.T) {
	for _, p := range programs {
		seen := map[string]bool{}
		for _, f := range p.flags {
			assert.False(t, seen[f.name], "%s --%s is there twice", p.name, f.name)
			seen[f.name] = true
			assert.NotEmpty(t, f.about, "%s --%s", p.name, f.name)
		}
	}
}

// refusals are flags beside those of envtest, and what is said of them. The last flag of a name counts.
var refusals = []struct {
	args string
	says string
}{
	{"--nonsense", "unknown flag: --nonsense"},
	{"--insecure-port=0", "unknown flag: --insecure-port"},
	{"nonsense", `takes no arguments, ["nonsense"] was given`},
	{"--oidc-issuer-url=https://x", "--oidc-issuer-url is not supported: users have client certificates"},
	{"--token-auth-file x", "--token-auth-file is not supported"},
	{"--requestheader-client-ca-file=x", "--requestheader-client-ca-file is not supported"},
	{"--authorization-config=x", "say --authorization-mode=RBAC or AlwaysAllow"},
	{"--authorization-mode=Node", "--authorization-mode=Node is not supported"},
	{"--api-audiences=x --emulated-version=1.36", "--emulated-version is not supported"},
	{"--allow-privileged=false", "--allow-privileged=false is not supported, only true"},
	{"--service-cluster-ip-range=10.0.0.0/24,fd00::/112", "say one range"},
	{"--service-cluster-ip-range=fd00::/112", "say an IPv4 range"},
	{"--service-cluster-ip-range=10.0.0.0/11", "must be /12 to /29"},
	{"--service-cluster-ip-range=10.0.0.0/30", "must be /12 to /29"},
	{"--service-cluster-ip-range=10.0.0.0", "--service-cluster-ip-range: netip.ParsePrefix"},
	{"--enable-admission-plugins=NodeRestriction", "--enable-admission-plugins=NodeRestriction is not supported"},
	{"--enable-admission-plugins=Nonsense", `kube-apiserver has no plugin "Nonsense"`},
	{"--disable-admission-plugins=NamespaceLifecycle", "only LimitRanger, "},
	{"--disable-admission-plugins=Nonsense", `kube-apiserver has no plugin "Nonsense"`},
	{"--runtime-config=batch/v2alpha1=true", "this server has no batch/v2alpha1"},
	{"--runtime-config=api/all=false", "name the versions"},
	{"--anonymous-auth=perhaps", "--anonymous-auth"},
	{"--client-ca-file=nowhere", "--client-ca-file: open nowhere"},
	{"--service-account-issuer=other", "say one issuer"},
	{"--service-account-key-file=nowhere", "--service-account-key-file: open nowhere"},
	{"--bind-address=nowhere.invalid", "--bind-address and --secure-port say where it listens"},
}

// What is refused is one line, on stderr and in the folder of certificates, with what to do, and nothing is served.
func TestRefusals(t *testing.T) {
	f := newFolder(t)
	for _, r := range refusals {
		status, out, errs := run(t.Context(), "kube-apiserver", f.args(freePort(t), strings.Fields(r.args)...))
		assert.Equal(t, 1, status, r.args)
		assert.Empty(t, out)
		assert.Contains(t, errs, r.says, r.args)
		assert.True(t, strings.HasPrefix(errs, "kube-apiserver (lwtest's stand-in): "), errs)
		assert.Equal(t, errs, f.read(refusedFile))
	}
}

// Flags that cannot matter are accepted, in every form, and the file of an earlier refusal is gone then.
func TestAccepted(t *testing.T) {
	f := newFolder(t)
	f.write(t, refusedFile, []byte("old"))
	port := freePort(t)
	start(t, "kube-apiserver", f.args(port, strings.Fields(`--audit-policy-file=x --audit-log-path x -v 4 --vmodule=a=1 --feature-gates=A=true,B=false
		--feature-gates=C=true --profiling=false --etcd-prefix=/x --event-ttl=1h --watch-cache --max-requests-inflight=5 --advertise-address=127.0.0.1
		--runtime-config=api/all=true --runtime-config=batch/v1=false,apps/v1/daemonsets=false --enable-admission-plugins=ResourceQuota,AlwaysAdmit
		--disable-admission-plugins=PodSecurity,PodNodeSelector --tls-min-version=VersionTLS13`)...))
	require.Empty(t, f.read(refusedFile))
	crt, key := f.client.sign(t, x509.ExtKeyUsageClientAuth, "admin", "system:masters")
	c, url := client(t, crt, key), "https://127.0.0.1:"+port
	for path, want := range map[string]int{
		"/apis/batch/v1/jobs": 404, "/apis/apps/v1/daemonsets": 404, "/apis/apps/v1/deployments": 200, "/debug/pprof/": 404,
		"/api/v1/namespaces/default": 200, "/api/v1/namespaces/kube-system": 200, "/api/v1/namespaces/kube-public": 200, "/api/v1/namespaces/kube-node-lease": 200,
		"/api/v1/namespaces/default/serviceaccounts/default": 404,
	} {
		code, body := ask(t, c, "GET", url+path, "")
		assert.Equal(t, want, code, "%s: %s", path, body)
	}
	code, _ := ask(t, c, "POST", url+"/api/v1/namespaces", `{"metadata":{"name":"n"}}`)
	require.Equal(t, 201, code)
	_, body := ask(t, c, "DELETE", url+"/api/v1/namespaces/n", "")
	require.Contains(t, body, `"phase":"Terminating"`)
	_, body = ask(t, c, "GET", url+"/api/v1/namespaces/n", "")
	require.Contains(t, body, `"phase":"Terminating"`, "no controller empties it")
}

// A certificate or key that is missing or does not fit is one line.
func TestCertificates(t *testing.T) {
	other, otherKey := newAuthority(t).sign(t, x509.ExtKeyUsageServerAuth, "other")
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(p384)
	require.NoError(t, err)
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	ed, err := x509.MarshalPKCS8PrivateKey(edwards)
	require.NoError(t, err)
	for _, r := range []struct {
		file string
		b    []byte // nil: it is missing
		says string
	}{
		{"apiserver.crt", nil, "put apiserver.crt and apiserver.key into --cert-dir"},
		{"apiserver.key", nil, "put apiserver.crt and apiserver.key into --cert-dir"},
		{"apiserver.key", otherKey, "do not fit"},
		{"apiserver.crt", []byte("none"), "do not fit"},
		{"client-cert-auth-ca.crt", []byte("none"), "has no certificate in PEM"},
		{"sa-signer.key", other, "has no private key"},
		{"sa-signer.key", []byte("none"), "has no key in PEM"},
		{"sa-signer.key", encoded("RSA PRIVATE KEY", nil), "sa-signer.key: asn1"},
		{"sa-signer.key", encoded("PRIVATE KEY", ed), "only RS256 and ES256"},
		{"sa-signer.key", encoded("PRIVATE KEY", secret), "not on the curve P-256"},
	} {
		f := newFolder(t)
		if f.write(t, r.file, r.b); r.b == nil {
			require.NoError(t, os.Remove(f.file(r.file)))
		}
		status, _, errs := run(t.Context(), "kube-apiserver", f.args(freePort(t)))
		assert.Equal(t, 1, status)
		assert.Contains(t, errs, r.says, r.file)
		assert.Equal(t, 1, strings.Count(errs, "\n"), errs)
	}
}

// A port that is taken is one line, for both.
func TestTakenPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	for name, args := range map[string][]string{"kube-apiserver": newFolder(t).args(port), "etcd": {"--listen-client-urls=http://127.0.0.1:" + freePort(t) + ",http://127.0.0.1:" + port}} {
		status, _, errs := run(t.Context(), name, args)
		assert.Equal(t, 1, status)
		assert.Contains(t, errs, "address already in use")
		assert.Equal(t, 1, strings.Count(errs, "\n"), errs)
	}
}
