package kind

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"sigs.k8s.io/kind/pkg/cluster/nodes"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"
)

const etcdPort = 2379

// pki is where kubeadm keeps what an API server shows to etcd.
const pki = "/etc/kubernetes/pki/"

// Etcd is where the etcd behind it can be reached, and with what certificates.
func (c *Cluster) Etcd(ctx context.Context) (endpoint string, config *tls.Config, err error) {
	all, err := c.controlPlane(ctx)
	if err != nil {
		return "", nil, err
	}
	var pem [3][]byte
	for i, name := range []string{"etcd/ca.crt", "apiserver-etcd-client.crt", "apiserver-etcd-client.key"} {
		if pem[i], err = c.output(ctx, all[0], "cat", pki+name); err != nil {
			return "", nil, fmt.Errorf("the certificates of etcd on %s: %w", all[0], err)
		}
	}
	pair, err := tls.X509KeyPair(pem[1], pem[2])
	if err != nil {
		return "", nil, fmt.Errorf("the certificate of etcd's client on %s: %w", all[0], err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem[0])
	at, err := c.etcdAt(ctx, all[0])
	return "https://" + at, &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}}, err
}

// etcdAt is a port of this machine where one leads to it, as in a cluster that was made for it, or else the node's own.
func (c *Cluster) etcdAt(ctx context.Context, n nodes.Node) (string, error) {
	out, err := c.engine.ask(ctx, "port", n.String(), strconv.Itoa(etcdPort))
	if at, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n"); err == nil && at != "" {
		return at, nil
	}
	return within(ctx, c.engine, workLimit, func() (string, error) {
		v4, v6, err := n.IP()
		return net.JoinHostPort(cmp.Or(v4, v6), strconv.Itoa(etcdPort)), err
	})
}

// stop ends a node's API server: at first it may let go of what it serves, as in a rolling update.
const stop = `for p in $(pgrep -x kube-apiserver); do
	kill $p
	for i in $(seq 100); do [ -d /proc/$p ] || break; sleep 0.1; done
	kill -KILL $p 2>/dev/null
	while [ -d /proc/$p ]; do sleep 0.1; done
done`

// Restart ends its API servers; the kubelet starts them again.
func (c *Cluster) Restart(ctx context.Context) error {
	all, err := c.controlPlane(ctx)
	if err != nil {
		return err
	}
	for _, n := range all {
		if _, err := c.output(ctx, n, "sh", "-c", stop); err != nil {
			return fmt.Errorf("the API server on %s: %w", n, err)
		}
	}
	return nil
}

func (c *Cluster) controlPlane(ctx context.Context) ([]nodes.Node, error) {
	of, err := within(ctx, c.engine, workLimit, func() ([]nodes.Node, error) {
		all, err := c.provider.ListInternalNodes(c.Name)
		if err != nil {
			return nil, err
		}
		return nodeutils.ControlPlaneNodes(all)
	})
	if err == nil && len(of) == 0 {
		err = errors.New("the kind cluster " + c.Name + " has lost its control-plane node")
	}
	return of, err
}

func (c *Cluster) output(ctx context.Context, n nodes.Node, command string, args ...string) ([]byte, error) {
	return within(ctx, c.engine, workLimit, func() ([]byte, error) {
		var out bytes.Buffer
		err := n.Command(command, args...).SetStdout(&out).Run()
		return out.Bytes(), err
	})
}

// freePort is one of 127.0.0.1 that nothing listens on.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}
