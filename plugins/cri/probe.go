package cri

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"slices"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/conformance/runtime"
	"github.com/lwtest/lwtest/harness"
)

// reach is how long a runtime may take to answer the first calls, and a call that checks whether it is alive.
const reach = 10 * time.Second

// usable returns what the runtime says of its version, or an error if it cannot be tested. A runtime that is down is started, if
// there is a command for it.
func (s socket) usable(ctx context.Context, beside bool) (*runtimeapi.VersionResponse, error) {
	if err := s.room(); err != nil {
		return nil, err
	}
	v, err := s.first(ctx, beside)
	if err != nil {
		return nil, err
	}
	return v, s.image(ctx)
}

// systemdParent is the cgroup of pods of a runtime that has the systemd cgroup driver, if nobody names another.
const systemdParent = "system.slice"

// defaults notes the name of a runtime handler, and sets the cgroup of pods, if nobody has named one and the runtime does not choose: with the systemd cgroup driver it
// needs a slice. A runtime without RuntimeConfig is left to its choice.
func (s *socket) defaults(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, reach)
	defer cancel()
	if state, err := s.RuntimeService().Status(ctx, &runtimeapi.StatusRequest{}); err == nil {
		s.fixture.Handler = handler(state)
	}
	if s.fixture.CgroupParent != "" {
		return
	}
	if c, err := s.RuntimeService().RuntimeConfig(ctx, &runtimeapi.RuntimeConfigRequest{}); err == nil && c.GetLinux() != nil && c.GetLinux().GetCgroupDriver() == runtimeapi.CgroupDriver_SYSTEMD {
		s.fixture.CgroupParent = systemdParent
	}
}

// handler returns the name of a runtime handler with which every pod runs; empty: the runtime names none.
func handler(state *runtimeapi.StatusResponse) string {
	for _, h := range state.GetRuntimeHandlers() {
		if slices.Contains(ordinary, h.GetName()) {
			return h.GetName()
		}
	}
	return ""
}

// ordinary are the names of runtime handlers with which every pod runs.
var ordinary = []string{"runc", "crun"}

// probe returns the name of the runtime and the features that it has. It returns an error if it cannot be tested.
func (s socket) probe(ctx context.Context, beside bool) (name string, has []harness.Feature, err error) {
	v, err := s.usable(ctx, beside)
	if err != nil {
		return "", nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, reach)
	defer cancel()
	state, err := s.RuntimeService().Status(ctx, &runtimeapi.StatusRequest{})
	if err != nil {
		return "", nil, err
	}
	if has = s.features(ctx, state); s.start.do != nil {
		has = append(has, runtime.Restart)
	}
	if s.pulls {
		has = append(has, runtime.ImagePull)
	}
	return v.GetRuntimeName() + " " + v.GetRuntimeVersion(), has, nil
}

// first makes the first calls, and returns an error if the runtime has pods of others.
func (s socket) first(ctx context.Context, beside bool) (*runtimeapi.VersionResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, reach)
	defer cancel()
	v, err := s.version(ctx)
	if err != nil && s.start.do != nil && s.Start(ctx) == nil { // a run that was killed has killed it
		v, err = s.version(ctx)
	}
	if err != nil {
		return nil, err
	}
	pods, err := s.RuntimeService().ListPodSandbox(ctx, &runtimeapi.ListPodSandboxRequest{})
	for _, p := range pods.GetItems() {
		if p.GetLabels()[runtime.RunLabel] == "" && !beside {
			return nil, fmt.Errorf("it runs pods of others, such as %s/%s: test another runtime, or say beside=true", p.GetMetadata().GetNamespace(), p.GetMetadata().GetName())
		}
	}
	return v, err
}

// version asks for the version. Its error says what listens on the socket instead of a runtime.
func (s socket) version(ctx context.Context) (*runtimeapi.VersionResponse, error) {
	conn, err := (&net.Dialer{Timeout: reach}).DialContext(ctx, "unix", s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("there is no such socket: is the runtime running, and is this its path?")
	case errors.Is(err, fs.ErrPermission):
		return nil, errors.New("the socket may not be used: lwtest needs the rights of its owner, who is mostly root")
	case errors.Is(err, syscall.ECONNREFUSED):
		return nil, errors.New("nothing listens on the socket: the runtime has ended, or the file is no socket")
	case err != nil:
		return nil, err
	}
	conn.Close()
	ask := &runtimeapi.VersionRequest{Version: "0.1.0"}
	v, err := s.RuntimeService().Version(ctx, ask)
	switch status.Code(err) {
	case codes.OK:
		return v, nil
	case codes.Unimplemented:
		if s.conn.Invoke(ctx, "/runtime.v1alpha2.RuntimeService/Version", ask, &runtimeapi.VersionResponse{}) == nil { // both have the same messages
			return nil, errors.New("it serves the CRI in version v1alpha2 only, which kubelets until 1.25 spoke: lwtest speaks v1")
		}
		return nil, errors.New("a gRPC server listens there, but it serves no CRI: is this the socket of the runtime, and is the CRI switched on? (containerd: see disabled_plugins in its config.toml)")
	case codes.Unavailable:
		return nil, fmt.Errorf("something listens there, but it speaks no gRPC: is this the socket of the runtime? (%s)", status.Convert(err).Message())
	case codes.DeadlineExceeded:
		return nil, fmt.Errorf("something listens there, but it does not answer within %s: it hangs, or is no runtime", reach)
	}
	return nil, fmt.Errorf("it does not say its version: %s", status.Convert(err).Message())
}

