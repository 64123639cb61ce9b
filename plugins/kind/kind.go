// Package kind makes Kubernetes clusters with sigs.k8s.io/kind, gives what is needed to talk to them, and deletes them.
//
// A cluster that was made here is claimed (see claim.go) for as long as the process lives that made it. What a process
// leaves that was killed is deleted by the next Create, or by Clean.
package kind

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gofrs/flock"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/kind/pkg/cluster"
	kinderrors "sigs.k8s.io/kind/pkg/errors"
	kindexec "sigs.k8s.io/kind/pkg/exec"
)

// Options say how a cluster is made.
type Options struct {
	Image  string       // of its nodes; empty: kind's default, which it pulls
	Config string       // path of a configuration of kind's; empty: what the image's label says, or kind's default
	Etcd   bool         // its etcd can be reached from here
	Keep   bool         // Close lets it stay
	Logs   string       // a folder; where a cluster cannot be made, its logs are kept in one below it, of its name
	Say    func(string) // is told what goes on, in lines; never nil
}

// Cluster is one that runs.
type Cluster struct {
	Name     string
	engine   engine
	provider *cluster.Provider
	claim    *claim       // nil: somebody else made it
	used     *flock.Flock // the claim of who did, while it is used here; nil: there is none
	options  Options
}

// Find gives a cluster that is there; nothing is done to it.
func Find(ctx context.Context, name string, o Options) (*Cluster, error) {
	e, err := findEngine(ctx)
	if err != nil {
		return nil, err
	}
	all, err := e.list(ctx)
	if err != nil {
		return nil, err
	}
	for _, n := range all {
		if n == name {
			return &Cluster{Name: name, engine: e, provider: e.provider(o.Say), used: use(name), options: o}, nil
		}
	}
	have := "none"
	if len(all) > 0 {
		have = strings.Join(all, ", ")
	}
	return nil, fmt.Errorf("this machine has no kind cluster %q: %s has %s; --target kind creates one for the run", name, e.name, have)
}

// Close deletes the cluster if it was made here and is not to be kept. It takes seconds.
func (c *Cluster) Close() error {
	if c.used != nil {
		return c.used.Close()
	}
	if c.claim == nil {
		return nil
	}
	claim := c.claim
	c.claim = nil
	if c.options.Keep {
		c.options.Say(fmt.Sprintf("the cluster stays: --target kind:%s uses it again, `lwtest clean --kept` deletes it", c.Name))
		return claim.keep()
	}
	c.options.Say("deleting the cluster " + c.Name)
	err := c.engine.remove(context.Background(), c.Name)
	if err == nil && claim.Creating {
		err = c.engine.calm(c.Name)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("the kind cluster %s was not deleted: %w: the next run, or `lwtest clean`, tries again", c.Name, err), claim.letGo())
	}
	return claim.drop()
}

// Logs writes what its nodes, containers and control plane have logged into a folder.
func (c *Cluster) Logs(ctx context.Context, dir string) error {
	if err := c.engine.answers(ctx); err != nil {
		return err
	}
	_, err := within(ctx, c.engine, logsLimit, func() (struct{}, error) { return struct{}{}, c.provider.CollectLogs(c.Name, dir) })
	if all := kinderrors.Errors(err); len(all) > 1 { // one for each file
		err = fmt.Errorf("%w, and %d more errors like this", all[0], len(all)-1)
	}
	return err
}

// Config says how to talk to its API server.
func (c *Cluster) Config(ctx context.Context) (*rest.Config, error) {
	kubeconfig, err := within(ctx, c.engine, workLimit, func() (string, error) { return c.provider.KubeConfig(c.Name, false) })
	if err != nil {
		return nil, fmt.Errorf("the kubeconfig of the kind cluster %s: %w", c.Name, err)
	}
	return clientcmd.RESTConfigFromKubeConfig([]byte(kubeconfig))
}

// Alive says why nothing can be asked of it any more, as far as its engine knows.
func (c *Cluster) Alive(ctx context.Context) error {
	unseen := func(err error) error {
		return fmt.Errorf("lwtest has lost sight of the kind cluster %s: %w", c.Name, err)
	}
	if err := c.engine.answers(ctx); err != nil {
		return unseen(err)
	}
	out, err := c.engine.ask(ctx, "ps", "--quiet", "--filter", "label=io.x-k8s.kind.cluster="+c.Name, "--filter", "status=running")
	if err != nil {
		return unseen(err)
	}
	if len(strings.TrimSpace(string(out))) == 0 {
		return fmt.Errorf("the kind cluster %s is gone: none of its nodes runs; somebody has stopped or deleted them", c.Name)
	}
	return nil
}

// explain adds what a command of kind's has printed, which its error leaves out.
func explain(err error) error {
	failed := kindexec.RunErrorForError(err)
	if failed == nil {
		return err
	}
	lines := strings.Split(strings.TrimSpace(string(failed.Output)), "\n")
	if last := strings.Join(lines[max(0, len(lines)-8):], "\n"); last != "" {
		return fmt.Errorf("%w: %s", err, last)
	}
	return err
}
