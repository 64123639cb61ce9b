package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/fake"
	"github.com/lwtest/lwtest/plugins/kube"
)

// opener makes a target of a client, on servers that it is given, which have these features.
type opener func(server func(*harness.T) (rig.Server, error), has ...harness.Feature) (harness.Target, error)

// onServer opens a client's target on lwtest's own API server, or on what its connect string names instead.
func onServer(ctx context.Context, arg string, open opener) (harness.Target, error) {
	if arg == "" {
		t, err := open(fake.Server, append(fake.ServerFeatures, harness.VirtualTime)...)
		return whose(t, "lwtest's own API server"), err
	}
	o, err := serverOptions(arg)
	if err != nil {
		return harness.Target{}, err
	}
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

// serverScheme is the one way to name a server.
const serverScheme = "kubeconfig"

// checkServer refuses what --server cannot mean.
func checkServer(s string) error {
	rest, ok := strings.CutPrefix(s, serverScheme)
	switch {
	case rest == ":": // of a variable that is not set
		return usagef("--server is %q, and nothing follows the colon: say %s:PATH, or %s alone for what kubectl would use; is a variable not set?", s, serverScheme, serverScheme)
	case !ok || rest != "" && rest[0] != ':' && rest[0] != '?':
		return usagef("--server is %q: say %s:PATH; left out, it is lwtest's own", s, serverScheme)
	}
	return nil
}

// serverOptions reads what stands after the colon of a client's connect string: kubeconfig:PATH?context=NAME, with
// path and options as they are in the target kubeconfig.
func serverOptions(arg string) (kube.Options, error) {
	if err := checkServer(arg); err != nil {
		return kube.Options{}, fmt.Errorf("the server %q cannot be given to a client: %w", arg, err)
	}
	path, options, err := clusterArg(strings.TrimPrefix(strings.TrimPrefix(arg, serverScheme), ":"))
	if err != nil {
		return kube.Options{}, err
	}
	for name := range options {
		if name != "context" {
			return kube.Options{}, fmt.Errorf("unknown option %q: of a server that a client is given there is context alone", name)
		}
	}
	return kube.Options{Kubeconfig: path, Context: options.Get("context")}, notSeveral(path)
}

// notSeveral refuses a list of files in place of one.
func notSeveral(path string) error {
	if _, err := os.Stat(path); err != nil && strings.ContainsRune(path, os.PathListSeparator) {
		return fmt.Errorf("there is no file %s: is it a list of files, from $KUBECONFIG? Say kubeconfig alone, which reads all of them as kubectl does", path)
	}
	return nil
}
