package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/store"
	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/clientgo"
	"github.com/lwtest/lwtest/plugins/fake"
	"github.com/lwtest/lwtest/plugins/fakeclientset"
	"github.com/lwtest/lwtest/plugins/kube"
	stores "github.com/lwtest/lwtest/plugins/mutants/store"
	hostile "github.com/lwtest/lwtest/plugins/mutants/watchcache"
)

// targets is the one list of what can be tested.
var targets = slices.Concat(servers, clients, []scheme{
	{name: "hostile", arg: "NAME", hidden: true, open: hostile.Open},
	{name: "store", arg: "NAME", hidden: true, open: stores.Open},
})

// servers are what serves lists, watches and writes.
var servers = []scheme{
	{name: "fake", arg: "[VARIANT]", help: "lwtest's own API server; fake:mutant/NAME breaks one rule, fake:oddity/NAME is odd but correct, fake:http is asked over HTTP", open: openFake},
	{name: "go:fakeclientset", help: "client-go's kubernetes/fake", open: fakeclientset.Open},
	{name: "kubeconfig", arg: "[PATH]", cluster: true, help: "any API server; without a path what kubectl would use", open: openKube},
}

// clients are what runs in the process of a controller.
var clients = clientGo()

func clientGo() []scheme {
	var out []scheme
	for _, t := range clientgo.Targets() {
		out = append(out, scheme{name: t.Name, help: t.Help, open: t.Open})
	}
	return out
}

// defaults are tested where nothing is named.
var defaults = append([]string{"fake", "go:fakeclientset"}, namesOf(clients)...)

func namesOf(all []scheme) []string {
	var out []string
	for _, s := range all {
		out = append(out, s.name)
	}
	return out
}

// kinds is the one list of suites.
var kinds = []kind{
	{about: watchcache.Suite.Describe(), normalise: replay.Normalise, readable: replay.Readable},
	{about: store.Suite.Describe()},
}

// clusterOptions are what may follow a cluster's connect string, each of them a flag, too.
var clusterOptions = []string{"context", "resource", "etcd", "restart-cmd"}

// openFake opens what stands after "fake:".
func openFake(ctx context.Context, arg string) (harness.Target, error) {
	if arg == "http" || strings.HasPrefix(arg, "http/") {
		return kube.OpenFake(ctx, arg)
	}
	return fake.Open(ctx, arg)
}

// openKube opens "PATH?context=NAME&resource=NAME…", each part optional.
func openKube(ctx context.Context, arg string) (harness.Target, error) {
	path, options, err := clusterArg(arg)
	if err != nil {
		return harness.Target{}, err
	}
	for name := range options {
		if !slices.Contains(clusterOptions, name) {
			return harness.Target{}, fmt.Errorf("unknown option %q: there are %s", name, strings.Join(clusterOptions, ", "))
		}
	}
	if _, err := os.Stat(path); err != nil && strings.ContainsRune(path, os.PathListSeparator) {
		return harness.Target{}, fmt.Errorf("there is no file %s: is it a list of files, from $KUBECONFIG? Say kubeconfig alone, which reads all of them as kubectl does", path)
	}
	return kube.Open(ctx, kube.Options{Kubeconfig: path, Context: options.Get("context"), Resource: options.Get("resource"),
		Etcd: options.Get("etcd"), RestartCmd: options.Get("restart-cmd")})
}
