// Package node has node agents to be tested: the kubelet, and lwtest's reference agent. Each case gets an API server and a container
// runtime of its own, lwtest's fakes, on which the agent works.
package node

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/conformance/node"
	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/faults"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/fakes/apiserver/schemas"
	"github.com/lwtest/lwtest/fakes/cri"
	"github.com/lwtest/lwtest/harness"
)

// Environment is what an agent works on in one case: all that is in it ends with the case.
type Environment struct {
	Dir    string       // a folder of its own
	Server *rest.Server // the API server, in memory in virtual time
	CRI    *cri.Runtime

	api     server
	control control
	files   manifests
}

// NodeName is the name of the agent's node.
const NodeName = "node-1"

// AgentConfig is how agents are configured: all times are as short as a kubelet takes them.
var AgentConfig = node.Config{Node: NodeName, SyncFrequency: 2 * time.Second, FileCheckFrequency: time.Second, HTTPCheckFrequency: time.Second,
	NodeStatusUpdateFrequency: 2 * time.Second, NodeStatusReportFrequency: 10 * time.Second, NodeLeaseDuration: 8 * time.Second, MaxContainerRestartPeriod: 3 * time.Second,
	RuntimeRequestTimeout: 3 * time.Second, ImageMinimumGCAge: 12 * time.Second, RegistryPullQPS: 5, RegistryBurst: 10, ImageMaximumGCAge: 30 * time.Second, ContainerLogMonitorInterval: 3 * time.Second, ContainerLogMaxSize: 1 << 10, ImageGCHighThresholdPercent: 85, ImageGCLowThresholdPercent: 80, EvictionPressureTransitionPeriod: 25 * time.Second, Relist: time.Second}

// KubeletFeatures are those of a kubelet 1.37.
var KubeletFeatures = []harness.Feature{node.Containers, node.StaticPods, node.HTTPSource, node.Probes, node.Images, node.SerialPulls, node.PullQPS, node.Lifecycle, node.Sidecars, node.Restarts, node.Configured, node.Lease, node.Status,
	node.Resize, node.Rules, node.PLEGEvents, node.Streaming, node.Eviction, node.ImageGC, node.LogRotation, node.Admission, node.Generation}

// quiet removes client-go's error handlers: one of them keeps a time across bubbles, and would make the next one sleep for years.
var quiet = sync.OnceFunc(func() { utilruntime.ErrorHandlers = nil })

// makeDir makes the folder of a case. In virtual time it is in memory where there is such a file system: a story makes some hundred files.
func makeDir(virtual bool) (string, error) {
	const pattern = "lwtest-node-"
	if virtual {
		if dir, err := os.MkdirTemp("/dev/shm", pattern); err == nil {
			return dir, nil
		}
	}
	return os.MkdirTemp("", pattern)
}

// NewEnvironment makes the environment of a case.
func NewEnvironment(t *harness.T, o cri.Options) (*Environment, error) {
	return newEnvironment(t, o, nil)
}

// newEnvironment makes the environment of a case. between stands between the agent and the API server; nil: nothing.
func newEnvironment(t *harness.T, o cri.Options, between func(apiserver.API) apiserver.API) (*Environment, error) {
	quiet()
	dir, err := makeDir(t.Virtual())
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	e := &Environment{Dir: dir}
	recorder := node.NewRecorder(t)
	if err := e.serveAPI(t, recorder, between); err != nil {
		return nil, err
	}
	e.control.answers, e.control.disk = &answers{}, &disk{mount: o.Mountpoint}
	if o.Personality.Name == "" && t.Seed()%2 == 0 { // with every other seed, images are told as CRI-O tells them (cri-o#7143)
		o.Personality = cri.Containerd
		o.Personality.ImageRefIsDigest = true
	}
	o.Seed, o.Images, o.Pinned, o.Exec = uint64(t.Seed()), []string{node.Image}, []string{"registry.example/pinned:1"}, e.control.answers.exec
	o.Observer = cri.Observer{Call: recorder.Call, Exited: recorder.Exited}
	e.CRI = cri.New(o)
	e.control.Runtime = e.CRI
	t.Cleanup(e.CRI.Close)
	e.files.dir = filepath.Join(dir, "manifests")
	return e, os.Mkdir(e.files.dir, 0o700)
}

