package node

import (
	"net"
	"time"

	"github.com/lwtest/lwtest/conformance/node"
)

// KubeletOptions are the options of a real kubelet. It uses the runtime whose socket is cri.sock in its folder, and listens on 127.0.0.1
// alone.
type KubeletOptions struct {
	Binary      string // its path
	Dir         string // a folder of its own
	Node        string // the name of its Node
	Port        int    // where it serves logs and exec; 0: a free one
	Kubeconfig  []byte
	ManifestURL string // empty: none
	Config      node.Config
	Evicts      bool // it evicts pods if the file system of images is full
}

// KubeletDefaults are the times of a kubelet that nobody configured.
var KubeletDefaults = node.Config{SyncFrequency: time.Minute, FileCheckFrequency: 20 * time.Second, HTTPCheckFrequency: 20 * time.Second, NodeStatusUpdateFrequency: 10 * time.Second,
	NodeStatusReportFrequency: 5 * time.Minute, NodeLeaseDuration: 40 * time.Second, MaxContainerRestartPeriod: 5 * time.Minute, RuntimeRequestTimeout: 2 * time.Minute, ImageMinimumGCAge: 2 * time.Minute, ContainerLogMonitorInterval: 10 * time.Second, ContainerLogMaxSize: 10 << 20,
	ImageGCHighThresholdPercent: 85, ImageGCLowThresholdPercent: 80, EvictionPressureTransitionPeriod: 5 * time.Minute, Relist: time.Second}

// FreePort returns a port of 127.0.0.1 that nobody listens on.
func FreePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
