package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/plugins/fake"
	"github.com/lwtest/lwtest/plugins/mutants"
	clients "github.com/lwtest/lwtest/plugins/mutants/listerwatcher"
	faultyNodes "github.com/lwtest/lwtest/plugins/mutants/node"
	runtimes "github.com/lwtest/lwtest/plugins/mutants/runtime"
	stores "github.com/lwtest/lwtest/plugins/mutants/store"
	hostile "github.com/lwtest/lwtest/plugins/mutants/watchcache"
	"github.com/lwtest/lwtest/plugins/targets"
)

func (a app) mutantsVerb() *cobra.Command {
	f, sample := &flags{level: "must", format: "text", color: "auto"}, 0
	cmd := &cobra.Command{
		Use:   "mutants [NAME...]",
		Short: "Run the suites against implementations with one fault each, and print which rule caught which",
		Long: "Run the suites against servers, clients, informers, stores and container runtimes with one fault each, and print the matrix of mutants and\n" +
			"rules of each kind: it shows that each rule can fail. The last rows are subjects that withhold\n" +
			"something.\n\n" +
			"Exit status: 0 each mutant was caught by the rule meant for it; 1 some were not; 2 none of the selected ones can be caught (only null, mute and deaf); 3 could not run.",
		Example: `  lwtest mutants                 # the whole matrix
  lwtest mutants lost-deleted    # one row`,
		RunE: func(cmd *cobra.Command, names []string) error { return a.mutate(cmd.Context(), f, names, sample) },
	}
	f.seeding(cmd)
	f.driving(cmd)
	cmd.Flags().IntVar(&sample, "sample", 0, "of these, only `COUNT`, by the seed: each kind in turn; 0: all")
	return cmd
}

func (a app) mutate(ctx context.Context, f *flags, names []string, sample int) error {
	rows, err := chosen(names)
	if err != nil {
		return err
	}
	rows = sampled(rows, sample, f.seed)
	for _, m := range rows {
		f.targets = append(f.targets, m.Target.Name)
	}
	s, err := f.settings(a, nil)
	if err != nil {
		return err
	}
	ctx, stop := a.interruptible(ctx)
	defer stop()
	se, err := a.start(ctx, f, s, a.args)
	if err != nil {
		return err
	}
	r, err := se.carryOut(ctx)
	if err != nil {
		return err
	}
	return a.matrix(rows, r)
}

// chosen returns the mutants with these names, or all of them and the servers that withhold something.
func chosen(names []string) ([]mutants.Target, error) {
	all := slices.Concat(fake.Mutants(), crashing(), fake.Nulls(), stores.Mutants(), stores.Nulls(), runtimes.Mutants(), runtimes.Nulls(), faultyNodes.Mutants(), faultyNodes.Nulls(), clients.Mutants(fake.Server, fake.ServerFeatures...), clients.Nulls(fake.Server, fake.ServerFeatures...),
		targets.OwnInformers.Mutants(), targets.OwnInformers.Nulls())
	if len(names) == 0 {
		return all, nil
	}
	var out []mutants.Target
	for n, name := range names {
		if slices.Contains(names[:n], name) {
			return nil, usagef("the mutant %s is named twice: name it once", name)
		}
		i := slices.IndexFunc(all, func(m mutants.Target) bool { return m.Name == name })
		if i < 0 {
			var known []string
			for _, m := range all {
				known = append(known, m.Name)
			}
			return nil, usagef("there is no mutant %q%s: `lwtest mutants` prints them all", name, harness.Suggest(name, known))
		}
		out = append(out, all[i])
	}
	return out, nil
}

// sampled returns some of the mutants, by a seed: those of each kind in turn, so that no kind is left out. 0 is all.
func sampled(all []mutants.Target, count int, seed int64) (out []mutants.Target) {
	if count == 0 {
		return all
	}
	var kinds []string
	of := map[string][]mutants.Target{}
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	for _, i := range random.Perm(len(all)) {
		m := all[i]
		if m.Rule == "" { // it only withholds something
			continue
		}
		if of[m.Kind()] == nil {
			kinds = append(kinds, m.Kind())
		}
		of[m.Kind()] = append(of[m.Kind()], m)
	}
	slices.Sort(kinds)
	for round := 0; len(out) < count; round++ {
		before := len(out)
		for _, k := range kinds {
			if round < len(of[k]) && len(out) < count {
				out = append(out, of[k][round])
			}
		}
		if len(out) == before {
			break
		}
	}
	return out
}

