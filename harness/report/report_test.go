package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// aKind has a rule for each level.
func aKind() *harness.Kind {
	rule := func(id string, l harness.Level, classes ...string) harness.Rule {
		return harness.Rule{Judge: func(*history.History) harness.Judgement { return harness.Judgement{} }, Clause: harness.Clause{
			ID: id, Level: l, Text: "text of " + id, Why: "why of " + id, Sources: []harness.Source{{Name: "source of " + id}}, Classes: classes}}
	}
	return &harness.Kind{Name: "k", Version: "7", Rules: []harness.Rule{harness.Survives,
		rule("a/must", harness.Must, "LIST rv=past", "WATCH"), rule("a/should", harness.Should, "WATCH"), rule("b/must", harness.Must)}}
}

// anInput has a result of each kind, with text that renderers must escape.
func anInput() Input {
	bad := mustFails
	bad.Bad = []harness.Shown{{Finding: harness.Finding{At: []int32{1, 2}, Want: "<this> & that", Got: "\x00\x1b]]>nothing"}, Timeline: "w1\n  #1 -> LIST\nx #2 <- LIST\n"}}
	bad.Failures = 3
	known := mustKnown
	known.Bad, known.Known = bad.Bad, ""
	results := []harness.Result{
		{Check: "k/five", Target: "t:1", Verdict: harness.Skip, Reason: "needs the feature x"},
		{Check: "k/one", Target: "t:1", Plugin: "tee 1", Verdict: harness.Pass, Rules: []harness.RuleResult{mustPasses}, Elapsed: time.Second, History: "histories/t+1/k.one.jsonl",
			Score: map[string]int{"LIST rv=past outcome=ok": 2, "LIST rv=pasture outcome=ok": 1}},
		{Check: "k/two", Target: "t:1", Verdict: harness.Fail, Rules: []harness.RuleResult{bad, shouldFails}, History: "histories/t+1/k.two.jsonl", Score: map[string]int{"rv=past LIST": 1}},
		{Check: "k/three", Target: "t:1", Verdict: harness.Fail, Rules: []harness.RuleResult{known}},
		{Check: "k/four", Target: "t:1", Verdict: harness.Inconclusive, Reason: "hang\nsomewhere", Stack: strings.Repeat("goroutine\n", 100), Rules: []harness.RuleResult{mustUntested}},
		{Check: "k/six", Target: "t:1", Verdict: harness.Fail, Rules: []harness.RuleResult{shouldFails}},
	}
	var plan []Planned
	for _, name := range []string{"one", "two", "three", "four", "five", "six", "seven"} {
		plan = append(plan, Planned{Target: "t:1", Check: "k/" + name})
	}
	lines, err := harness.ParseKnown("test", []byte(`[{"check":"k/three","rule":"a/must","verdict":"fail","got":"nothing","reason":"it is known","link":"https://example.com/1"},
		{"target":"t","check":"k/one","rule":"a/must","verdict":"fail","got":"x","reason":"it was"}]`))
	if err != nil {
		panic(err)
	}
	return Input{Header: Header{Version: "v0", Args: []string{"run"}, Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Plan: plan, Known: lines,
		Settings: Settings{Targets: []string{"t:1"}, Seed: 3, Level: harness.Must}}, Results: results, Kinds: []*harness.Kind{aKind()}, Elapsed: 2 * time.Second, Dir: "runs/it's"}
}

func TestNew(t *testing.T) {
	r := New(anInput())
	var order []string
	for _, res := range r.Results {
		order = append(order, res.Check)
	}
	assert.Equal(t, []string{"k/one", "k/two", "k/three", "k/four", "k/five", "k/six"}, order, "as planned")
	assert.Equal(t, []Planned{{Target: "t:1", Check: "k/seven"}}, r.Missing)
	assert.Equal(t, Counts{Pass: 1, Fail: 3, Inconclusive: 1, Skip: 1, Known: 1, Missing: 1}, r.Counts)
	assert.Equal(t, Failed, r.Status)
	require.Len(t, r.Stale, 1)
	assert.Contains(t, r.Stale[0], "line 2")

	k := r.Kinds[0]
	assert.Equal(t, []Class{{"LIST rv=past", []string{"a/must"}, 3, false}, {"WATCH", []string{"a/must", "a/should"}, 0, false}}, k.Classes, "whole tokens, in any order")
	assert.Equal(t, 2, k.Exercised["LIST rv=past outcome=ok"])
	assert.Equal(t, Rule{Rule: "a/must", Level: harness.Must, Text: "text of a/must", Sources: k.Rules[1].Sources, Tested: 1, Pass: 1, Fail: 2}, k.Rules[1])
}

