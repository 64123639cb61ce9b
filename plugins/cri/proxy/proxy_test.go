package proxy_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/conformance/runtime"
	"github.com/lwtest/lwtest/fakes/cri"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/plugins/cri/proxy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// client is one of a proxy before a fake.
type client struct {
	runtimeapi.RuntimeServiceClient
	runtimeapi.ImageServiceClient
	t     *testing.T
	conn  *grpc.ClientConn
	proxy *proxy.Proxy
	out   *bytes.Buffer
	fake  *cri.Runtime
	end   func() proxy.Summary
}

func connect(t *testing.T, o proxy.Options, of cri.Options) *client {
	t.Helper()
	c := &client{t: t, out: &bytes.Buffer{}, fake: cri.New(of)}
	up, err := c.fake.Dial(proxy.Stays()...)
	require.NoError(t, err)
	o.Out = c.out
	c.proxy, err = proxy.New(t.Context(), up, o)
	require.NoError(t, err)
	l := bufconn.Listen(1 << 16)
	served := make(chan error, 1)
	go func() { served <- c.proxy.Serve(l) }()
	c.conn, err = grpc.NewClient("passthrough:///proxy", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }))
	require.NoError(t, err)
	c.RuntimeServiceClient, c.ImageServiceClient = runtimeapi.NewRuntimeServiceClient(c.conn), runtimeapi.NewImageServiceClient(c.conn)
	c.end = func() proxy.Summary {
		c.conn.Close()
		sum, err := c.proxy.Close()
		require.NoError(t, err)
		require.NoError(t, <-served)
		up.Close()
		c.fake.Close()
		return sum
	}
	return c
}

// judged is the result of a history, and the history.
func (c *client) judged() (harness.Result, *history.History) {
	c.t.Helper()
	h, err := history.Read(bytes.NewReader(c.out.Bytes()))
	require.NoError(c.t, err)
	return runtime.Suite.Describe().Judge(harness.Info{}, h), h
}

// failures are those of a result, as "rule: got".
func failures(r harness.Result) (out []string) {
	for _, rule := range r.Broken() {
		for _, bad := range rule.Bad {
			out = append(out, rule.Rule+": "+bad.Got)
		}
	}
	return out
}

var podConfig = &runtimeapi.PodSandboxConfig{Metadata: &runtimeapi.PodSandboxMetadata{Name: "web", Namespace: "default", Uid: "1"}}

// start runs a pod with a container.
func (c *client) start(script string) (pod, id string) {
	c.t.Helper()
	_, err := c.PullImage(c.t.Context(), &runtimeapi.PullImageRequest{Image: &runtimeapi.ImageSpec{Image: "busybox"}, Auth: &runtimeapi.AuthConfig{Username: "joe", Password: "hunter2"}})
	require.NoError(c.t, err)
	s, err := c.RunPodSandbox(c.t.Context(), &runtimeapi.RunPodSandboxRequest{Config: podConfig})
	require.NoError(c.t, err)
	made, err := c.CreateContainer(c.t.Context(), &runtimeapi.CreateContainerRequest{PodSandboxId: s.PodSandboxId, SandboxConfig: podConfig, Config: &runtimeapi.ContainerConfig{
		Metadata: &runtimeapi.ContainerMetadata{Name: "main"}, Image: &runtimeapi.ImageSpec{Image: "busybox"}, Command: []string{"sh", "-c", script},
		Envs: []*runtimeapi.KeyValue{{Key: "TOKEN", Value: []byte("hunter3")}}}})
	require.NoError(c.t, err)
	_, err = c.StartContainer(c.t.Context(), &runtimeapi.StartContainerRequest{ContainerId: made.ContainerId})
	require.NoError(c.t, err)
	return s.PodSandboxId, made.ContainerId
}

func (c *client) look(id string) {
	c.t.Helper()
	_, err := c.ContainerStatus(c.t.Context(), &runtimeapi.ContainerStatusRequest{ContainerId: id[:12], Verbose: true})
	require.NoError(c.t, err)
	_, err = c.ListContainers(c.t.Context(), &runtimeapi.ListContainersRequest{})
	require.NoError(c.t, err)
	_, err = c.ListPodSandbox(c.t.Context(), &runtimeapi.ListPodSandboxRequest{})
	require.NoError(c.t, err)
}

