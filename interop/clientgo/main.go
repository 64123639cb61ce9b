// Command clientgo puts client-go to lwtest's suites from a process of its own: whichever client-go go.mod says. Its
// argument says what of it.
//
//	go build -o DIR/clientgo . && lwtest run --target 'exec:DIR/clientgo shared-informer'
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/lwtest/lwtest/plugins/adapter"
)

// way is what of client-go can be put to the test.
type way struct {
	name, about string
	offer       func(*adapter.Adapter)
}

// ways are those of every version, and those that not every version has as they are asked for here.
var ways = append([]way{
	{"store", "cache.Store", offerStore},
	{"indexer", "cache.Indexer", offerIndexer},
	{"thread-safe-store", "cache.ThreadSafeStore", offerThreadSafeStore},
	{"shared-informer", "SharedIndexInformer on NewFilteredListWatchFromClient", offerSharedInformer},
	{"shared-informer-lists", "SharedIndexInformer without streaming lists", offerSharedInformerLists},
}, append(laterWays, contextWays...)...)

func main() {
	if len(os.Args) == 2 {
		for _, w := range ways {
			if w.name == os.Args[1] {
				a := adapter.Adapter{Implementation: "client-go " + w.name, Version: adapter.ModuleVersion("k8s.io/client-go")}
				w.offer(&a)
				adapter.Main(a)
			}
		}
	}
	var all []string
	for _, w := range ways {
		all = append(all, fmt.Sprintf("  %-22s %s\n", w.name, w.about))
	}
	fmt.Fprintf(os.Stderr, "say what of client-go: one of\n%s", strings.Join(all, ""))
	os.Exit(2)
}
