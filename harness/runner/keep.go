package runner

import (
	"bufio"
	"os"
	"path/filepath"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/report"
)

// keeps reports whether to keep the history of a result: always if keep is report.KeepAll, otherwise if the result is
// inconclusive or a failure that is not known.
func keeps(keep string, known []harness.Known, res harness.Result) bool {
	switch {
	case keep == report.KeepAll, res.Verdict == harness.Inconclusive:
		return true
	case res.Verdict != harness.Fail:
		return false
	}
	one := []harness.Result{res}
	_ = harness.Cover(known, one) // stale lines are reported at the end of the run
	return one[0].Known == ""
}

// save writes a history, compressed. It replaces the file atomically.
func save(h *history.History, file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return report.WriteFile(file, h.WriteCompressed)
}

// readLog reads the events that a worker left.
func readLog(file string) (*history.History, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return history.ReadLog(bufio.NewReader(f))
}