// life is that of a pod whose container ends with 3.
func (c *client) life() {
	c.t.Helper()
	ctx, cancel := context.WithCancel(c.t.Context())
	defer cancel()
	_, err := c.GetContainerEvents(ctx, &runtimeapi.GetEventsRequest{})
	require.NoError(c.t, err)
	time.Sleep(time.Second)
	pod, id := c.start("sleep 5; exit 3")
	c.look(id)
	list, err := c.StreamContainers(ctx, &runtimeapi.StreamContainersRequest{})
	require.NoError(c.t, err)
	one, err := list.Recv()
	require.NoError(c.t, err)
	require.Len(c.t, one.Containers, 1)
	_, err = list.Recv()
	require.ErrorIs(c.t, err, io.EOF)
	time.Sleep(10 * time.Second)
	c.look(id)
	time.Sleep(20 * time.Second)
	_, _ = c.RemoveContainer(ctx, &runtimeapi.RemoveContainerRequest{ContainerId: id})
	_, _ = c.RemovePodSandbox(ctx, &runtimeapi.RemovePodSandboxRequest{PodSandboxId: pod})
	_, err = c.ContainerStatus(ctx, &runtimeapi.ContainerStatusRequest{ContainerId: id})
	require.Equal(c.t, codes.NotFound, status.Code(err))
	time.Sleep(time.Second)
}

// What passes is a history that is judged, without the secrets.
func TestJudged(t *testing.T) {
	for _, p := range []cri.Personality{cri.Containerd, cri.CRIO} {
		t.Run(p.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := connect(t, proxy.Options{Target: "cri:unix:///x"}, cri.Options{Personality: p})
				c.life()
				sum := c.end()
				r, h := c.judged()
				assert.Equal(t, harness.Pass, r.Verdict, "%s %v", r.Reason, failures(r))
				assert.False(t, h.Truncated)
				assert.Equal(t, len(h.Events), sum.Recorded)
				assert.Equal(t, []int{1, 0}, []int{sum.Failed, sum.Faults})
				assert.Positive(t, sum.Events)
				tested := map[string]bool{}
				for _, rule := range r.Rules {
					tested[rule.Rule] = rule.Tested > 0
				}
				for _, rule := range []string{"container/echo", "error/not-found", "event/stopped", "event/order", "list/complete", "stream/same", "remove/gone", "container/image"} {
					assert.True(t, tested[rule], "%s is not tested", rule)
				}
				assert.NotContains(t, c.out.String(), "hunter")
				assert.NotContains(t, c.out.String(), "aHVudGVy") // in base64
				assert.Contains(t, c.out.String(), `"key":"default/web/main"`)
			})
		})
	}
}

// Faults strike, and the judged history shows them.
func TestFaults(t *testing.T) {
	for name, x := range map[string]struct {
		faults string
		want   []string
	}{
		"code":   {"{method: RemoveContainer, times: 1, code: INTERNAL}", []string{"remove/gone: 13 Internal injected by lwtest proxy: fault 1"}},
		"list":   {"{method: StreamContainers, contains: '{}', code: INTERNAL, message: bad, applied: true}", nil},
		"drop":   {"{event: drop, type: CONTAINER_STOPPED_EVENT, times: 1}", []string{"event/stopped: 0"}},
		"double": {"{event: double, type: CONTAINER_STOPPED_EVENT, times: 1}", []string{"event/stopped: 2", "event/order: CONTAINER_STOPPED_EVENT"}},
		"swap":   {"{event: swap, type: CONTAINER_CREATED_EVENT, nth: 2}", []string{"event/order: CONTAINER_CREATED_EVENT"}},
		"cut":    {"{method: GetContainerEvents, code: UNAVAILABLE, applied: true, hang: true, for: 3s}", []string{"event/all: 14 Unavailable injected by lwtest proxy: fault 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				faults, err := cri.ReadFaults([]byte("faults: [" + x.faults + "]"))
				require.NoError(t, err)
				c := connect(t, proxy.Options{Faults: faults}, cri.Options{})
				if name == "list" {
					list, err := c.StreamContainers(t.Context(), &runtimeapi.StreamContainersRequest{})
					require.NoError(t, err)
					_, err = list.Recv()
					assert.Equal(t, codes.Internal, status.Code(err))
				} else {
					c.life()
				}
				sum := c.end()
				assert.Equal(t, 1, sum.Faults)
				r, h := c.judged()
				if x.want != nil {
					assert.Equal(t, x.want, failures(r))
				}
				shown := 0
				for _, e := range h.Events {
					if e.Kind == runtime.KindFault {
						shown++
					}
				}
				assert.Equal(t, 1, shown)
			})
		})
	}
}

