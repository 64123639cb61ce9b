// Package runtime is the conformance suite of container runtimes: what a kubelet relies on in the CRI, and critest leaves out.
package runtime

import (
	"context"
	"path/filepath"
	"testing"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// Subject is a runtime that is up. Its clients must take messages of 16 MiB, as a kubelet's do. They may be used concurrently.
type Subject interface {
	RuntimeService() runtimeapi.RuntimeServiceClient
	ImageService() runtimeapi.ImageServiceClient
	Fixture() Fixture
}

// Fixture is what a suite needs beside the runtime.
type Fixture struct {
	// Image is the name of an image with a POSIX shell, which is there already.
	Image string
	// Registry is the address of a registry that has the images of RegistryImages, for the feature image-pull. Without one only Image is
	// pulled, and removed.
	Registry string
	// Logs is a folder of the runtime for the logs of pods, which the suite can read and write, too.
	Logs string
	// Root is where the suite sees the root of the runtime's file system; empty means that both see the same.
	Root string
	// Handler is the name of a runtime handler with which pods run, for the feature runtime-handlers.
	Handler string
	// CgroupParent is the cgroup of pods; empty means that the runtime chooses.
	CgroupParent string
}

// RegistryImages are the images that a registry of the suite has, by the names that stories use. "one" and "one-again" are two tags of one
// image, "private" needs the credentials User and Password, and "missing" is not there.
var RegistryImages = map[string]string{"one": "/lwtest/one:1", "one-again": "/lwtest/one:2", "two": "/lwtest/two:1", "private": "/private/one:1", "missing": "/lwtest/missing:1"}

// The credentials that the registry of the suite wants.
const (
	User     = "user"
	Password = "password"
)

// registry returns the full name of an image of the registry; without a registry only "one" has one.
func (f Fixture) registry(name, path string) string {
	switch {
	case f.Registry != "":
		return f.Registry + path
	case name == "one":
		return f.Image
	}
	return ""
}

// Path returns where the suite sees a file of the runtime.
func (f Fixture) Path(name string) string { return filepath.Join(f.Root, name) }

// Restarter is a Subject whose runtime can be killed and started again (feature restart). Containers go on meanwhile.
type Restarter interface {
	Kill(context.Context) error
	Start(context.Context) error
}

// Holder is a Subject that tells what its runtime holds on this machine (feature leaks).
type Holder interface {
	// Holds returns how many of each kind there are: mounts, network namespaces, processes, open files.
	Holds(context.Context) (map[string]int, error)
}

// The features that a runtime may declare.
const (
	Events         harness.Feature = "events"
	StreamingLists harness.Feature = "streaming-lists"
	Restart        harness.Feature = "restart"
	PodNetwork     harness.Feature = "pod-network"
	ImagePull      harness.Feature = "image-pull"
	Config         harness.Feature = "runtime-config"
	Stats          harness.Feature = "stats"
	Logs           harness.Feature = "logs"
	Exec           harness.Feature = "exec"
	PodStats       harness.Feature = "pod-stats"
	PodMetrics     harness.Feature = "pod-metrics"
	Update         harness.Feature = "update-resources"
	Signals        harness.Feature = "stop-signals"
	UserNamespaces harness.Feature = "user-namespaces"
	Checkpoint     harness.Feature = "checkpoint"
	Leaks          harness.Feature = "leaks"
	Handlers       harness.Feature = "runtime-handlers"
)

var features = []harness.FeatureInfo{
	{Name: Events, Help: "GetContainerEvents tells of containers"},
	{Name: StreamingLists, Help: "the six streaming lists of KEP-5825"},
	{Name: Restart, Help: "the runtime can be killed and started again"},
	{Name: PodNetwork, Help: "a pod has an address of its own"},
	{Name: ImagePull, Help: "images of a registry of the suite can be pulled and removed"},
	{Name: Config, Help: "RuntimeConfig"},
	{Name: Stats, Help: "statistics of containers"},
	{Name: Logs, Help: "logs of containers are files that the suite can read"},
	{Name: Exec, Help: "ExecSync"},
	{Name: PodStats, Help: "statistics of sandboxes"},
	{Name: PodMetrics, Help: "ListPodSandboxMetrics"},
	{Name: Update, Help: "UpdateContainerResources, and the resources in the status of a container"},
	{Name: Signals, Help: "the stop_signal of a container"},
	{Name: UserNamespaces, Help: "a handler says that it has user namespaces"},
	{Name: Checkpoint, Help: "CheckpointPod"},
	{Name: Handlers, Help: "a runtime handler, such as runc, can be asked for by its name"},
	{Name: Leaks, Help: "the suite can count what the runtime holds on this machine"},
}

// Test runs the suite on a runtime, as a part of a Go test. Each check gets a runtime of its own from open.
func Test(t *testing.T, open func(*testing.T) Subject, has ...harness.Feature) {
	t.Helper()
	harness.Test(t, cases(t, open, has))
}

// Fuzz plays random stories on a runtime: see story.Fuzz. Its other parameters are those of Test.
func Fuzz(f *testing.F, open func(*testing.T) Subject, has ...harness.Feature) {
	f.Helper()
	story.Fuzz(f, cases(f, open, has))
}

func cases(t testing.TB, open func(*testing.T) Subject, has []harness.Feature) []harness.Case {
	return Suite.Bind(harness.Plugin[Subject]{Name: t.Name(), Features: has,
		Open: func(ht *harness.T) (Subject, error) { return open(ht.Testing()), nil }})
}
