package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/fakes/cri"
	"github.com/lwtest/lwtest/plugins/node"
)

// kubelets are the real kubelets of a cluster.
type kubelets struct {
	binary string
	ports  []int // one for each node
}

// newKubelets returns the kubelets that the options want; nil: none.
func newKubelets(o servingCluster) (*kubelets, error) {
	if o.kubelet == "" {
		return nil, nil
	}
	path, err := filepath.Abs(o.kubelet) // kubelets work in folders of their own
	if err != nil {
		return nil, err
	}
	if _, err := node.KubeletVersion(path); err != nil {
		return nil, err
	}
	k := &kubelets{binary: path}
	for len(k.ports) < o.nodes {
		port, err := node.FreePort()
		if err != nil {
			return nil, err
		}
		if !slices.Contains(k.ports, port) {
			k.ports = append(k.ports, port)
		}
	}
	return k, nil
}

// startKubelet starts a node that is a real kubelet, with a container runtime of its own.
func (c *cluster) startKubelet(ctx context.Context, name, binary string, port int) error {
	dir := c.file(name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	l, err := cri.Listen(filepath.Join(dir, "cri.sock"))
	if err != nil {
		return err
	}
	pods := c.subnet()
	runtime := cri.New(cri.Options{CgroupDriver: runtimeapi.CgroupDriver_CGROUPFS, Pods: pods})
	c.runtimes.Store(pods, runtime)
	c.running.Go(func() {
		if err := runtime.Serve(l); err != nil {
			c.cancel(fmt.Errorf("the runtime of %s: %w", name, err))
		}
	})
	c.running.Go(func() {
		defer runtime.Close()
		err := node.RunKubelet(ctx, node.KubeletOptions{Binary: binary, Dir: dir, Node: name, Port: port, Kubeconfig: c.kubeconfig, Config: node.KubeletDefaults})
		if err != nil && ctx.Err() == nil {
			c.cancel(errors.Join(fmt.Errorf("%s has ended", name), err))
		}
	})
	return nil
}
