// Command ctrlruntime puts controller-runtime to lwtest's suites from a process of its own: whichever controller-runtime
// go.mod says, since 0.15. Its argument says what of it.
//
//	go build -o DIR/ctrlruntime . && lwtest run --target 'exec:DIR/ctrlruntime fake-client'
package main

import (
	"fmt"
	"os"

	"github.com/lwtest/lwtest/plugins/adapter"
)

func main() {
	if how := misused(os.Args[1:]); how != "" {
		fmt.Fprint(os.Stderr, how)
		os.Exit(2)
	}
	adapter.Main(adapter.Adapter{Implementation: "controller-runtime fake-client", Version: adapter.ModuleVersion("sigs.k8s.io/controller-runtime"), WatchCache: fakeClient})
}

// misused says how else it is to be called; "": it is called as it should be.
func misused(args []string) string {
	switch {
	case len(args) == 1 && args[0] == "fake-client":
		return ""
	case len(args) == 1 && args[0] == "cache":
		return "the cache is not here, and --module does not reach it: it is in interop/controllerruntime, which is built with lwtest itself. There, since 0.25:\n" +
			"  GOWORK=off go get sigs.k8s.io/controller-runtime@VERSION && GOWORK=off go build -o DIR/controllerruntime ./exec\n" +
			"  lwtest run --suite informer --target 'exec:DIR/controllerruntime cache'\n"
	}
	return "say what of controller-runtime:\n  fake-client  pkg/client/fake, with pods, which have a status of their own\n"
}
