package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
	kindplugin "github.com/lwtest/lwtest/plugins/kind"
	"github.com/lwtest/lwtest/plugins/kube"
	"github.com/lwtest/lwtest/plugins/resources"
)

// clusters are those of kind that this process uses. All targets that want one made share one.
type clusters struct {
	stderr io.Writer
	logs   string // the run's folder for logs, where it has one before its targets are opened

	mu    sync.Mutex
	made  *kindplugin.Cluster // by this process; nil: none
	of    kindplugin.Options  // what it was made with
	users int                 // targets that use it
}

// madeByParent is how a worker learns which cluster was made for the run.
const madeByParent = "LWTEST_KIND_CLUSTER"

// use gives a cluster that is there, or the one that is made for this run; call leave after the last use.
func (k *clusters) use(ctx context.Context, name string, o kindplugin.Options) (c *kindplugin.Cluster, leave func() error, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	o.Say = k.say
	if name == "" {
		name = os.Getenv(madeByParent)
	}
	if name != "" && (k.made == nil || k.made.Name != name) {
		if c, err = kindplugin.Find(ctx, name, o); err != nil {
			return nil, nil, err
		}
		return c, c.Close, nil
	}
	if k.made == nil {
		if err := k.make(ctx, o); err != nil {
			return nil, nil, err
		}
	} else if k.of.Image != o.Image || k.of.Config != o.Config || k.of.Keep != o.Keep {
		return nil, nil, errors.New("one cluster of kind is made for a run: give all targets the same --kind-image, --kind-config and --keep-cluster")
	}
	k.users++
	return k.made, sync.OnceValue(k.leave), nil
}

// keepLogs says which run directory they are for.
func (k *clusters) keepLogs(run string) {
	if run != "" {
		k.logs = filepath.Join(run, report.Logs)
	}
}

func (k *clusters) say(line string) { fmt.Fprintln(k.stderr, "kind: "+line) }

func (k *clusters) make(ctx context.Context, o kindplugin.Options) error {
	o.Logs = cmp.Or(k.logs, "runs")
	began := time.Now()
	c, err := kindplugin.Create(ctx, o)
	if err != nil {
		return err
	}
	k.say(fmt.Sprintf("the cluster %s is ready, after %s", c.Name, time.Since(began).Round(time.Second)))
	k.made, k.of = c, o
	return os.Setenv(madeByParent, c.Name)
}

// leave deletes the cluster after its last user.
func (k *clusters) leave() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.users--; k.users > 0 {
		return nil
	}
	c := k.made
	k.made = nil
	return errors.Join(os.Unsetenv(madeByParent), c.Close())
}

// options are those of a connect string.
func kindOptions(o url.Values) kindplugin.Options {
	return kindplugin.Options{Image: o.Get(optImage), Config: o.Get(optConfig), Etcd: o.Has(optKindEtcd), Keep: o.Has(optKeep)}
}

// open opens "NAME?resource=NAME…", each part optional: the API server of a cluster.
func (k *clusters) open(ctx context.Context, arg string) (harness.Target, error) {
	name, options, err := clusterArg(arg)
	if err != nil {
		return harness.Target{}, err
	}
	if _, err := resources.Find(options.Get(optResource)); err != nil { // before a cluster is made for it
		return harness.Target{}, err
	}
	return k.on(ctx, name, options, func(c *kindplugin.Cluster, o kube.Options) (harness.Target, error) {
		o.Resource, o.RestartCmd = options.Get(optResource), options.Get(optRestart)
		if name == "" && o.RestartCmd == "" { // nobody else uses it
			o.Restart = c.Restart
		}
		if options.Has(optKindEtcd) {
			if o.Etcd, o.EtcdTLS, err = c.Etcd(ctx); err != nil {
				return harness.Target{}, err
			}
		}
		return kube.Open(ctx, o)
	})
}

// lent opens a client's target that is given the API server of a cluster.
func (k *clusters) lent(ctx context.Context, name string, options url.Values, open opener) (harness.Target, error) {
	return k.on(ctx, name, options, func(_ *kindplugin.Cluster, o kube.Options) (harness.Target, error) { return onKubeconfig(ctx, o, open) })
}

// on opens a target on a cluster, which goes with it if it was made for it.
func (k *clusters) on(ctx context.Context, name string, options url.Values, open func(*kindplugin.Cluster, kube.Options) (harness.Target, error)) (harness.Target, error) {
	c, leave, err := k.use(ctx, name, kindOptions(options))
	if err != nil {
		return harness.Target{}, err
	}
	config, err := c.Config(ctx)
	var t harness.Target
	if err == nil {
		t, err = open(c, kube.Options{Config: config})
	}
	if err != nil {
		return harness.Target{}, errors.Join(err, leave())
	}
	t.Alive, t.Logs = c.Alive, c.Logs
	if name == "" && !options.Has(optKeep) { // what is in it goes with it
		release := t.Release
		t.Sweep, t.Close = nil, func() (string, error) { return "", errors.Join(release(), leave()) }
		return t, nil
	}
	end := t.Close
	t.Close = func() (string, error) {
		line, err := end()
		return line, errors.Join(err, leave())
	}
	return t, nil
}