// pullLimit is how long the pull of the image may take.
const pullLimit = 5 * time.Minute

// image makes sure that the image is there.
func (s socket) image(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pullLimit)
	defer cancel()
	image := &runtimeapi.ImageSpec{Image: s.fixture.Image}
	is, err := s.ImageService().ImageStatus(ctx, &runtimeapi.ImageStatusRequest{Image: image})
	if err != nil || is.GetImage() != nil {
		return err
	}
	if _, err = s.ImageService().PullImage(ctx, &runtimeapi.PullImageRequest{Image: image}); err != nil {
		return fmt.Errorf("the image %s is not there, and cannot be pulled: import one with a shell, and name it with image=NAME: %s", s.fixture.Image, status.Convert(err).Message())
	}
	return nil
}

// probes are calls by which a runtime shows what it has: a feature whose call is Unimplemented is not there.
var probes = []struct {
	feature harness.Feature
	call    func(context.Context, socket) error
}{
	{runtime.Config, unary(runtimeapi.RuntimeServiceClient.RuntimeConfig, &runtimeapi.RuntimeConfigRequest{})},
	{runtime.PodStats, unary(runtimeapi.RuntimeServiceClient.ListPodSandboxStats, &runtimeapi.ListPodSandboxStatsRequest{})},
	{runtime.PodMetrics, unary(runtimeapi.RuntimeServiceClient.ListPodSandboxMetrics, &runtimeapi.ListPodSandboxMetricsRequest{})},
	{runtime.Checkpoint, unary(runtimeapi.RuntimeServiceClient.CheckpointPod, &runtimeapi.CheckpointPodRequest{PodSandboxId: "lwtest-no-such"})},
	{runtime.StreamingLists, func(ctx context.Context, s socket) error {
		list, err := s.RuntimeService().StreamContainers(ctx, &runtimeapi.StreamContainersRequest{})
		for err == nil {
			_, err = list.Recv()
		}
		return err
	}},
}

// unary makes a probe of a call.
func unary[Q, R any](call func(runtimeapi.RuntimeServiceClient, context.Context, Q, ...grpc.CallOption) (R, error), q Q) func(context.Context, socket) error {
	return func(ctx context.Context, s socket) error {
		_, err := call(s.RuntimeService(), ctx, q)
		return err
	}
}

// features returns the features that a runtime has. It asks, and makes nothing.
func (s socket) features(ctx context.Context, state *runtimeapi.StatusResponse) []harness.Feature {
	has := []harness.Feature{runtime.Logs, runtime.Exec, runtime.Stats, runtime.Update, runtime.Signals}
	for _, c := range state.GetStatus().GetConditions() {
		if c.GetType() == runtimeapi.NetworkReady && c.GetStatus() {
			has = append(has, runtime.PodNetwork)
		}
	}
	if slices.ContainsFunc(state.GetRuntimeHandlers(), func(h *runtimeapi.RuntimeHandler) bool { return h.GetFeatures().GetUserNamespaces() }) {
		has = append(has, runtime.UserNamespaces)
	}
	if handler(state) != "" {
		has = append(has, runtime.Handlers)
	}
	for _, p := range probes {
		if err := p.call(ctx, s); status.Code(err) != codes.Unimplemented || errors.Is(err, io.EOF) {
			has = append(has, p.feature)
		}
	}
	if s.events(ctx) {
		has = append(has, runtime.Events)
	}
	if _, err := s.Holds(ctx); err == nil { // it runs on this machine, and lwtest may look at it
		has = append(has, runtime.Leaks)
	}
	return has
}

// events reports whether the runtime has a stream of events: one that does not end by itself at once.
func (s socket) events(ctx context.Context) bool {
	ctx, cancel := context.WithCancel(ctx) // without a deadline, at which the runtime might end it
	defer time.AfterFunc(time.Second, cancel).Stop()
	defer cancel()
	stream, err := s.RuntimeService().GetContainerEvents(ctx, &runtimeapi.GetEventsRequest{})
	if err == nil {
		_, err = stream.Recv()
	}
	return err == nil || ctx.Err() != nil
}

// room returns an error if logs cannot be written.
func (s socket) room() error {
	err := os.MkdirAll(s.fixture.Logs, 0o755)
	if err == nil {
		err = writes(s.fixture.Logs)
	}
	if err != nil {
		return fmt.Errorf("no logs can be written into %s: make room, or give another folder with logs=FOLDER: %w", s.fixture.Logs, err)
	}
	return nil
}

// writes writes a file into a folder, and removes it: logs of a check are shorter.
func writes(folder string) error {
	f, err := os.CreateTemp(folder, "room-")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, 256<<10))
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}
