// Package node is the conformance suite of node agents, such as a kubelet: what the rest of Kubernetes relies on in the one that
// runs pods. Drives write to the API server and to the manifests of static pods, and script the container runtime. Rules judge
// what the agent asked of both.
package node

import (
	"cmp"
	"context"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// Subject is an agent that is not started yet, with the API server and the runtime that it works on. Both are its own, and record
// what it asks with a Recorder.
type Subject interface {
	Agent() Agent
	API() API
	Runtime() Runtime
	Manifests() Manifests
}

// Agent is the agent as a process. Its methods are not called concurrently.
type Agent interface {
	// Start starts the agent with its state of before, and returns without waiting until it is ready.
	Start(context.Context, Start) error
	// Kill ends it at once, as a crash does. Containers go on.
	Kill(context.Context) error
	Config() Config
}

// Start is how an agent is started. The zero value is what most stories want.
type Start struct {
	Events    bool `json:"events,omitempty"`    // it listens to the events of the runtime (feature evented-pleg)
	Streaming bool `json:"streaming,omitempty"` // it lists by streams (feature cri-list-streaming)
	// How it is configured, other than Config says (feature configurable); zero: as that says.
	BackOff  story.Duration `json:"backOff,omitempty"`  // MaxContainerRestartPeriod
	ImageAge story.Duration `json:"imageAge,omitempty"` // ImageMaximumGCAge
	Timeout  story.Duration `json:"timeout,omitempty"`  // RuntimeRequestTimeout
}

// Configure returns a configuration with what a start changes.
func (s Start) Configure(c Config) Config {
	c.MaxContainerRestartPeriod = cmp.Or(time.Duration(s.BackOff), c.MaxContainerRestartPeriod)
	c.ImageMaximumGCAge = cmp.Or(time.Duration(s.ImageAge), c.ImageMaximumGCAge)
	c.RuntimeRequestTimeout = cmp.Or(time.Duration(s.Timeout), c.RuntimeRequestTimeout)
	return c
}

// Config is how an agent is configured, in the words of a KubeletConfiguration. The suite takes all its times from here.
type Config struct {
	Node string // the name of the Node

	SyncFrequency, FileCheckFrequency, HTTPCheckFrequency   time.Duration
	NodeStatusUpdateFrequency, NodeStatusReportFrequency    time.Duration
	NodeLeaseDuration                                       time.Duration
	MaxContainerRestartPeriod                               time.Duration
	RuntimeRequestTimeout                                   time.Duration
	ImageMinimumGCAge, ImageMaximumGCAge                    time.Duration // maximum 0: images do not age
	ContainerLogMonitorInterval                             time.Duration
	ContainerLogMaxSize                                     int64 // bytes
	ImageGCHighThresholdPercent, ImageGCLowThresholdPercent int
	EvictionPressureTransitionPeriod                        time.Duration
	RegistryPullQPS, RegistryBurst                          int
	Relist                                                  time.Duration // how often it lists what the runtime has
}

// Object names an object of the API server, or a subresource of it.
type Object struct {
	Resource                     schema.GroupVersionResource
	Namespace, Name, Subresource string
}

// API is the API server as somebody else than the agent sees it. What is done here is not recorded as the agent's.
type API interface {
	Create(context.Context, Object, runtime.Object) (runtime.Object, error)
	Patch(context.Context, Object, types.PatchType, []byte) (runtime.Object, error)
	Delete(context.Context, Object, metav1.DeleteOptions) error
	Get(context.Context, Object) (runtime.Object, error)
	// Arm arms a fault, which lasts until Clear. Its JSON is that of docs/faults.md.
	Arm(APIFault) error
	Clear(name string)
	// Refuse breaks the agent's connections and accepts none (true), or accepts them again.
	Refuse(bool)
}

// Runtime is the container runtime as its administrator sees it. Pods and containers are named as in the API.
type Runtime interface {
	// Exit ends a container as if by itself. It does nothing if that does not run.
	Exit(pod, container string, code int32)
	// Answer says what exec probes of a container get from now on.
	Answer(pod, container string, a Probe)
	// EndSandbox ends the sandbox of a pod, and what runs in it.
	EndSandbox(pod string)
	// TwinSandbox runs a second sandbox of a pod, and DropAddress takes the address of its sandbox away, as nobody asked for.
	TwinSandbox(pod string)
	DropAddress(pod string)
	// Count returns how many containers of that name run, and how many there are, in all sandboxes of pods of that name.
	Count(pod, container string) (running, all int)
	// Fill fills the file system of images to so many percent (feature eviction).
	Fill(percent int) error
	// Forget removes a container that has ended, as nobody asked for.
	Forget(pod, container string)
	// Crash kills the runtime, and Restart starts it again. Forgets says that it forgets everything, as after a reboot.
	Crash()
	Restart(forgets bool)
	// Ready sets the conditions RuntimeReady and NetworkReady.
	Ready(runtime, network bool)
	// Arm arms a fault. struck is called when it strikes a call, by the goroutine of that; nil: nothing is.
	Arm(f RuntimeFault, struck func()) error
	Clear(name string)
}

// Manifests are the sources of static pods.
type Manifests interface {
	// Write writes a file into the folder of manifests; nil removes it.
	Write(name string, body []byte) error
	// Serve sets what the manifest URL answers: a status code, and a body. Code 0: it hangs.
	Serve(code int, body []byte)
}

// Probe is the answer of an exec probe.
type Probe struct {
	Probe string `json:"probe"`          // "live", "ready" or "start"
	Code  int32  `json:"code,omitempty"` // of the command
	Hang  bool   `json:"hang,omitempty"` // it does not end
}

// The features that an agent may declare.
const (
	Containers  harness.Feature = "containers"
	StaticPods  harness.Feature = "static-pods"
	HTTPSource  harness.Feature = "http-source"
	Probes      harness.Feature = "probes"
	Images      harness.Feature = "images"
	SerialPulls harness.Feature = "serial-pulls"
	PullQPS     harness.Feature = "pull-qps"
	Lifecycle   harness.Feature = "lifecycle-hooks"
	Sidecars    harness.Feature = "sidecars"
	Restarts    harness.Feature = "agent-restart"
	Configured  harness.Feature = "configurable"
	Lease       harness.Feature = "lease"
	Status      harness.Feature = "node-status"
	Resize      harness.Feature = "resize"
	Cgroups     harness.Feature = "cgroups-per-qos"
	Eviction    harness.Feature = "eviction"
	ImageGC     harness.Feature = "image-gc"
	LogRotation harness.Feature = "log-rotation"
	PLEGEvents  harness.Feature = "evented-pleg"
	Streaming   harness.Feature = "cri-list-streaming"
	Rules       harness.Feature = "container-restart-rules"
	Admission   harness.Feature = "admission"
	Generation  harness.Feature = "pod-generation"
)

var features = []harness.FeatureInfo{
	{Name: Containers, Help: "the agent runs pods by a container runtime"},
	{Name: StaticPods, Help: "it reads static pods from a folder, and makes mirror pods"},
	{Name: HTTPSource, Help: "it reads static pods from a URL"},
	{Name: Probes, Help: "startup, liveness and readiness probes"},
	{Name: Images, Help: "it pulls images"},
	{Name: SerialPulls, Help: "it is configured to pull one image after the other"},
	{Name: PullQPS, Help: "it pulls ten images at once at most, and then five in a second"},
	{Name: Lifecycle, Help: "postStart and preStop hooks"},
	{Name: Sidecars, Help: "init containers that restart"},
	{Name: Restarts, Help: "the agent can be killed and started again"},
	{Name: Configured, Help: "a start may set maxContainerRestartPeriod, imageMaximumGCAge and runtimeRequestTimeout"},
	{Name: Lease, Help: "node leases"},
	{Name: Status, Help: "the status of the Node, and its registration"},
	{Name: Resize, Help: "in-place resize of pods"},
	{Name: Cgroups, Help: "cgroups by the QoS class of pods"},
	{Name: Eviction, Help: "pods are evicted when the file system of images is full"},
	{Name: ImageGC, Help: "images that nobody uses are deleted"},
	{Name: LogRotation, Help: "logs of containers that are too long are rotated"},
	{Name: PLEGEvents, Help: "it listens to the events of the runtime"},
	{Name: Streaming, Help: "it lists by streams"},
	{Name: Rules, Help: "restart rules of containers, RestartAllContainers among their actions"},
	{Name: Admission, Help: "it refuses pods that do not fit the node"},
	{Name: Generation, Help: "it writes the observedGeneration of pods"},
}

// Test runs the suite on an agent, as a part of a Go test. Each check gets a subject of its own from open.
func Test(t *testing.T, open func(*harness.T) (Subject, error), has ...harness.Feature) {
	t.Helper()
	harness.Test(t, Suite.Bind(harness.Plugin[Subject]{Name: t.Name(), Features: has, Open: open}))
}

// Fuzz plays random stories on an agent: see story.Fuzz. Its other parameters are those of Test.
func Fuzz(f *testing.F, open func(*harness.T) (Subject, error), has ...harness.Feature) {
	f.Helper()
	story.Fuzz(f, Suite.Bind(harness.Plugin[Subject]{Name: f.Name(), Features: has, Open: open}))
}
