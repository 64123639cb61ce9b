package assets

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// asProgram makes the test binary the stand-in that this variable names.
const asProgram = "LWTEST_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if name := os.Getenv(asProgram); name != "" {
		Main(append([]string{filepath.Join("somewhere", name)}, os.Args[1:]...), nil)
		os.Exit(4) // it was none
	}
	goleak.VerifyTestMain(m)
}

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(raw)
	require.NoError(t, err)
	return authority{cert, key}
}

// sign returns a certificate and its key, in PEM.
func (a authority) sign(t *testing.T, usage x509.ExtKeyUsage, name string, groups ...string) (cert, key []byte) {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name, Organization: groups}, NotBefore: a.cert.NotBefore, NotAfter: a.cert.NotAfter,
		ExtKeyUsage: []x509.ExtKeyUsage{usage}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	raw, err := x509.CreateCertificate(rand.Reader, template, a.cert, own.Public(), a.key)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(own)
	require.NoError(t, err)
	return encoded("CERTIFICATE", raw), encoded("PRIVATE KEY", secret)
}

func encoded(kind string, b []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b})
}

// folder is a --cert-dir as envtest makes it.
type folder struct {
	path            string
	serving, client authority
}

func newFolder(t *testing.T) folder {
	t.Helper()
	f := folder{t.TempDir(), newAuthority(t), newAuthority(t)}
	crt, key := f.serving.sign(t, x509.ExtKeyUsageServerAuth, "server")
	signer, signerKey := newAuthority(t).sign(t, x509.ExtKeyUsageAny, "signer")
	for name, b := range map[string][]byte{
		"apiserver.crt": crt, "apiserver.key": key, "sa-signer.crt": signer, "sa-signer.key": signerKey, "client-cert-auth-ca.crt": encoded("CERTIFICATE", f.client.cert.Raw),
	} {
		f.write(t, name, b)
	}
	return f
}

func (f folder) file(name string) string { return filepath.Join(f.path, name) }

func (f folder) write(t *testing.T, name string, b []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(f.file(name), b, 0o600))
}

// read returns what a file says, or "" if there is none.
func (f folder) read(name string) string {
	b, _ := os.ReadFile(f.file(name))
	return string(b)
}

// args are the flags that envtest gives, and more.
func (f folder) args(port string, more ...string) []string {
	return append([]string{
		"--secure-port=" + port, "--bind-address=127.0.0.1", "--cert-dir=" + f.path, "--client-ca-file=" + f.file("client-cert-auth-ca.crt"), "--allow-privileged=true",
		"--authorization-mode=RBAC", "--disable-admission-plugins=ServiceAccount", "--service-account-issuer=https://127.0.0.1:" + port + "/",
		"--service-account-key-file=" + f.file("sa-signer.crt"), "--service-account-signing-key-file=" + f.file("sa-signer.key"), "--service-cluster-ip-range=10.0.0.0/24",
	}, more...)
}

// freePort returns a port that was free a moment ago.
func freePort(t *testing.T) string {
	t.Helper()
	return freePorts(t, 1)[0]
}

// freePorts returns different ones.
func freePorts(t *testing.T, n int) (all []string) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer l.Close()
		_, port, err := net.SplitHostPort(l.Addr().String())
		require.NoError(t, err)
		all = append(all, port)
	}
	return all
}

// buffer is an output that may be read while it is written.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// run runs a program in this process until it ends, or ctx does. env has variables, NAME=VALUE.
func run(ctx context.Context, name string, args []string, env ...string) (status int, stdout, stderr string) {
	var out, errs buffer
	return runTo(ctx, name, args, &out, &errs, env...), out.String(), errs.String()
}

func runTo(ctx context.Context, name string, args []string, out, errs io.Writer, env ...string) int {
	p := programs[slices.IndexFunc(programs, func(p program) bool { return p.name == name })]
	return p.main(ctx, args, &process{stdout: out, stderr: errs, env: func(name string) string {
		for _, e := range env {
			if value, ok := strings.CutPrefix(e, name+"="); ok {
				return value
			}
		}
		return ""
	}})
}

// start runs a program in this process until the test ends, and waits until it serves. What it returns has stderr.
func start(t *testing.T, name string, args []string, env ...string) *buffer {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var errs buffer
	ended := make(chan int, 1)
	go func() { ended <- runTo(ctx, name, args, io.Discard, &errs, env...) }()
	t.Cleanup(func() {
		cancel()
		require.Zero(t, <-ended, errs.String())
	})
	require.Eventually(t, func() bool { return strings.Contains(errs.String(), "serves at") }, 20*time.Second, time.Millisecond, errs.String())
	return &errs
}

// client returns a client that believes any server, and shows a certificate if it is given one, even to a server that wants another's.
func client(t *testing.T, pair ...[]byte) *http.Client {
	t.Helper()
	config := &tls.Config{InsecureSkipVerify: true}
	if len(pair) == 2 {
		c, err := tls.X509KeyPair(pair[0], pair[1])
		require.NoError(t, err)
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &c, nil }
	}
	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 10 * time.Second}
}

// ask returns the code and the body of an answer. headers are "Name: value", or "".
func ask(t *testing.T, c *http.Client, method, url, body string, headers ...string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	for _, h := range headers {
		if name, value, ok := strings.Cut(h, ": "); ok {
			r.Header.Set(name, value)
		}
	}
	res, err := c.Do(r)
	require.NoError(t, err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, string(b)
}

// command returns a process that is the stand-in of a name.
func command(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), asProgram+"="+name, "GORACE=atexit_sleep_ms=0")
	return cmd
}
