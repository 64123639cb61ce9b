package main

import (
	"cmp"
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
	controllers "github.com/lwtest/lwtest/plugins/mutants/controller"
	clients "github.com/lwtest/lwtest/plugins/mutants/listerwatcher"
	faultyNodes "github.com/lwtest/lwtest/plugins/mutants/node"
	runtimes "github.com/lwtest/lwtest/plugins/mutants/runtime"
	stores "github.com/lwtest/lwtest/plugins/mutants/store"
	hostile "github.com/lwtest/lwtest/plugins/mutants/watchcache"
	"github.com/lwtest/lwtest/plugins/targets"
)

func (a app) mutantsVerb() *cobra.Command {
	f, sample, list := &flags{level: "must", format: "text", color: "auto"}, 0, false
	cmd := &cobra.Command{
		Use:   "mutants [NAME...]",
		Short: "Run the suites against implementations with one fault each, and print which rule caught which",
		Long: "Run the suites against servers, clients, informers, stores, container runtimes, node agents and controllers with one fault each, and print the rule\n" +
			"that caught each: it shows that each rule can fail. The last ones of a kind are subjects that withhold\n" +
			"something.\n\n" +
			"Exit status: 0 each mutant was caught by the rule meant for it; 1 some were not; 2 none of the selected ones can be caught (only null, mute and deaf); 3 could not run.",
		Example: `  lwtest mutants --list          # their names, and the rule that each breaks; nothing runs
  lwtest mutants                 # all of them, which takes hours
  lwtest mutants lost-deleted    # which check and rule catch it
  lwtest mutants --sample 40 --seed 7   # forty of them`,
		RunE: func(cmd *cobra.Command, names []string) error {
			if list {
				return a.listMutants(names)
			}
			return a.mutate(cmd.Context(), f, names, sample)
		},
	}
	f.seeding(cmd)
	f.driving(cmd)
	cmd.Flags().BoolVar(&list, "list", false, "print the targets, and the rule that each breaks, and run nothing")
	cmd.Flags().IntVar(&sample, "sample", 0, "of these, only `COUNT`, by the seed: each kind in turn; 0: all")
	return cmd
}

func (a app) mutate(ctx context.Context, f *flags, names []string, sample int) error {
	if sample < 0 {
		return usagef("--sample %d: say how many mutants to run, or leave it out for all", sample)
	}
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
	return a.caught(rows, r)
}

// listMutants prints a line for each mutant: its target, the rule that it breaks, and what it does.
func (a app) listMutants(names []string) error {
	rows, err := chosen(names)
	if err != nil {
		return err
	}
	wide := 0
	for _, m := range rows {
		wide = max(wide, len(m.Target.Name))
	}
	for _, m := range rows {
		fmt.Fprintf(a.stdout, "%s  %s: %s\n", pad(m.Target.Name, wide), cmp.Or(m.Rule, "withholds"), m.About)
	}
	return nil
}

// chosen returns the mutants with these names, or all of them and the servers that withhold something.
func chosen(names []string) ([]mutants.Target, error) {
	all := slices.Concat(fake.Mutants(), crashing(), fake.Nulls(), stores.Mutants(), stores.Nulls(), runtimes.Mutants(), runtimes.Nulls(), faultyNodes.Mutants(), faultyNodes.Nulls(), controllers.Mutants(), clients.Mutants(fake.Server, fake.ServerFeatures...), clients.Nulls(fake.Server, fake.ServerFeatures...),
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
			return nil, usagef("there is no mutant %q%s: `lwtest mutants --list` names them all", name, harness.Suggest(name, known))
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

// caught prints for each mutant which rule caught it. A mutant that its rule did not flag is a survivor.
func (a app) caught(ms []mutants.Target, r *report.Report) error {
	var n sum
	for _, k := range r.Kinds {
		rows := slices.DeleteFunc(slices.Clone(ms), func(m mutants.Target) bool { return m.Kind() != k.Name })
		wide := 0
		for _, m := range rows {
			wide = max(wide, len(m.Name))
		}
		for i, m := range rows {
			if i == 0 {
				fmt.Fprintf(a.stdout, "%s\n", k.Name)
			}
			fmt.Fprintf(a.stdout, "  %s  %s\n", pad(m.Name, wide), n.add(mutants.NewRow(m, resultsOf(r, m.Target.Name)), r.Causes(m.Target.Name, k.Name)))
		}
	}
	fmt.Fprintf(a.stdout, "%s, %s  (%s)\n", report.Many(n.mutants, "mutant"), report.Many(n.survivors, "survivor"), r.Dir)
	if n.mutants > 0 {
		fmt.Fprintf(a.stdout, "the first cause in the report is the rule that the mutant is about: %d of %d (%d %%)\n", n.first, n.mutants-n.apart, 100*n.first/max(n.mutants-n.apart, 1))
		if n.apart > 0 {
			fmt.Fprintf(a.stdout, "%d more are about a SHOULD, and break a MUST, too, which comes first\n", n.apart)
		}
		fmt.Fprintf(a.stdout, "its evidence is the smallest set of events that shows it: %d of %d (%d %%)\n", n.proven, n.mutants, 100*n.proven/n.mutants)
	}
	switch {
	case n.survivors > 0 || n.wrong > 0:
		return status(report.Failed)
	case n.mutants == 0:
		return status(report.Unproven)
	}
	return nil
}

// sum counts mutants. Of wrong ones, subjects pass rules about what they withhold; first are those whose rule is the report's first cause, apart
// those that are about a SHOULD while the first cause is a MUST, and proven those whose first cause has its evidence.
type sum struct{ mutants, survivors, wrong, first, apart, proven int }

// add counts a mutant and says which rule caught it, by which checks, and what the report of it begins with if that is another rule.
func (s *sum) add(row mutants.Row, causes []*report.Cause) string {
	m := row.Mutant
	if m.Rule == "" {
		if rules := row.Wrong(); len(rules) > 0 {
			s.wrong++
			return "PASSES what it withholds: " + strings.Join(rules, ", ")
		}
		return "passes none of the rules about what it withholds"
	}
	s.mutants++
	if len(causes) > 0 && causes[0].Broken().Bad != nil && causes[0].Broken().Bad[0].Evidence {
		s.proven++
	}
	switch should := row.Should(); {
	case len(causes) > 0 && causes[0].Kind+"/"+causes[0].Rule == m.Rule:
		s.first++
	case len(causes) > 0 && causes[0].Level == harness.Must && should:
		s.apart++
	}
	if !row.Caught() {
		s.survivors++
		return "SURVIVED " + m.Rule
	}
	return m.Rule + begins(m.Rule, causes)
}

// begins says which checks broke a rule, and what the report begins with if that is another rule.
func begins(rule string, causes []*report.Cause) (text string) {
	for i, c := range causes {
		address := c.Kind + "/" + c.Rule
		if address == rule {
			text = ", by " + c.Checks[0].Check
			if n := len(c.Checks) - 1; n > 0 {
				text += " and " + report.Many(n, "more check")
			}
			if i == 0 {
				return text
			}
		}
	}
	if len(causes) == 0 {
		return text
	}
	return text + "; the report begins with " + causes[0].Rule
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
