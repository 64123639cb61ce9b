// Package kind makes Kubernetes clusters with sigs.k8s.io/kind, gives what is needed to talk to them, and deletes them.
//
// A cluster that was made here is claimed (see claim.go) for as long as the process lives that made it. What a process
// leaves that was killed is deleted by the next Create, or by Clean.
package kind

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	"sigs.k8s.io/kind/pkg/cluster"
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

// Create deletes what earlier runs have left, and makes a cluster: it gives one that is ready. It ends early with ctx. An
// error says what to do; then there is no cluster, or the next Create deletes it.
func Create(ctx context.Context, o Options) (*Cluster, error) {
	e, err := findEngine(ctx)
	if err != nil {
		return nil, err
	}
	if err := Clean(ctx, false, o.Say); err != nil {
		o.Say(err.Error())
	}
	config, err := o.config(ctx, e)
	if err != nil {
		return nil, err
	}
	if o.Etcd {
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		expose(config, port)
	}
	dir, err := claims()
	if err != nil {
		return nil, err
	}
	c := &Cluster{Name: "lwtest-" + strings.ToLower(rand.Text()[:8]), engine: e, provider: e.provider(o.Say), options: o}
	c.claim, err = stake(dir, told{Cluster: c.Name, Engine: e.name, Host: os.Getenv("DOCKER_HOST"), Made: time.Now().UTC()})
	if err != nil {
		return nil, err
	}
	if err := c.make(ctx, config); err != nil {
		return nil, c.abort(ctx, err)
	}
	return c, nil
}

// Find gives a cluster that is there; nothing is done to it.
func Find(ctx context.Context, name string, o Options) (*Cluster, error) {
	e, err := findEngine(ctx)
	if err != nil {
		return nil, err
	}
	all, err := e.provider(o.Say).List()
	if err != nil {
		return nil, explain(err)
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
	return nil, fmt.Errorf("there is no kind cluster %q on this machine: %s has %s; say kind alone to have one made", name, e.name, have)
}

// make creates it, and waits until it serves. kind cannot be told to stop, but without its nodes it does.
func (c *Cluster) make(ctx context.Context, config *v1alpha4.Cluster) error {
	private, err := os.MkdirTemp("", "lwtest-kind-") // kind writes a kubeconfig, or changes the user's
	if err != nil {
		return err
	}
	defer os.RemoveAll(private)
	done := make(chan error, 1)
	go func() {
		done <- c.provider.Create(c.Name, cluster.CreateWithV1Alpha4Config(config), cluster.CreateWithNodeImage(c.options.Image),
			cluster.CreateWithKubeconfigPath(filepath.Join(private, "config")), cluster.CreateWithRetain(true),
			cluster.CreateWithDisplayUsage(false), cluster.CreateWithDisplaySalutation(false))
	}()
	select {
	case err = <-done:
	case <-ctx.Done():
		return c.callOff(ctx, done)
	}
	if err != nil {
		return fmt.Errorf("the kind cluster cannot be created: %w", advise(explain(err)))
	}
	c.options.Say("Waiting until it is ready")
	return c.ready(ctx)
}

// callOffLimit is how long kind may take to see that its nodes are gone.
const callOffLimit = 15 * time.Second

func (c *Cluster) callOff(ctx context.Context, done <-chan error) error {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), callOffLimit)
	defer cancel()
	for {
		_ = c.engine.remove(limited, c.Name) // abort does it once more, and says what is wrong
		select {
		case <-done:
			return context.Cause(ctx)
		case <-limited.Done():
			return fmt.Errorf("%w, and kind is still at work: the next run, or `lwtest clean`, deletes what it makes", context.Cause(ctx))
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// abort deletes a cluster that could not be made; its logs are kept if there are any, and it was not called off.
func (c *Cluster) abort(ctx context.Context, why error) error {
	if there, _ := c.engine.has(c.Name); there && ctx.Err() == nil && c.options.Logs != "" {
		dir := filepath.Join(c.options.Logs, c.Name)
		if err := c.Logs(dir); err != nil {
			why = fmt.Errorf("%w; its logs cannot be kept: %w", why, err)
		} else {
			why = fmt.Errorf("%w; its logs are in %s", why, dir)
		}
	}
	c.options.Keep = false
	return errors.Join(why, c.Close())
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
	if err := c.engine.remove(context.Background(), c.Name); err != nil {
		return errors.Join(fmt.Errorf("the kind cluster %s is not deleted: %w: the next run, or `lwtest clean`, tries again", c.Name, err), claim.letGo())
	}
	return claim.drop()
}

// removeLimit is how long nodes may stay: docker does not delete what it is just starting.
var removeLimit = 30 * time.Second

// remove deletes nodes, and sees that they are gone.
func (e engine) remove(ctx context.Context, name string) error {
	if err := e.answers(ctx); err != nil {
		return err
	}
	private, err := os.MkdirTemp("", "lwtest-kind-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(private)
	for end := time.Now().Add(removeLimit); ; {
		err := e.provider(func(string) {}).Delete(name, filepath.Join(private, "config"))
		there, unseen := e.has(name)
		switch {
		case err == nil && unseen == nil && !there:
			return nil
		case time.Now().After(end):
			if err = errors.Join(explain(err), unseen); err == nil {
				err = fmt.Errorf("it is still there after %s", removeLimit)
			}
			return err
		}
		if gone := pause(ctx); gone != nil {
			return errors.Join(explain(err), unseen, gone)
		}
	}
}

// Logs writes what its nodes, containers and control plane have logged into a folder.
func (c *Cluster) Logs(dir string) error { return explain(c.provider.CollectLogs(c.Name, dir)) }

// Config says how to talk to its API server.
func (c *Cluster) Config() (*rest.Config, error) {
	kubeconfig, err := c.provider.KubeConfig(c.Name, false)
	if err != nil {
		return nil, fmt.Errorf("the kubeconfig of the kind cluster %s: %w", c.Name, explain(err))
	}
	return clientcmd.RESTConfigFromKubeConfig([]byte(kubeconfig))
}

// Alive says why nothing can be asked of it any more, as far as its engine knows.
func (c *Cluster) Alive(ctx context.Context) error {
	if err := c.engine.answers(ctx); err != nil {
		return fmt.Errorf("the kind cluster %s is gone: %w", c.Name, err)
	}
	out, err := c.engine.command(ctx, "ps", "--quiet", "--filter", "label=io.x-k8s.kind.cluster="+c.Name, "--filter", "status=running").Output()
	if err == nil && len(strings.TrimSpace(string(out))) == 0 {
		err = errors.New("none of its nodes is running: somebody has stopped or deleted them")
	}
	if err != nil {
		return fmt.Errorf("the kind cluster %s is gone: %w", c.Name, err)
	}
	return nil
}

// advise says what to do about what a user can mend.
func advise(err error) error {
	if err != nil && strings.Contains(err.Error(), "failed to pull image") {
		return fmt.Errorf("%w: name an image that is there: --kind-image (without a registry, make kind-node-image in a checkout of lwtest makes one)", err)
	}
	return err
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
