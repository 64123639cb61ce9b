package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Markdown writes the table as a page: a part for each kind, with a row for each implementation and a column for each
// section.
func (t *Table) Markdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString(tableHead)
	for _, kind := range t.kinds() {
		t.part(&b, kind)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

const tableHead = `# What implementations got

A cell counts the rules of one section of the contract (docs/contract.md): how many passed of those that were tested, then the
failures. A broken MUST is in bold. *known*: every failure is in a known-failures file. *should*: only a SHOULD is broken.
*open*: the checks did not test the rule. A dash: the implementation declares no feature that the section needs.
Generated from reports by ` + "`lwtest results`" + `: do not edit.
`

func (t *Table) kinds() (out []string) {
	for _, r := range t.Rows {
		if !slices.Contains(out, r.Kind) {
			out = append(out, r.Kind)
		}
	}
	slices.Sort(out)
	return out
}

// part writes one kind. Rows of other versions of the contract may have other sections: each section gets a column.
func (t *Table) part(b *strings.Builder, kind string) {
	rows := slices.DeleteFunc(slices.Clone(t.Rows), func(r Row) bool { return r.Kind != kind })
	slices.SortStableFunc(rows, func(x, y Row) int { return cmp.Compare(x.Implementation, y.Implementation) })
	names := Sections(rows)
	fmt.Fprintf(b, "\n## %s\n\n| implementation | %s | checks: pass, fail, inconclusive, skip; known | contract | lwtest | date |\n|%s\n", kind, strings.Join(names, " | "), strings.Repeat("---|", len(names)+5))
	for _, r := range rows {
		fmt.Fprintf(b, "| %s |", cell(r.Implementation))
		for _, name := range names {
			i := slices.IndexFunc(r.Sections, func(s Section) bool { return s.Name == name })
			if i < 0 {
				b.WriteString("  |")
				continue
			}
			fmt.Fprintf(b, " %s |", r.Sections[i])
		}
		fmt.Fprintf(b, " %s | %s | %s | %s |\n", r.checks(), cell(r.Contract), cell(r.Version), r.Started.UTC().Format("2006-01-02"))
	}
}

// Sections returns the names of the sections of rows, which are the columns of a table. Those of the row that has the most come first.
func Sections(rows []Row) (names []string) {
	rows = slices.SortedStableFunc(slices.Values(rows), func(x, y Row) int { return cmp.Compare(len(y.Sections), len(x.Sections)) })
	for _, r := range rows {
		for _, s := range r.Sections {
			if !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		}
	}
	return names
}

// checks returns the counts of checks, and a note if the run was cut short or limited to some checks.
func (r *Row) checks() string {
	c := r.Checks
	s := fmt.Sprintf("%d, %d, %d, %d; %d", c.Pass, c.Fail, c.Inconclusive, c.Skip, c.Known)
	if r.Cut || c.Missing > 0 {
		s += fmt.Sprintf(" (cut short: %d without a result)", c.Missing)
	}
	if len(r.Only) > 0 {
		s += " (**only " + cell(strings.Join(r.Only, ", ")) + "**)"
	}
	return s
}

// String returns the text of a cell, such as "7/9, 1 known, **1 fail**".
func (s Section) String() string {
	of := s.Pass + s.Fail + s.Should + s.Known
	if of+s.Open == 0 {
		return "–"
	}
	out := fmt.Sprintf("%d/%d", s.Pass, of)
	for _, part := range []struct {
		n   int
		say string
	}{{s.Fail, "**%d fail**"}, {s.Should, "%d should"}, {s.Known, "%d known"}, {s.Open, "%d open"}} {
		if part.n > 0 {
			out += ", " + fmt.Sprintf(part.say, part.n)
		}
	}
	return out
}
