package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/fakes/apiserver/schemas"
	"github.com/lwtest/lwtest/fakes/apiserver/serve"
	"github.com/lwtest/lwtest/fakes/cri"
	"github.com/lwtest/lwtest/fakes/node"
	"github.com/lwtest/lwtest/harness/proc"
)

// servingCluster holds the options of `serve cluster`.
type servingCluster struct {
	rest.Options
	nodes                             int
	kubeconfig, scheduler, controller string
	kubelet                           string // empty: the nodes are reference agents
}

func (a app) serveClusterVerb() *cobra.Command {
	var o servingCluster
	cmd := &cobra.Command{
		Use:   "cluster",
		Short: "Serve a cluster without etcd or containers until Ctrl-C, and print its kubeconfig",
		Long: `Serve a cluster without etcd or containers until Ctrl-C: the API server fake, and nodes that are lwtest's reference agent on the
container runtime fake. kubectl can use it, logs and exec included. It needs no root.

A real kube-scheduler and a real kube-controller-manager make it complete: pods are scheduled as they ask, and Deployments make pods.
They run if --scheduler and --controller-manager say where they are. Build both with "hack/kube/kube.sh scheduler" and
"hack/kube/kube.sh controller-manager", which print their paths. Without a scheduler each pod gets the node with the fewest pods,
whatever it asks for.

With --kubelet the nodes are real kubelets on the container runtime fake. They need root, Linux and unshare, listen on 127.0.0.1 alone, and
see an empty /var/lib. Build one with "hack/kube/kube.sh kubelet".`,
		Example: `  lwtest serve cluster --kubeconfig ./fake &
  lwtest serve cluster --nodes 100 --kubeconfig ./fake --scheduler ./kube-scheduler --controller-manager ./kube-controller-manager
  lwtest serve cluster --nodes 2 --kubeconfig ./fake --kubelet ./kubelet`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.nodes < 1 {
				return usagef("--nodes is %d: a cluster has one node at least", o.nodes)
			}
			return a.serveCluster(cmd.Context(), o)
		},
	}
	cmd.Flags().IntVar(&o.nodes, "nodes", 1, "the `COUNT` of nodes")
	cmd.Flags().StringVar(&o.Address, "address", "", "listen at this `ADDRESS` (default a free port of 127.0.0.1)")
	cmd.Flags().StringVar(&o.kubeconfig, "kubeconfig", "", "write the kubeconfig to this `FILE`, not to stdout")
	cmd.Flags().StringVar(&o.scheduler, "scheduler", "", "the `PATH` of a kube-scheduler to run")
	cmd.Flags().StringVar(&o.controller, "controller-manager", "", "the `PATH` of a kube-controller-manager to run")
	cmd.Flags().StringVar(&o.kubelet, "kubelet", "", "the `PATH` of a kubelet to run on each node, instead of the reference agent")
	return cmd
}

func (a app) serveCluster(ctx context.Context, o servingCluster) (err error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	began := time.Now()
	dir, err := os.MkdirTemp("", "lwtest-cluster-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if clear, err := proc.AtEnd(`rm -rf -- "$1"`, dir); err == nil { // also if it is killed, where there is a shell
		defer clear()
	}
	hooks := rest.NewWebhooks(rest.WebhookOptions{})
	defer hooks.Close()
	api := apiserver.New(apiserver.Options{Webhooks: hooks.Call, Namespaces: true, NamespaceController: true, Types: schemas.Types, WatchBehind: serve.WatchBehind, Accounts: o.controller == ""})
	defer api.Close()
	kubelets, err := newKubelets(o)
	if err != nil {
		return err
	}
	if kubelets != nil {
		o.DialKubelet = kubelets.dial
	}
	server, err := rest.Serve(api, o.Options)
	if err != nil {
		return err
	}
	defer server.Close()
	c := &cluster{a: a, dir: dir, server: server}
	ctx, c.cancel = context.WithCancelCause(ctx)
	defer func() {
		if cause := context.Cause(ctx); err == nil && !errors.Is(cause, context.Canceled) {
			err = cause
		}
		c.cancel(nil)
		c.running.Wait()
	}()
	if err := os.WriteFile(c.file("kubeconfig"), server.Kubeconfig(), 0o600); err != nil {
		return err
	}
	for i := range o.nodes {
		name := fmt.Sprintf("node-%d", i+1)
		if kubelets != nil {
			err = c.startKubelet(ctx, name, kubelets.binary, kubelets.ports[i])
		} else {
			err = c.startNode(ctx, name)
		}
		if err != nil {
			return err
		}
	}
	if err := errors.Join(c.startPrograms(ctx, o), c.startSteward(ctx, o)); err != nil {
		return err
	}
	if err := nodesReady(ctx, api, o.nodes); err != nil {
		return nil // the cause of the end says why
	}
	if o.kubeconfig != "" {
		err = os.WriteFile(o.kubeconfig, server.Kubeconfig(), 0o600)
	} else {
		_, err = a.stdout.Write(server.Kubeconfig())
	}
	if err != nil {
		return fmt.Errorf("the kubeconfig cannot be written: %w", err)
	}
	fmt.Fprintf(a.stderr, "%d nodes at %s are ready after %s; serving until Ctrl-C\n", o.nodes, server.URL(), time.Since(began).Round(10*time.Millisecond))
	<-ctx.Done()
	return nil
}

