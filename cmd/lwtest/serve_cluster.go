package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/lwtest/lwtest/cmd/internal/serveapi"
	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/cri"
	"github.com/lwtest/lwtest/fakes/node"
	"github.com/lwtest/lwtest/harness/proc"
)

// servingCluster holds the options of `serve cluster`.
type servingCluster struct {
	server                *serveapi.Flags // of the API server
	nodes                 int
	scheduler, controller string
	kubelet               string // empty: the nodes are reference agents
}

func (a app) serveClusterVerb() *cobra.Command {
	o := servingCluster{server: serveapi.NewFlags()}
	cmd := &cobra.Command{
		Use:   "cluster",
		Short: "Serve a cluster without etcd or containers until Ctrl-C, and print its kubeconfig",
		Long: `Serve a cluster without etcd or containers until Ctrl-C: the API server fake, stand-ins for kube-scheduler and kube-controller-manager,
and nodes that are lwtest's reference agent on the container runtime fake. kubectl can use it, logs and exec included. It needs no root.

The API server is lwtest-apiserver, which evaluates CEL: the one beside lwtest or on the PATH, or one that is built from a clone. It has
all flags of "lwtest serve apiserver". Unless they say otherwise, it has --tls, --rbac, --accounts, --workloads, --schedule, --provision and
all plugins of --admission.

A real kube-scheduler and a real kube-controller-manager take over from the stand-ins if --scheduler and --controller-manager say where
they are. Build both with "hack/kube/kube.sh scheduler" and "hack/kube/kube.sh controller-manager", which print their paths.

The stand-ins leave out: quotas, podFailurePolicy, successPolicy and backoffLimitPerIndex of Jobs, certificates,
HorizontalPodAutoscalers, and affinity between pods. docs/node.md has the list.

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
			if o.nodes > mostNodes {
				return usagef("--nodes is %d: a cluster has %d nodes at most", o.nodes, mostNodes)
			}
			return a.serveCluster(cmd.Context(), o)
		},
	}
	cmd.Flags().IntVar(&o.nodes, "nodes", 1, "the `COUNT` of nodes")
	cmd.Flags().StringVar(&o.scheduler, "scheduler", "", "the `PATH` of a kube-scheduler to run")
	cmd.Flags().StringVar(&o.controller, "controller-manager", "", "the `PATH` of a kube-controller-manager to run")
	cmd.Flags().StringVar(&o.kubelet, "kubelet", "", "the `PATH` of a kubelet to run on each node, instead of the reference agent")
	cmd.Flags().AddFlagSet(o.server.FlagSet)
	return cmd
}

// serverArgs are the arguments of the API server.
func (o servingCluster) serverArgs(kubeconfig string) []string {
	all := []string{"--kubeconfig=" + kubeconfig}
	for name, wanted := range map[string]bool{"tls": true, "rbac": true, "accounts": o.controller == "", "workloads": o.controller == "", "schedule": o.scheduler == "", "provision": true} {
		if wanted && !o.server.Changed(name) {
			all = append(all, "--"+name)
		}
	}
	if !o.server.Changed("admission") {
		all = append(all, "--admission="+strings.Join(apiserver.AdmissionPlugins(), ","))
	}
	return append(all, o.server.Args()...)
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
	kubelets, err := newKubelets(o)
	if err != nil {
		return err
	}
	c := &cluster{a: a, dir: dir, stopServer: func() {}}
	ctx, c.cancel = context.WithCancelCause(ctx)
	defer func() {
		if cause := context.Cause(ctx); err == nil && !errors.Is(cause, context.Canceled) {
			err = cause
		}
		c.cancel(nil)
		c.running.Wait()
		c.stopServer() // last, so that nobody's watch fails
		c.serving.Wait()
	}()
	if err := c.startServer(ctx, o); err != nil || ctx.Err() != nil {
		return err // nil: the cause of the end says why
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
	if err := c.startPrograms(ctx, o); err != nil {
		return err
	}
	if err := c.ready(ctx, o); err != nil || ctx.Err() != nil {
		return err // nil: the cause of the end says why
	}
	if err := serveapi.WriteKubeconfig(o.server.Kubeconfig, a.stdout, c.kubeconfig); err != nil {
		return err
	}
	ready := fmt.Sprintf("%d nodes at %s are", o.nodes, c.config.Host)
	if o.nodes == 1 {
		ready = fmt.Sprintf("1 node at %s is", c.config.Host)
	}
	fmt.Fprintf(a.stderr, "%s ready after %s; serving until Ctrl-C\n", ready, time.Since(began).Round(10*time.Millisecond))
	<-ctx.Done()
	return nil
}

// cluster is what runs beside the API server.
type cluster struct {
	a          app
	dir        string
	kubeconfig []byte
	config     *rest.Config
	runtimes   sync.Map                // *cri.Runtime by the netip.Prefix of their pods
	cancel     context.CancelCauseFunc // ends all of it
	running    sync.WaitGroup          // all but the API server
	serving    sync.WaitGroup          // the API server
	stopServer func()
	subnets    int // how many nodes have one
}

func (c *cluster) file(name string) string { return filepath.Join(c.dir, name) }

// subnet returns the subnet of the next node's pods, 10.88.0.0/24 for the first.
func (c *cluster) subnet() netip.Prefix {
	n := c.subnets
	c.subnets++
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(88 + n>>8), byte(n), 0}), 24)
}

// startServer starts the API server, and returns when it serves or ctx has ended.
func (c *cluster) startServer(ctx context.Context, o servingCluster) error {
	find := c.a.findAPIServer
	if c.a.apiServer != nil {
		find = c.a.apiServer
	}
	found, err := find(ctx)
	if err != nil {
		return err
	}
	last, stop := context.WithCancel(context.WithoutCancel(ctx))
	c.stopServer = stop
	cmd := exec.CommandContext(last, found.Path)
	cmd.Args, cmd.Env = found.Args, found.Env
	proxy, err := c.startProxy(ctx)
	if err != nil {
		return err
	}
	cmd.Args = append(cmd.Args, o.serverArgs(c.file("kubeconfig"))...)
	cmd.Args = append(cmd.Args, fmt.Sprintf("--pods-through=%s=%s", allPods, proxy))
	if err := c.start(last, cmd, &c.serving); err != nil {
		return err
	}
	for ; ctx.Err() == nil; time.Sleep(5 * time.Millisecond) { // it writes the file when it serves
		if c.kubeconfig, err = os.ReadFile(c.file("kubeconfig")); err == nil {
			c.config, err = clientcmd.RESTConfigFromKubeConfig(c.kubeconfig)
			return err
		}
	}
	return nil
}

// allPods has the subnets of as many nodes as a cluster may have.
var allPods = netip.MustParsePrefix("10.88.0.0/13")

// mostNodes is how many subnets of /24 allPods has.
const mostNodes = 1 << (24 - 13)

// startProxy serves connections to pods, which the API server asks for, and returns its address.
func (c *cluster) startProxy(ctx context.Context) (net.Addr, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: serveapi.Proxy(c.dialPod)}
	c.running.Go(func() { _ = server.Serve(l) }) // it ends with ctx
	context.AfterFunc(ctx, func() { _ = server.Close() })
	return l.Addr(), nil
}

// dialPod connects to a port of a pod.
func (c *cluster) dialPod(ctx context.Context, network, address string) (conn net.Conn, err error) {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, err
	}
	err = fmt.Errorf("no node has the pod %s", address)
	c.runtimes.Range(func(pods, r any) bool {
		if !pods.(netip.Prefix).Contains(at.Addr()) {
			return true
		}
		conn, err = r.(*cri.Runtime).DialPod(ctx, network, address)
		return false
	})
	return conn, err
}

// findAPIServer returns the command of lwtest-apiserver, or of lwtest where there is none.
func (a app) findAPIServer(ctx context.Context) (*exec.Cmd, error) {
	dir, i, err := a.installer()
	if err != nil {
		return nil, err
	}
	if dir == "" { // there is no folder to build in
		i.Clone, i.Version = "", ""
	}
	path, err := i.Server(ctx, filepath.Join(dir, "lwtest-apiserver"))
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path)
	cmd.Args[0] = "lwtest-apiserver"
	if path == i.Self {
		cmd.Args = []string{"lwtest", "serve", "apiserver"}
	}
	return cmd, nil
}

// startNode starts a node with a container runtime of its own.
func (c *cluster) startNode(ctx context.Context, name string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	pods := c.subnet()
	runtime := cri.New(cri.Options{Pods: pods})
	c.runtimes.Store(pods, runtime)
	agent, err := node.New(node.Config{Name: name, API: rest.CopyConfig(c.config), Runtime: runtime.Direct(), State: c.file(name), Logs: c.file(name + "-logs"), Listen: l,
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
		if err := c.start(ctx, c.program(ctx, o.scheduler, "--config="+c.file("scheduler.yaml"), "--secure-port=0"), &c.running); err != nil {
			return err
		}
	}
	if o.controller == "" {
		return nil
	}
	args, err := c.signing()
	if err != nil {
		return err
	}
	args = append(args, "--kubeconfig="+c.file("kubeconfig"), "--leader-elect=false", "--secure-port=0", "--kube-api-qps=1000", "--kube-api-burst=1000", "--use-service-account-credentials=false")
	return c.start(ctx, c.program(ctx, o.controller, args...), &c.running)
}

// program is the command of a program that works in the folder of the cluster.
func (c *cluster) program(ctx context.Context, path string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = c.dir
	return cmd
}

// start starts a program, which must run until ctx ends.
func (c *cluster) start(ctx context.Context, cmd *exec.Cmd, running *sync.WaitGroup) error {
	var log tail
	cmd.Stdout, cmd.Stderr = &log, &log
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	proc.Bind(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s does not start: %w", cmd.Path, err)
	}
	running.Go(func() {
		if _ = cmd.Wait(); ctx.Err() == nil {
			c.cancel(ended(filepath.Base(cmd.Args[0]), cmd.ProcessState, log.text()))
		}
	})
	return nil
}

// ended is the error of a program that should go on, with the last that it has said, if it has said that it failed. One that has ended by
// itself and has said only one line has said why.
func ended(name string, state *os.ProcessState, said string) error {
	said = strings.TrimSpace(said)
	failed := state.ExitCode() > 0 && said != ""
	switch {
	case failed && !strings.Contains(said, "\n"):
		return fmt.Errorf("%s: %s", name, strings.TrimPrefix(said, name+": "))
	case failed:
		return fmt.Errorf("%s has ended: %s\n%s", name, state, said)
	}
	return fmt.Errorf("%s has ended: %s", name, state)
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

// ready waits until the nodes are ready and pods can be made, which need a service account. It returns nil when ctx has ended.
func (c *cluster) ready(ctx context.Context, o servingCluster) error {
	client, err := kubernetes.NewForConfig(c.config)
	if err != nil {
		return err
	}
	for ; ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return unlessEnded(ctx, err)
		}
		n := 0
		for _, x := range nodes.Items {
			if slices.ContainsFunc(x.Status.Conditions, func(c v1.NodeCondition) bool { return c.Type == v1.NodeReady && c.Status == v1.ConditionTrue }) {
				n++
			}
		}
		if n != o.nodes {
			continue
		}
		if o.controller == "" { // the API server makes service accounts with their namespace, or nobody does
			return nil
		}
		if _, err = client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			return unlessEnded(ctx, err)
		}
	}
	return nil
}

// unlessEnded is err, or nil if ctx has ended: then that is why.
func unlessEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