// A fault that is applied is done, and its delay and its deadline are kept.
func TestApplied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		faults, err := cri.ReadFaults([]byte("faults: [{method: StopPodSandbox, times: 1, code: DEADLINE_EXCEEDED, applied: true}, {method: Version, delay: 3s}, {method: Status, hang: true}]"))
		require.NoError(t, err)
		c := connect(t, proxy.Options{Faults: faults}, cri.Options{})
		pod, id := c.start("sleep 600")
		_, err = c.StopPodSandbox(t.Context(), &runtimeapi.StopPodSandboxRequest{PodSandboxId: pod})
		assert.Equal(t, codes.DeadlineExceeded, status.Code(err))
		s, err := c.ContainerStatus(t.Context(), &runtimeapi.ContainerStatusRequest{ContainerId: id})
		require.NoError(t, err)
		assert.Equal(t, runtimeapi.ContainerState_CONTAINER_EXITED, s.Status.State)
		begin := time.Now()
		_, err = c.Version(t.Context(), &runtimeapi.VersionRequest{})
		require.NoError(t, err)
		assert.Equal(t, 3*time.Second, time.Since(begin).Round(time.Second))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = c.RuntimeServiceClient.Status(ctx, &runtimeapi.StatusRequest{})
		assert.Equal(t, codes.DeadlineExceeded, status.Code(err))
		c.end()
		r, _ := c.judged()
		assert.Empty(t, failures(r))
	})
}

// strange is a runtime with more than cri-api knows: metadata, details of errors, and methods.
type strange struct {
	runtimeapi.UnimplementedRuntimeServiceServer
	deadline time.Duration
	asked    metadata.MD
}

func (s *strange) Version(ctx context.Context, _ *runtimeapi.VersionRequest) (*runtimeapi.VersionResponse, error) {
	s.asked, _ = metadata.FromIncomingContext(ctx)
	if d, ok := ctx.Deadline(); ok {
		s.deadline = time.Until(d)
	}
	_ = grpc.SetHeader(ctx, metadata.Pairs("head", "h"))
	_ = grpc.SetTrailer(ctx, metadata.Pairs("tail", "t"))
	return &runtimeapi.VersionResponse{RuntimeName: "strange", RuntimeApiVersion: "v1"}, nil
}

func (s *strange) Status(context.Context, *runtimeapi.StatusRequest) (*runtimeapi.StatusResponse, error) {
	st, err := status.New(codes.ResourceExhausted, "full").WithDetails(&runtimeapi.ImageSpec{Image: "detail"})
	return nil, errors.Join(st.Err(), err)
}

func (s *strange) ListContainers(context.Context, *runtimeapi.ListContainersRequest) (*runtimeapi.ListContainersResponse, error) {
	return &runtimeapi.ListContainersResponse{Containers: []*runtimeapi.Container{{Id: strings.Repeat("x", 15<<20)}}}, nil
}

