// Command apiserver puts k8s.io/apiserver to lwtest's suite of servers, from a process of its own: whichever version go.mod says. Its arguments
// say what of it, and over which etcd.
//
//	go build -o DIR/apiserver . && lwtest run --suite watchcache --target 'exec:DIR/apiserver cacher'
package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/lwtest/lwtest/interop/apiserver/etcd"
	"github.com/lwtest/lwtest/interop/apiserver/memory"
	"github.com/lwtest/lwtest/interop/apiserver/program"
	"github.com/lwtest/lwtest/interop/apiserver/registry"
	"github.com/lwtest/lwtest/plugins/adapter"
)

func main() {
	args := os.Args[1:]
	switch {
	case len(args) > 0 && args[0] == "memory":
		cached := cacher("memory [cacher]", args[1:])
		over("memory", adapter.ModuleVersion("k8s.io/apiserver"), cached, inMemory)
	case len(args) > 0 && slices.Contains(program.Names(), args[0]):
		usage := args[0] + " PATH VERSION [cacher]"
		if len(args) < 3 {
			wrong(usage)
		}
		over(args[0], args[2], cacher(usage, args[3:]), func() (string, func(), error) { return program.Start(args[0], args[1]) })
	default:
		registry.Main(func(cached bool) (adapter.Serving, error) { return serve(cached, etcd.Start) })
	}
}

// cacher reports whether the last arguments ask for a watch cache.
func cacher(usage string, args []string) bool {
	if len(args) > 1 || len(args) == 1 && args[0] != "cacher" {
		wrong(usage)
	}
	return len(args) == 1
}

func wrong(usage string) {
	fmt.Fprintf(os.Stderr, "say what is below the storage, and \"cacher\" for a watch cache above it: %s\n", usage)
	os.Exit(2)
}

// inMemory starts an etcd of package memory.
func inMemory() (string, func(), error) {
	s, err := memory.Start(memory.Options{})
	if err != nil {
		return "", nil, err
	}
	return s.Endpoint(), s.Close, nil
}

// over puts what speaks etcd's protocol below the storage: what is judged is what an API server makes of it.
func over(name, version string, cached bool, start func() (string, func(), error)) {
	part := "etcd3"
	if cached {
		part = "cacher"
	}
	adapter.Main(adapter.Adapter{Implementation: "k8s.io/apiserver " + part + " over " + name, Version: version, WatchCache: adapter.WatchCacheOffer{
		Features: registry.Features(cached), Serve: func() (adapter.Serving, error) { return serve(cached, start) },
	}})
}

func serve(cached bool, start func() (string, func(), error)) (adapter.Serving, error) {
	address, end, err := start()
	if err != nil {
		return nil, err
	}
	return registry.Start(registry.Options{Etcd: address, Close: end, Cached: cached})
}
