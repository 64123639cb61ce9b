package report

import (
	"encoding/json"
	"strings"

	"github.com/lwtest/lwtest/harness"
)

// cover holds results of kinds against known failures and returns the stale lines.
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

// compile makes lines that were read from a report usable again.
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
