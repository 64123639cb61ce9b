package main

import (
	"context"
	"fmt"

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

// openKube opens "PATH?context=NAME&resource=NAME", each part optional.
func openKube(ctx context.Context, arg string) (harness.Target, error) {
	path, options, err := clusterArg(arg)
	if err != nil {
		return harness.Target{}, err
	}
	for name := range options {
		if name != "context" && name != "resource" {
			return harness.Target{}, fmt.Errorf("unknown option %q: there are context and resource", name)
		}
	}
	return kube.Open(ctx, kube.Options{Kubeconfig: path, Context: options.Get("context"), Resource: options.Get("resource")})
}
