package main

import (
	"strings"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/harness/runner"
	"github.com/lwtest/lwtest/plugins/targets"
)

// foresee returns an error for a selection that selects nothing, before a kind cluster is created for it, or a controller is started, which may
// take a minute.
func (a app) foresee(s report.Settings) error {
	var may []runner.Item
	slow := false
	for _, connect := range s.Targets {
		t, arg, err := a.targets.Find(connect)
		if err != nil {
			return err
		}
		sort, _, _ := strings.Cut(strings.Replace(arg, "?", ":", 1), ":")
		slow = slow || t.Name == targets.Kind || t.Server && sort == targets.Kind || t.Name == targets.Controller
		may = append(may, a.offers(connect, t)...)
	}
	if !slow {
		return nil
	}
	return runner.Selects(may, s)
}

// offers returns the checks that a target may have.
func (a app) offers(connect string, t targets.Scheme) (all []runner.Item) {
	for _, k := range a.kinds() {
		if t.Suite != "" && t.Suite != k.about.Name {
			continue
		}
		for _, c := range k.about.Checks {
			all = append(all, runner.Item{Target: connect, Case: harness.Case{Kind: k.about, Info: c}})
		}
	}
	return all
}
