package html

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
)

// winged is a report of targets with a feature that works, one that fails, some that are not declared, and one of lwtest's server.
func winged(targets ...string) (*report.Report, *harness.Kind) {
	feature := func(names ...string) (out []harness.Feature) {
		for _, n := range names {
			out = append(out, harness.Feature(n))
		}
		return out
	}
	rule := kind.Rules[0]
	rule.Needs = feature("feathers")
	k := &harness.Kind{Name: "toy", Rules: kind.Rules, Features: []harness.FeatureInfo{{Name: "wings", Help: "it <i>flies"}}, Checks: []harness.Info{
		{Name: "fly/up", Needs: feature("wings", "server-faults"), Rules: kind.Rules}, {Name: "fly/down", Needs: feature("wings"), Rules: kind.Rules},
		{Name: "fly/far", Either: feature("wheels", "legs"), Rules: []harness.Rule{rule}}, {Name: "fly/late", Needs: feature("legs", "night"), Rules: kind.Rules},
	}}
	in := report.Input{Kinds: []*harness.Kind{k}, Header: report.Header{Contract: map[string]string{"toy": "1"}, Settings: report.Settings{Targets: targets}}}
	add := func(target, check string, v harness.Verdict, reason string) {
		in.Header.Plan = append(in.Header.Plan, report.Planned{Target: target, Check: check, Features: feature("wings", "wheels", "feathers", "night", "server-faults", "virtual-time")})
		res := harness.Result{Check: check, Target: target, Verdict: v, Reason: reason}
		if v == harness.Fail {
			res.Rules = []harness.RuleResult{{Rule: "read/true", Level: harness.Must, Verdict: v, Required: true, Failures: 1, Bad: []harness.Shown{{Finding: harness.Finding{Want: "up", Got: "down"}}}}}
		}
		in.Results = append(in.Results, res)
	}
	for _, target := range targets {
		add(target, "toy/fly/down", harness.Pass, "")
		add(target, "toy/fly/up", harness.Fail, "")
		add(target, "toy/fly/far", harness.Pass, "")
		add(target, "toy/fly/late", harness.Skip, "needs the feature legs, which is not declared")
		add(target, "toy/fly/later", harness.Skip, "needs the features legs and arms, which are not declared")
		add(target, "toy/fly/last", harness.Skip, "needs the feature tail or fins, which is not declared")
		add(target, "toy/fly/never", harness.Skip, "it takes an hour")
	}
	return report.New(in), k
}

func TestFeatures(t *testing.T) {
	r, k := winged("a")
	var got []string
	for _, f := range contentOf(r, Options{Kinds: []*harness.Kind{k}}).Features {
		got = append(got, fmt.Sprintf("%s %s %d/%d at %d, more %d", f.Name, f.Ended, f.Bad, f.Checks, f.Result, f.More))
	}
	assert.Equal(t, []string{"wings failed 1/2 at 1, more 0", "feathers passed 1/1 at 2, more 0", "wheels passed 1/1 at 2, more 0", "night skipped 1/0 at 3, more 0",
		"legs lacking 0/1 at 3, more 1", "fins lacking 0/1 at 5, more 0", "tail lacking 0/1 at 5, more 0", "arms lacking 0/0 at 4, more 1"}, got)
	got = nil
	for _, f := range contentOf(r, Options{}).Features { // of a kind that is not known, the reasons still say what was lacking
		got = append(got, f.Name+" "+f.Ended)
	}
	assert.Equal(t, []string{"legs lacking", "fins lacking", "tail lacking", "arms lacking"}, got)
}

func TestFeaturesInABrowser(t *testing.T) {
	was := kind
	defer func() { kind = was }()
	r, k := winged("a")
	kind = k
	const badges = "say.push(...[...main.querySelectorAll('.badges > *')].map(e => e.innerText.replace(/\\s+/g, ' ').trim()), main.querySelectorAll('i').length, main.querySelector('.badge').title)"
	assert.Equal(t, "failing; wings 1 of 2; supported; feathers 1 wheels 1; not tested; night; not declared; legs +1 fins +1 tail +1 arms with others; 0; "+
		"wings: it &lt;i&gt;flies (2 checks of those that were run need it)", look(t, r, "/", badges))
	const folded = "say.push([...main.querySelectorAll('details')].filter(d => d.querySelector('.badges')).map(d => d.open + ' ' + d.querySelector('summary').innerText)[0])"
	r, _ = winged("a", "b", "c", "d", "e")
	assert.Equal(t, "false a: 1 failing, 2 supported, 1 not tested, 4 not declared", look(t, r, "/", folded))
	r, _ = winged("a", "b", "c", "d")
	assert.Equal(t, "undefined; a,b,c,d", look(t, r, "/", folded+"; say[0] = String(say[0]); say.push(texts('h3').slice(-4).join())"))
}

// The page of a report that is compared with another says what failed anew, what is fixed, and the rest.
func TestSince(t *testing.T) {
	old, _ := winged("a")
	now, k := winged("a")
	old.Results[0].Verdict, old.Results[1].Verdict = harness.Fail, harness.Pass // fly/down is fixed, fly/up fails anew
	old.Results[1].Rules = []harness.RuleResult{{Rule: "read/true", Level: harness.Must, Verdict: harness.Pass, Required: true}}
	now.Results[2].Verdict, now.Results[2].Reason = harness.Skip, "<b>no"
	now.Results = now.Results[:6] // fly/never is gone
	d := report.Compare(report.Side{Name: "runs/<old>", Report: old}, report.Side{Name: "new", Report: now})
	c := contentOf(now, Options{Kinds: []*harness.Kind{k}, Since: d}).Since
	require.NotNil(t, c)
	assert.Equal(t, []change{{Result: 1, Target: "a", Check: "toy/fly/up", Was: "pass", Is: "fail", Why: "got down", Rules: []string{"read/true"}, Whole: true}}, c.New)
	assert.Equal(t, []change{{Result: 0, Target: "a", Check: "toy/fly/down", Was: "fail", Is: "pass", Whole: true}}, c.Fixed)
	assert.Equal(t, []change{{Result: 2, Target: "a", Check: "toy/fly/far", Was: "pass", Is: "skip", Why: "<b>no", Whole: true},
		{Result: -1, Target: "a", Check: "toy/fly/never", Was: "skip", Is: "absent", Whole: true}}, c.Other)
	assert.Equal(t, 3, c.Same)
	assert.Nil(t, contentOf(now, Options{}).Since)

	sinceWhat = d
	defer func() { sinceWhat = nil }()
	const section = "main.querySelectorAll('details').forEach(d => { d.open = true; }); say.push(texts('h2')[1], ...texts('h2 ~ details').slice(0, 3))"
	assert.Equal(t, "Since runs/&lt;old&gt;; New failures (1) toy/fly/up failed, before: passed; read/true: got down; Fixed (1) toy/fly/down passed, before: failed; "+
		"Other changes (2) toy/fly/far skipped, before: passed: &lt;b&gt;no toy/fly/never on a absent, before: skipped", look(t, now, "/", section))
	sinceWhat = report.Compare(report.Side{Name: "same", Report: now}, report.Side{Report: now})
	assert.Contains(t, look(t, now, "/", "say.push(...texts('p'))"), "6 checks as before, and nothing else.")
}
