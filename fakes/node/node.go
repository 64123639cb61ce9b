// Package node is a small kubelet: it runs the pods of one node on a container runtime (CRI) for an API server, and reports their
// status. It keeps the contract that the rest of Kubernetes relies on, as kubelet v1.37.1 does, in real time and in a
// testing/synctest bubble, where grace periods and back-offs take no time.
//
//	agent, err := node.New(node.Config{Name: "node1", API: server.RESTConfig(), Runtime: conn})
//	go agent.Run(ctx)
//
// It runs what the runtime runs: with fakes/cri nothing but goroutines. It mounts configMap, downwardAPI, emptyDir, hostPath, image,
// projected and secret volumes; of other volumes only the mount point is there. It does not manage cgroups, devices or swap, evicts for
// want of image file system alone, and preempts nothing.
//
// In a bubble set utilruntime.ErrorHandlers to nil, because client-go's error handlers keep timers across bubbles.
package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/flowcontrol"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// Config configures an Agent. Name and Runtime are required. Zero values mean the kubelet's defaults unless a field says otherwise.
type Config struct {
	Name    string
	API     *rest.Config             // nil: standalone, which runs static pods only
	Runtime grpc.ClientConnInterface // must serve RuntimeService and ImageService

	Manifests   string       // folder of static pods; "": none
	ManifestURL string       // URL of static pods; "": none
	HTTP        *http.Client // asks ManifestURL; nil: http.DefaultClient

	// State is the folder for what survives a restart: allocated resources and image pull records, and pod directories.
	// "": nothing survives, and volumes have no host directories and no files.
	State string
	// Logs is the folder of pod logs, <namespace>_<name>_<uid>/<container>/<attempt>.log. "": containers have no logs.
	Logs string

	SyncFrequency                    time.Duration // how often a pod is synced without a reason; 0: 1m
	FileCheckFrequency               time.Duration // 0: 20s
	HTTPCheckFrequency               time.Duration // 0: 20s
	NodeStatusUpdateFrequency        time.Duration // 0: 10s
	NodeStatusReportFrequency        time.Duration // 0: 5m
	NodeLeaseDuration                time.Duration // 0: 40s
	Relist                           time.Duration // 0: 1s
	RelistThreshold                  time.Duration // the node is NotReady without a relist for longer; 0: 3m
	MaxContainerRestartPeriod        time.Duration // 0: 5m
	ImageMinimumGCAge                time.Duration // 0: 2m
	ImageMaximumGCAge                time.Duration // 0: images do not age
	ImageGCPeriod                    time.Duration // 0: 5m
	ContainerLogMonitorInterval      time.Duration // 0: 10s
	RuntimeRequestTimeout            time.Duration // 0: 2m
	EvictionPressureTransitionPeriod time.Duration // 0: 5m

	ImageGCHighThresholdPercent int               // 0: 85; 100: no image garbage collection for space
	ImageGCLowThresholdPercent  int               // 0: 80
	EvictionHard                map[string]string // of imagefs.available and nodefs.available, as "10%" or "1Gi"; nil: 15% and 10%
	SerializeImagePulls         *bool             // nil: true
	MaxParallelImagePulls       int               // 0: no limit; counts if pulls are not serialized
	RegistryQPS                 float32           // 0: 5; negative: no limit
	RegistryBurst               int               // 0: 10
	ContainerLogMaxSize         int64             // bytes; 0: 10Mi
	ContainerLogMaxFiles        int               // 0: 5
	MaxPods                     int64             // 0: 110

	Events        bool // take container events from the runtime beside relisting
	ListStreaming bool // list by streams where the runtime has them
	CgroupsPerQOS bool // give sandboxes the cgroup parent of their QoS class
	CgroupRoot    string

	Capacity v1.ResourceList   // nil: 4 CPUs, 8Gi of memory, 100Gi of ephemeral storage
	Labels   map[string]string // of the Node
	Address  string            // InternalIP of the Node; "": that of Listen, or 127.0.0.1
	// Stats returns how many bytes of the image file system are used and how many it has; nil: statfs of the runtime's mountpoint.
	Stats func() (used, capacity uint64)
	// Dial connects to pods, for probes and hooks; nil: DialPod of Runtime, as fakes/cri has it, or net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Listen serves the kubelet's HTTP API: /healthz, /pods, /configz, /metrics, /metrics/resource, /metrics/cadvisor, /stats/summary, logs,
	// exec, attach, port-forward and run. nil: none.
	// Run closes it.
	Listen net.Listener
	Rand   *rand.Rand   // jitter; nil: a fixed seed
	Log    *slog.Logger // nil: none
}

