// Package cri is a fake container runtime: the RuntimeService and the ImageService of cri-api v1, complete, without processes,
// image layers or networks. It keeps the contract that a kubelet relies on, and can be made to break it: see Fault.
//
// A Runtime lives in one Go process. Dial connects to it over a pipe, which works in a testing/synctest bubble, so that graces and
// back-offs take no time. Serve puts it on a socket, where a kubelet or crictl can use it.
//
// Containers run workloads: Go functions that stand for a process. By default that is a small shell, so that
// `sh -c "trap 'exit 3' TERM; sleep 60 & wait"` does what it does in a container; see Shell.
package cri

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"sync"
	"testing/fstest"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// Options configure a Runtime. The zero value is a runtime that has every feature, that answers as containerd does, and that finds
// any image that it is asked to pull.
type Options struct {
	Personality Personality
	// Lacks are features that the runtime does not have. It answers Unimplemented to their calls.
	Lacks []Feature
	// Workload returns what a container runs; nil means Shell.
	Workload func(*runtimeapi.ContainerConfig) Workload
	// Exec returns what an exec in a container runs; nil means Shell, and that a command which it does not play is missing.
	Exec func(container *runtimeapi.ContainerConfig, argv []string) Workload
	// Port serves any port of a pod to port-forwards and DialPod, until the stream ends. Nil means that a port which the config of the sandbox
	// declares answers each HTTP request with 200 and a line about the pod while a container of the pod runs, and that other ports refuse.
	Port func(ctx context.Context, pod *runtimeapi.PodSandboxConfig, port int32, stream io.ReadWriteCloser) error
	// Registry says what can be pulled, by the names that are asked for. Nil means that every image can be.
	Registry map[string]Image
	// Pull looks for an image that a client pulls, before the Registry does. Nil, or an answer without an image and an error: the Registry
	// decides. See Loopback. It is called without locks.
	Pull func(ctx context.Context, name, username, password string) (*Image, error)
	// Images are the names of images that the store has at the start. They must be in the Registry, if there is one.
	Images []string
	// Pinned are names of others that it has at the start, which are pinned.
	Pinned []string
	// Root is the folder that the runtime takes for the root of the file system, for logs and checkpoints; empty: it is that.
	Root string
	// Pods is the subnet that pod IPs are taken from; zero means 10.88.0.0/16.
	Pods netip.Prefix
	// Mountpoint is where the image file system is said to be mounted; empty means "/". A kubelet calls statfs on it.
	Mountpoint string
	// Handlers are names of runtime handlers beside the default one.
	Handlers []string
	// CgroupDriver is what RuntimeConfig answers; zero means systemd.
	CgroupDriver runtimeapi.CgroupDriver
	// Observer is told what happens.
	Observer Observer
	// CallTime is how long a call takes at least: what is done sooner is answered then. The deadline of a call can pass in it, and the
	// runtime can die.
	CallTime time.Duration
	// Memory is what the runtime knows when it comes back after a fault that says when; empty means Keeps.
	Memory Memory
	// Seed makes ids and chances of faults. Runtimes with the same seed that are asked the same make the same ids.
	Seed uint64
}

// Feature is something that a runtime may lack.
type Feature string

// The features of a Runtime.
const (
	Events          Feature = "events"           // GetContainerEvents
	StreamingLists  Feature = "streaming-lists"  // the six calls Stream…
	PodStats        Feature = "pod-stats"        // PodSandboxStats, and the list of them
	PodMetrics      Feature = "pod-metrics"      // ListMetricDescriptors and ListPodSandboxMetrics
	PodResources    Feature = "pod-resources"    // UpdatePodSandboxResources
	RuntimeSettings Feature = "runtime-settings" // RuntimeConfig
	Checkpoint      Feature = "checkpoint"       // CheckpointContainer, CheckpointPod and RestorePod
)

// featureOf says which feature a method needs.
var featureOf = map[string]Feature{
	"GetContainerEvents":        Events,
	"StreamPodSandboxes":        StreamingLists,
	"StreamContainers":          StreamingLists,
	"StreamContainerStats":      StreamingLists,
	"StreamPodSandboxStats":     StreamingLists,
	"StreamPodSandboxMetrics":   StreamingLists,
	"StreamImages":              StreamingLists,
	"PodSandboxStats":           PodStats,
	"ListPodSandboxStats":       PodStats,
	"ListMetricDescriptors":     PodMetrics,
	"ListPodSandboxMetrics":     PodMetrics,
	"UpdatePodSandboxResources": PodResources,
	"RuntimeConfig":             RuntimeSettings,
	"CheckpointContainer":       Checkpoint,
	"CheckpointPod":             Checkpoint,
	"RestorePod":                Checkpoint,
}

