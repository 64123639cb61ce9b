package cri

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/conformance/runtime"
	"github.com/lwtest/lwtest/fakes/cri"
	"github.com/lwtest/lwtest/harness"
)

// socket is a runtime that listens on a socket.
type socket struct {
	conn    *grpc.ClientConn
	fixture runtime.Fixture
}

// RuntimeService implements runtime.Subject.
func (s socket) RuntimeService() runtimeapi.RuntimeServiceClient {
	return runtimeapi.NewRuntimeServiceClient(s.conn)
}

// ImageService implements runtime.Subject.
func (s socket) ImageService() runtimeapi.ImageServiceClient {
	return runtimeapi.NewImageServiceClient(s.conn)
}

// Fixture implements runtime.Subject.
func (s socket) Fixture() runtime.Fixture { return s.fixture }

// DefaultImage is what containers are made of on a runtime for which no other image is named.
const DefaultImage = "docker.io/library/busybox:latest"

// Open connects to the runtime that a URL names: unix:///run/containerd/containerd.sock?image=NAME&logs=FOLDER. Its parameters:
//
//	image   the image of all containers, with a POSIX shell; default: DefaultImage. It is pulled if it is not there
//	logs    a folder for the logs of containers; default: lwtest-logs in the temporary folder
//	parent  the cgroup of pods
//	beside  true: go on beside pods of others
func Open(ctx context.Context, address string) (harness.Target, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "unix" || u.Path == "" {
		return harness.Target{}, fmt.Errorf("%q is no socket: say unix:///run/containerd/containerd.sock for one", address)
	}
	options := u.Query()
	for name := range options {
		if !strings.Contains(" image logs parent beside ", " "+name+" ") {
			return harness.Target{}, fmt.Errorf("%s has the parameter %q: there are image, logs, parent and beside", address, name)
		}
	}
	conn, err := grpc.NewClient("unix://"+u.Path, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(cri.MostBytes)))
	if err != nil {
		return harness.Target{}, err
	}
	s := socket{conn, runtime.Fixture{Image: DefaultImage, Logs: options.Get("logs"), CgroupParent: options.Get("parent")}}
	if image := options.Get("image"); image != "" {
		s.fixture.Image = image
	}
	if s.fixture.Logs == "" {
		s.fixture.Logs = filepath.Join(os.TempDir(), "lwtest-logs") // of which each check removes what it has made
	}
	name, has, err := s.probe(ctx, options.Get("beside") == "true")
	if err != nil {
		conn.Close()
		return harness.Target{}, fmt.Errorf("%s: %w", u.Path, err)
	}
	return harness.Target{Name: "cri:" + address, Cases: runtime.Suite.Bind(harness.Plugin[runtime.Subject]{Name: name, Features: has,
		Open: func(*harness.T) (runtime.Subject, error) { return s, nil }})}, nil
}

// reach is how long a runtime may take to answer the first calls.
const reach = 10 * time.Second

// probe returns the name of the runtime and the features that it has. It returns an error if it cannot be tested.
func (s socket) probe(ctx context.Context, beside bool) (name string, has []harness.Feature, err error) {
	ctx, cancel := context.WithTimeout(ctx, reach)
	defer cancel()
	rt := s.RuntimeService()
	v, err := rt.Version(ctx, &runtimeapi.VersionRequest{})
	switch {
	case status.Code(err) == codes.Unimplemented:
		return "", nil, errors.New("it does not serve the version v1 of the CRI")
	case err != nil:
		return "", nil, fmt.Errorf("it does not answer: is a runtime listening there? %s", status.Convert(err).Message())
	}
	pods, err := rt.ListPodSandbox(ctx, &runtimeapi.ListPodSandboxRequest{})
	if err != nil {
		return "", nil, err
	}
	for _, p := range pods.GetItems() {
		if p.GetLabels()["lwtest.run"] == "" && !beside {
			return "", nil, fmt.Errorf("it runs pods of others, such as %s/%s: test another runtime, or say beside=true", p.GetMetadata().GetNamespace(), p.GetMetadata().GetName())
		}
	}
	if err := s.image(ctx); err != nil {
		return "", nil, err
	}
	has = []harness.Feature{runtime.Logs, runtime.Exec, runtime.Stats}
	state, err := rt.Status(ctx, &runtimeapi.StatusRequest{})
	if err != nil {
		return "", nil, err
	}
	for _, c := range state.GetStatus().GetConditions() {
		if c.GetType() == runtimeapi.NetworkReady && c.GetStatus() {
			has = append(has, runtime.PodNetwork)
		}
	}
	if _, err := rt.RuntimeConfig(ctx, &runtimeapi.RuntimeConfigRequest{}); status.Code(err) != codes.Unimplemented {
		has = append(has, runtime.Config)
	}
	if list, err := rt.StreamContainers(ctx, &runtimeapi.StreamContainersRequest{}); err == nil {
		if _, err := list.Recv(); err == nil || errors.Is(err, io.EOF) {
			has = append(has, runtime.StreamingLists)
		}
	}
	if s.events(ctx) {
		has = append(has, runtime.Events)
	}
	return v.GetRuntimeName() + " " + v.GetRuntimeVersion(), has, nil
}

// image makes sure that the image is there.
func (s socket) image(ctx context.Context) error {
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

// events reports whether the runtime has a stream of events: one that is not refused at once.
func (s socket) events(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	stream, err := s.RuntimeService().GetContainerEvents(ctx, &runtimeapi.GetEventsRequest{})
	if err != nil {
		return false
	}
	_, err = stream.Recv()
	return err == nil || status.Code(err) == codes.DeadlineExceeded
}
