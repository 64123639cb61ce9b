// Package golden has histories recorded from list and watch calls of client-go, and
// perturbs them to see whether the rules notice.
package golden

import (
	"embed"
	"runtime"
	"strings"
	"sync"

	"github.com/lwtest/lwtest/conformance/golden"
	"github.com/lwtest/lwtest/conformance/listerwatcher"
	"github.com/lwtest/lwtest/harness/history"
)

//go:embed testdata
var files embed.FS

// Load reads all goldens: by recording (the way of calling, and whose server it was
// given), then by check, without its kind.
func Load() (map[string]map[string]*history.History, error) { return golden.Load(files) }

//go:embed leftout.txt
var leftOut string

// LeftOut are the recordings and checks that are not kept, by the reason: each a line, a tab between.
func LeftOut() map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(leftOut) {
		check, why, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		out[check] = why
	}
	return out
}

// Table perturbs the histories of all recordings, judges each perturbation, and
// gives a line for each way and class. used counts what each excuse was needed
// for.
func Table(all map[string]map[string]*history.History, excuses []golden.Excuse, sample golden.Sample) (lines []golden.Line, used []int) {
	kind := listerwatcher.Suite.Describe()
	t := golden.NewTable(excuses)
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