// Personality is where correct runtimes differ. The zero value is Containerd.
type Personality struct {
	Name string
	// RepeatsAnswerID: a RunPodSandbox or CreateContainer with an identity that lives answers the id of the one that lives. Else it
	// fails with FailedPrecondition.
	RepeatsAnswerID bool
	// HoldsRepeats: a CreateContainer whose deadline passes keeps what it makes to itself until the call is repeated. The first
	// repetition waits until its own deadline, the next one gets the id.
	HoldsRepeats bool
	// ExecsCreated: an exec in a container that was created, and not started, runs.
	ExecsCreated bool
	// ExecTimeoutIsCode: an ExecSync past its timeout answers the exit code -1. Else it fails with DeadlineExceeded.
	ExecTimeoutIsCode bool
	// ImageRefIsDigest: image_ref of a container is repository@digest. Else it is the image's id.
	ImageRefIsDigest bool
	// FewSandboxEvents: only the start and the stop of a sandbox are events, and no event has the statuses of containers.
	FewSandboxEvents bool
	// DefaultSignalUntold: the stop signal of a container for which none is configured is SIGNAL_RUNTIME_DEFAULT. Else it is SIGTERM.
	DefaultSignalUntold bool
	// MissingBinaryAtCreate: a container whose binary is missing cannot be created. Else it cannot be started.
	MissingBinaryAtCreate bool
	// StatusHasContainers: the status of a sandbox has a time and the statuses of its containers. Else only events have them.
	StatusHasContainers bool
	// KeepsHalf: a sandbox in whose making the runtime died is there after a restart, and is not ready. Else it is gone.
	KeepsHalf bool
	// NumericZone: times in logs end in +00:00. Else they end in Z.
	NumericZone bool
}

// The personalities of two runtimes that keep the contract, as they were seen to answer (containerd 2.4.2, CRI-O 1.37).
var (
	Containerd = Personality{Name: "containerd"}
	CRIO       = Personality{Name: "cri-o", RepeatsAnswerID: true, HoldsRepeats: true, ExecsCreated: true, ExecTimeoutIsCode: true, ImageRefIsDigest: true,
		FewSandboxEvents: true, DefaultSignalUntold: true, MissingBinaryAtCreate: true, StatusHasContainers: true, NumericZone: true}
)

// Runtime is a fake container runtime. All methods may be called concurrently. Close ends it.
type Runtime struct {
	o      Options
	ctx    context.Context // ends with the runtime, and with it all workloads
	cancel context.CancelFunc
	work   sync.WaitGroup // workloads

	mu         sync.Mutex
	sandboxes  map[string]*sandbox
	containers map[string]*container
	made       uint64              // so many ids
	last       int64               // the last answer of now
	held       map[string]*holding // by identity: what was made for a caller who has gone; see Personality.HoldsRepeats
	making     map[string]bool     // the identities of sandboxes that are being run
	addresses  map[netip.Addr]bool
	host       *memoryTree        // the folders of the host that containers mount, but for those that a kubelet made for the pod
	images     map[string]*stored // by id
	watchers   map[*watcher]bool
	streaming  *streams
	unready    string // why the runtime is not ready; empty: it is
	since      int64  // when the runtime died last
	deaths     int    // how often it has died
	offline    string // why the network is not ready

	faults EventFaults
	calls  calls
	server serving
}

// New returns a runtime without pods.
func New(o Options) *Runtime {
	if !o.Pods.IsValid() {
		o.Pods = netip.MustParsePrefix("10.88.0.0/16")
	}
	if o.Mountpoint == "" {
		o.Mountpoint = "/"
	}
	r := &Runtime{o: o, sandboxes: map[string]*sandbox{}, containers: map[string]*container{}, held: map[string]*holding{}, making: map[string]bool{},
		addresses: map[netip.Addr]bool{}, host: &memoryTree{files: fstest.MapFS{}}, images: map[string]*stored{}, watchers: map[*watcher]bool{}}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	r.faults.Faults = NewFaults(o.Seed)
	for _, name := range slices.Concat(o.Images, o.Pinned) {
		if image, ok := r.find(name); ok {
			image.Pinned = image.Pinned || slices.Contains(o.Pinned, name)
			r.store(name, image)
		}
	}
	return r
}

// Close kills all workloads and ends all connections. It waits until nothing of the runtime runs.
func (r *Runtime) Close() {
	r.server.stop()
	r.cancel()
	r.work.Wait()
	if s := r.streaming; s != nil {
		s.close()
	}
}

// lacks reports whether the runtime does not have a feature.
func (r *Runtime) lacks(f Feature) bool {
	for _, x := range r.o.Lacks {
		if x == f {
			return true
		}
	}
	return false
}

// newID returns an id as runtimes make them: 64 hexadecimal digits. It is called under the lock.
func (r *Runtime) newID(kind string) string {
	r.made++
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d", kind, r.o.Seed, r.made))
	return hex.EncodeToString(sum[:])
}

// now is the time in nanoseconds. No two answers are the same, as on a real clock. It is called under the lock.
func (r *Runtime) now() int64 {
	r.last = max(r.last+1, time.Now().UnixNano())
	return r.last
}
