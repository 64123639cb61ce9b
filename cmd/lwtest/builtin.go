package main

import (
	"context"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/conformance/listerwatcher"
	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/conformance/store"
	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/clientgo"
	"github.com/lwtest/lwtest/plugins/clientgo/informers"
	"github.com/lwtest/lwtest/plugins/clientgo/listwatch"
	"github.com/lwtest/lwtest/plugins/exec"
	"github.com/lwtest/lwtest/plugins/fake"
	"github.com/lwtest/lwtest/plugins/fakeclientset"
	"github.com/lwtest/lwtest/plugins/kube"
	clients "github.com/lwtest/lwtest/plugins/mutants/listerwatcher"
	stores "github.com/lwtest/lwtest/plugins/mutants/store"
	hostile "github.com/lwtest/lwtest/plugins/mutants/watchcache"
)

// targets is the one list of what can be tested; kind clusters are those of k.
func targets(k *clusters) []scheme {
	return slices.Concat(servers(), clientGo(), ways(listerwatcher.Suite.Kind, "client-go's list and watch calls: ", k, listwatch.Names(), listwatch.About, listwatch.Target),
		ways(informer.Suite.Kind, "client-go's copy of a resource: ", k, informers.Names(), informers.About, informers.Target), clusterTargets(k), own())
}

func servers() []scheme {
	return []scheme{
		{name: "fake", arg: "[VARIANT]", help: "lwtest's own API server; fake:mutant/NAME breaks one rule, fake:oddity/NAME is odd but correct, fake:http is asked over HTTP", open: openFake},
		{name: "go:fakeclientset", help: "client-go's kubernetes/fake", open: fakeclientset.Open},
	}
}

// clusterTargets are API servers that others wrote.
func clusterTargets(k *clusters) []scheme {
	return []scheme{
		{name: "kubeconfig", arg: "[PATH]", options: []string{optContext, optResource, optEtcd, optRestart}, help: "any API server; without a path what kubectl would use", open: openKube},
		{name: kindServer, arg: "[NAME]", suite: watchcache.Suite.Kind, options: []string{optResource, optImage, optConfig, optKindEtcd, optKeep, optRestart}, help: "a cluster of kind's: made for the run and deleted after it, or with a NAME one that is there", open: k.open},
	}
}

// own are those that lwtest brings, and what is spoken to by a protocol.
func own() []scheme {
	return []scheme{
		{name: "store", arg: "NAME", help: "lwtest's own stores and queues: mutant/NAME breaks one rule, oddity/NAME is odd but correct", open: stores.Open},
		{name: "listwatch", arg: "NAME", help: "client-go's list and watch calls: mutant/NAME breaks one rule, oddity/NAME is odd but correct", open: func(_ context.Context, arg string) (harness.Target, error) {
			clientgo.Quiet()
			return clients.Open(arg, fake.Server, fake.ServerFeatures...)
		}},
		{name: "informer", arg: "NAME", help: "lwtest's own informers: mutant/NAME breaks one rule, oddity/NAME is odd but correct", open: func(_ context.Context, arg string) (harness.Target, error) {
			clientgo.Quiet()
			return ownInformers.Find(arg)
		}},
		{name: "exec", arg: "COMMAND", help: "an implementation in a process of its own, in any language: an adapter that speaks lines of JSON (docs/protocol.md)", open: exec.Open},
		{name: "hostile", arg: "NAME", hidden: true, open: hostile.Open},
	}
}

// clientGo are client-go's own parts.
func clientGo() []scheme {
	var out []scheme
	for _, t := range clientgo.Targets() {
		out = append(out, scheme{name: t.Name, help: t.Help, open: t.Open})
	}
	return out
}

// ways are those in which client-go does something against an API server.
func ways(suite, help string, k *clusters, names []string, about func(string) string,
	open func(string, func(*harness.T) (rig.Server, error), ...harness.Feature) (harness.Target, error)) []scheme {
	var out []scheme
	for _, name := range names {
		out = append(out, scheme{name: "go:client-go/" + name, server: true, suite: suite, help: help + about(name), open: func(ctx context.Context, arg string) (harness.Target, error) {
			return k.onServer(ctx, arg, func(server func(*harness.T) (rig.Server, error), has ...harness.Feature) (harness.Target, error) {
				return open(name, server, has...)
			})
		}})
	}
	return out
}

// defaults are tested where nothing is named.
var defaults = []string{"fake", "go:fakeclientset", "go:client-go/store", "go:client-go/indexer", "go:client-go/thread-safe-store", "go:client-go/delta-fifo",
	"go:client-go/real-fifo", "go:client-go/real-fifo-atomic", "go:client-go/undelta-store", "go:client-go/expiration-cache",
	"go:client-go/typed", "go:client-go/typed-protobuf", "go:client-go/dynamic", "go:client-go/metadata", "go:client-go/list-watch",
	"go:client-go/factory-list-watch", "go:client-go/pager", "go:client-go/pager-each", "go:client-go/retry-watcher", "go:client-go/until", "go:client-go/until-with-sync", "go:client-go/until-without-retry",
	"go:client-go/shared-informer", "go:client-go/shared-informer-lists", "go:client-go/factory-typed", "go:client-go/factory-typed-lists", "go:client-go/factory-typed-protobuf",
	"go:client-go/factory-dynamic", "go:client-go/factory-metadata", "go:client-go/reflector-store", "go:client-go/reflector-pages", "go:client-go/reflector-undelta",
	"go:client-go/reflector-delta-fifo", "go:client-go/reflector-real-fifo", "go:client-go/new-informer"}

// kinds is the one list of suites.
var kinds = []kind{
	{about: watchcache.Suite.Describe(), normalise: replay.Normalise, readable: replay.Readable},
	{about: store.Suite.Describe(), readable: store.Readable},
	{about: listerwatcher.Suite.Describe(), readable: listerwatcher.Readable},
	{about: informer.Suite.Describe(), readable: informer.Readable},
}

// What may follow a cluster's connect string, each of them a flag, too.
const (
	optContext  = "context"
	optResource = "resource"
	optEtcd     = "etcd"
	optRestart  = "restart-cmd"
	optImage    = "kind-image"
	optConfig   = "kind-config"
	optKindEtcd = "kind-etcd"
	optKeep     = "keep"
)

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
	if err := notSeveral(path); err != nil {
		return harness.Target{}, err
	}
	return kube.Open(ctx, kube.Options{Kubeconfig: path, Context: options.Get(optContext), Resource: options.Get(optResource),
		Etcd: options.Get(optEtcd), RestartCmd: options.Get(optRestart)})
}
