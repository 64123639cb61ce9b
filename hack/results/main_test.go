package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
)

func column1(name string, rules ...report.Rule) column {
	return column{name, &report.Report{Kinds: []report.Kind{{Name: "k", Rules: rules}}}}
}

// A MUST that passed on one of the columns is answered; one that failed, or
// passed on none, is open, unless it is exempt.
func TestTable(t *testing.T) {
	must := func(rule string, pass, fail, tested int) report.Rule {
		return report.Rule{Rule: rule, Level: harness.Must, Pass: pass, Fail: fail, Tested: tested, Inconclusive: 1}
	}
	cols := []column{
		column1("on", must("a", 1, 0, 3), must("b", 0, 0, 0), must("c", 1, 0, 2), must("d", 0, 0, 0)),
		column1("off", must("a", 0, 0, 0), must("b", 0, 0, 0), must("c", 0, 2, 5), must("d", 0, 0, 0)),
	}
	var b bytes.Buffer
	assert.Equal(t, []string{"b passed nowhere", "c fails on off"}, table(&b, cols, []string{"d"}))
	assert.Contains(t, b.String(), "| a | MUST | pass 3 | not tested |\n")
	assert.Contains(t, b.String(), "| c | MUST | pass 2 | fail 5 |\n")
}

// A class is reached if one of the runs reached it.
func TestUnreached(t *testing.T) {
	with := func(name string, list, watch int) column {
		c := column1(name)
		c.Kinds[0].Classes = []report.Class{{Class: "LIST", Clauses: []string{"a", "b"}, Reached: list}, {Class: "WATCH", Clauses: []string{"c"}, Reached: watch}}
		return c
	}
	var b bytes.Buffer
	unreached(&b, []column{with("on", 0, 1), with("off", 0, 0)})
	assert.Contains(t, b.String(), "- LIST (a, b)\n")
	assert.NotContains(t, b.String(), "WATCH")
	b.Reset()
	unreached(&b, []column{with("on", 0, 1), with("off", 2, 0)})
	assert.Contains(t, b.String(), "none.\n")
}

func TestRead(t *testing.T) {
	_, err := read(nil)
	assert.ErrorContains(t, err, "NAME=report.json")
	_, err = read([]string{"x"})
	assert.ErrorContains(t, err, "is not NAME=report.json")
	_, err = read([]string{"x=nowhere.json"})
	assert.ErrorContains(t, err, "nowhere.json")
}