// Metadata, deadlines, details of errors, messages of 15 MiB and methods that nobody knows pass, over sockets.
func TestTransparent(t *testing.T) {
	dir := t.TempDir()
	s := &strange{}
	server := grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
		for {
			m := &runtimeapi.VersionRequest{}
			if err := stream.RecvMsg(m); errors.Is(err, io.EOF) {
				return status.Error(codes.DataLoss, "at the end")
			} else if err != nil {
				return err
			}
			if err := stream.SendMsg(&runtimeapi.VersionRequest{Version: m.Version + "!"}); err != nil {
				return err
			}
		}
	}))
	runtimeapi.RegisterRuntimeServiceServer(server, s)
	l, err := net.Listen("unix", filepath.Join(dir, "up.sock"))
	require.NoError(t, err)
	go server.Serve(l)
	t.Cleanup(server.Stop)
	up, err := proxy.Dial(filepath.Join(dir, "up.sock"))
	require.NoError(t, err)
	t.Cleanup(func() { up.Close() })
	var out bytes.Buffer
	p, err := proxy.New(t.Context(), up, proxy.Options{Out: &out})
	require.NoError(t, err)
	front, err := cri.Listen(filepath.Join(dir, "front.sock"))
	require.NoError(t, err)
	go p.Serve(front)
	conn, err := proxy.Dial(filepath.Join(dir, "front.sock"))
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	rt := runtimeapi.NewRuntimeServiceClient(conn)

	ctx, cancel := context.WithTimeout(metadata.AppendToOutgoingContext(t.Context(), "traceparent", "00-1", "some-bin", "\x00\xff"), time.Minute)
	defer cancel()
	var head, tail metadata.MD
	_, err = rt.Version(ctx, &runtimeapi.VersionRequest{}, grpc.Header(&head), grpc.Trailer(&tail))
	require.NoError(t, err)
	assert.Equal(t, []string{"00-1", "\x00\xff"}, append(s.asked["traceparent"], s.asked["some-bin"]...))
	assert.InDelta(t, 60, s.deadline.Seconds(), 10)
	assert.Equal(t, []string{"h", "t"}, append(head["head"], tail["tail"]...))
	_, err = rt.Status(ctx, &runtimeapi.StatusRequest{})
	require.Len(t, status.Convert(err).Details(), 1)
	assert.Equal(t, "detail", status.Convert(err).Details()[0].(*runtimeapi.ImageSpec).Image)
	_, err = rt.ListContainers(ctx, &runtimeapi.ListContainersRequest{}, grpc.MaxCallRecvMsgSize(cri.MostBytes))
	require.NoError(t, err)
	_, err = rt.PodSandboxStats(ctx, &runtimeapi.PodSandboxStatsRequest{})
	assert.Equal(t, codes.Unimplemented, status.Code(err))
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, "/future.v2.Service/Talk")
	require.NoError(t, err)
	for _, text := range []string{"a", "b"} {
		require.NoError(t, stream.SendMsg(&runtimeapi.VersionRequest{Version: text}))
		m := &runtimeapi.VersionRequest{}
		require.NoError(t, stream.RecvMsg(m))
		assert.Equal(t, text+"!", m.Version)
	}
	require.NoError(t, stream.CloseSend())
	assert.Equal(t, codes.DataLoss, status.Code(stream.RecvMsg(&runtimeapi.VersionRequest{})))

	// The runtime goes down while somebody watches, and comes back.
	watch, err := rt.GetContainerEvents(ctx, &runtimeapi.GetEventsRequest{})
	require.NoError(t, err)
	_, err = watch.Recv()
	assert.Equal(t, codes.Unimplemented, status.Code(err))
	server.Stop()
	_, err = rt.Version(ctx, &runtimeapi.VersionRequest{})
	assert.Equal(t, codes.Unavailable, status.Code(err))
	_, err = p.Close()
	require.NoError(t, err)
	h, err := history.Read(&out)
	require.NoError(t, err)
	var kinds []string
	for _, e := range h.Events {
		if e.Phase == history.Call {
			kinds = append(kinds, e.Kind)
		}
	}
	assert.Equal(t, []string{"Version", "Status", "ListContainers", "PodSandboxStats", "future.v2.Service/Talk", "GetContainerEvents"}, kinds[2:8])
	assert.ElementsMatch(t, []string{runtime.KindKill, "Version"}, kinds[8:])
	assert.NoFileExists(t, filepath.Join(dir, "front.sock"))
}

// full is a disk without room.
type full struct{ room int }

func (f *full) Write(b []byte) (int, error) {
	if f.room -= len(b); f.room < 0 {
		return 0, errors.New("no space left on device")
	}
	return len(b), nil
}

// Calls pass when the history cannot be written any more, and Close says so.
func TestFull(t *testing.T) {
	fake := cri.New(cri.Options{})
	defer fake.Close()
	up, err := fake.Dial(proxy.Stays()...)
	require.NoError(t, err)
	defer up.Close()
	said := make(chan error, 1)
	p, err := proxy.New(t.Context(), up, proxy.Options{Out: &full{500}, Problem: func(err error) { said <- err }})
	require.NoError(t, err)
	l := bufconn.Listen(1 << 16)
	go p.Serve(l)
	conn, err := grpc.NewClient("passthrough:///proxy", grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }))
	require.NoError(t, err)
	defer conn.Close()
	for range 5 {
		_, err := runtimeapi.NewRuntimeServiceClient(conn).Version(t.Context(), &runtimeapi.VersionRequest{})
		require.NoError(t, err)
	}
	sum, err := p.Close()
	assert.ErrorContains(t, err, "no space left")
	assert.ErrorContains(t, <-said, "no space left")
	assert.Equal(t, 5, sum.Calls)
}

// What only the fake can do is refused.
func TestRefused(t *testing.T) {
	_, err := proxy.New(t.Context(), nil, proxy.Options{Faults: []cri.Fault{{Method: "Version", Crash: true}}})
	assert.ErrorContains(t, err, "lwtest serve cri")
}
