package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/fakes/apiserver/rest"
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

// dial connects to a kubelet. It tells the address of the machine as that of its node, and listens on 127.0.0.1.
func (k *kubelets) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if _, port, err := net.SplitHostPort(address); err == nil {
		if n, err := strconv.Atoi(port); err == nil && slices.Contains(k.ports, n) {
			address = net.JoinHostPort("127.0.0.1", port)
		}
	}
	return rest.DialNear(ctx, network, address)
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
	runtime := cri.New(cri.Options{CgroupDriver: runtimeapi.CgroupDriver_CGROUPFS, Pods: c.subnet()})
	c.running.Go(func() {
		if err := runtime.Serve(l); err != nil {
			c.cancel(fmt.Errorf("the runtime of %s: %w", name, err))
		}
	})
	c.running.Go(func() {
		defer runtime.Close()
		err := node.RunKubelet(ctx, node.KubeletOptions{Binary: binary, Dir: dir, Node: name, Port: port, Kubeconfig: c.server.Kubeconfig(), Config: node.KubeletDefaults})
		if err != nil && ctx.Err() == nil {
			c.cancel(errors.Join(fmt.Errorf("%s has ended", name), err))
		}
	})
	return nil
}
