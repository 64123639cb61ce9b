// Package golden has histories recorded from list and watch calls of client-go, and
// perturbs them to see whether the rules notice.
package golden

import (
	"embed"
	"iter"

	"github.com/lwtest/lwtest/conformance/golden"
	"github.com/lwtest/lwtest/conformance/listerwatcher"
	"github.com/lwtest/lwtest/harness/history"
)

//go:embed testdata
var files embed.FS

// Load reads all goldens: by recording (the way of calling), then by check, without its kind.
func Load() (golden.Recordings, error) { return golden.Load(files) }

// Table perturbs the histories of all recordings, judges each perturbation, and
// gives a line for each way and class. used counts what each excuse was needed
// for.
func Table(all golden.Recordings, excuses []golden.Excuse, sample golden.Sample) (lines []golden.Line, used []int) {
	return golden.Tabulate(listerwatcher.Suite.Describe(), all, excuses, func(_ string, h *history.History) iter.Seq[golden.Perturbation] { return Perturb(h, sample) })
}