// A class is out of reach only if all the rules that name it were skipped.
func TestUndeclaredClasses(t *testing.T) {
	rules := []harness.Rule{
		{Clause: harness.Clause{ID: "a", Classes: []string{"A", "BOTH", "SEEN"}}},
		{Clause: harness.Clause{ID: "b", Classes: []string{"BOTH", "B"}}},
		{Clause: harness.Clause{ID: "c", Classes: []string{"C"}}},
	}
	k := Kind{Name: "k", Contract: "1", Classes: classes(rules, []Rule{{Skip: 2}, {Skip: 1, Inconclusive: 1}, {}}, map[string]int{"SEEN": 1})}
	var out []string
	for _, c := range k.Classes {
		if c.Undeclared {
			out = append(out, c.Class)
		}
	}
	assert.Equal(t, []string{"A"}, out, "what was never judged was not skipped")
	var b strings.Builder
	(&Report{Kinds: []Kind{k}}).scorecard(&b)
	assert.Contains(t, b.String(), "1 of 4 classes were reached; 1 more need a feature that no target declares\n  never     BOTH")
}

func TestLastResultOfACheckCounts(t *testing.T) {
	in := anInput()
	again := in.Results[2]
	again.Verdict, again.Rules = harness.Pass, nil
	in.Results = append(in.Results, again)
	assert.Equal(t, harness.Pass, New(in).Results[1].Verdict)
}

// The closing lines name a check that broke a SHOULD and left a MUST open, because it makes the run not proven.
func TestTextNamesWhatIsOpen(t *testing.T) {
	in := anInput()
	should := harness.Result{Check: "k/one", Target: "t:1", Verdict: harness.Fail, Rules: []harness.RuleResult{shouldFails}}
	open := harness.Result{Check: "k/two", Target: "t:1", Verdict: harness.Fail, Rules: []harness.RuleResult{shouldFails, mustUntested}}
	in.Header.Plan, in.Header.Known, in.Results = in.Header.Plan[:2], nil, []harness.Result{should, open}
	var b strings.Builder
	r := New(in)
	require.NoError(t, r.Text(&b, TextOptions{}))
	assert.Equal(t, Unproven, r.Status)
	assert.Contains(t, b.String(), "0 passed, 0 known failures, 0 new failures, 2 broken SHOULDs, 0 skipped")
	assert.Contains(t, b.String(), "\nopen       k/two on t:1: b/must: never put to the test\n")

	in.Results = []harness.Result{should, should}
	in.Results[1].Check = "k/two"
	b.Reset()
	r = New(in)
	require.NoError(t, r.Text(&b, TextOptions{}))
	assert.Equal(t, OK, r.Status)
	assert.NotContains(t, b.String(), "open ")
}

func text(t *testing.T, r *Report, o TextOptions) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, r.Text(&b, o))
	return b.String()
}

func TestText(t *testing.T) {
	r := New(anInput())
	out := text(t, r, TextOptions{})
	for _, want := range []string{
		"target  suite   passed   known skipped  failed  SHOULD inconclusive     time\nt:1     k            1       1       1       1       1            1       1s  tee 1  1 without a result\n",
		"FAIL MUST k/a/must on t:1", "SHOULD k/a/should on t:1", "inconclusive k/four on t:1",
		"clause  text of a/must\n          source of a/must\n  want    <this> & that\n", "why     why of a/must\n  and 2 more like it\n",
		"again   lwtest play 'runs/it'\\''s/histories/t+1/k.two.jsonl'", "reason  hang\n", "… 60 more lines",
		"k 1 of 2\n", "stale known failure", "truncated  1 check without a result; finish the run with",
		"-v lists every check, --show known explains the known failures, --show skipped says why checks were skipped",
		"\n1 passed, 1 known failure, 1 new failure, 1 broken SHOULD, 1 inconclusive, 1 skipped  (2s, seed 3)\nexit status 1: ",
	} {
		assert.Contains(t, out, want)
	}
	for _, unwanted := range []string{"pass  ", "known k/three", "it is known", "needs the feature x", "\x1b["} {
		assert.NotContains(t, out, unwanted)
	}
	assert.Contains(t, text(t, r, TextOptions{Color: true}), "\x1b[31m")
}

