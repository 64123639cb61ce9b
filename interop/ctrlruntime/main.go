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
	if len(os.Args) != 2 || os.Args[1] != "fake-client" {
		fmt.Fprint(os.Stderr, "say what of controller-runtime:\n  fake-client  pkg/client/fake, with pods, which have a status of their own\n")
		os.Exit(2)
	}
	adapter.Main(adapter.Adapter{Implementation: "controller-runtime fake-client", Version: adapter.ModuleVersion("sigs.k8s.io/controller-runtime"), WatchCache: fakeClient})
}
