// Package golden has histories recorded from client-go's stores and queues, and
// perturbs them to see whether the rules notice.
package golden

import (
	"embed"
	"iter"
	"slices"

	"github.com/lwtest/lwtest/conformance/golden"
	"github.com/lwtest/lwtest/conformance/store"
	"github.com/lwtest/lwtest/harness/history"
)

//go:embed testdata
var files embed.FS

// Load reads all goldens: by recording (the store, and its version), then by
// check, without its kind.
func Load() (golden.Recordings, error) { return golden.Load(files) }

// Concurrent are the checks with several actors at once: what one of them may
// have been given is not known so well, and there is a lot of it.
var Concurrent = []string{"replace/atomic", "concurrent/linearizable", "concurrent/linearizable/readers", "concurrent/linearizable/at-once", "concurrent/linearizable/batches", "concurrent/linearizable/bookmarks", "concurrent/linearizable/add-late", "version/told/beside", "undelta/push/beside", "queue/order/beside", "queue/order/beside/batch", "queue/order/consumers", "queue/close/two", "queue/close/two/log", "queue/close/two/atomic"}

// Table perturbs the histories of all recordings, judges each perturbation, and
// gives a line for each way and class. used counts what each excuse was needed
// for.
func Table(all golden.Recordings, excuses []golden.Excuse, sample golden.Sample) (lines []golden.Line, used []int) {
	return golden.Tabulate(store.Suite.Describe(), all, excuses, func(check string, h *history.History) iter.Seq[golden.Perturbation] {
		if slices.Contains(Concurrent, check) && sample != golden.Every {
			return Perturb(h, golden.First)
		}
		return Perturb(h, sample)
	})
}