func TestTextShows(t *testing.T) {
	r := New(anInput())
	out := text(t, r, TextOptions{Verbose: true})
	for _, want := range []string{"t:1  (tee 1)", "pass         k/one", "skip         k/five", "known        k/three", "should       k/six", "no result     k/seven", "never     WATCH"} {
		assert.Contains(t, out, want)
	}
	out = text(t, r, TextOptions{Show: ShowKnown})
	assert.Contains(t, out, "known   it is known (https://example.com/1)")
	assert.Contains(t, out, "MUST k/a/must  (clause and reason: above)")
	assert.Less(t, strings.Index(out, "FAIL MUST k/a/must on"), strings.Index(out, "known k/three on"), "known failures come last")
	assert.Contains(t, text(t, r, TextOptions{Show: ShowSkipped}), "skipped: needs the feature x (1 check)\n  k/five on t:1\n")
}

// A summary shows five causes and five open checks in full, and counts the others.
func TestTextIsShort(t *testing.T) {
	in := anInput()
	in.Header.Plan, in.Header.Known, in.Results = nil, nil, nil
	for i := range 24 {
		res := harness.Result{Check: fmt.Sprintf("k/c%d", i), Target: "t:1", Verdict: harness.Fail, Rules: []harness.RuleResult{mustFails}}
		if i == 20 {
			res.Rules = []harness.RuleResult{breaks("b/must", harness.Must, 1)}
		}
		if i > 20 {
			res.Verdict, res.Rules, res.Reason = harness.Inconclusive, nil, "who knows"
		}
		in.Header.Plan, in.Results = append(in.Header.Plan, Planned{Target: "t:1", Check: res.Check}), append(in.Results, res)
	}
	out := text(t, New(in), TextOptions{})
	assert.Equal(t, 2, strings.Count(out, "FAIL MUST k/"), "one rule each")
	assert.Contains(t, out, "  checks  k/c0\n          k/c1\n          k/c2\n          and 17 more\n")
	assert.Equal(t, 3, strings.Count(out, "inconclusive k/c"))
	assert.Equal(t, 21, strings.Count(text(t, New(in), TextOptions{Verbose: true}), "FAIL         k/"), "a line each")
	for i := range in.Results {
		in.Results[i].Verdict, in.Results[i].Rules, in.Results[i].Reason = harness.Inconclusive, nil, "who knows"
	}
	out = text(t, New(in), TextOptions{})
	assert.Contains(t, out, "and 19 more checks that did not pass: -v shows each in full\n")
	assert.Equal(t, 19, strings.Count(out, "\n  inconclusive"), "a line each")
}

// Targets of one family share a line. A single one keeps its name.
func TestTextOfFamilies(t *testing.T) {
	in := anInput()
	in.Header.Settings.Targets, in.Header.Plan, in.Header.Known, in.Results = []string{"a1", "a2", "b"}, nil, nil, nil
	for _, target := range in.Header.Settings.Targets {
		in.Header.Plan = append(in.Header.Plan, Planned{Target: target, Check: "k/one"})
		in.Results = append(in.Results, harness.Result{Target: target, Check: "k/one", Verdict: harness.Pass, Elapsed: time.Second})
	}
	out := text(t, New(in), TextOptions{Family: func(target string) string { return strings.Trim(target, "12") + "s" }})
	assert.Contains(t, out, "as (2)  k            2       ·       ·       ·       ·            ·       2s\nb       k            1 ")
}

