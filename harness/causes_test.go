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

// at says that a rule is broken at each of some events.
func at(id string, level Level, events ...int32) Rule {
	j := Judgement{Tested: 1}
	for _, n := range events {
		j.Bad = append(j.Bad, Finding{At: []int32{n}, Want: "this", Got: "that"})
	}
	return says(id, level, j)
}

// A breach comes after another of a rule that binds as much: earlier, or at the same moment, on the same object or request.
func TestAfter(t *testing.T) {
	h := made(t,
		history.Event{Actor: "w", Kind: "WATCH", Phase: history.Call},
		history.Event{Actor: "w", Kind: "ADDED", Call: 1, Obj: history.Ref{Key: "a", RV: "1"}},
		history.Event{Actor: "x", Kind: "ADDED", Obj: history.Ref{Key: "b", RV: "2"}},
		history.Event{Actor: "x", Kind: "ADDED", Obj: history.Ref{Key: "a", RV: "3"}},
		history.Event{Actor: "w", Kind: "ADDED", Call: 1, Obj: history.Ref{Key: "b", RV: "2"}})
	for _, c := range []struct {
		name  string
		rules []Rule
		order []string
		after map[string][]string
	}{
		{"earlier, on the same object", []Rule{at("b", Must, 4), at("a", Must, 2)}, []string{"a", "b"}, map[string][]string{"b": {"a"}}},
		{"earlier, on another object", []Rule{at("b", Must, 3), at("a", Must, 2)}, []string{"a", "b"}, nil},
		{"earlier, on the same request", []Rule{at("b", Must, 5), at("a", Must, 2)}, []string{"a", "b"}, map[string][]string{"b": {"a"}}},
		{"at the same moment", []Rule{at("b", Must, 2), at("a", Must, 2)}, []string{"b", "a"}, map[string][]string{"a": {"b"}}},
		{"a finding of its own", []Rule{at("b", Must, 3, 4), at("a", Must, 2)}, []string{"a", "b"}, nil},
		{"a SHOULD comes after a MUST", []Rule{at("b", Should, 4), at("a", Must, 2)}, []string{"a", "b"}, map[string][]string{"b": {"a"}}},
		{"no MUST comes after a SHOULD", []Rule{at("b", Must, 4), at("a", Should, 2)}, []string{"b", "a"}, nil},
		{"nothing comes after what is provisional", []Rule{at("b", Provisional, 4), at("a", Provisional, 2)}, []string{"a", "b"}, nil},
		{"two are before it", []Rule{at("c", Must, 5), at("b", Must, 4), at("a", Must, 3, 2)}, []string{"a", "b", "c"}, map[string][]string{"b": {"a"}, "c": {"a"}}},
		{"it holds", []Rule{at("b", Must, 4), at("a", Must)}, []string{"b"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := judged(t, h, c.rules[:1], c.rules[1:])
			after := map[string][]string{}
			for _, rr := range r.Broken() {
				if rr.After != nil {
					after[rr.Rule] = rr.After
				}
			}
			assert.Equal(t, c.order, addresses(r.Broken()))
			assert.Equal(t, len(c.after), len(after), after)
			for rule, before := range c.after {
				assert.Equal(t, before, after[rule], rule)
			}
		})
	}
	same := judged(t, h, []Rule{at("b", Must, 2)}, []Rule{at("a", Must, 2), at("c", Must, 2, 3)})
	assert.Equal(t, []string{"a", "c"}, same.Broken()[0].With)
	assert.Nil(t, same.Broken()[2].After, "c has a finding of another object, which b does not explain")
	crash := judged(t, made(t, one, notice(history.Panic, "panic: boom"), one), []Rule{at("early", Must, 1)}, []Rule{at("late", Must, 3)})
	assert.Equal(t, []string{Survives.Address(), "early", "late"}, addresses(crash.Broken()))
	assert.Nil(t, crash.Broken()[1].After, "it was broken before the crash")
	assert.Contains(t, crash.Broken()[2].After, Survives.Address(), "all that comes after a crash is after it")
}

func TestExplainAfter(t *testing.T) {
	k := Suite[*toy]{Kind: "toy", Rules: []Rule{says("a", Must, fails)}}.Describe()
	rr := RuleResult{Rule: "a", Level: Must, Verdict: Fail, Failures: 2, After: []string{"b", "c"}, Bad: []Shown{{Finding: Finding{Want: "w", Got: "g"}}}}
	want := "MUST toy/a  (after toy/b)\n  want    w\n  got     g\n  and 1 more like it\n"
	assert.Equal(t, want, k.Explain(rr))
	assert.Equal(t, want, k.ExplainAgain(rr))
}
