package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness"
)

// kindOf adds up the results of a kind.
func kindOf(k *harness.Kind, results []harness.Result) Kind {
	out := Kind{Name: k.Name, Contract: k.Version, Exercised: map[string]int{}}
	at := map[string]int{}
	for _, r := range k.Rules {
		at[r.Address()] = len(out.Rules)
		out.Rules = append(out.Rules, Rule{Rule: r.Address(), Text: r.Clause.Text, Sources: r.Clause.Sources})
	}
	for _, r := range results {
		if kindName(r.Check) != k.Name {
			continue
		}
		for class, n := range r.Score {
			out.Exercised[class] += n
		}
		for _, rr := range r.Rules {
			if i, ok := at[rr.Rule]; ok {
				out.Rules[i].add(rr)
			}
		}
	}
	for i, r := range k.Rules {
		out.Rules[i].Level = cmp.Or(out.Rules[i].Level, r.Clause.Level)
	}
	out.Classes = classes(k.Rules, out.Rules, out.Exercised)
	return out
}

func kindName(address string) string {
	kind, _, _ := strings.Cut(address, "/")
	return kind
}

func (r *Rule) add(rr harness.RuleResult) {
	r.Tested += rr.Tested
	if r.Level != harness.Must { // a MUST for some targets is at most a SHOULD for the others
		r.Level = cmp.Or(rr.Level, r.Level)
	}
	switch rr.Verdict {
	case harness.Pass:
		r.Pass++
	case harness.Fail:
		r.Fail++
	case harness.Skip:
		r.Skip++
	default:
		r.Inconclusive++
	}
}

// classes returns the classes that clauses name, in the order of the contract, each once, with how often it was
// exercised. sums has the results of each rule.
func classes(rules []harness.Rule, sums []Rule, exercised map[string]int) []Class {
	var out []Class
	for n, r := range rules {
		s := &sums[n]
		skipped := s.Skip > 0 && s.Pass+s.Fail+s.Inconclusive == 0
		for _, c := range r.Clause.Classes {
			i := slices.IndexFunc(out, func(o Class) bool { return o.Class == c })
			if i < 0 {
				i = len(out)
				out = append(out, Class{Class: c, Reached: reached(c, exercised), Undeclared: true})
			}
			out[i].Undeclared = out[i].Undeclared && skipped && out[i].Reached == 0
			if !slices.Contains(out[i].Clauses, r.Clause.ID) {
				out[i].Clauses = append(out[i].Clauses, r.Clause.ID)
			}
		}
	}
	return out
}

// reached counts how often input with every token of the class was exercised.
func reached(class string, exercised map[string]int) int {
	want, n := strings.Fields(class), 0
	for key, times := range exercised {
		has := strings.Fields(key)
		if !slices.ContainsFunc(want, func(t string) bool { return !slices.Contains(has, t) }) {
			n += times
		}
	}
	return n
}