// A check whose history was not kept is repeated by its name, unless its connect string may hold a secret.
func TestTextSaysHowToRepeat(t *testing.T) {
	in := anInput()
	in.Header.Plan, in.Results = in.Header.Plan[2:3], in.Results[3:4]
	in.Results[0].Events, in.Results[0].Seed = 3, 4
	in.Kinds[0].Checks = []harness.Info{{Name: "three"}}
	assert.Contains(t, text(t, New(in), TextOptions{Show: ShowKnown}), "again   lwtest run k/three --target 't:1' --seed 4\n")
	in.Kinds[0].Checks[0].Name = "other"
	assert.NotContains(t, text(t, New(in), TextOptions{Show: ShowKnown}), "again", "`run` has no check k/three")
	in.Kinds[0].Checks[0].Name = "three"
	in.Header.Settings.Targets, in.Header.Plan[0].Target, in.Results[0].Target = []string{"t:1?x=y"}, "t:1?x=y", "t:1?x=y"
	assert.NotContains(t, text(t, New(in), TextOptions{Show: ShowKnown}), "again")
	in.Results[0].Target, in.Results[0].Plugin, in.Results[0].History = harness.GoTest, "TestIt", "histories/three.jsonl"
	in.Header.Settings.Targets, in.Header.Plan[0].Target = []string{harness.GoTest}, harness.GoTest
	assert.Contains(t, text(t, New(in), TextOptions{Show: ShowKnown}), "again   LWTEST_SEED=4 go test -run TestIt/three\n", "`play` has no test's subject")
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1529: "1,529", 1234567: "1,234,567"} {
		assert.Equal(t, want, Thousands(n))
	}
}

// A target of a kind that was not selected has neither lines nor a name.
func TestTextLeavesOutWhatWasNotSelected(t *testing.T) {
	in := anInput()
	in.Header.Settings.Targets = append(in.Header.Settings.Targets, "other:1")
	var b bytes.Buffer
	require.NoError(t, New(in).Text(&b, TextOptions{}))
	assert.NotContains(t, b.String(), "other:1")
	in.Header.Plan = append(in.Header.Plan, Planned{Target: "other:1", Check: "k/one"})
	b.Reset()
	require.NoError(t, New(in).Text(&b, TextOptions{}))
	assert.Contains(t, b.String(), "other:1", "it has no result")
}

func TestCrashComesFirst(t *testing.T) {
	in := anInput()
	crash := harness.RuleResult{Rule: harness.Survives.Address(), Level: harness.Must, Verdict: harness.Fail, Failures: 1}
	in.Results = append(in.Results, harness.Result{Check: "k/seven", Target: "t:1", Verdict: harness.Fail, Rules: []harness.RuleResult{crash}})
	var b bytes.Buffer
	require.NoError(t, New(in).Text(&b, TextOptions{}))
	assert.Less(t, strings.Index(b.String(), "FAIL MUST k/subject/survives on"), strings.Index(b.String(), "FAIL MUST k/a/must on"))
}

func TestJUnit(t *testing.T) {
	in := anInput()
	in.Problems = []string{"the adapter spoke nonsense"}
	var b bytes.Buffer
	require.NoError(t, New(in).JUnit(&b))
	d := xml.NewDecoder(bytes.NewReader(b.Bytes()))
	for {
		_, err := d.Token()
		if err == io.EOF {
			break
		}
		require.NoError(t, err, b.String())
	}
	var got suites
	require.NoError(t, xml.Unmarshal(b.Bytes(), &got))
	assert.Equal(t, []int{9, 2, 3, 3}, []int{got.Tests, got.Failures, got.Errors, got.Skipped})
	byName := map[string]testcase{}
	for _, c := range append(got.Suites[0].Cases, got.Suites[1].Cases...) {
		byName[c.Name] = c
	}
	assert.Equal(t, "1.000", byName["k/one"].Time)
	assert.Contains(t, byName["k/two"].Failure.Text, "<this> & that")
	assert.Equal(t, "broke a/must: \ufffd\ufffd]]>nothing; and a/should", byName["k/two"].Failure.Message)
	assert.Equal(t, "known failure: it is known (https://example.com/1)", byName["k/three"].Skipped.Message)
	assert.Equal(t, "hang", byName["k/four"].Error.Message)
	assert.Equal(t, "needs the feature x", byName["k/five"].Skipped.Message)
	assert.NotNil(t, byName["k/six"].Skipped, "a SHOULD that does not count")
	assert.Equal(t, "truncated", byName["k/seven"].Error.Type)
	assert.Equal(t, "no result: the run is truncated", byName["k/seven"].Error.Message)
	assert.NotNil(t, byName["problem 1"].Error)
	assert.NotNil(t, byName["stale known failure 1"].Failure)
}

