package exec

func nodeOps() []Op {
	const kind = "node"
	return []Op{
		{"node.start", kind, "start the agent, with what it has kept in dir if it ran before in this case. Answer without waiting until it is ready. If the agent ends unasked, the adapter ends, too", NodeStart{}, Nothing{}},
		{"node.kill", kind, "kill the agent, like kill -9: what it has made stays. Answer when it has ended. It is started again with node.start (feature agent-restart). case.end kills it, too", NodeAgent{}, Nothing{}},
	}
}

// NodeAgent names an agent.
type NodeAgent struct {
	H string `json:"h"`
}

// NodeStart says where an agent finds its API server and its container runtime, and how it is configured. All paths are absolute. They
// are the same in each node.start of a case.
type NodeStart struct {
	H           string     `json:"h"`                   // the handle of the agent, the same for the whole case
	Node        string     `json:"node"`                // the name of its Node
	Kubeconfig  string     `json:"kubeconfig"`          // a kubeconfig file, for the API server
	Socket      string     `json:"socket"`              // the unix socket of a container runtime, which speaks the CRI
	Manifests   string     `json:"manifests"`           // the folder of static pods
	ManifestURL string     `json:"manifestURL"`         // the URL of static pods
	Dir         string     `json:"dir"`                 // a folder for the agent's own files, which lwtest removes after the case
	Config      NodeConfig `json:"config"`              // how it should be configured
	Events      bool       `json:"events,omitempty"`    // it listens to the events of the runtime (feature evented-pleg)
	Streaming   bool       `json:"streaming,omitempty"` // it lists by streams (feature cri-list-streaming)
}

// NodeConfig has the names of a KubeletConfiguration. Times are written as in Go: 1m30s.
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
	Relist                           string `json:"relist,omitempty"` // how often it lists what the runtime has; no KubeletConfiguration has it
}