// crashing returns the subjects that crash. They break the rule that every kind has.
func crashing() []mutants.Target {
	var out []mutants.Target
	for _, h := range hostile.All {
		if strings.HasSuffix(h.Rule, harness.Survives.Address()) {
			out = append(out, mutants.Target{Name: h.Name, Rule: h.Rule, About: h.About, Target: harness.Target{Name: "hostile:" + h.Name}})
		}
	}
	return out
}

// matrix prints a table for each kind. A mutant that its rule did not flag is a survivor.
func (a app) matrix(ms []mutants.Target, r *report.Report) error {
	var all sum
	for _, k := range r.Kinds {
		rows := slices.DeleteFunc(slices.Clone(ms), func(m mutants.Target) bool { return m.Kind() != k.Name })
		if len(rows) > 0 {
			all.add(a.matrixOf(k, rows, r))
		}
	}
	fmt.Fprintf(a.stdout, "%d mutants, %d rules, %d survivors  (%s)\n", all.mutants, all.rules, all.survivors, r.Dir)
	switch {
	case all.survivors > 0 || all.wrong > 0:
		return status(report.Failed)
	case all.mutants == 0:
		return status(report.Unproven)
	}
	return nil
}

// sum counts the parts of a matrix. wrong counts subjects that pass rules about what they withhold.
type sum struct{ mutants, rules, survivors, wrong int }

func (s *sum) add(o sum) {
	s.mutants += o.mutants
	s.rules += o.rules
	s.survivors += o.survivors
	s.wrong += o.wrong
}

// matrixOf prints the rules of a kind with their numbers, then a row for each mutant.
func (a app) matrixOf(k report.Kind, ms []mutants.Target, r *report.Report) sum {
	var rules []string
	for _, rule := range k.Rules {
		rules = append(rules, k.Name+"/"+rule.Rule)
		fmt.Fprintf(a.stdout, "%3d  %s\n", len(rules), rules[len(rules)-1])
	}
	wide := 0
	for _, m := range ms {
		wide = max(wide, len(m.Name))
	}
	fmt.Fprintf(a.stdout, "\nX caught by the rule meant for it   x flagged by another, too   . passed   - never tested\n\n%s ", pad("", wide))
	for i := range rules {
		fmt.Fprintf(a.stdout, "%3d", i+1)
	}
	fmt.Fprintln(a.stdout)
	n := sum{rules: len(rules)}
	for _, m := range ms {
		row := mutants.NewRow(m, resultsOf(r, m.Target.Name))
		fmt.Fprintf(a.stdout, "%s %s%s\n", pad(m.Name, wide), cells(row, rules), n.count(row))
	}
	fmt.Fprintln(a.stdout)
	return n
}

// count adds a row and returns a note about it, or "".
func (s *sum) count(row mutants.Row) string {
	m := row.Mutant
	if m.Rule == "" {
		if rules := row.Wrong(); len(rules) > 0 {
			s.wrong++
			return "  PASSES what it withholds: " + strings.Join(rules, ", ")
		}
		return "  passes none of the rules about what it withholds"
	}
	if s.mutants++; !row.Caught() {
		s.survivors++
		return "  SURVIVED " + m.Rule
	}
	return ""
}

func resultsOf(r *report.Report, target string) []harness.Result {
	var out []harness.Result
	for _, res := range r.Results {
		if res.Target == target {
			out = append(out, res)
		}
	}
	return out
}

func cells(row mutants.Row, rules []string) string {
	var b strings.Builder
	for _, rule := range rules {
		c := row.Cells[rule]
		mark := "-"
		switch {
		case c.Failed > 0 && rule == row.Mutant.Rule:
			mark = "X"
		case c.Failed > 0:
			mark = "x"
		case c.Passed:
			mark = "."
		}
		fmt.Fprintf(&b, "%3s", mark)
	}
	return b.String()
}
