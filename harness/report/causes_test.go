package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
)

// breaks is a rule that a check broke at an event, after other rules.
func breaks(rule string, level harness.Level, event int32, after ...string) harness.RuleResult {
	return harness.RuleResult{Rule: rule, Level: level, Verdict: harness.Fail, Tested: 1, Failures: 1, After: after,
		Bad: []harness.Shown{{Finding: harness.Finding{At: []int32{event}, Want: "w", Got: "g"}}}}
}

// of makes a report of checks that broke rules on t:1.
func of(checks ...[]harness.RuleResult) Input {
	in := anInput()
	in.Header.Plan, in.Header.Known, in.Results = in.Header.Plan[:len(checks)], nil, nil
	for i, rules := range checks {
		in.Results = append(in.Results, harness.Result{Check: in.Header.Plan[i].Check, Target: "t:1", Verdict: harness.Fail, Rules: rules, Events: 10 - i})
	}
	return in
}

func TestCauses(t *testing.T) {
	type rules = []harness.RuleResult
	a, b, s := breaks("a/must", harness.Must, 3), breaks("b/must", harness.Must, 5, "a/must"), breaks("a/should", harness.Should, 1)
	alone, same := breaks("b/must", harness.Must, 5), breaks("b/must", harness.Must, 3, "a/must")
	both := a
	both.With = []string{"b/must"}
	required := a
	required.Required = true
	mustHold, known, provisional := breaks("b/must", harness.Must, 2), breaks("a/must", harness.Must, 2), breaks("b/must", harness.Provisional, 2)
	mustHold.Verdict, mustHold.Bad = harness.Pass, nil
	known.Known = "it is known"
	for _, c := range []struct {
		name   string
		checks []rules
		want   string // RULE (checks) and what it also breaks
	}{
		{"one", []rules{{a}}, "a/must 1"},
		{"what comes after belongs to it, the shortest history first", []rules{{a, b}, {a}}, "a/must 2 also b/must 1"},
		{"in another check it is a cause itself", []rules{{a, b}, {a, b}, {alone}}, "a/must 2 also b/must 2; b/must 1"},
		{"at the same moment, the one that most checks are about", []rules{{both, same}, {alone}, {alone}}, "b/must 3 also a/must 1"},
		{"at the same moment, but with a finding of its own", []rules{{a, same}, {alone}, {alone}}, "b/must 3; a/must 1"},
		{"what comes after another in each check is no cause, whatever its name", []rules{{breaks("k", harness.Must, 2), breaks("two", harness.Must, 5, "k")}, {breaks("k", harness.Must, 2), breaks("two", harness.Must, 5, "k")}}, "k 2 also two 2"},
		{"a check is about it", []rules{{alone}, {required}}, "a/must 1; b/must 1"},
		{"what others test without breaking it counts less", []rules{{a}, {alone}, {mustHold}, {mustHold}}, "a/must 1; b/must 1"},
		{"a MUST before a SHOULD, which explains no MUST", []rules{{s}, {s, a}, {s}}, "a/must 1; a/should 3"},
		{"a crash first", []rules{{a}, {breaks(harness.Survives.Address(), harness.Must, 9)}}, harness.Survives.Address() + " 1; a/must 1"},
		{"neither what is known nor what is provisional", []rules{{known}, {provisional, a}}, "a/must 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, cause := range New(of(c.checks...)).Causes("t:1", "k") {
				text := cause.Rule + " " + Thousands(len(cause.Checks))
				for _, also := range cause.Also {
					text += " also " + also.Rule + " " + Thousands(also.Checks)
				}
				got = append(got, text)
				assert.True(t, cause.Checks[0].Events <= cause.Checks[len(cause.Checks)-1].Events)
			}
			assert.Equal(t, strings.ReplaceAll(c.want, "", ""), strings.Join(got, "; "))
		})
	}
}

// Each format tells failures by their causes.
func TestCausesComeFirst(t *testing.T) {
	a, b := breaks("a/must", harness.Must, 3), breaks("b/must", harness.Must, 5, "a/must")
	r := New(of([]harness.RuleResult{breaks("a/should", harness.Should, 1)}, []harness.RuleResult{b, a}, []harness.RuleResult{a}))
	const headline, short = "FAIL MUST k/a/must on t:1  (2 checks)\n", "  clause  text of a/must\n"
	out := text(t, r, TextOptions{})
	at := -1
	for _, want := range []string{headline, short, "  also    MUST b/must (1 check): g\n", "  checks  k/three\n          k/two\n", "SHOULD k/a/should on t:1  (1 check)\n"} {
		require.Greater(t, strings.Index(out, want), at, "%s\n%s", want, out)
		at = strings.Index(out, want)
	}
	for name, write := range map[string]func(*bytes.Buffer) error{"Markdown": func(b *bytes.Buffer) error { return r.Markdown(b) }, "step summary": func(b *bytes.Buffer) error { return r.StepSummary(b) }} {
		var b bytes.Buffer
		require.NoError(t, write(&b), name)
		assert.Contains(t, b.String(), "### FAIL MUST k/a/must on t:1 (2 checks)\n", name)
		assert.Contains(t, b.String(), short, name)
	}
	shown := New(of([]harness.RuleResult{a})).AllCauses()[0]
	shown.Checks[0].Rules[0].Bad[0].Timeline = "x #3\n"
	assert.Equal(t, "MUST a/must, broken by k/one\nwant w\ngot g\nfix do this\nx #3", shown.gist("do this"))
	shown.Checks[0].Rules[0].Bad[0].Timeline = "" // the others share it
	var out2 bytes.Buffer
	require.NoError(t, r.GitHub(&out2))
	assert.Equal(t, "::error title=lwtest%3A k/a/must on t%3A1::MUST a/must, broken by k/three and 1 more check%0Awant w%0Agot g\n", out2.String())
	out2.Reset()
	require.NoError(t, r.JUnit(&out2))
	assert.Contains(t, out2.String(), `message="broke a/must: g; and b/must"`)
	assert.Contains(t, out2.String(), "MUST k/b/must  (after k/a/must)")
	out2.Reset()
	require.NoError(t, r.JSON(&out2))
	assert.Contains(t, out2.String(), `"after": [`)
}

// Only the first causes are told in full, unless the user asks for all.
func TestManyCauses(t *testing.T) {
	var all [][]harness.RuleResult
	for _, rule := range strings.Fields("1 2 3 4 5 6 7") {
		all = append(all, []harness.RuleResult{breaks("x/"+rule, harness.Must, 1)})
	}
	r := New(of(all...))
	out := text(t, r, TextOptions{})
	assert.Equal(t, 5, strings.Count(out, "want    w"), out)
	assert.Contains(t, out, "and 2 more causes: -v shows each in full\n  FAIL MUST k/x/6 on t:1  (1 check): g\n  FAIL MUST k/x/7 on t:1  (1 check): g\n")
	assert.Equal(t, 7, strings.Count(text(t, r, TextOptions{Verbose: true}), "want    w"), out)
}
