package cri

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/conformance/runtime"
	"github.com/lwtest/lwtest/fakes/cri"
	"github.com/lwtest/lwtest/harness"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// listen returns a socket for something to listen on.
func listen(t *testing.T) (path string, l net.Listener) {
	dir, err := os.MkdirTemp("", "lwtest-") // paths of sockets must be short
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	path = filepath.Join(dir, "s")
	l, err = cri.Listen(path)
	require.NoError(t, err)
	return path, l
}

// serve serves the fake on a socket.
func serve(t *testing.T) (*cri.Runtime, string) {
	path, l := listen(t)
	r := cri.New(cri.Options{})
	done := make(chan error)
	go func() { done <- r.Serve(l) }()
	t.Cleanup(func() { r.Close(); assert.NoError(t, <-done) })
	return r, path
}

// with returns the URL of a socket, with logs in a folder of the test.
func with(t *testing.T, path string, more ...string) string {
	q := url.Values{"logs": {filepath.Join(t.TempDir(), "logs")}}
	for i := 0; i < len(more); i += 2 {
		q.Set(more[i], more[i+1])
	}
	return "unix://" + path + "?" + q.Encode()
}

// refused returns why a socket cannot be tested.
func refused(t *testing.T, path string, more ...string) string {
	_, err := Open(t.Context(), with(t, path, more...))
	require.Error(t, err)
	return err.Error()
}

// grpcServer serves gRPC without a runtime on a socket.
func grpcServer(t *testing.T, register func(*grpc.Server)) string {
	path, l := listen(t)
	s := grpc.NewServer()
	register(s)
	go s.Serve(l)
	t.Cleanup(s.Stop)
	return path
}

func TestWrongSockets(t *testing.T) {
	path, l := listen(t)
	assert.Contains(t, refused(t, path+"-absent"), "there is no such socket")
	l.Close()
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	assert.Contains(t, refused(t, path), "nothing listens on the socket")

	path, l = listen(t)
	web := &http.Server{}
	go web.Serve(l)
	defer web.Close()
	assert.Contains(t, refused(t, path), "it speaks no gRPC")

	assert.Contains(t, refused(t, grpcServer(t, func(*grpc.Server) {})), "it serves no CRI")
	old := grpcServer(t, func(s *grpc.Server) {
		desc := runtimeapi.RuntimeService_ServiceDesc
		desc.ServiceName = "runtime.v1alpha2.RuntimeService"
		s.RegisterService(&desc, versioned{})
	})
	assert.Contains(t, refused(t, old), "in version v1alpha2 only")
}

// versioned has a version, and nothing else.
type versioned struct {
	runtimeapi.UnimplementedRuntimeServiceServer
}

// Version implements runtimeapi.RuntimeServiceServer.
func (versioned) Version(context.Context, *runtimeapi.VersionRequest) (*runtimeapi.VersionResponse, error) {
	return &runtimeapi.VersionResponse{RuntimeApiVersion: "v1alpha2"}, nil
}

func TestParameters(t *testing.T) {
	_, path := serve(t)
	assert.Contains(t, refused(t, path, "kil", "x"), `the parameter "kil" (did you mean kill?)`)
	assert.Contains(t, refused(t, path, "kill", "x"), "kill and start go together")
	assert.Contains(t, refused(t, path, "beside", "yes"), "beside=yes: say beside=true")
	assert.Contains(t, refused(t, path, "image", ""), "the parameter image is empty")
	_, err := Open(t.Context(), "unix://"+path+"?image=a&image=b")
	assert.ErrorContains(t, err, "the parameter image 2 times")
	_, err = Open(t.Context(), "unix://"+path+"?kill=a;b")
	assert.ErrorContains(t, err, "%3B for a semicolon")
	_, err = Open(t.Context(), "tcp://127.0.0.1:1")
	assert.ErrorContains(t, err, "is no socket")
	for _, relative := range []string{"unix://cri.sock", "unix://./cri.sock"} {
		_, err = Open(t.Context(), relative)
		assert.ErrorContains(t, err, "is not an absolute path: say unix://$PWD/cri.sock")
	}

	target, err := Open(t.Context(), with(t, path, "kill", "true", "start", "true"))
	require.NoError(t, err)
	assert.Contains(t, target.Cases[0].Has, runtime.Restart)
	require.NoError(t, target.Alive(t.Context()))
	_, err = target.Close()
	assert.NoError(t, err)
}

// pod makes a sandbox.
func pod(t *testing.T, s socket, name string, labels map[string]string) {
	_, err := s.RuntimeService().RunPodSandbox(t.Context(), &runtimeapi.RunPodSandboxRequest{Config: &runtimeapi.PodSandboxConfig{
		Metadata: &runtimeapi.PodSandboxMetadata{Name: name, Namespace: "n", Uid: name}, Labels: labels, Linux: &runtimeapi.LinuxPodSandboxConfig{}}})
	require.NoError(t, err)
}

// opened opens the fake at a path.
func opened(t *testing.T, path string, more ...string) socket {
	s, _, err := parse(with(t, path, more...))
	require.NoError(t, err)
	require.NoError(t, s.connect())
	t.Cleanup(func() { s.conn.Close() })
	return s
}

