package report

import (
	"encoding/json"
	"strings"

	"github.com/lwtest/lwtest/harness"
)

// cover marks results that the known failures cover and returns the stale ones.
func cover(known []harness.Known, results []harness.Result, kinds []*harness.Kind) []string {
	if len(known) == 0 {
		return nil
	}
	var all []string
	for _, k := range kinds {
		all = append(all, k.Addresses()...)
	}
	if err := harness.Cover(known, results, all...); err != nil {
		return strings.Split(err.Error(), "\n")
	}
	return nil
}

// compile makes known failures that were read from a report usable.
func compile(lines []harness.Known) ([]harness.Known, error) {
	if len(lines) == 0 {
		return nil, nil
	}
	b, err := json.Marshal(lines)
	if err != nil {
		return nil, err
	}
	return harness.ParseKnown("known failures of the run", b)
}
