package node

import (
	"cmp"
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	"github.com/lwtest/lwtest/conformance/node"
	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/cri"
	agent "github.com/lwtest/lwtest/fakes/node"
	"github.com/lwtest/lwtest/harness"
)

// reference is lwtest's own agent, in this process.
type reference struct {
	config agent.Config
	cancel context.CancelFunc
	done   chan error
}

// ReferenceFeatures are those of the reference agent.
var ReferenceFeatures = append([]harness.Feature{harness.VirtualTime, node.Cgroups}, KubeletFeatures...)

// Reference says how a reference agent differs from the one that is correct.
type Reference struct {
	CRI    cri.Options
	Config func(*agent.Config)                                                 // changes the configuration
	Wrap   func(*harness.T, grpc.ClientConnInterface) grpc.ClientConnInterface // stands between the agent and the runtime
	API    func(apiserver.API) apiserver.API                                   // stands between the agent and the API server
	// Manifest changes what the agent finds in its folder when the story writes a file. body is nil if it removes that.
	Manifest func(name string, body []byte) []byte
}

// OpenReference makes a reference agent that is not started.
func OpenReference(t *harness.T, r Reference) (node.Subject, error) {
	r.CRI.CgroupDriver = driver
	env, err := newEnvironment(t, r.CRI, r.API)
	if err != nil {
		return nil, err
	}
	env.files.change = r.Manifest
	conn := env.CRI.Direct()
	if r.Wrap != nil {
		conn = r.Wrap(t, conn)
	}
	api := env.Server.RESTConfig()
	c := AgentConfig
	config := agent.Config{Name: c.Node, API: api, Runtime: conn, Manifests: env.files.dir, ManifestURL: "http://manifests/", HTTP: &http.Client{Transport: &env.files, Timeout: 10 * time.Second},
		State: filepath.Join(env.Dir, "state"), Logs: filepath.Join(env.Dir, "logs"),
		SyncFrequency: c.SyncFrequency, FileCheckFrequency: c.FileCheckFrequency, HTTPCheckFrequency: c.HTTPCheckFrequency, NodeStatusUpdateFrequency: c.NodeStatusUpdateFrequency,
		NodeStatusReportFrequency: c.NodeStatusReportFrequency, NodeLeaseDuration: c.NodeLeaseDuration, Relist: c.Relist, MaxContainerRestartPeriod: c.MaxContainerRestartPeriod,
		CgroupsPerQOS: true, ImageMinimumGCAge: c.ImageMinimumGCAge, ImageMaximumGCAge: c.ImageMaximumGCAge, ContainerLogMonitorInterval: c.ContainerLogMonitorInterval, ContainerLogMaxSize: c.ContainerLogMaxSize, RuntimeRequestTimeout: c.RuntimeRequestTimeout, EvictionPressureTransitionPeriod: c.EvictionPressureTransitionPeriod}
	config.Stats = env.control.disk.stats
	env.files.Serve(http.StatusOK, nil)
	if r.Config != nil {
		r.Config(&config)
	}
	return subject{env, &reference{config: config}}, nil
}

// Config implements node.Agent.
func (r *reference) Config() node.Config { return AgentConfig }

// Start implements node.Agent.
func (r *reference) Start(_ context.Context, s node.Start) error {
	c := r.config
	c.Events, c.ListStreaming = c.Events || s.Events, c.ListStreaming || s.Streaming
	c.MaxContainerRestartPeriod, c.ImageMaximumGCAge = cmp.Or(time.Duration(s.BackOff), c.MaxContainerRestartPeriod), cmp.Or(time.Duration(s.ImageAge), c.ImageMaximumGCAge)
	c.RuntimeRequestTimeout = cmp.Or(time.Duration(s.Timeout), c.RuntimeRequestTimeout)
	a, err := agent.New(c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel, r.done = cancel, make(chan error, 1)
	go func() { r.done <- supervise(ctx, c, a) }()
	return nil
}

// restartPause is how long the supervisor of an agent waits. kubeadm's unit for systemd waits ten seconds for a kubelet.
const restartPause = time.Second

// supervise runs an agent. When it gave up while it started, because of an error of the runtime, another one follows.
func supervise(ctx context.Context, c agent.Config, a *agent.Agent) error {
	for {
		err := a.Run(ctx)
		if _, ofRuntime := status.FromError(err); err == nil || !ofRuntime {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(restartPause):
		}
		if a, err = agent.New(c); err != nil {
			return err
		}
	}
}

// Kill implements node.Agent.
func (r *reference) Kill(context.Context) error {
	r.cancel()
	<-r.done // an error says that it had ended before
	return nil
}

// ReferenceTarget returns the reference agent.
func ReferenceTarget() harness.Target {
	return harness.Target{Name: "node:reference", Cases: node.Suite.Bind(harness.Plugin[node.Subject]{Name: "lwtest's reference agent", Features: ReferenceFeatures,
		Open: func(t *harness.T) (node.Subject, error) { return OpenReference(t, Reference{}) }})}
}

// RoundTrip answers as the manifest URL does, without a network.
func (m *manifests) RoundTrip(q *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	if m.ServeHTTP(w, q); q.Context().Err() != nil {
		return nil, q.Context().Err()
	}
	return w.Result(), nil
}

// idle is an agent that does nothing.
type idle struct{}

func (idle) Config() node.Config                     { return AgentConfig }
func (idle) Start(context.Context, node.Start) error { return nil }
func (idle) Kill(context.Context) error              { return nil }

// OpenIdle makes an agent that does nothing.
func OpenIdle(t *harness.T) (node.Subject, error) {
	env, err := NewEnvironment(t, cri.Options{CgroupDriver: driver})
	if err != nil {
		return nil, err
	}
	return subject{env, idle{}}, nil
}
