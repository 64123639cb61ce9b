// Package golden has histories recorded from client-go's stores and queues, and
// perturbs them to see whether the rules notice.
package golden

import (
	"embed"
	"runtime"
	"slices"
	"sync"

	"github.com/lwtest/lwtest/conformance/golden"
	"github.com/lwtest/lwtest/conformance/store"
	"github.com/lwtest/lwtest/harness/history"
)

//go:embed testdata
var files embed.FS

// Load reads all goldens: by recording (the store, and its version), then by
// check, without its kind.
func Load() (map[string]map[string]*history.History, error) { return golden.Load(files) }

// Concurrent are the checks with several actors at once: what one of them may
// have been given is not known so well, and there is a lot of it.
var Concurrent = []string{"replace/atomic", "concurrent/linearizable"}

// Table perturbs the histories of all recordings, judges each perturbation, and
// gives a line for each way and class. used counts what each excuse was needed
// for.
func Table(all map[string]map[string]*history.History, excuses []golden.Excuse, sample golden.Sample) (lines []golden.Line, used []int) {
	kind := store.Suite.Describe()
	t := golden.NewTable(excuses)
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for from, hs := range all {
		for name, h := range hs {
			sample := sample
			if slices.Contains(Concurrent, name) && sample != golden.Every {
				sample = golden.First
			}
			slots <- struct{}{}
			wg.Go(func() {
				defer func() { <-slots }()
				for p := range Perturb(h, sample) {
					t.Add(from+", "+name, p, golden.Flagged(kind, p.History), false)
				}
			})
		}
	}
	wg.Wait()
	return t.Lines()
}
