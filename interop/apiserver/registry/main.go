package registry

import (
	"fmt"
	"os"

	"github.com/lwtest/lwtest/plugins/adapter"
)

// Main connects an API server to the suite of servers. The argument of the program says whether it has a watch cache. Main returns when lwtest has ended the session; it ends the program with status 2 for other arguments.
func Main(start func(cached bool) (adapter.Serving, error)) {
	if len(os.Args) != 2 || os.Args[1] != "cacher" && os.Args[1] != "etcd3" {
		fmt.Fprint(os.Stderr, "say what of k8s.io/apiserver:\n  cacher       the watch cache, over an etcd\n  etcd3        the storage without a watch cache, over an etcd\n")
		os.Exit(2)
	}
	cached := os.Args[1] == "cacher"
	adapter.Main(adapter.Adapter{Implementation: "k8s.io/apiserver " + os.Args[1], Version: adapter.ModuleVersion("k8s.io/apiserver"), WatchCache: adapter.WatchCacheOffer{
		Features: Features(cached), Serve: func() (adapter.Serving, error) { return start(cached) },
	}})
}
