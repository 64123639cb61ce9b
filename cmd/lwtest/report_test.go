package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness/report"
)

func TestReport(t *testing.T) {
	dir := t.TempDir()
	run, page, again := filepath.Join(dir, "run"), filepath.Join(dir, "page.html"), filepath.Join(dir, "again.html")
	o := lwtest(t, "run", "--target", "bad", "--out", run, "--html", page)
	require.Equal(t, 1, o.status, o.errors)
	assert.Contains(t, o.errors, "the report is in "+page)
	r := lwtest(t, "report", run, "--html", again)
	require.Zero(t, r.status, "a report that could be written, whatever it says: "+r.errors)
	assert.Equal(t, o.out, r.out)
	first, err := os.ReadFile(page)
	require.NoError(t, err)
	second, err := os.ReadFile(again)
	require.NoError(t, err)
	assert.True(t, string(first) == string(second), "the page is the same later")
	assert.Contains(t, string(first), `"picture"`)
	for want, args := range map[string][]string{
		"say which run":            {},
		"holds no report":          {filepath.Join(dir, "none")},
		"there is no directory":    {run, "--html", filepath.Join(dir, "none", "page.html")},
		"the page was not written": {run, "--html", dir},
		"--since adds a section":   {run, "--since", run},
		"--since is empty":         {run, "--html", page, "--since", ""},
	} {
		o := lwtest(t, append([]string{"report"}, args...)...)
		assert.Equal(t, 3, o.status)
		assert.Contains(t, o.errors, want)
	}
}

// The page shows what changed since another report, if that can be read.
func TestReportSince(t *testing.T) {
	chdir(t)
	for _, target := range []string{"good", "bad"} {
		lwtest(t, "run", "--target", target, "--out", target)
	}
	o := lwtest(t, "report", "bad", "--html", "page.html", "--since", "good/report.json")
	require.Zero(t, o.status, o.errors)
	b, err := os.ReadFile("page.html")
	require.NoError(t, err)
	assert.Regexp(t, `"since":\{"name":"good/report.json",.*"new":\[\{"r":0,"target":"bad","check":"toy/map/reads","was":"pass","is":"fail"`, string(b))
	o = lwtest(t, "report", "bad", "--html", "page.html", "--since", "none")
	assert.Equal(t, 3, o.status)
	assert.Contains(t, o.errors, "none holds no report")
}

// Whatever judge reads, its page draws: a history alone, one that no check recorded, a run, and all below a directory.
func TestJudgeDraws(t *testing.T) {
	dir := t.TempDir()
	run, page := filepath.Join(dir, "run"), filepath.Join(dir, "page.html")
	aRun(t, run, 1, "bad")
	saved := filepath.Join(run, report.History("bad", "toy/map/reads"))
	b := bytes.Replace(bytes.Replace(uncompressed(t, saved), []byte(`"check":"toy/map/reads",`), nil, 1), []byte(`"target":"bad",`), nil, 1)
	own := filepath.Join(dir, "own.jsonl")
	require.NoError(t, os.WriteFile(own, b, 0o600))
	for what, pictures := range map[string]int{saved: 1, own: 1, run: 2, dir: 3} {
		o := lwtest(t, "judge", what, "--html", page)
		assert.Equal(t, 1, o.status, o.errors)
		b, err := os.ReadFile(page)
		require.NoError(t, err)
		assert.Equal(t, pictures, bytes.Count(b, []byte(`"picture":{`)), what)
		if what == own {
			assert.NotContains(t, o.out, "lwtest play", "nothing can repeat it")
		}
	}
}

func TestFormatGitHub(t *testing.T) {
	summary := filepath.Join(t.TempDir(), "summary.md")
	require.NoError(t, os.WriteFile(summary, []byte("# of before\n"), 0o600))
	t.Setenv("GITHUB_STEP_SUMMARY", summary)
	o := lwtest(t, "run", "--target", "bad", "--out", filepath.Join(t.TempDir(), "run"), "--format", "github")
	assert.Equal(t, 1, o.status)
	quiet := regexp.MustCompile(`(?s)^::stop-commands::(\w{20,})\n(.*)\n::(\w+)::\n::error title=lwtest%3A toy/[a-z/]+ on bad::MUST [a-z/]+, broken by toy/[a-z/]+(?: and [0-9]+ more checks?)?%0Awant .*%0Agot `).FindStringSubmatch(o.out)
	require.NotNil(t, quiet, o.out)
	assert.Equal(t, quiet[1], quiet[3], "what subjects said is no command")
	assert.Contains(t, quiet[2], "FAIL MUST toy/")
	b, err := os.ReadFile(summary)
	require.NoError(t, err)
	assert.Regexp(t, `(?s)^# of before\n### lwtest: a check failed.*\| bad \| toy \|.*FAIL`, string(b))
	t.Setenv("GITHUB_STEP_SUMMARY", filepath.Join(t.TempDir(), "none", "summary.md"))
	o = lwtest(t, "run", "--target", "good", "--out", filepath.Join(t.TempDir(), "run"), "--format", "github")
	assert.Equal(t, 3, o.status)
	assert.Contains(t, o.errors, "GITHUB_STEP_SUMMARY")
}
