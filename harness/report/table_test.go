package report

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
)

func TestRows(t *testing.T) {
	in := anInput()
	in.Header.Settings.Targets = append(in.Header.Settings.Targets, "skips")
	in.Header.Plan = append(in.Header.Plan, Planned{Target: "skips", Check: "k/one"})
	in.Results = append(in.Results, harness.Result{Check: "k/one", Target: "skips", Verdict: harness.Skip})
	rows := New(in).Rows()
	require.Len(t, rows, 1, "what was skipped whole has no row")
	assert.Equal(t, Row{Implementation: "tee 1", Kind: "k", Contract: "7", Target: "t:1", Version: "v0", Started: in.Header.Started,
		Checks:   Counts{Pass: 1, Fail: 3, Inconclusive: 1, Skip: 1, Known: 1, Missing: 1},
		Sections: []Section{{Name: "subject", Skip: 1}, {Name: "a", Fail: 1, Should: 1}, {Name: "b", Open: 1}}}, rows[0])
}

// A rule counts by the verdict of all checks, and as known if each of its failures is.
func TestSection(t *testing.T) {
	must, should := Rule{Rule: "a/x", Level: harness.Must}, Rule{Rule: "a/x", Level: harness.Should}
	as := func(l harness.Level, v harness.Verdict, known string) harness.Result {
		return harness.Result{Rules: []harness.RuleResult{{Rule: "a/x", Level: l, Verdict: v, Known: known, Tested: 1}, {Rule: "a/other", Verdict: harness.Fail}}}
	}
	says := func(v harness.Verdict, known string) harness.Result { return as("", v, known) }
	pass, skip, open := says(harness.Pass, ""), says(harness.Skip, ""), says(harness.Inconclusive, "")
	bad, known := says(harness.Fail, ""), says(harness.Fail, "it is")
	for _, c := range []struct {
		rule    Rule
		results []harness.Result
		want    string
	}{
		{must, nil, "–"},
		{must, []harness.Result{skip}, "–"},
		{must, []harness.Result{skip, pass, open}, "1/1"},
		{must, []harness.Result{skip, open}, "0/0, 1 open"},
		{must, []harness.Result{pass, known}, "0/1, 1 known"},
		{must, []harness.Result{pass, known, bad}, "0/1, **1 fail**"},
		{should, []harness.Result{pass, bad, open}, "0/1, 1 should"},
		{should, []harness.Result{known}, "0/1, 1 known"},
		{must, []harness.Result{as(harness.Should, harness.Fail, "")}, "0/1, 1 should"}, // it binds others more
		{must, []harness.Result{as(harness.Must, harness.Fail, ""), as(harness.Should, harness.Fail, "")}, "0/1, **1 fail**"},
	} {
		var s Section
		s.add(c.rule, c.results)
		assert.Equal(t, c.want, s.String())
	}
}

// The level of a rule comes from the run's targets. Where they differ, the strictest counts.
func TestRuleLevel(t *testing.T) {
	of := func(levels ...harness.Level) harness.Level {
		in := anInput()
		in.Results = nil
		for _, l := range levels {
			in.Results = append(in.Results, harness.Result{Check: "k/one", Rules: []harness.RuleResult{{Rule: "a/must", Level: l, Verdict: harness.Fail}}})
		}
		return kindOf(in.Kinds[0], in.Results).Rules[1].Level
	}
	assert.Equal(t, harness.Must, of())
	assert.Equal(t, harness.Should, of(harness.Should, harness.Should))
	assert.Equal(t, harness.Must, of(harness.Should, harness.Must, harness.Should))
}

// A run of some checks says so and does not replace a full one. A full one replaces it.
func TestSelection(t *testing.T) {
	whole, globbed, again := anInput(), anInput(), anInput()
	globbed.Header.Settings.Globs = []string{"k/o*", "k/t*"}
	again.Header.Settings.Checks = again.Header.Plan[:1]
	var table Table
	require.NoError(t, table.Put(New(globbed).Rows()...))
	require.NoError(t, table.Put(New(again).Rows()...))
	assert.Equal(t, []string{"k/one"}, table.Rows[0].Only)
	require.NoError(t, table.Put(New(globbed).Rows()...))
	var b bytes.Buffer
	require.NoError(t, table.Markdown(&b))
	assert.Contains(t, b.String(), `(**only k/o\*, k/t\***) |`)
	require.NoError(t, table.Put(New(whole).Rows()...))
	require.Len(t, table.Rows, 1)
	assert.Empty(t, table.Rows[0].Only)
	assert.EqualError(t, table.Put(New(globbed).Rows()...), "a run of only k/o*, k/t* cannot replace the full row of tee 1 (k): leave it out, or run that suite without patterns")
	assert.Empty(t, table.Rows[0].Only)
}

// ReadTable reads what was written, and newer rows replace older ones.
func TestTable(t *testing.T) {
	rows := New(anInput()).Rows()
	var table Table
	require.NoError(t, table.Put(rows...))
	require.NoError(t, table.Put(Row{Implementation: "an|other", Kind: "k", Sections: []Section{{Name: "a", Pass: 2}, {Name: "new", Pass: 1}}}, Row{Implementation: "tee 1", Kind: "j", Sections: []Section{{Name: "a", Pass: 1}}}))
	var b bytes.Buffer
	require.NoError(t, table.JSON(&b))
	file := filepath.Join(t.TempDir(), "table.json")
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o666))
	again, err := ReadTable(file)
	require.NoError(t, err)
	assert.Equal(t, &table, again)
	require.NoError(t, again.Put(Row{Implementation: "tee 1", Kind: "k"}))
	assert.Len(t, again.Rows, 3)
	assert.Empty(t, again.Rows[0].Sections)

	b.Reset()
	require.NoError(t, table.Markdown(&b))
	assert.Contains(t, b.String(), `
## k

| implementation | subject | a | b | new | checks: pass, fail, inconclusive, skip; known | contract | lwtest | date |
|---|---|---|---|---|---|---|---|---|
| an\|other |  | 2/2 |  | 1/1 | 0, 0, 0, 0; 0 |  |  | 0001-01-01 |
| tee 1 | – | 0/2, **1 fail**, 1 should | 0/0, 1 open |  | 1, 3, 1, 1; 1 (cut short: 1 without a result) | 7 | v0 | 2026-01-02 |
`)
	require.NoError(t, os.WriteFile(file, []byte(`{"lwtest":"report/v1"}`), 0o666))
	_, err = ReadTable(file)
	assert.ErrorContains(t, err, "is not a table of results")
}
