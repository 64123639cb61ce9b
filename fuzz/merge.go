package fuzz

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/lwtest/lwtest/harness"
)

// ReadReport reads the JSON of a report. Lines of progress may stand before it, as in the log of a pod.
func ReadReport(b []byte) (*Report, error) {
	r := &Report{}
	if i := bytes.Index(b, []byte("\n{\n")); i >= 0 && !bytes.HasPrefix(b, []byte("{")) { // the log of a pod: progress comes first
		b = b[i+1:]
	}
	if err := json.Unmarshal(b, r); err != nil {
		return nil, fmt.Errorf("this is no report of lwtest fuzz: %w", harness.JSONError(err))
	}
	if r.Format != Format {
		return nil, fmt.Errorf("the field \"lwtest\" is %q: this lwtest reads reports of the format %q", r.Format, Format)
	}
	return r, nil
}

// Merge adds up reports of one kind: those of shards, or of several runs. It returns an error if the kinds differ. Triples are
// the most of any report, as nobody knows which of them are the same.
func Merge(first *Report, more ...*Report) (*Report, error) {
	sum := *first
	sum.Reached, sum.Tested, sum.Unsure, sum.Failed, sum.Progress = map[string]int{}, map[string]int{}, map[string]int{}, nil, nil
	sum.Stories, sum.Planned, sum.Idle, sum.Took, sum.Triples, sum.Covered = 0, 0, 0, 0, 0, first.Covered.clone()
	for _, r := range append([]*Report{first}, more...) {
		if r.Kind != sum.Kind {
			return nil, fmt.Errorf("one report is about the kind %s, another about %s: merge those of one kind", sum.Kind, r.Kind)
		}
		if r.Target != sum.Target {
			sum.Target = "several targets"
		}
		if r.Began.Before(sum.Began) {
			sum.Began = r.Began
		}
		sum.Stories += r.Stories
		sum.Planned += r.Planned
		sum.Idle += r.Idle
		sum.Covered.Merge(r.Covered)
		sum.Took, sum.Triples = max(sum.Took, r.Took), max(sum.Triples, r.Triples)
		for to, from := range map[*map[string]int]map[string]int{&sum.Reached: r.Reached, &sum.Tested: r.Tested, &sum.Unsure: r.Unsure} {
			for k, n := range from {
				(*to)[k] += n
			}
		}
		for _, f := range r.Failed {
			sum.merge(f)
		}
	}
	sum.sort()
	return &sum, nil
}

// merge adds the failures of a rule.
func (r *Report) merge(f Failure) {
	counted := f.Stories - len(f.Shapes)
	for _, s := range f.Shapes {
		r.found(s.found)
	}
	if len(f.Shapes) == 0 {
		r.found(found{Rule: f.Rule, Level: f.Level, Known: f.Known})
		counted--
	}
	for i := range r.Failed {
		if x := &r.Failed[i]; x.Rule == f.Rule && x.Known == f.Known {
			x.Stories += counted
		}
	}
}
