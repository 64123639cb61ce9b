package adapter

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
)

// NodeOffer offers a node agent to the node suite. The agent is a process of its own.
type NodeOffer struct {
	Features []string // of the kind node
	// Config says how the agent is configured, where it does not do as NodeStart says. nil: it does in all.
	Config *NodeConfig
	// Command returns the command of the agent, which the adapter starts and kills. Without a Stderr it writes to the adapter's log. If the
	// agent ends unasked, the adapter ends, too, and lwtest takes it for a crash. If Command is nil, nothing is offered.
	Command func(NodeStart) (*exec.Cmd, error)
}

// NodeStart says where an agent finds its API server and its container runtime, and how it is configured. All paths are absolute. They
// are the same for each start of a case.
type NodeStart struct {
	Node        string     `json:"node"`                // name of its Node
	Kubeconfig  string     `json:"kubeconfig"`          // kubeconfig file
	Socket      string     `json:"socket"`              // unix socket of a container runtime
	Manifests   string     `json:"manifests"`           // folder of static pods
	ManifestURL string     `json:"manifestURL"`         // URL of static pods
	Dir         string     `json:"dir"`                 // folder for the agent's own files, which lwtest removes after the case
	Config      NodeConfig `json:"config"`              // how it should be configured
	Events      bool       `json:"events,omitempty"`    // it listens to the events of the runtime (feature evented-pleg)
	Streaming   bool       `json:"streaming,omitempty"` // it lists by streams (feature cri-list-streaming)
}

// NodeConfig has the names of a KubeletConfiguration. Times are written as in Go: 1m30s. What is empty is not said.
type NodeConfig struct {
	SyncFrequency                    string `json:"syncFrequency,omitempty"`
	FileCheckFrequency               string `json:"fileCheckFrequency,omitempty"`
	HTTPCheckFrequency               string `json:"httpCheckFrequency,omitempty"`
	NodeStatusUpdateFrequency        string `json:"nodeStatusUpdateFrequency,omitempty"`
	NodeStatusReportFrequency        string `json:"nodeStatusReportFrequency,omitempty"`
	NodeLeaseDurationSeconds         int    `json:"nodeLeaseDurationSeconds,omitempty"`
	MaxContainerRestartPeriod        string `json:"maxContainerRestartPeriod,omitempty"` // of crashLoopBackOff
	RuntimeRequestTimeout            string `json:"runtimeRequestTimeout,omitempty"`
	ImageMinimumGCAge                string `json:"imageMinimumGCAge,omitempty"`
	ImageGCHighThresholdPercent      int    `json:"imageGCHighThresholdPercent,omitempty"`
	ImageGCLowThresholdPercent       int    `json:"imageGCLowThresholdPercent,omitempty"`
	EvictionPressureTransitionPeriod string `json:"evictionPressureTransitionPeriod,omitempty"`
	Relist                           string `json:"relist,omitempty"` // how often it lists what the runtime has
}

type nodeStart struct {
	H string `json:"h"`
	NodeStart
}

type nodeAgent struct {
	H string `json:"h"`
}

// ops are those of the kind.
func (o NodeOffer) ops() map[string]op {
	return map[string]op{
		"node.start": on(func(c *call, r nodeStart) (nothing, error) {
			cmd, err := o.Command(r.NodeStart)
			if err != nil {
				return nothing{}, err
			}
			agent := &process{}
			if kept, err := named[*process](c, r.H); err == nil {
				agent = kept
			} else {
				c.life.keep(r.H, agent, func() { _ = agent.kill() }) // it may have been killed
			}
			return nothing{}, agent.start(cmd)
		}),
		"node.kill": on(func(c *call, r nodeAgent) (nothing, error) {
			return tells(c, r.H, (*process).kill)
		}),
	}
}

// process is an agent, which runs or not.
type process struct {
	mu     sync.Mutex
	cmd    *exec.Cmd // nil: it does not run
	killed bool
	ended  chan struct{}
}

func (p *process) start(cmd *exec.Cmd) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil {
		return errors.New("the agent runs already")
	}
	if cmd.Stderr == nil {
		cmd.Stderr = os.Stderr
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	p.cmd, p.killed, p.ended = cmd, false, make(chan struct{})
	go p.wait(cmd, p.ended)
	return nil
}

// wait waits for the end of the agent. The adapter ends with one that nobody killed.
func (p *process) wait(cmd *exec.Cmd, ended chan struct{}) {
	err := cmd.Wait()
	p.mu.Lock()
	killed := p.killed
	p.mu.Unlock()
	if !killed {
		fmt.Fprintf(os.Stderr, "the agent has ended: %s: %v\n", cmd, err)
		os.Exit(statusAgentEnded)
	}
	close(ended)
}

// statusAgentEnded is the status of an adapter whose agent has ended unasked.
const statusAgentEnded = 4

// kill returns when the agent has ended.
func (p *process) kill() error {
	p.mu.Lock()
	cmd, ended := p.cmd, p.ended
	p.cmd, p.killed = nil, true
	p.mu.Unlock()
	if cmd == nil {
		return errors.New("the agent does not run")
	}
	_ = cmd.Process.Kill() // it may have ended
	<-ended
	return nil
}
