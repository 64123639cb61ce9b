package main

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness/report"
)

func TestDiff(t *testing.T) {
	chdir(t)
	for dir, target := range map[string]string{"good": "good", "bad": "bad"} {
		lwtest(t, "run", "--target", target, "--out", dir)
	}
	o := lwtest(t, "diff", "good", "good/report.json")
	assert.Equal(t, report.OK, o.status, o.errors)
	assert.Contains(t, o.out, "0 changes, 0 of them worse")

	o = lwtest(t, "diff", "good", "bad")
	assert.Equal(t, report.Failed, o.status)
	assert.Contains(t, o.out, "WORSE   toy/map/reads on bad: fail, was pass")

	o = lwtest(t, "diff", "bad", "good", "--format", "json")
	assert.Equal(t, report.OK, o.status, "mended is not worse")
	var d report.Diff
	require.NoError(t, json.Unmarshal([]byte(o.out), &d))
	require.NotEmpty(t, d.Changes)
	assert.Equal(t, report.Change{Target: "good", Check: "toy/map/reads", Was: "fail", Is: "pass"}, d.Changes[0])
}

// A run that was cut off is compared, with a note.
func TestDiffOfATruncatedRun(t *testing.T) {
	chdir(t)
	for _, dir := range []string{"whole", "cut"} {
		lwtest(t, "run", "--target", "good", "--out", dir)
	}
	lines, err := os.ReadFile("cut/results.jsonl")
	require.NoError(t, err)
	require.NoError(t, os.Remove("cut/report.json"))
	all := bytes.SplitAfter(lines, []byte("\n"))
	require.NoError(t, os.WriteFile("cut/results.jsonl", bytes.Join(all[:2], nil), 0o644)) // the header, and one result
	o := lwtest(t, "diff", "whole", "cut")
	assert.Equal(t, report.Failed, o.status)
	assert.Contains(t, o.errors, "cut is truncated: ")
	assert.Contains(t, o.errors, "checks of its run have no result")
	assert.NotContains(t, o.errors, "whole is truncated")
}

func TestDiffBadInput(t *testing.T) {
	chdir(t)
	require.NoError(t, os.WriteFile("garbage.json", []byte("garbage"), 0o644))
	require.NoError(t, os.WriteFile("other.json", []byte(`{"lwtest":"report/v9"}`), 0o644))
	require.NoError(t, os.Mkdir("none", 0o777))
	for says, args := range map[string][]string{
		"diff compares two reports":                   {"diff", "garbage.json"},
		"garbage.json is not a report.json of lwtest": {"diff", "garbage.json", "garbage.json"},
		`format is "report/v9"`:                       {"diff", "other.json", "other.json"},
		"the name of a report is empty":               {"diff", "", "none"},
		"none holds no report":                        {"diff", "none", "none"},
		"nowhere holds no report":                     {"diff", "nowhere", "nowhere"},
		"say text or json":                            {"diff", "a", "b", "--format", "junit"},
		"say auto, always or never":                   {"diff", "a", "b", "--color", "blue"},
	} {
		o := lwtest(t, args...)
		assert.Equal(t, report.Broken, o.status, "%q", args)
		assert.Contains(t, o.errors, says, "%q", args)
		assert.Empty(t, o.out, "%q", args)
	}
}
