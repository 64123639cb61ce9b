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

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	"sigs.k8s.io/kind/pkg/cluster"
)

// Create deletes what earlier runs have left, and makes a cluster: it gives one that is ready. It ends early with ctx. An
// error says what to do; then there is no cluster, or the next Create deletes it.
func Create(ctx context.Context, o Options) (*Cluster, error) {
	e, err := findEngine(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := clean(ctx, false, o.Say); err != nil {
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
	c.claim, err = stake(dir, told{Cluster: c.Name, Engine: e.name, Host: os.Getenv("DOCKER_HOST"), Made: time.Now().UTC(), Process: os.Getpid(), Creating: true})
	if err != nil {
		return nil, err
	}
	if err := c.make(ctx, config); err != nil {
		return nil, c.abort(ctx, err)
	}
	return c, nil
}

// make creates it, and waits until it serves. kind cannot be told to stop, but without its nodes it does.
func (c *Cluster) make(ctx context.Context, config *v1alpha4.Cluster) error {
	private, forget := private(filepath.Dir(c.claim.path), c.Name)
	defer forget()
	outer := ctx
	ctx, cancel := c.engine.guard(ctx)
	defer cancel()
	before := c.engine.commands()
	done := make(chan error, 1)
	go func() {
		done <- c.provider.Create(c.Name, cluster.CreateWithV1Alpha4Config(config), cluster.CreateWithNodeImage(c.options.Image),
			cluster.CreateWithKubeconfigPath(private), cluster.CreateWithRetain(true),
			cluster.CreateWithDisplayUsage(false), cluster.CreateWithDisplaySalutation(false))
	}()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		return c.callOff(ctx, before, done)
	}
	if err != nil {
		return fmt.Errorf("the kind cluster cannot be created: %w", advise(explain(err)))
	}
	c.claim.Creating = false // kind has all nodes that it wanted
	if err := c.claim.update(); err != nil {
		return fmt.Errorf("the claim file of the cluster %s: %w", c.Name, err)
	}
	c.options.Say("Waiting until it is ready")
	return c.ready(outer)
}

// callOffLimit is how long kind may take to see that its nodes are gone.
var callOffLimit = 15 * time.Second

func (c *Cluster) callOff(ctx context.Context, before []int, done <-chan error) error {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), callOffLimit)
	defer cancel()
	for {
		_ = c.engine.remove(limited, c.Name) // abort does it once more, and says what is wrong
		select {
		case <-done:
			return context.Cause(ctx)
		case <-limited.Done():
			giveUp(c.engine, before, done)
			return fmt.Errorf("%w, and kind was told to stop: the next run, or `lwtest clean`, deletes what it created", context.Cause(ctx))
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// abort deletes a cluster that could not be made; its logs are kept if there are any, and it was not called off.
func (c *Cluster) abort(ctx context.Context, why error) error {
	if there, _ := c.engine.has(ctx, c.Name); there && ctx.Err() == nil && c.options.Logs != "" {
		dir := filepath.Join(c.options.Logs, c.Name)
		if err := c.Logs(ctx, dir); err != nil {
			why = fmt.Errorf("%w; its logs cannot be saved: %w", why, err)
		} else {
			why = fmt.Errorf("%w; its logs are in %s", why, dir)
		}
	}
	c.options.Keep = false
	return errors.Join(why, c.Close())
}

// calm deletes what comes up late of a cluster whose creation failed or was called off: kind gives up at the first node that
// cannot be started, while others are. It gives an error where something may come later still.
func (e engine) calm(name string) error {
	ctx, cancel := context.WithTimeoutCause(context.Background(), callOffLimit, errors.New("a node of it is still being started"))
	defer cancel()
	for end := time.Now().Add(settle); ; {
		there, err := e.has(ctx, name)
		if err == nil && there {
			err = e.remove(ctx, name)
		}
		waiting := starters(name)
		if err == nil && !there && len(waiting) == 0 && time.Now().After(end) {
			return nil
		}
		if err == nil {
			err = pause(ctx)
		}
		if err != nil {
			kill(waiting)
			return err
		}
	}
}

// advise says what to do about what a user can mend.
func advise(err error) error {
	if err != nil && strings.Contains(err.Error(), "failed to pull image") {
		return fmt.Errorf("%w: choose an image with --kind-image; without a registry, `make kind-node-image` in a checkout of lwtest builds one", err)
	}
	return err
}