// TestSweep checks that the pods and logs of a run are removed, and those of others stay, on a runtime that is down, too.
func TestSweep(t *testing.T) {
	r, path := serve(t)
	up := filepath.Join(t.TempDir(), "up")
	s := opened(t, path, "kill", "true", "start", "touch "+up)
	pod(t, s, "mine", map[string]string{runtime.RunLabel: "run1-x"})
	pod(t, s, "other", map[string]string{runtime.RunLabel: "run2-x"})
	target, err := Open(t.Context(), with(t, path))
	require.NoError(t, err, "both pods are of lwtest")
	_, err = target.Close()
	require.NoError(t, err)
	pod(t, s, "foreign", nil)
	assert.Contains(t, refused(t, path), "it runs pods of others, such as n/foreign")
	require.NoError(t, os.MkdirAll(filepath.Join(s.fixture.Logs, "run1-x"), 0o755))

	line, err := s.sweep(t.Context(), "run1")
	require.NoError(t, err)
	assert.Equal(t, "pods removed: 1", line)
	assert.Len(t, r.Sandboxes(), 2)
	assert.NoDirExists(t, filepath.Join(s.fixture.Logs, "run1-x"))

	r.Crash()
	done := make(chan struct{})
	go func() { // as the command would
		defer close(done)
		for !exists(up) {
		}
		r.Restart(cri.Keeps)
	}()
	line, err = s.sweep(t.Context(), "run2")
	<-done
	require.NoError(t, err)
	assert.Equal(t, "the runtime was started again, pods removed: 1", line)
}

// TestClean checks that a target names the runs that have left pods, and that Clean removes those of the runs that it is given.
func TestClean(t *testing.T) {
	r, path := serve(t)
	s, address := opened(t, path), with(t, path)
	clean := func(ids ...string) (said []string) {
		require.NoError(t, Clean(t.Context(), address, ids, func(line string) { said = append(said, line) }))
		return said
	}
	assert.Empty(t, clean())
	pod(t, s, "a", map[string]string{runtime.RunLabel: "run1-x"})
	pod(t, s, "b", map[string]string{runtime.RunLabel: "run1-y"})
	pod(t, s, "c", map[string]string{runtime.RunLabel: "run2-x"})
	target, err := Open(t.Context(), address)
	require.NoError(t, err)
	_, err = target.Close()
	require.NoError(t, err)
	require.Len(t, target.Notes, 1)
	assert.Contains(t, target.Notes[0], "it has pods of other runs of lwtest: 2 of the run run1, 1 of the run run2.")
	assert.Contains(t, target.Notes[0], "lwtest clean --target 'cri:"+address+"' --run ID")

	assert.ErrorContains(t, Clean(t.Context(), address, []string{"run3"}, nil), `it has no pods of the run "run3": it has pods of run1, run2`)
	assert.Equal(t, []string{"run run1: pods removed: 2"}, clean("run1"))
	pod(t, s, "foreign", nil)
	assert.Equal(t, []string{"run run2: pods removed: 1"}, clean())
	assert.Len(t, r.Sandboxes(), 1, "that of others stays")
	assert.ErrorContains(t, Clean(t.Context(), "unix://"+path+"-none", nil, nil), "there is no such socket")
}

// TestFastRuntime checks that a runtime that creates containers in no time is tested for creates that are given up, too.
func TestFastRuntime(t *testing.T) {
	_, path := serve(t)
	target, err := Open(t.Context(), with(t, path))
	require.NoError(t, err)
	at := slices.IndexFunc(target.Cases, func(c harness.Case) bool { return c.Address() == "runtime/container/retry" })
	require.NotEqual(t, -1, at)
	r, _ := harness.Run(target.Cases[at], harness.Options{TB: t, Seed: 1})
	assert.Equal(t, harness.Pass, r.Verdict, r.Reason)
	_, err = target.Close()
	require.NoError(t, err)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// TestGone checks what is said of a runtime that dies, and cannot be started again.
func TestGone(t *testing.T) {
	r, path := serve(t)
	s := opened(t, path)
	require.NoError(t, s.alive(t.Context()))
	r.Crash()
	assert.ErrorContains(t, s.alive(t.Context()), "does not answer any more")
	_, err := s.sweep(t.Context(), "run1")
	assert.ErrorContains(t, err, "may still have pods of this run, whose label lwtest.run begins with run1")
}

func TestCommands(t *testing.T) {
	r, path := serve(t)
	s := opened(t, path, "kill", "echo no; exit 3", "start", "exit 4")
	err := s.Kill(t.Context())
	require.ErrorContains(t, err, "kill=echo no; exit 3: exit status 3: no, and the runtime still answers")
	assert.EqualError(t, s.hopeless(harness.Result{Verdict: harness.Inconclusive, Reason: "step 1: " + err.Error()}), err.Error()+": correct the parameter kill, or leave out kill and start")
	assert.NoError(t, s.Start(t.Context()), "it is up: nothing is started beside it")
	r.Crash()
	assert.ErrorContains(t, s.Start(t.Context()), "start=exit 4: exit status 4")
	assert.NoError(t, command("start", "sleep 60 & true").do(t.Context()), "what it starts may hold its output")
}
