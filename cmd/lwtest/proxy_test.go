package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/fakes/cri"
	"github.com/lwtest/lwtest/harness/report"
)

// fakeCRI serves a runtime on a socket in a folder, and returns the socket.
func fakeCRI(t *testing.T) (dir, socket string) {
	t.Helper()
	dir = t.TempDir()
	socket = filepath.Join(dir, "cri.sock")
	l, err := cri.Listen(socket)
	require.NoError(t, err)
	r := cri.New(cri.Options{})
	done := make(chan error, 1)
	go func() { done <- r.Serve(l) }()
	t.Cleanup(func() { r.Close(); require.NoError(t, <-done) })
	return dir, socket
}

// A proxy passes calls on until Ctrl-C, and its history is judged, with the faults that it has injected.
func TestProxyCRI(t *testing.T) {
	dir, socket := fakeCRI(t)
	front, file, faults := filepath.Join(dir, "front.sock"), filepath.Join(dir, "h.jsonl.gz"), filepath.Join(dir, "faults.yaml")
	require.NoError(t, os.WriteFile(faults, []byte("faults: [{name: stays, method: RemovePodSandbox, times: 1, code: INTERNAL}]"), 0o600))
	stale, err := net.Listen("unix", front)
	require.NoError(t, err)
	stale.(*net.UnixListener).SetUnlinkOnClose(false)
	stale.Close() // of a proxy that was killed
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	a, out := toyApp(), &bytes.Buffer{}
	said, told := io.Pipe()
	a.stdout, a.stderr = out, told
	ended := make(chan int)
	go func() {
		ended <- a.run(ctx, []string{"proxy", "cri", "unix://" + socket, "--listen", front, "--out", file, "--faults", faults})
	}()
	line, err := bufio.NewReader(said).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, line, "until Ctrl-C")
	conn, err := grpc.NewClient("unix://"+front, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer conn.Close()
	rt := runtimeapi.NewRuntimeServiceClient(conn)
	pod, err := rt.RunPodSandbox(ctx, &runtimeapi.RunPodSandboxRequest{Config: &runtimeapi.PodSandboxConfig{Metadata: &runtimeapi.PodSandboxMetadata{Name: "a", Namespace: "b", Uid: "c"}}})
	require.NoError(t, err)
	_, err = rt.RemovePodSandbox(ctx, &runtimeapi.RemovePodSandboxRequest{PodSandboxId: pod.PodSandboxId})
	require.Error(t, err)
	require.Contains(t, lwtest(t, "proxy", "cri", socket, "--listen", front, "--out", file+"2.gz").errors, "is served already")
	cancel()
	require.Equal(t, report.OK, <-ended)
	require.NoFileExists(t, front)
	require.Equal(t, "2 calls, 1 failed; 0 events; 1 fault injected", strings.Split(out.String(), "\n")[0])
	got := lwtest(t, "judge", file)
	require.Equal(t, report.Failed, got.status)
	assert.Contains(t, got.out, "runtime/remove/gone")
	assert.Contains(t, got.out, "injected by lwtest proxy: stays")
	assert.Contains(t, got.errors, "1 fault injected, do not blame the runtime for what they break: stays (code Internal) 1×")
}

// What cannot work says what to do, and leaves no socket and no history.
func TestProxyCRITeaches(t *testing.T) {
	dir, socket := fakeCRI(t)
	front, out := filepath.Join(dir, "front.sock"), filepath.Join(dir, "h.jsonl")
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	plain := file("plain", "")
	for want, args := range map[string][]string{
		"say what is proxied":                                   {"proxy"},
		"say the path of the runtime's socket":                  {"proxy", "cri"},
		"say with --listen":                                     {"proxy", "cri", socket},
		"there is no socket of a runtime: name one that runs":   {"proxy", "cri", filepath.Join(dir, "none"), "--listen", front, "--out", out},
		"no runtime answers there: start it":                    {"proxy", "cri", plain, "--listen", front, "--out", out},
		"choose another path, or stop what serves it":           {"proxy", "cri", socket, "--listen", socket, "--out", out},
		"address already in use":                                {"proxy", "cri", socket, "--listen", plain, "--out", out},
		"plain is there already: remove it":                     {"proxy", "cri", socket, "--listen", front, "--out", plain},
		"no such file or directory":                             {"proxy", "cri", socket, "--listen", front, "--out", out, "--faults", filepath.Join(dir, "none")},
		`no method of the CRI is "Nope"; docs/cri.md says`:      {"proxy", "cri", socket, "--listen", front, "--out", out, "--faults", file("bad", "faults: [{method: Nope, code: INTERNAL}]")},
		"a proxy cannot do that to a runtime: leave it out":     {"proxy", "cri", socket, "--listen", front, "--out", out, "--faults", file("crash", "faults: [{method: Version, crash: true}]")},
		`unknown field "latency"; docs/cri.md says what faults`: {"proxy", "cri", socket, "--listen", front, "--out", out, "--faults", file("field", "faults: [{latency: 1s}]")},
	} {
		got := lwtest(t, args...)
		assert.Equal(t, report.Broken, got.status, want)
		assert.Contains(t, got.errors, want)
		assert.NoFileExists(t, front, want)
		assert.NoFileExists(t, out, want)
	}
}

// The example of faults in the help is valid.
func TestProxyHelp(t *testing.T) {
	_, example, ok := strings.Cut(lwtest(t, "proxy", "cri", "--help").out, "docs/cri.md has all of them\n")
	require.True(t, ok)
	example, _, _ = strings.Cut(example, "\n\n")
	faults, err := cri.ReadFaults([]byte("faults:\n" + example))
	require.NoError(t, err)
	require.Len(t, faults, 4)
}

// What `lwtest proxy etcd` cannot do it says at once.
func TestProxyEtcdRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "faults.yaml")
	require.NoError(t, os.WriteFile(file, []byte("faults: [{verbs: [get], loseAnswer: true}]"), 0o600))
	good := filepath.Join(t.TempDir(), "good.yaml")
	require.NoError(t, os.WriteFile(good, []byte("faults: [{verbs: [txn], loseAnswer: true}]"), 0o600))
	refuses(t, "say where etcd is, as HOST:PORT", "proxy", "etcd")
	refuses(t, "say with --faults what is to happen", "proxy", "etcd", "127.0.0.1:1")
	refuses(t, "https://127.0.0.1:1 has TLS: say --cacert, --cert and --key", "proxy", "etcd", "https://127.0.0.1:1", "--faults", good)
	refuses(t, "--cacert, --cert, --key: ", "proxy", "etcd", "127.0.0.1:1", "--faults", good, "--cacert", "none.crt")
	refuses(t, `fault 1: the verb "get" is none that it can strike: range, put, deleterange, txn, compact`, "proxy", "etcd", "127.0.0.1:1", "--faults", file)
	refuses(t, "no etcd answers: say where it is, as HOST:PORT", "proxy", "etcd", "127.0.0.1:1", "--faults", good)
}
