package exec

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/lwtest/lwtest/conformance/node"
	"github.com/lwtest/lwtest/harness"
	plugin "github.com/lwtest/lwtest/plugins/node"
)

// openNode makes the environment of a case, and an agent on it that the adapter starts. The environment outlives the agent, and so the
// case of the adapter begins when it is there.
func (a *adapter) openNode(t *harness.T, o Offer) (node.Subject, error) {
	config, err := o.Config.times()
	if err != nil {
		return nil, err // hello.check has refused it
	}
	disk := slices.Contains(o.Features, string(node.Eviction)) || slices.Contains(o.Features, string(node.ImageGC))
	return plugin.OpenProcess(t, disk, func(at plugin.Place) (node.Agent, error) {
		s, err := a.begin(t)
		if err != nil {
			return nil, err
		}
		return &nodeAgent{s: s, h: s.handle("n"), at: at, config: config}, nil
	})
}

// nodeAgent is an agent that an adapter starts and kills.
type nodeAgent struct {
	s      *session
	h      string
	at     plugin.Place
	config node.Config
}

// Config implements node.Agent.
func (a *nodeAgent) Config() node.Config { return a.config }

// Start implements node.Agent. An adapter that cannot start the agent, or does not answer, is at fault, not the agent.
func (a *nodeAgent) Start(_ context.Context, s node.Start) error {
	return a.s.control("node.start", startOf(a.h, a.at, s))
}

// Kill implements node.Agent. An adapter that has ended has killed its agent.
func (a *nodeAgent) Kill(context.Context) error {
	if err := a.s.ended(); err != nil {
		return err
	}
	return a.s.control("node.kill", NodeAgent{a.h})
}

// startOf returns the request that starts an agent.
func startOf(h string, at plugin.Place, s node.Start) NodeStart {
	return NodeStart{H: h, Node: at.Node, Kubeconfig: at.Kubeconfig, Socket: at.Socket, Manifests: at.Manifests, ManifestURL: at.ManifestURL, Dir: at.Dir,
		Config: configOf(s.Configure(plugin.AgentConfig)), Events: s.Events, Streaming: s.Streaming}
}

// timed is a time of a configuration in both forms.
type timed struct {
	name string
	text *string
	is   *time.Duration
}

func timesOf(c *NodeConfig, n *node.Config) []timed {
	return []timed{
		{"syncFrequency", &c.SyncFrequency, &n.SyncFrequency},
		{"fileCheckFrequency", &c.FileCheckFrequency, &n.FileCheckFrequency},
		{"httpCheckFrequency", &c.HTTPCheckFrequency, &n.HTTPCheckFrequency},
		{"nodeStatusUpdateFrequency", &c.NodeStatusUpdateFrequency, &n.NodeStatusUpdateFrequency},
		{"nodeStatusReportFrequency", &c.NodeStatusReportFrequency, &n.NodeStatusReportFrequency},
		{"maxContainerRestartPeriod", &c.MaxContainerRestartPeriod, &n.MaxContainerRestartPeriod},
		{"runtimeRequestTimeout", &c.RuntimeRequestTimeout, &n.RuntimeRequestTimeout},
		{"imageMinimumGCAge", &c.ImageMinimumGCAge, &n.ImageMinimumGCAge},
		{"evictionPressureTransitionPeriod", &c.EvictionPressureTransitionPeriod, &n.EvictionPressureTransitionPeriod},
		{"relist", &c.Relist, &n.Relist},
	}
}

// configOf returns a configuration as the protocol has it.
func configOf(n node.Config) NodeConfig {
	c := NodeConfig{NodeLeaseDurationSeconds: int(n.NodeLeaseDuration / time.Second),
		ImageGCHighThresholdPercent: n.ImageGCHighThresholdPercent, ImageGCLowThresholdPercent: n.ImageGCLowThresholdPercent}
	for _, t := range timesOf(&c, &n) {
		*t.text = t.is.String()
	}
	return c
}

// times returns how an agent is configured: as lwtest asks for, but for what c says. nil says nothing.
func (c *NodeConfig) times() (node.Config, error) {
	n := plugin.AgentConfig
	if c == nil {
		return n, nil
	}
	if c.NodeLeaseDurationSeconds != 0 {
		n.NodeLeaseDuration = time.Duration(c.NodeLeaseDurationSeconds) * time.Second
	}
	if c.ImageGCHighThresholdPercent != 0 {
		n.ImageGCHighThresholdPercent = c.ImageGCHighThresholdPercent
	}
	if c.ImageGCLowThresholdPercent != 0 {
		n.ImageGCLowThresholdPercent = c.ImageGCLowThresholdPercent
	}
	for _, t := range timesOf(c, &n) {
		if *t.text == "" {
			continue
		}
		d, err := time.ParseDuration(*t.text)
		if err != nil || d <= 0 {
			return n, fmt.Errorf("its config has %s %q: it must be a time such as 10s", t.name, *t.text)
		}
		*t.is = d
	}
	return n, nil
}

// startsAgent has an adapter start an agent in an environment of its own, kill it, start it again, and kill it.
func (s *smoke) startsAgent(ctx context.Context, h string) (err error) {
	check := harness.Check[plugin.Place]{Info: harness.Info{Name: "smoke"}, Drive: func(_ *harness.T, at plugin.Place) {
		for range 2 {
			if err = s.ok(ctx, "node.start", startOf(h, at, node.Start{})); err == nil {
				err = s.ok(ctx, "node.kill", NodeAgent{h})
			}
			if err != nil {
				return
			}
		}
	}}
	suite := harness.Suite[plugin.Place]{Kind: node.Suite.Kind, Checks: harness.Checks(check)}
	open := func(t *harness.T) (at plugin.Place, err error) {
		_, err = plugin.OpenProcess(t, false, func(p plugin.Place) (node.Agent, error) { at = p; return nil, nil })
		return at, err
	}
	c := suite.Bind(harness.Plugin[plugin.Place]{Name: "smoke", Open: open})
	if r, _ := harness.Run(c[0], harness.Options{Seed: 1, Target: "smoke"}); err == nil && r.Verdict == harness.Inconclusive && r.Cause != "" {
		err = fmt.Errorf("lwtest could not make an environment: %s", r.Reason)
	}
	return err
}
