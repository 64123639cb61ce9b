package node

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/lwtest/lwtest/conformance/node"
	"github.com/lwtest/lwtest/fakes/cri"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/proc"
)

// Place says where an agent in another process finds the environment of its case. All paths are absolute.
type Place struct {
	Node        string // the name of the Node
	Kubeconfig  string // a file, for the API server
	Socket      string // the unix socket of the container runtime
	Manifests   string // the folder of static pods
	ManifestURL string
	Dir         string // a folder for what outlives the agent; the folders above are in it, too
}

// OpenProcess makes the environment of an agent in another process. agent returns the agent, which is not started yet. With disk the
// file system of images is a small one that can be filled, which needs root and Linux.
func OpenProcess(t *harness.T, disk bool, agent func(Place) (node.Agent, error)) (node.Subject, error) {
	o := cri.Options{CgroupDriver: driver}
	if disk {
		var err error
		if o.Mountpoint, err = smallDisk(t); err != nil {
			return nil, err
		}
	}
	env, err := NewEnvironment(t, o)
	if err != nil {
		return nil, err
	}
	// an interrupted run does not wait for its cases
	clear, err := proc.AtEnd(`rm -rf -- "$1" || { sleep 1; rm -rf -- "$1"; }`, env.Dir)
	if err != nil {
		return nil, err
	}
	t.Cleanup(clear)
	at, err := env.place(t)
	if err != nil {
		return nil, err
	}
	a, err := agent(at)
	if err != nil {
		return nil, err
	}
	return subject{env, a}, nil
}

const kubeconfig = `apiVersion: v1
kind: Config
current-context: lwtest
contexts: [{name: lwtest, context: {cluster: lwtest, user: lwtest}}]
clusters: [{name: lwtest, cluster: {server: %q}}]
users: [{name: lwtest, user: {}}]
`

// place serves the environment to other processes, until the case ends.
func (e *Environment) place(t *harness.T) (Place, error) {
	p := Place{Node: NodeName, Kubeconfig: filepath.Join(e.Dir, "kubeconfig"), Socket: filepath.Join(e.Dir, "cri.sock"), Manifests: e.files.dir, Dir: e.Dir}
	stop, err := e.control.serve(p.Socket)
	if err != nil {
		return p, err
	}
	t.Cleanup(stop)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return p, err
	}
	web := &http.Server{Handler: &e.files, ReadHeaderTimeout: time.Minute}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = web.Serve(l) // it ends with Close
	}()
	t.Cleanup(func() {
		_ = web.Close()
		<-served
	})
	p.ManifestURL = "http://" + l.Addr().String() + "/"
	e.files.Serve(http.StatusOK, nil)
	return p, os.WriteFile(p.Kubeconfig, fmt.Appendf(nil, kubeconfig, e.Server.URL()), 0o600)
}
