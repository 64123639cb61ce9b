// Command perturb changes histories of real implementations in every single way, one change at a time, and prints which rules notice each.
// It ends with status 1 if neither a rule nor an excuse explains a change. `go run ./hack/perturb` takes more than ten minutes. It changes a sample:
// that some change needs each excuse is seen only with all of them, by the tests with LWTEST_FULL=every.
package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	goldens "github.com/lwtest/lwtest/conformance/golden"
	informers "github.com/lwtest/lwtest/conformance/informer/golden"
	clients "github.com/lwtest/lwtest/conformance/listerwatcher/golden"
	stores "github.com/lwtest/lwtest/conformance/store/golden"
	watchcache "github.com/lwtest/lwtest/conformance/watchcache/golden"
	"github.com/lwtest/lwtest/harness/history"
)

// recorded is a kind with histories of real implementations.
type recorded struct {
	from    string // what was recorded, for people
	load    func() (map[string]map[string]*history.History, error)
	table   func(all map[string]map[string]*history.History, excuses []goldens.Excuse, sample goldens.Sample) ([]goldens.Line, []int)
	excuses []goldens.Excuse
}

var recordings = []recorded{
	{"a real kube-apiserver", watchcache.Load, watchcache.Table, watchcache.Excuses},
	{"client-go's stores", stores.Load, stores.Table, stores.Excuses},
	{"client-go's lists and watches", clients.Load, clients.Table, clients.Excuses},
	{"client-go's informers", informers.Load, informers.Table, informers.Excuses},
}

func main() {
	unexplained := false
	for _, r := range recordings {
		ok, err := r.print()
		if err != nil {
			fmt.Fprintln(os.Stderr, "perturb:", err)
			os.Exit(3)
		}
		unexplained = unexplained || !ok
	}
	if unexplained {
		os.Exit(1)
	}
}

// print prints what became of each change, and reports whether all are explained.
func (r recorded) print() (bool, error) {
	all, err := r.load()
	if err != nil {
		return false, err
	}
	fmt.Fprintf(os.Stderr, "perturbing the histories of %s …\n", r.from)
	lines, _ := r.table(all, r.excuses, goldens.Some)
	fmt.Printf("\nHistories of %s (%s), changed in every single way:\n\n", r.from, strings.Join(slices.Sorted(maps.Keys(all)), ", "))
	if err := goldens.Print(os.Stdout, lines); err != nil {
		return false, err
	}
	fmt.Printf("\n%s\n", goldens.Sum(lines))
	return explained(lines), nil
}

// explained reports whether a rule or an excuse explains each change.
func explained(lines []goldens.Line) bool {
	return !slices.ContainsFunc(lines, func(l goldens.Line) bool { return l.Example != "" })
}
