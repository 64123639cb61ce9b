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

// A rule is what all checks together say of it; it is known where each of its failures is.
func TestSection(t *testing.T) {
	must, should := Rule{Rule: "a/x", Level: harness.Must}, Rule{Rule: "a/x", Level: harness.Should}
	says := func(v harness.Verdict, known string) harness.Result {
		return harness.Result{Rules: []harness.RuleResult{{Rule: "a/x", Verdict: v, Known: known, Tested: 1}, {Rule: "a/other", Verdict: harness.Fail}}}
	}
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
	} {
		var s Section
		s.add(c.rule, c.results)
		assert.Equal(t, c.want, s.String())
	}
}

// A table is read again as it was, and takes newer rows in the place of older ones.
func TestTable(t *testing.T) {
	rows := New(anInput()).Rows()
	var table Table
	table.Put(rows...)
	table.Put(Row{Implementation: "an|other", Kind: "k", Sections: []Section{{Name: "a", Pass: 2}, {Name: "new", Pass: 1}}}, Row{Implementation: "tee 1", Kind: "j", Sections: []Section{{Name: "a", Pass: 1}}})
	var b bytes.Buffer
	require.NoError(t, table.JSON(&b))
	file := filepath.Join(t.TempDir(), "table.json")
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o666))
	again, err := ReadTable(file)
	require.NoError(t, err)
	assert.Equal(t, &table, again)
	again.Put(Row{Implementation: "tee 1", Kind: "k"})
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
	assert.ErrorContains(t, err, "is no table of results")
}