func (e *Environment) serveAPI(t *harness.T, recorder *node.Recorder, between func(apiserver.API) apiserver.API) error {
	served := apiserver.Resources()
	store := apiserver.New(apiserver.Options{Resources: served, Seed: uint64(t.Seed()), Types: schemas.Types})
	t.Cleanup(func() { _ = store.Close() }) // its error is always nil
	set, err := faults.New(uint64(t.Seed()))
	if err != nil {
		return err
	}
	faulty, err := set.API(store, faults.Options{})
	if err != nil {
		return err
	}
	e.api = server{store: store, faults: set, agents: &recorded{API: faulty, recorder: recorder, watches: map[context.Context]context.CancelFunc{}}}
	serve := rest.Serve
	if t.Virtual() {
		serve = rest.ServePipe
	}
	var agents apiserver.API = e.api.agents
	if between != nil {
		agents = between(agents)
	}
	if e.Server, err = serve(agents, rest.Options{Resources: served, Seed: uint64(t.Seed())}); err != nil {
		return err
	}
	t.Cleanup(func() { _ = e.Server.Close() }) // what is open is broken off
	return e.watch(t, recorder)
}

// watched are the kinds whose states are recorded.
var watched = []schema.GroupVersionResource{
	{Version: "v1", Resource: "pods"}, {Version: "v1", Resource: "nodes"}, {Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}}

// watch records the states of objects until the case ends.
func (e *Environment) watch(t *harness.T, recorder *node.Recorder) error {
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var all sync.WaitGroup
	t.Cleanup(func() {
		stop()
		all.Wait()
	})
	for _, r := range watched {
		w, err := e.api.store.Watch(ctx, apiserver.Request{Resource: r}, metav1.ListOptions{})
		if err != nil {
			return err
		}
		all.Go(func() {
			for event := range w.ResultChan() {
				recorder.State(event.Type, r.Resource, event.Object)
				e.api.agents.recordedUpTo(r.Resource, event.Object)
			}
		})
	}
	return nil
}

// manifests are the sources of static pods: a folder, and what the manifest URL answers.
type manifests struct {
	dir    string
	change func(name string, body []byte) []byte // what the agent finds; nil: what was written

	mu   sync.Mutex
	code int
	body []byte
}

// Write implements node.Manifests.
func (m *manifests) Write(name string, body []byte) error {
	path := filepath.Join(m.dir, name)
	if m.change != nil {
		body = m.change(name, body)
	}
	if body == nil {
		return os.Remove(path)
	}
	hidden := filepath.Join(m.dir, "."+name) // so that nobody reads half of it
	if err := os.WriteFile(hidden, body, 0o600); err != nil {
		return err
	}
	return os.Rename(hidden, path)
}

// Serve implements node.Manifests.
func (m *manifests) Serve(code int, body []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.code, m.body = code, body
}

// ServeHTTP is the manifest URL.
func (m *manifests) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	code, body := m.code, m.body
	m.mu.Unlock()
	if code == 0 {
		<-r.Context().Done()
		return
	}
	w.WriteHeader(code)
	_, _ = w.Write(body) // the agent may have gone
}

// subject is an agent with its environment.
type subject struct {
	*Environment
	agent node.Agent
}

func (s subject) Agent() node.Agent         { return s.agent }
func (s subject) API() node.API             { return s.api }
func (s subject) Runtime() node.Runtime     { return s.control }
func (s subject) Manifests() node.Manifests { return &s.files }

// driver is the cgroup driver of the runtime: what agents use that have no cgroups.
const driver = runtimeapi.CgroupDriver_CGROUPFS
