package html

import (
	"cmp"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
)

// since lists what changed since an older report.
type since struct {
	Name    string    `json:"name"`
	Started time.Time `json:"started"`
	Same    int       `json:"same"` // checks that ended as before
	New     []change  `json:"new"`  // failures
	Fixed   []change  `json:"fixed"`
	Other   []change  `json:"other"`
}

// change is a check that did not end as before, or rules of it.
type change struct {
	Result int      `json:"r"` // -1: only the old report has the check
	Target string   `json:"target"`
	Check  string   `json:"check"`
	Was    string   `json:"was"` // as in report.Change
	Is     string   `json:"is"`
	Why    string   `json:"why,omitempty"`
	Rules  []string `json:"rules,omitempty"` // which changed in this way
	Whole  bool     `json:"whole,omitempty"` // the check's own verdict changed in this way
}

// since adds what a comparison of reports says: each check once for each way in which it or its rules changed.
func (m *maker) since(d *report.Diff) {
	out := &since{Name: cmp.Or(d.Old.Name, "the old report"), Started: d.Old.Started, Same: d.Same}
	m.out.Since = out
	type way struct{ target, check, was, is string }
	type place struct{ target, check string }
	at, groups, results := map[way]int{}, [...]*[]change{&out.New, &out.Fixed, &out.Other}, map[place]int{}
	for i := range m.r.Results {
		results[place{m.r.Results[i].Target, m.r.Results[i].Check}] = i
	}
	old := report.Names(d.Old.Settings.Targets)
	for _, c := range d.Changes {
		group, key := groups[groupOf(c)], way{c.Target, c.Check, c.Was, c.Is}
		i, ok := at[key]
		if !ok {
			i = len(*group)
			at[key] = i
			x := change{Result: -1, Target: cmp.Or(old[c.Target], c.Target), Check: c.Check, Was: c.Was, Is: c.Is}
			if n, ok := results[place{c.Target, c.Check}]; ok {
				x.Result, x.Target = n, m.out.Targets[m.out.Results[n].Target].Name
			}
			*group = append(*group, x)
		}
		x := &(*group)[i]
		if x.Why == "" {
			x.Why = bound(c.Why)
		}
		if x.Whole = x.Whole || c.Rule == ""; c.Rule != "" {
			x.Rules = append(x.Rules, c.Rule)
		}
	}
}

// groupOf returns 0 for a new failure, 1 for what is fixed, and 2 for other changes. What the old report lacks is no new failure.
func groupOf(c report.Change) int {
	switch {
	case c.Was == report.Absent:
		return 2
	case c.Is == string(harness.Fail):
		return 0
	case c.Is == string(harness.Pass) && (c.Was == string(harness.Fail) || c.Was == "known"):
		return 1
	}
	return 2
}
