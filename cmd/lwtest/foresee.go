package main

import (
	"strings"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/harness/runner"
)

// foresee returns an error for a selection that selects nothing, before a kind cluster is created for it, which takes
// a minute.
func (a app) foresee(s report.Settings) error {
	var may []runner.Item
	onKind := false
	for _, connect := range s.Targets {
		t, arg, err := a.find(connect)
		if err != nil {
			return err
		}
		sort, _, _ := strings.Cut(strings.Replace(arg, "?", ":", 1), ":")
		onKind = onKind || t.name == kindServer || t.server && sort == kindServer
		may = append(may, a.offers(connect, t)...)
	}
	if !onKind {
		return nil
	}
	return runner.Selects(may, s)
}

// offers returns the checks that a target may have.
func (a app) offers(connect string, t scheme) (all []runner.Item) {
	for _, k := range a.kinds {
		if t.suite != "" && t.suite != k.about.Name {
			continue
		}
		for _, c := range k.about.Checks {
			all = append(all, runner.Item{Target: connect, Case: harness.Case{Kind: k.about, Info: c}})
		}
	}
	return all
}
