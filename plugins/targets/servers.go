package targets

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"

	"k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/fake"
	kindplugin "github.com/lwtest/lwtest/plugins/kind"
	"github.com/lwtest/lwtest/plugins/kube"
)

// opener opens a target that is a client of servers, which have these features.
type opener func(server func(*harness.T) (rig.Server, error), has ...harness.Feature) (harness.Target, error)

// serverSchemes holds the schemes of --server with the options of each.
var serverSchemes = map[string][]string{kubeconfig: {OptContext}, Kind: Making}

// Making holds the options of a cluster that is created.
var Making = []string{OptImage, OptConfig, OptKeep}

const (
	kubeconfig = "kubeconfig"
	Kind       = "kind" // the scheme of kind clusters
)

// onServer opens a target that is a client, on lwtest's own API server or on the one that arg names.
func (k *Clusters) onServer(ctx context.Context, arg string, open opener) (harness.Target, error) {
	if arg == "" {
		t, err := open(fake.Server, append(fake.ServerFeatures, harness.VirtualTime)...)
		return whose(t, "lwtest's own API server"), err
	}
	sort, name, options, err := serverArg(arg)
	if err != nil {
		return harness.Target{}, err
	}
	if sort == Kind {
		return k.lent(ctx, name, options, open)
	}
	return onKubeconfig(ctx, kube.Options{Kubeconfig: name, Context: options.Get(OptContext)}, open)
}

func onKubeconfig(ctx context.Context, o kube.Options, open opener) (harness.Target, error) {
	servers, err := kube.OpenServers(ctx, o)
	if err != nil {
		return harness.Target{}, err
	}
	t, err := open(servers.Server)
	return servers.Lend(whose(t, servers.String())), err
}

// onCluster opens a target on the cluster that a value of --server names.
func (k *Clusters) onCluster(ctx context.Context, server, of string, open func(*rest.Config) (harness.Target, error)) (harness.Target, error) {
	sort, name, options, err := serverArg(server)
	if err != nil {
		return harness.Target{}, err
	}
	if sort == Kind {
		return k.on(ctx, name, options, func(_ *kindplugin.Cluster, o kube.Options) (harness.Target, error) {
			t, err := open(o.Config)
			t.Close, t.Release = func() (string, error) { return "", nil }, func() error { return nil }
			return t, err
		})
	}
	config, err := kube.Config(kube.Options{Kubeconfig: name, Context: of})
	if err != nil {
		return harness.Target{}, err
	}
	return open(config)
}

// whose adds the name of the server to the names of the plugins.
func whose(t harness.Target, server string) harness.Target {
	for i := range t.Cases {
		t.Cases[i].Plugin += ", on " + server
	}
	return t
}

// CheckServer returns an error for an invalid value of --server.
func CheckServer(s string) error {
	for name := range serverSchemes {
		rest, ok := strings.CutPrefix(s, name)
		switch {
		case ok && rest == ":": // the variable was not set
			return Usagef("--server is %q, and nothing follows the colon: say %s, or %s alone; is a variable not set?", s, serverForms, name)
		case ok && (rest == "" || rest[0] == ':' || rest[0] == '?'):
			return nil
		}
	}
	return Usagef("--server is %q: say %s; left out, it is lwtest's own", s, serverForms)
}

const serverForms = kubeconfig + ":PATH or " + Kind + ":NAME"

// serverArg parses the text after the colon of a client's connect string: kubeconfig:PATH?context=NAME or
// kind:NAME?keep=yes, with the names and options of the targets kubeconfig and kind.
func serverArg(arg string) (sort, name string, options url.Values, err error) {
	if err := CheckServer(arg); err != nil {
		return "", "", nil, fmt.Errorf("the server %q cannot be given to a client: %w", arg, err)
	}
	whole, options, err := Split(arg)
	if err != nil {
		return "", "", nil, err
	}
	sort, name, _ = strings.Cut(whole, ":")
	if sort == kubeconfig {
		err = notSeveral(name)
	}
	return sort, name, options, err
}

// notSeveral returns an error if path is a list of files.
func notSeveral(path string) error {
	if _, err := os.Stat(path); err != nil && strings.ContainsRune(path, os.PathListSeparator) {
		return fmt.Errorf("there is no file %s: is it a list of files, from $KUBECONFIG? Say kubeconfig alone, which reads all of them as kubectl does", path)
	}
	return nil
}
