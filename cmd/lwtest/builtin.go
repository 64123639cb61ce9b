package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/fake"
	"github.com/lwtest/lwtest/plugins/fakeclientset"
	"github.com/lwtest/lwtest/plugins/kube"
	hostile "github.com/lwtest/lwtest/plugins/mutants/watchcache"
)

// targets is the one list of what can be tested.
var targets = []scheme{
	{name: "fake", arg: "[VARIANT]", help: "lwtest's own API server; fake:mutant/NAME breaks one rule, fake:oddity/NAME is odd but correct", open: fake.Open},
	{name: "go:fakeclientset", help: "client-go's kubernetes/fake", open: fakeclientset.Open},
	{name: "kubeconfig", arg: "[PATH]", cluster: true, help: "any API server; without a path what kubectl would use", open: openKube},
	{name: "hostile", arg: "NAME", hidden: true, open: hostile.Open},
}

// defaults are tested where nothing is named.
var defaults = []string{"fake", "go:fakeclientset"}

// kinds is the one list of suites.
var kinds = []kind{
	{about: watchcache.Suite.Describe(), normalise: replay.Normalise},
}

// clusterOptions are what may follow a cluster's connect string, each of them a flag, too.
var clusterOptions = []string{"context", "resource", "etcd", "restart-cmd"}

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
	return kube.Open(ctx, kube.Options{Kubeconfig: path, Context: options.Get("context"), Resource: options.Get("resource"),
		Etcd: options.Get("etcd"), RestartCmd: options.Get("restart-cmd")})
}
