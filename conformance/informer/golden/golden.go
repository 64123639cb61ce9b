// Package golden has histories recorded from client-go's informers, and
// perturbs them to see whether the rules notice.
package golden

import (
	"embed"
	"runtime"
	"sync"

	"github.com/lwtest/lwtest/conformance/golden"
	"github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/harness/history"
)

//go:embed testdata
var files embed.FS

// Load reads all goldens: by recording (the informer, and whose server it was
// given), then by check, without its kind.
func Load() (map[string]map[string]*history.History, error) { return golden.Load(files) }

// Table perturbs the histories of all recordings, judges each perturbation, and
// gives a line for each way and class. used counts what each excuse was needed
// for. Unless every one is asked for it takes a sample.
func Table(all map[string]map[string]*history.History, excuses []golden.Excuse, every bool) (lines []golden.Line, used []int) {
	kind := informer.Suite.Describe()
	t := golden.NewTable(excuses)
	sample := golden.Some
	if every {
		sample = golden.Every
	}
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for from, hs := range all {
		for name, h := range hs {
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