// Agent is one node agent. Run may be called once.
type Agent struct {
	c       Config
	api     kubernetes.Interface // nil: standalone
	http    *http.Client         // of api
	rt      runtimeapi.RuntimeServiceClient
	images  runtimeapi.ImageServiceClient
	log     *slog.Logger
	ctx     context.Context // of Run
	began   time.Time
	wg      sync.WaitGroup
	runtime *runtimeapi.VersionResponse
	driver  runtimeapi.CgroupDriver
	streams atomic.Bool // lists come by streams

	updates chan sourceUpdate
	synced  chan types.UID // pods that a probe result or an event asks to sync
	pleg    *pleg
	status  *statusManager
	probes  *prober
	puller  *puller
	events  *recorder
	crash   *flowcontrol.Backoff

	randMu sync.Mutex

	mu        sync.Mutex
	node      *v1.Node // as last seen; nil: none
	reported  time.Time
	health    health
	config    map[string]map[types.UID]*v1.Pod // pods by source and UID
	delivered map[string]bool                  // sources that have
	mirrors   map[string]*v1.Pod               // by full name
	workers   map[types.UID]*worker
	reasons   map[types.UID]map[string]failure // why containers did not start
	resizes   *resizer
	pressure  pressure
	mounted   map[types.UID]*mounted
	services  cache.Store // nil: they have not been read yet
	meter     *meter
}

// New returns an agent. It returns an error if the configuration is incomplete or the API client cannot be made.
func New(c Config) (*Agent, error) {
	if c.Name == "" || c.Runtime == nil {
		return nil, errors.New("the agent needs a name and a runtime")
	}
	c.setDefaults()
	if c.State != "" {
		if err := os.MkdirAll(c.State, 0o750); err != nil {
			return nil, fmt.Errorf("no state folder: %w", err)
		}
	}
	conn := timed{c.Runtime, c.RuntimeRequestTimeout}
	a := &Agent{c: c, rt: runtimeapi.NewRuntimeServiceClient(conn), images: runtimeapi.NewImageServiceClient(conn), log: c.Log,
		updates: make(chan sourceUpdate), synced: make(chan types.UID, 1000), config: map[string]map[types.UID]*v1.Pod{},
		delivered: map[string]bool{}, mirrors: map[string]*v1.Pod{}, workers: map[types.UID]*worker{}, reasons: map[types.UID]map[string]failure{}, mounted: map[types.UID]*mounted{}}
	a.streams.Store(c.ListStreaming)
	if c.API != nil {
		var err error
		config := rest.CopyConfig(c.API)
		if config.UserAgent == "" {
			config.UserAgent = "kubelet/v1.37.1 (linux/amd64) lwtest"
		}
		if config.ContentType == "" {
			config.ContentType, config.AcceptContentTypes = runtime.ContentTypeProtobuf, runtime.ContentTypeProtobuf+","+runtime.ContentTypeJSON
		}
		config.QPS = -1
		if a.http, err = rest.HTTPClientFor(config); err != nil {
			return nil, fmt.Errorf("no HTTP client for the API server: %w", err)
		}
		if a.api, err = kubernetes.NewForConfigAndClient(config, a.http); err != nil {
			return nil, fmt.Errorf("no client for the API server: %w", err)
		}
		a.config["api"] = nil
	}
	if c.Manifests != "" {
		a.config["file"] = nil
	}
	if c.ManifestURL != "" {
		a.config["http"] = nil
	}
	a.crash = flowcontrol.NewBackOff(min(10*time.Second, c.MaxContainerRestartPeriod), c.MaxContainerRestartPeriod)
	a.crash.HasExpiredFunc = func(event, last time.Time, _ time.Duration) bool { return event.Sub(last) > 10*time.Minute }
	a.pleg, a.status, a.probes, a.puller, a.events = newPLEG(a), newStatusManager(a), newProber(a), newPuller(a), newRecorder(a)
	a.resizes, a.meter = newResizer(a), &meter{a: a}
	return a, nil
}

