// Package cri has container runtimes to be tested: lwtest's own fake, and any that listens on a socket.
package cri

import (
	"context"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/conformance/runtime"
	"github.com/lwtest/lwtest/fakes/cri"
	"github.com/lwtest/lwtest/harness"
)

// image is what the fake's containers are made of.
const image = "docker.io/library/busybox:1"

// fakeRegistry is where the fake pulls other images from.
const fakeRegistry = "registry.lwtest"

// fakeHandler is its runtime handler beside the default one.
const fakeHandler = "other"

// FakeFeatures are the features of the fake, in memory.
var FakeFeatures = []harness.Feature{harness.VirtualTime, runtime.Events, runtime.StreamingLists, runtime.Restart, runtime.PodNetwork, runtime.ImagePull, runtime.Config,
	runtime.Stats, runtime.Logs, runtime.Exec, runtime.PodStats, runtime.PodMetrics, runtime.Update, runtime.Signals, runtime.UserNamespaces, runtime.Checkpoint, runtime.Leaks, runtime.Handlers}

// Fake is a subject: lwtest's own runtime. It ends with the case.
type Fake struct {
	*cri.Runtime
	conn grpc.ClientConnInterface
	root string
}

// callTime is how long the middle of some calls takes, as on real runtimes: a deadline can pass there, and the runtime can die.
const callTime = 40 * time.Millisecond

// shortTime is how long other calls take, so that stories can kill the runtime in each, or give it up.
const shortTime = 25 * time.Millisecond

// OpenFake makes a fake with options; between may wrap the connection to it. Its files are in a folder that ends
// with the case, and have the same names in each run.
func OpenFake(t *harness.T, o cri.Options, between ...func(grpc.ClientConnInterface) grpc.ClientConnInterface) (*Fake, error) {
	root, err := os.MkdirTemp("", "lwtest-cri-")
	if err != nil {
		return nil, err
	}
	o.CallTime, o.Handlers = shortTime, []string{fakeHandler}
	o.Images, o.Seed, o.Root, o.Registry = []string{image}, uint64(t.Seed()), root, map[string]cri.Image{image: {}}
	for name, path := range runtime.RegistryImages {
		switch content, _, _ := strings.Cut(path, ":"); name {
		case "missing":
		case "private":
			o.Registry[fakeRegistry+path] = cri.Image{Content: content, Username: runtime.User, Password: runtime.Password}
		default:
			o.Registry[fakeRegistry+path] = cri.Image{Content: content}
		}
	}
	r := cri.New(o)
	for _, method := range []string{"*Container", "*PodSandbox", "PullImage"} {
		r.Arm(cri.Fault{Name: "real", Method: method, Slow: cri.Duration(callTime)})
	}
	conn := r.Direct()
	for _, wrap := range between {
		conn = wrap(conn)
	}
	t.Cleanup(func() {
		r.Close()
		os.RemoveAll(root)
	})
	return &Fake{r, conn, root}, nil
}

// RuntimeService implements runtime.Subject.
func (f *Fake) RuntimeService() runtimeapi.RuntimeServiceClient {
	return runtimeapi.NewRuntimeServiceClient(f.conn)
}

// ImageService implements runtime.Subject.
func (f *Fake) ImageService() runtimeapi.ImageServiceClient {
	return runtimeapi.NewImageServiceClient(f.conn)
}

// Fixture implements runtime.Subject.
func (f *Fake) Fixture() runtime.Fixture {
	return runtime.Fixture{Image: image, Registry: fakeRegistry, Handler: fakeHandler, Logs: "/var/log/pods", Root: f.root}
}

// Holds implements runtime.Holder.
func (f *Fake) Holds(context.Context) (map[string]int, error) { return f.Runtime.Holds(), nil }

// Kill implements runtime.Restarter.
func (f *Fake) Kill(context.Context) error {
	f.Crash()
	return nil
}

// Start implements runtime.Restarter.
func (f *Fake) Start(context.Context) error {
	f.Restart(cri.Keeps)
	return nil
}

// FakeTarget returns the fake, in memory, with a personality.
func FakeTarget(p cri.Personality) harness.Target {
	return harness.Target{Name: "cri:fake/" + p.Name, Cases: runtime.Suite.Bind(harness.Plugin[runtime.Subject]{Name: "lwtest's runtime fake, as " + p.Name, Features: FakeFeatures,
		Open: func(t *harness.T) (runtime.Subject, error) { return OpenFake(t, cri.Options{Personality: p}) }})}
}
