package cri

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/conformance/runtime"
	"github.com/lwtest/lwtest/fakes/cri"
	"github.com/lwtest/lwtest/harness"
)

// socket is a runtime that listens on a socket.
type socket struct {
	conn        *grpc.ClientConn
	path        string
	fixture     runtime.Fixture
	kill, start action // zero: it cannot be restarted
	pulls       bool   // images of the registry may be pulled and removed
	registry    *registry
	scratch     string // a folder that is removed with the connection; empty: none
}

// action kills or starts a runtime.
type action struct {
	name string // as errors call it
	do   func(context.Context) error
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
//	kill    a shell command that kills the runtime, as kill -9 does
//	images-may-be-removed  true: lwtest serves a registry on loopback, and has the runtime pull images from there and remove them
//	start   a shell command that starts it again. With both of them the target has the feature restart
func Open(ctx context.Context, address string) (harness.Target, error) {
	s, beside, err := parse(address)
	if err != nil {
		return harness.Target{}, err
	}
	if err := s.connect(); err != nil {
		return harness.Target{}, err
	}
	if err := s.serve(); err != nil {
		return harness.Target{}, err
	}
	name, has, err := s.probe(ctx, beside)
	if err != nil {
		s.release()
		return harness.Target{}, fmt.Errorf("%s: %w", s.path, err)
	}
	s.defaults(ctx)
	return harness.Target{Name: "cri:" + address, Notes: s.leftovers(ctx, address), Sweep: s.sweep, Alive: s.alive, Hopeless: s.hopeless, Close: s.close, Release: s.release,
		Cases: runtime.Suite.Bind(harness.Plugin[runtime.Subject]{Name: name, Features: has, Open: func(*harness.T) (runtime.Subject, error) { return s, nil }})}, nil
}

// serve serves the registry from which images are pulled, if they may be removed.
func (s *socket) serve() (err error) {
	if !s.pulls {
		return nil
	}
	if s.registry, err = serveRegistry(); err != nil {
		return err
	}
	s.fixture.Registry = s.registry.address
	return nil
}

// release closes the connection and the registry.
func (s socket) release() error {
	if s.registry != nil {
		_ = s.registry.Close() // nothing is written there
	}
	return s.conn.Close()
}

// removeImages removes what was pulled from the registry.
func (s socket) removeImages(ctx context.Context) error {
	if s.registry == nil {
		return nil
	}
	list, err := s.ImageService().ListImages(ctx, &runtimeapi.ListImagesRequest{})
	for _, image := range list.GetImages() {
		for _, name := range slices.Concat(image.GetRepoTags(), image.GetRepoDigests()) {
			if strings.HasPrefix(name, s.registry.address+"/") {
				_, gone := s.ImageService().RemoveImage(ctx, &runtimeapi.RemoveImageRequest{Image: &runtimeapi.ImageSpec{Image: name}})
				err = errors.Join(err, gone)
			}
		}
	}
	return err
}

// connect makes the connection. It is tried again soon after a restart.
func (s *socket) connect() (err error) {
	s.conn, err = grpc.NewClient("unix://"+s.path, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(cri.MostBytes)),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: backoff.Config{BaseDelay: pollEvery, Multiplier: 1.5, MaxDelay: time.Second}, MinConnectTimeout: reach}))
	return err
}

// parse reads the URL of a socket.
func parse(address string) (s socket, beside bool, err error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "unix" || u.Host+u.Path == "" {
		return s, false, fmt.Errorf("%q is no socket: say unix:///run/containerd/containerd.sock for one", address)
	}
	if u.Host != "" {
		return s, false, fmt.Errorf("%q is not an absolute path: say unix://$PWD/%s", address, filepath.Join(u.Host, u.Path))
	}
	options, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return s, false, fmt.Errorf("%s: its parameters cannot be read (%w): in a value, write %%26 for &, %%3B for a semicolon and + for a space", address, err)
	}
	if err := checkParameters(address, options); err != nil {
		return s, false, err
	}
	s = socket{path: u.Path, fixture: runtime.Fixture{Image: cmp.Or(options.Get("image"), DefaultImage), CgroupParent: options.Get("parent"),
		Logs: cmp.Or(options.Get("logs"), defaultLogs())}, pulls: options.Get(removable) == "true", kill: command("kill", options.Get("kill")), start: command("start", options.Get("start"))}
	if (s.kill.do == nil) != (s.start.do == nil) {
		return s, false, fmt.Errorf("%s: kill and start go together: a runtime is killed, and started again", address)
	}
	return s, options.Get("beside") == "true", nil
}

// checkParameters returns an error for parameters that there are not, or that have no value.
func checkParameters(address string, options url.Values) error {
	for _, name := range slices.Sorted(maps.Keys(options)) {
		switch values := options[name]; {
		case !slices.Contains(parameters, name):
			return fmt.Errorf("%s has the parameter %q%s: there are %s", address, name, harness.Suggest(name, parameters), strings.Join(parameters, ", "))
		case len(values) > 1:
			return fmt.Errorf("%s has the parameter %s %d times: say it once", address, name, len(values))
		case values[0] == "":
			return fmt.Errorf("%s: the parameter %s is empty: leave it out for its default, or say what it is; is a variable not set?", address, name)
		case name == "beside" && values[0] != "true":
			return fmt.Errorf("%s: beside=%s: say beside=true to go on beside pods of others, or leave it out", address, values[0])
		case name == removable && values[0] != "true":
			return fmt.Errorf("%s: %s=%s: say true, or leave it out", address, name, values[0])
		}
	}
	return nil
}

// parameters are those of the URL of a socket.
var parameters = []string{"image", "logs", "parent", "beside", "kill", "start", removable}

// removable is the parameter that lets lwtest pull and remove images.
const removable = "images-may-be-removed"

// defaultLogs is the folder of logs if no other is named.
func defaultLogs() string { return filepath.Join(os.TempDir(), "lwtest-logs") }
