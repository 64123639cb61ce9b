package targets

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

// Clusters holds the kind clusters that this process uses. All targets that need a new one share it.
type Clusters struct {
	Stderr io.Writer // progress
	logs   string    // the run's folder for logs, if it is known before the targets are opened

	mu    sync.Mutex
	made  *kindplugin.Cluster // created by this process; nil: none
	of    kindplugin.Options  // options of made
	users int                 // targets that use it
}

// madeByParent is the environment variable that tells a worker which cluster was created for the run.
const madeByParent = "LWTEST_KIND_CLUSTER"

// Use returns the cluster with this name, or the one that is created for the run. Call leave after the last use.
func (k *Clusters) Use(ctx context.Context, name string, o kindplugin.Options) (c *kindplugin.Cluster, leave func() error, err error) {
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
		return nil, nil, errors.New("a run creates only one kind cluster: give all targets the same --kind-image, --kind-config and --keep-cluster")
	}
	k.users++
	return k.made, sync.OnceValue(k.leave), nil
}

// KeepLogs sets the run directory for logs.
func (k *Clusters) KeepLogs(run string) {
	if run != "" {
		k.logs = filepath.Join(run, report.Logs)
	}
}

func (k *Clusters) say(line string) { fmt.Fprintln(k.Stderr, "kind: "+line) }

func (k *Clusters) make(ctx context.Context, o kindplugin.Options) error {
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
func (k *Clusters) leave() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.users--; k.users > 0 {
		return nil
	}
	c := k.made
	k.made = nil
	return errors.Join(os.Unsetenv(madeByParent), c.Close())
}

// KindOptions returns the options of a connect string.
func KindOptions(o url.Values) kindplugin.Options {
	return kindplugin.Options{Image: o.Get(OptImage), Config: o.Get(OptConfig), Etcd: o.Has(OptKindEtcd), Keep: o.Has(OptKeep)}
}

// open opens "NAME?resource=NAME…", the API server of a cluster. Each part is optional.
func (k *Clusters) open(ctx context.Context, arg string) (harness.Target, error) {
	name, options, err := Split(arg)
	if err != nil {
		return harness.Target{}, err
	}
	if _, err := resources.Find(options.Get(OptResource)); err != nil { // before a cluster is created for it
		return harness.Target{}, err
	}
	return k.on(ctx, name, options, func(c *kindplugin.Cluster, o kube.Options) (harness.Target, error) {
		o.Resource, o.RestartCmd = options.Get(OptResource), options.Get(OptRestart)
		if name == "" && o.RestartCmd == "" { // nobody else uses the cluster
			o.Restart = c.Restart
		}
		if options.Has(OptKindEtcd) {
			if o.Etcd, o.EtcdTLS, err = c.Etcd(ctx); err != nil {
				return harness.Target{}, err
			}
		}
		return kube.Open(ctx, o)
	})
}

// lent opens a target that is a client of a cluster's API server.
func (k *Clusters) lent(ctx context.Context, name string, options url.Values, open opener) (harness.Target, error) {
	return k.on(ctx, name, options, func(_ *kindplugin.Cluster, o kube.Options) (harness.Target, error) { return onKubeconfig(ctx, o, open) })
}

// on opens a target on a cluster. It deletes the cluster with the target if it was created for it.
func (k *Clusters) on(ctx context.Context, name string, options url.Values, open func(*kindplugin.Cluster, kube.Options) (harness.Target, error)) (harness.Target, error) {
	c, leave, err := k.Use(ctx, name, KindOptions(options))
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
	if name == "" && !options.Has(OptKeep) { // the cluster's content goes with it
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
