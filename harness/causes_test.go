package harness

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/harness/history"
)

func addresses(rules []RuleResult) (out []string) {
	for _, rr := range rules {
		out = append(out, rr.Rule)
	}
	return out
}

// A breach that follows from another comes after it, and names the first cause.
func TestFollows(t *testing.T) {
	h := made(t, one)
	root, middle, end := says("c/root", Must, fails).Causing("b"), says("b/middle", Must, fails).Causing("a/end"), says("a/end", Must, fails)
	follows := func(r Result) map[string]string {
		out := map[string]string{}
		for _, rr := range r.Rules {
			if rr.Follows != "" {
				out[rr.Rule] = rr.Follows
			}
		}
		return out
	}
	for _, c := range []struct {
		name             string
		required, others []Rule
		order            []string
		follows          map[string]string
	}{
		{"causes first, whatever the check must test", []Rule{end}, []Rule{middle, root}, []string{"c/root", "a/end", "b/middle"}, map[string]string{"b/middle": "c/root", "a/end": "c/root"}},
		{"a cause that holds causes nothing", []Rule{end}, []Rule{middle, says("c/root", Must, passes).Causing("b")}, []string{"b/middle", "a/end"}, map[string]string{"a/end": "b/middle"}},
		{"nor does one that is provisional", []Rule{end}, []Rule{says("p", Provisional, fails).Causing("*")}, []string{"a/end", "p"}, map[string]string{}},
		{"two causes", []Rule{end}, []Rule{says("x", Must, fails), says("y", Must, fails).Causing("a/end")}, []string{"x", "y", "a/end"}, map[string]string{"a/end": "y"}},
		{"no cause is known", []Rule{end}, []Rule{says("x", Must, fails)}, []string{"a/end", "x"}, map[string]string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := judged(t, h, c.required, c.others)
			assert.Equal(t, c.order, addresses(r.Broken()))
			assert.Equal(t, c.follows, follows(r))
		})
	}
	crash := judged(t, made(t, one, notice(history.Panic, "panic: boom")), []Rule{end}, []Rule{says("z", Must, fails).Causing("*")})
	assert.Equal(t, []string{Survives.Address(), "a/end", "z"}, addresses(crash.Broken()), "a crash is a cause, and follows from nothing")
}

func TestExplainFollows(t *testing.T) {
	k := Suite[*toy]{Kind: "toy", Rules: []Rule{says("a", Must, fails)}}.Describe()
	rr := RuleResult{Rule: "a", Level: Must, Verdict: Fail, Failures: 2, Follows: "b", Bad: []Shown{{Finding: Finding{Want: "w", Got: "g"}}}}
	want := "MUST toy/a  (follows from toy/b)\n  want    w\n  got     g\n  and 1 more like it\n"
	assert.Equal(t, want, k.Explain(rr))
	assert.Equal(t, want, k.ExplainAgain(rr))
}

func TestCausesAreValid(t *testing.T) {
	kind := func(rules ...Rule) *Kind { return Suite[*toy]{Kind: "toy", Rules: rules}.Describe() }
	assert.NoError(t, kind(says("a/x", Must, passes).Causing("b", "*"), says("b/y", Must, passes)).Validate())
	assert.ErrorContains(t, kind(says("a/x", Must, passes).Causing("c")).Validate(), `rule a/x: no rule matches "c", which it is said to cause`)
	assert.ErrorContains(t, kind(says("a/x", Must, passes).Causing("b"), says("b/y", Must, passes).Causing("a")).Validate(), "is said to cause itself, through others")
}
