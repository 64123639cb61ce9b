package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/lwtest/lwtest/harness"
)

// TableFormat is the version of a Table as JSON. Fields are added under the same version.
const TableFormat = "results/v1"

// Table holds the results of many implementations, a row for each implementation and kind of contract.
type Table struct {
	Format string `json:"lwtest"` // TableFormat
	Rows   []Row  `json:"rows"`
}

// Row holds the results of one implementation for the sections of one contract.
type Row struct {
	Implementation string    `json:"implementation"` // with its version, as the plugin reports it
	Kind           string    `json:"kind"`
	Contract       string    `json:"contract"` // version
	Target         string    `json:"target"`   // connect string of the run
	Version        string    `json:"version"`  // of lwtest
	Started        time.Time `json:"started"`
	Cut            bool      `json:"cut,omitempty"` // the run did not finish
	// Only holds the patterns or addresses of the checks that ran, if these were not all checks of the kind.
	Only     []string  `json:"only,omitempty"`
	Checks   Counts    `json:"checks"`
	Sections []Section `json:"sections"` // in the order of the contract
}

// Section counts the rules of one section of a contract by the verdict of all checks of a run. A rule with only known
// failures counts as Known. A rule that no check tested counts as Open, or as Skip if all its checks were skipped.
type Section struct {
	Name   string `json:"name"`
	Pass   int    `json:"pass"`
	Fail   int    `json:"fail"`   // a MUST for the implementation
	Should int    `json:"should"` // failed, but it is a SHOULD for the implementation: some clauses bind fully only with a declared feature
	Known  int    `json:"known"`
	Open   int    `json:"open"`
	Skip   int    `json:"skip"`
}

// Rows returns a row for each target and kind of which the report has results, except those with only skipped checks.
func (r *Report) Rows() []Row {
	var out []Row
	for _, target := range r.Settings.Targets {
		for i := range r.Kinds {
			if row, ok := r.row(target, &r.Kinds[i]); ok {
				out = append(out, row)
			}
		}
	}
	return out
}

func (r *Report) row(target string, k *Kind) (Row, bool) {
	row := Row{Kind: k.Name, Contract: k.Contract, Target: target, Version: r.Version, Started: r.Started, Cut: r.Truncated, Only: r.Settings.only()}
	var mine []harness.Result
	for _, res := range r.Results {
		if res.Target == target && kindName(res.Check) == k.Name {
			mine = append(mine, res)
			row.Implementation = cmp.Or(row.Implementation, res.Plugin) // a check that did not run has none
		}
	}
	row.Checks = count(mine)
	for _, p := range r.Missing {
		if p.Target == target && kindName(p.Check) == k.Name {
			row.Checks.Missing++
		}
	}
	for _, rule := range k.Rules {
		if rule.Level != harness.Provisional {
			row.section(rule.Rule).add(rule, mine)
		}
	}
	return row, row.Checks.Skip < len(mine)
}

// only returns the checks that the run was limited to, or nil if it ran all checks of its kinds.
func (s Settings) only() []string {
	out := slices.Clone(s.Globs)
	for _, p := range s.Checks {
		out = append(out, p.Check)
	}
	return out
}

// section returns the section of a rule. It appends the section if it is new.
func (row *Row) section(rule string) *Section {
	name, _, _ := strings.Cut(rule, "/")
	i := slices.IndexFunc(row.Sections, func(s Section) bool { return s.Name == name })
	if i < 0 {
		i = len(row.Sections)
		row.Sections = append(row.Sections, Section{Name: name})
	}
	return &row.Sections[i]
}

// add counts a rule by its results. Their levels say how the rule binds this implementation; rule.Level is used for
// results without one.
func (s *Section) add(rule Rule, results []harness.Result) {
	sum, unknown, must := Rule{}, 0, false
	for i := range results {
		for _, rr := range results[i].Rules {
			if rr.Rule != rule.Rule {
				continue
			}
			sum.add(rr)
			if rr.Verdict == harness.Fail && rr.Known == "" {
				unknown++
				must = must || cmp.Or(rr.Level, rule.Level) == harness.Must
			}
		}
	}
	switch v := sum.Verdict(); {
	case v == harness.Pass:
		s.Pass++
	case v == harness.Skip:
		s.Skip++
	case v == harness.Inconclusive:
		s.Open++
	case unknown == 0:
		s.Known++
	case must:
		s.Fail++
	default:
		s.Should++
	}
}

// Put adds rows, or replaces rows of the same implementation and kind. It returns an error for a row of selected
// checks that would replace one of a full run; rows before it have been added by then.
func (t *Table) Put(rows ...Row) error {
	for _, row := range rows {
		at := slices.IndexFunc(t.Rows, func(r Row) bool { return r.Kind == row.Kind && r.Implementation == row.Implementation })
		switch {
		case at < 0:
			t.Rows = append(t.Rows, row)
		case len(row.Only) > 0 && len(t.Rows[at].Only) == 0:
			return fmt.Errorf("a run of only %s cannot replace the full row of %s (%s): leave it out, or run that suite without patterns", strings.Join(row.Only, ", "), row.Implementation, row.Kind)
		default:
			t.Rows[at] = row
		}
	}
	return nil
}

// ReadTable reads a table that Table.JSON wrote.
func ReadTable(file string) (*Table, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	t := &Table{}
	if err := json.Unmarshal(b, t); err != nil || t.Format != TableFormat {
		return nil, fmt.Errorf("%s is not a table of results (field \"lwtest\": %q)", file, TableFormat)
	}
	return t, nil
}

// JSON writes the table in the form that ReadTable reads.
func (t *Table) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	t.Format = TableFormat
	return e.Encode(t)
}