// cluster is what runs beside the API server.
type cluster struct {
	a       app
	dir     string
	server  *rest.Server
	cancel  context.CancelCauseFunc // ends all of it
	running sync.WaitGroup
	subnets int // how many nodes have one
}

func (c *cluster) file(name string) string { return filepath.Join(c.dir, name) }

// subnet returns the subnet of the next node's pods, 10.88.0.0/24 for the first.
func (c *cluster) subnet() netip.Prefix {
	n := c.subnets
	c.subnets++
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(88 + n>>8), byte(n), 0}), 24)
}

// startNode starts a node with a container runtime of its own.
func (c *cluster) startNode(ctx context.Context, name string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	runtime := cri.New(cri.Options{Pods: c.subnet()})
	agent, err := node.New(node.Config{Name: name, API: c.server.RESTConfig(), Runtime: runtime.Direct(), State: c.file(name), Logs: c.file(name + "-logs"), Listen: l,
		Stats: func() (used, capacity uint64) { return 1 << 30, 100 << 30 }})
	if err != nil {
		return errors.Join(err, l.Close())
	}
	c.running.Go(func() {
		defer runtime.Close()
		if err := agent.Run(ctx); err != nil && ctx.Err() == nil {
			c.cancel(fmt.Errorf("%s has ended: %w", name, err))
		}
	})
	return nil
}

// startPrograms starts the scheduler and the controller manager.
func (c *cluster) startPrograms(ctx context.Context, o servingCluster) error {
	if o.scheduler != "" {
		config := fmt.Sprintf("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nleaderElection: {leaderElect: false}\nclientConnection: {kubeconfig: %q, qps: 1000, burst: 1000}\n", c.file("kubeconfig"))
		if err := os.WriteFile(c.file("scheduler.yaml"), []byte(config), 0o600); err != nil {
			return err
		}
		if err := c.start(ctx, o.scheduler, "--config="+c.file("scheduler.yaml"), "--secure-port=0"); err != nil {
			return err
		}
	}
	if o.controller == "" {
		return nil
	}
	return c.start(ctx, o.controller, "--kubeconfig="+c.file("kubeconfig"), "--leader-elect=false", "--secure-port=0", "--kube-api-qps=1000", "--kube-api-burst=1000", "--use-service-account-credentials=false")
}

// start starts a program, which must run as long as the cluster.
func (c *cluster) start(ctx context.Context, path string, args ...string) error {
	var log tail
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.dir, &log, &log
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	proc.Bind(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s does not start: %w", path, err)
	}
	c.running.Go(func() {
		if err := cmd.Wait(); ctx.Err() == nil {
			c.cancel(fmt.Errorf("%s has ended: %v\n%s", filepath.Base(path), err, log.text()))
		}
	})
	return nil
}

// tail keeps the last bytes that were written.
type tail struct {
	mu sync.Mutex
	b  []byte
}

const tailSize = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.b = append(t.b, b...); len(t.b) > tailSize {
		t.b = bytes.Clone(t.b[len(t.b)-tailSize:])
	}
	return len(b), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.b)
}

// nodesReady waits until some nodes are ready.
func nodesReady(ctx context.Context, api apiserver.API, nodes int) error {
	for ; ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		list, err := api.List(ctx, apiserver.Request{Resource: v1.SchemeGroupVersion.WithResource("nodes")}, metav1.ListOptions{})
		if err != nil {
			return err
		}
		n := 0
		for _, x := range list.(*v1.NodeList).Items {
			if isReady(&x) {
				n++
			}
		}
		if n == nodes {
			return nil
		}
	}
	return ctx.Err()
}