func TestJSONIsWhatIsRead(t *testing.T) {
	var b bytes.Buffer
	r := New(anInput())
	require.NoError(t, r.JSON(&b))
	var got Report
	require.NoError(t, json.Unmarshal(b.Bytes(), &got))
	assert.Equal(t, Format, got.Format)
	assert.Equal(t, r.Kinds, got.Kinds)
	assert.Equal(t, r.Counts, got.Counts)
	assert.Len(t, got.Results, len(r.Results))
}

// SCHEMA.md describes every field that is written.
func TestSchemaIsWhole(t *testing.T) {
	b, err := os.ReadFile("SCHEMA.md")
	require.NoError(t, err)
	seen := map[reflect.Type]bool{}
	var visit func(reflect.Type)
	visit = func(ty reflect.Type) {
		for ty.Kind() == reflect.Slice || ty.Kind() == reflect.Pointer || ty.Kind() == reflect.Map {
			ty = ty.Elem()
		}
		if ty.Kind() != reflect.Struct || seen[ty] || !strings.Contains(ty.PkgPath(), "lwtest") {
			return
		}
		seen[ty] = true
		for i := range ty.NumField() {
			f := ty.Field(i)
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
				assert.Contains(t, string(b), "`"+name+"`", "%s.%s", ty, f.Name)
			}
			if f.IsExported() {
				visit(f.Type)
			}
		}
	}
	visit(reflect.TypeFor[Report]())
	visit(reflect.TypeFor[Footer]())
}

func TestSafe(t *testing.T) {
	for in, want := range map[string]string{
		"watchcache/list/not-older-than":  "watchcache.list.not-older-than",
		"go:fakeclientset":                "go+fakeclientset",
		"kubeconfig:/a/b?resource=leases": "kubeconfig+.a.b_3fresource=leases",
		"../../etc/passwd":                "_2e_2e._2e_2e.etc.passwd",
		"/etc":                            "_2fetc",
		"":                                "",
		"a.b":                             "a_2eb",
		"exec:node x.mjs; rm -rf *":       "exec+node_20x_2emjs_3b_20rm_20-rf_20_2a",
	} {
		assert.Equal(t, want, Safe(in))
	}
	long := strings.Repeat("x", 500)
	assert.Len(t, Safe(long), nameMax)
	assert.NotEqual(t, Safe(long), Safe(long+"y"))
	assert.Equal(t, filepath.Join("histories", "t", "k.a.jsonl.gz"), History("t", "k/a"))
}

// A broken provisional rule fails no check, but is shown.
func TestProvisionalIsShown(t *testing.T) {
	in := anInput()
	in.Results = []harness.Result{{Check: "k/one", Target: "t:1", Verdict: harness.Pass, Rules: []harness.RuleResult{mustPasses, {
		Rule: "a/new", Level: harness.Provisional, Verdict: harness.Fail, Failures: 1, Bad: []harness.Shown{{Finding: harness.Finding{Want: "this", Got: "that"}}}}}}}
	in.Header.Plan, in.Header.Known = []Planned{{Target: "t:1", Check: "k/one"}}, nil
	var b bytes.Buffer
	require.NoError(t, New(in).Text(&b, TextOptions{Verbose: true}))
	assert.Regexp(t, `(?m)^  pass +k/one +0s  broke a/new, which is provisional$`, b.String())
	assert.Contains(t, b.String(), "want    this")
	assert.NotContains(t, b.String(), "exit status")
}
