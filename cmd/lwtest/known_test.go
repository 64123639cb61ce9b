package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness/report"
)

// knownFile writes a file with one line about a check and a target.
func knownFile(t *testing.T, check, target string) {
	t.Helper()
	rule := "map/reads"
	if strings.HasPrefix(check, "watchcache/") {
		rule = "list/*"
	}
	line := `[{"check":"` + check + `","target":"` + target + `","rule":"` + rule + `","verdict":"fail","got":"^the value","reason":"it loses writes"}]`
	require.NoError(t, os.WriteFile("known.json", []byte(line), 0o644))
}

// TestMistypedKnownFailures checks that a line that can cover nothing is refused or reported, because it would never
// be stale.
func TestMistypedKnownFailures(t *testing.T) {
	chdir(t)
	aRun(t, "was", report.Failed, "bad")
	for _, args := range [][]string{{"run", "toy/map/reads", "--target", "bad", "--known", "known.json"}, {"judge", "was", "--known", "known.json"}} {
		for _, check := range []string{"toy/map/read", "toy/mapp/*", "tox"} {
			knownFile(t, check, "")
			refuses(t, `known.json, line 1 of the array: no check matches "`+check+`", so it would cover nothing`, args...)
		}
		assert.NoDirExists(t, "runs", "what cannot run leaves nothing behind")
		for target, note := range map[string]bool{"": false, "bad": false, "bade": true, "good": true} {
			knownFile(t, "toy/map/*", target)
			o := lwtest(t, args...)
			says := `known.json, line 1 of the array: it is about "` + target + `", and covers nothing here: the targets are bad` + "\n"
			if note {
				assert.Equal(t, report.Failed, o.status)
				assert.Contains(t, o.errors, says)
			} else {
				assert.Equal(t, report.OK, o.status, o.errors)
				assert.NotContains(t, o.errors, "covers nothing")
			}
		}
		require.NoError(t, os.RemoveAll("runs"))
		knownFile(t, "watchcache/list/*", "")
		assert.Equal(t, report.Failed, lwtest(t, args...).status, "a file may be of several kinds")
		require.NoError(t, os.RemoveAll("runs"))
	}
}

// A user's trace may name a check that lwtest does not have.
func TestKnownFailureOfATrace(t *testing.T) {
	chdir(t)
	aRun(t, "was", report.Failed, "bad")
	file := "was/" + report.History("bad", "toy/map/reads")
	edit(t, file, `"toy/map/reads"`, `"mine/at/noon"`)
	knownFile(t, "mine/*", "")
	assert.Equal(t, report.OK, lwtest(t, "judge", file, "--known", "known.json").status)
}

// A line about several checks may be needed by one that was not selected.
func TestKnownFailuresOfAPart(t *testing.T) {
	chdir(t)
	for check, status := range map[string]int{"toy": report.OK, "toy/map/reads": report.Failed} {
		knownFile(t, check, "good")
		assert.Equal(t, status, lwtest(t, "run", "toy/map/reads", "--target", "good", "--known", "known.json", "--out", "was").status, check)
		assert.Equal(t, status, lwtest(t, "judge", "was", "--known", "known.json").status, check)
		require.NoError(t, os.RemoveAll("was"))
	}
}
