package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/fake"
	"github.com/lwtest/lwtest/plugins/kube"
)

// opener makes a target of a client, on servers that it is given, which have these features.
type opener func(server func(*harness.T) (rig.Server, error), has ...harness.Feature) (harness.Target, error)

// serverSchemes are the ways to name a server that a client is given, with the options of each.
var serverSchemes = map[string][]string{kubeconfigServer: {optContext}, kindServer: making}

// making are the options of a cluster that is made.
var making = []string{optImage, optConfig, optKeep}

const (
	kubeconfigServer = "kubeconfig"
	kindServer       = "kind"
)

// onServer opens a client's target on lwtest's own API server, or on what its connect string names instead.
func (k *clusters) onServer(ctx context.Context, arg string, open opener) (harness.Target, error) {
	if arg == "" {
		t, err := open(fake.Server, append(fake.ServerFeatures, harness.VirtualTime)...)
		return whose(t, "lwtest's own API server"), err
	}
	sort, name, options, err := serverArg(arg)
	if err != nil {
		return harness.Target{}, err
	}
	if sort == kindServer {
		return k.lent(ctx, name, options, open)
	}
	return onKubeconfig(ctx, kube.Options{Kubeconfig: name, Context: options.Get(optContext)}, open)
}

func onKubeconfig(ctx context.Context, o kube.Options, open opener) (harness.Target, error) {
	servers, err := kube.OpenServers(ctx, o)
	if err != nil {
		return harness.Target{}, err
	}
	t, err := open(servers.Server)
	return servers.Lend(whose(t, servers.String())), err
}

// whose says in the name of a plugin which server it was given.
func whose(t harness.Target, server string) harness.Target {
	for i := range t.Cases {
		t.Cases[i].Plugin += ", on " + server
	}
	return t
}

// checkServer refuses what --server cannot mean.
func checkServer(s string) error {
	for name := range serverSchemes {
		rest, ok := strings.CutPrefix(s, name)
		switch {
		case ok && rest == ":": // of a variable that is not set
			return usagef("--server is %q, and nothing follows the colon: say %s, or %s alone; is a variable not set?", s, serverForms, name)
		case ok && (rest == "" || rest[0] == ':' || rest[0] == '?'):
			return nil
		}
	}
	return usagef("--server is %q: say %s; left out, it is lwtest's own", s, serverForms)
}

const serverForms = kubeconfigServer + ":PATH or " + kindServer + ":NAME"

// serverArg reads what stands after the colon of a client's connect string: kubeconfig:PATH?context=NAME or
// kind:NAME?keep=yes, with names and options as they are in the targets kubeconfig and kind.
func serverArg(arg string) (sort, name string, options url.Values, err error) {
	if err := checkServer(arg); err != nil {
		return "", "", nil, fmt.Errorf("the server %q cannot be given to a client: %w", arg, err)
	}
	whole, options, err := clusterArg(arg)
	if err != nil {
		return "", "", nil, err
	}
	sort, name, _ = strings.Cut(whole, ":")
	if sort == kubeconfigServer {
		err = notSeveral(name)
	}
	return sort, name, options, err
}

// notSeveral refuses a list of files in place of one.
func notSeveral(path string) error {
	if _, err := os.Stat(path); err != nil && strings.ContainsRune(path, os.PathListSeparator) {
		return fmt.Errorf("there is no file %s: is it a list of files, from $KUBECONFIG? Say kubeconfig alone, which reads all of them as kubectl does", path)
	}
	return nil
}
