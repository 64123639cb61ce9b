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
	"github.com/lwtest/lwtest/interop/apiserver/program"
	"github.com/lwtest/lwtest/interop/apiserver/registry"
	"github.com/lwtest/lwtest/plugins/adapter"
)

func main() {
	args := os.Args[1:]
	if len(args) == 0 || !slices.Contains(program.Names(), args[0]) {
		registry.Main(func(cached bool) (adapter.Serving, error) { return serve(cached, etcd.Start) })
		return
	}
	if len(args) < 3 || len(args) > 4 || len(args) == 4 && args[3] != "cacher" {
		fmt.Fprintf(os.Stderr, "say the path of the program, its version, and \"cacher\" for a watch cache above it: %s PATH VERSION [cacher]\n", args[0])
		os.Exit(2)
	}
	over(args[0], args[1], args[2], len(args) == 4)
}

// over puts a program that speaks etcd's protocol below the storage: what is judged is what an API server makes of it.
func over(name, path, version string, cached bool) {
	part := "etcd3"
	if cached {
		part = "cacher"
	}
	adapter.Main(adapter.Adapter{Implementation: name + " below k8s.io/apiserver " + part, Version: version, WatchCache: adapter.WatchCacheOffer{
		Features: registry.Features(cached),
		Serve: func() (adapter.Serving, error) {
			return serve(cached, func() (string, func(), error) { return program.Start(name, path) })
		},
	}})
}

func serve(cached bool, start func() (string, func(), error)) (adapter.Serving, error) {
	address, end, err := start()
	if err != nil {
		return nil, err
	}
	return registry.Start(registry.Options{Etcd: address, Close: end, Cached: cached})
}