func (c *Config) setDefaults() {
	def(&c.SyncFrequency, time.Minute)
	def(&c.FileCheckFrequency, 20*time.Second)
	def(&c.HTTPCheckFrequency, 20*time.Second)
	def(&c.NodeStatusUpdateFrequency, 10*time.Second)
	def(&c.NodeStatusReportFrequency, 5*time.Minute)
	def(&c.NodeLeaseDuration, 40*time.Second)
	def(&c.Relist, time.Second)
	def(&c.RelistThreshold, 3*time.Minute)
	def(&c.MaxContainerRestartPeriod, 5*time.Minute)
	def(&c.ImageMinimumGCAge, 2*time.Minute)
	def(&c.ImageGCPeriod, 5*time.Minute)
	def(&c.ContainerLogMonitorInterval, 10*time.Second)
	def(&c.RuntimeRequestTimeout, 2*time.Minute)
	def(&c.EvictionPressureTransitionPeriod, 5*time.Minute)
	def(&c.ImageGCHighThresholdPercent, 85)
	def(&c.ImageGCLowThresholdPercent, 80)
	def(&c.RegistryQPS, 5)
	def(&c.RegistryBurst, 10)
	def(&c.ContainerLogMaxSize, 10<<20)
	def(&c.ContainerLogMaxFiles, 5)
	def(&c.MaxPods, 110)
	if c.Dial == nil {
		c.Dial = (&net.Dialer{}).DialContext
		if r, ok := c.Runtime.(interface {
			DialPod(ctx context.Context, network, address string) (net.Conn, error)
		}); ok {
			c.Dial = r.DialPod
		}
	}
	def(&c.HTTP, http.DefaultClient)
	def(&c.Log, slog.New(slog.DiscardHandler))
	def(&c.Rand, rand.New(rand.NewPCG(1, 2)))
	if c.EvictionHard == nil {
		c.EvictionHard = map[string]string{"imagefs.available": "15%", "nodefs.available": "10%"}
	}
	if c.Capacity == nil {
		c.Capacity = v1.ResourceList{v1.ResourceCPU: quantity("4"), v1.ResourceMemory: quantity("8Gi"), v1.ResourceEphemeralStorage: quantity("100Gi")}
	}
	if c.Address == "" {
		c.Address = "127.0.0.1"
		if c.Listen != nil {
			if host, _, err := net.SplitHostPort(c.Listen.Addr().String()); err == nil && net.ParseIP(host) != nil && !net.ParseIP(host).IsUnspecified() {
				c.Address = host
			}
		}
	}
}

// def sets a value that is zero.
func def[T comparable](v *T, d T) {
	var zero T
	if *v == zero {
		*v = d
	}
}

// Run runs the agent until ctx ends, which is like kill -9: containers and API objects stay as they are. It returns when every
// goroutine of the agent has ended. It returns an error early if the runtime's configuration cannot be used.
func (a *Agent) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a.ctx, a.began = ctx, time.Now()
	if a.http != nil {
		defer utilnet.CloseIdleConnectionsFor(a.http.Transport)
	}
	defer a.wg.Wait()
	defer cancel()
	if a.c.Listen != nil {
		a.serve()
	}
	if err := a.connect(); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	a.spawn(a.events.run)
	if a.api != nil {
		a.spawn(a.watchNode, a.watchServices, a.reportNode, a.renewLease, a.status.run)
	}
	a.spawn(a.watchRuntime, a.pleg.run, a.watchManifests, a.watchManifestURL, a.watchPods)
	if a.c.Events {
		a.spawn(a.watchEvents)
	}
	a.spawn(a.collectContainers, a.collectImages, a.watchPressure, a.rotateLogs)
	a.loop()
	return nil
}

// spawn runs functions that end with the agent.
func (a *Agent) spawn(all ...func()) {
	for _, f := range all {
		a.wg.Go(f)
	}
}

// sleep waits, and reports whether the agent still runs.
func (a *Agent) sleep(d time.Duration) bool { return sleep(a.ctx, d) }

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// every calls f now and then again and again, until the agent ends.
func (a *Agent) every(d time.Duration, f func()) {
	for {
		f()
		if !a.sleep(d) {
			return
		}
	}
}

// jitter returns d and up to a factor more.
func (a *Agent) jitter(d time.Duration, factor float64) time.Duration {
	a.randMu.Lock()
	defer a.randMu.Unlock()
	return d + time.Duration(a.c.Rand.Float64()*factor*float64(d))
}

// loop hands changes to the workers of pods. While the runtime is down it does nothing, as a kubelet does.
func (a *Agent) loop() {
	tick, housekeeping := time.NewTicker(time.Second), time.NewTicker(2*time.Second)
	defer tick.Stop()
	defer housekeeping.Stop()
	for pause := 100 * time.Millisecond; a.ctx.Err() == nil; {
		if a.runtimeError() != nil {
			a.sleep(pause)
			pause = min(2*pause, 5*time.Second)
			continue
		}
		pause = 100 * time.Millisecond
		select {
		case <-a.ctx.Done():
		case u := <-a.updates:
			a.apply(u)
		case e := <-a.pleg.events:
			a.observe(e)
		case uid := <-a.synced:
			a.requestSync(uid)
		case <-tick.C:
			a.syncDue()
		case <-housekeeping.C:
			if a.allDelivered() {
				a.housekeep()
			}
		}
	}
}
