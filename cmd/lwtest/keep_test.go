package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness/report"
)

// A run keeps the histories of new failures and of inconclusive checks, or all if the user says so. A crash is
// explained either way.
func TestKeptHistories(t *testing.T) {
	for target, kept := range map[string]bool{"good": false, "excused": false, "bad": true, "hostile-toy:deadlock": true, "hostile-toy:exit7": true, "hostile-toy:goroutine": true} {
		chdir(t)
		for _, keep := range []string{"new", "all"} {
			o := lwtest(t, "run", "toy/map/reads", "--target", target, "--keep", keep, "--format", "json", "--out", keep)
			for _, res := range readReport(t, o.out).Results {
				if !kept && keep == "new" {
					assert.Empty(t, res.History, "%s on %s", res.Check, target)
					continue
				}
				require.NotEmpty(t, res.History, "%s on %s", res.Check, target)
				assert.FileExists(t, filepath.Join(keep, res.History))
			}
			logs, err := filepath.Glob(keep + "/histories/*/*.log")
			require.NoError(t, err)
			assert.Empty(t, logs, "logs are only for crashes")
			judged := lwtest(t, "judge", keep)
			assert.Equal(t, o.status, judged.status, judged.errors)
			if !kept && keep == "new" {
				assert.Contains(t, judged.errors, "`lwtest run --keep all` keeps every history")
			}
		}
	}
}

// Reports print a rule with its kind, and a known-failures file may do so, too.
func TestKnownFailuresNameRules(t *testing.T) {
	for rule, says := range map[string]string{
		"map/reads":     "",
		"toy/map/reads": "",
		"toy/map/reeds": "no rule of these checks matches \"toy/map/reeds\", so it would cover nothing (did you mean toy/map/reads?)",
	} {
		chdir(t)
		require.NoError(t, os.WriteFile("known.json", []byte(`[{"check":"toy/*","rule":"`+rule+`","verdict":"fail","got":"value","reason":"it loses writes"}]`), 0o644))
		o := lwtest(t, "run", "toy/map/reads", "--target", "bad", "--known", "known.json")
		assert.Contains(t, o.errors, says)
		assert.Equal(t, says == "", o.status == report.OK, "%s: %s%s", rule, o.out, o.errors)
	}
}

func TestVersionFlag(t *testing.T) {
	o := lwtest(t, "--version")
	assert.Equal(t, report.OK, o.status)
	assert.Contains(t, o.out, version().module)
}
