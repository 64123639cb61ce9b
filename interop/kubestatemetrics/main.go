// Command kubestatemetrics puts kube-state-metrics' copy of a resource to lwtest's suites: its MetricsStore, a cache.Store of
// its own that keeps nothing but text, alone and behind a reflector as its builder wires it. Its argument says which.
//
//	go build -o kubestatemetrics . && lwtest run --target 'exec:./kubestatemetrics informer'
package main

import (
	"fmt"
	"os"

	"github.com/lwtest/lwtest/plugins/adapter"
)

// ways are what it can be put to the test by.
var ways = map[string]func(*adapter.Adapter){
	"store":    offerStore,
	"informer": func(a *adapter.Adapter) { offerInformer(a, false) },
	"informer-cached": func(a *adapter.Adapter) { // --use-apiserver-cache
		offerInformer(a, true)
	},
}

func main() {
	if len(os.Args) == 2 && ways[os.Args[1]] != nil {
		a := adapter.Adapter{Implementation: "kube-state-metrics " + os.Args[1], Version: adapter.ModuleVersion("k8s.io/kube-state-metrics/v2")}
		ways[os.Args[1]](&a)
		adapter.Main(a)
	}
	fmt.Fprintln(os.Stderr, "say what of kube-state-metrics: store, informer or informer-cached")
	os.Exit(2)
}
