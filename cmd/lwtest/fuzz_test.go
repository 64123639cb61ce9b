package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/fuzz"
	"github.com/lwtest/lwtest/harness/report"
)

// Fuzzing finds a mutant, says so in the status, and leaves a report and stories that can be played; reports of two shards
// are merged; what a file knows is no failure.
func TestFuzz(t *testing.T) {
	chdir(t)
	const mutant = "store:mutant/list-short"
	first := []string{"fuzz", "store", "--target", mutant, "--stories", "40", "--parallel", "1", "--shard", "1/2", "--out", "one"}
	o := lwtest(t, first...)
	require.Equal(t, report.Failed, o.status, o.errors)
	assert.Contains(t, o.out, "FAIL  MUST store/")
	assert.Contains(t, o.out, "store on "+mutant+": 40 stories in ")
	files, err := filepath.Glob("one/*-*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	o = lwtest(t, "play", files[0], "--target", mutant)
	assert.Equal(t, report.Failed, o.status, o.errors)

	o = lwtest(t, "fuzz", "--target", mutant, "--stories", "40", "--parallel", "1", "--shard", "2/2", "--out", "two", "--format", "json")
	assert.Equal(t, report.Failed, o.status, o.errors)
	o = lwtest(t, "fuzz", "--report", "one", "--report", "two/report.json", "--format", "json")
	assert.Equal(t, report.Failed, o.status, o.errors)
	var sum fuzz.Report
	require.NoError(t, json.Unmarshal([]byte(o.out), &sum))
	assert.Equal(t, 80, sum.Stories)

	writeFile(t, "known.json", `[{"check":"store/*","rule":"*","verdict":"fail","got":".*","reason":"a test"}]`)
	o = lwtest(t, append(first, "--known", "known.json")...)
	assert.Equal(t, report.OK, o.status, o.errors)
	assert.Contains(t, o.out, "known  store/")
	t.Setenv("JOB_COMPLETION_INDEX", "0")
	o = lwtest(t, "fuzz", "--target", mutant, "--stories", "40", "--parallel", "1", "--shard", "index/2", "--out", "three")
	assert.Equal(t, report.Failed, o.status, o.errors)
}

func TestFuzzAround(t *testing.T) {
	chdir(t)
	o := lwtest(t, "fuzz", "--target", "informer:correct/streams", "--around", "informer/sync/has-synced/empty", "--stories", "30", "--parallel", "1")
	assert.Equal(t, report.OK, o.status, o.errors)
	assert.Contains(t, o.errors, "stories have a fault at each place; this run plays 30")
	assert.FileExists(t, "fuzz-found/report.json")
}

func TestFuzzBadInput(t *testing.T) {
	chdir(t)
	on := []string{"fuzz", "--target", "store:correct/map"}
	writeFile(t, "garbage.json", "{")
	require.NoError(t, os.Mkdir("corpus", 0o777))
	writeFile(t, "corpus/a.json", "{")
	for _, c := range []struct {
		says string
		args []string
	}{
		{"fuzzing needs one --target, and there are 0", []string{"fuzz"}},
		{`--shard is "5/4"`, append(on, "--shard", "5/4")},
		{`--shard is "index/4"`, append(on, "--shard", "index/4")},
		{"--stories, --for, --steps, --parallel, --rate and --timeout must be positive", append(on, "--stories", "-1")},
		{"--unguided varies no stories: leave out --corpus", append(on, "--unguided", "--corpus", "corpus")},
		{`--format is "xml"`, append(on, "--format", "xml")},
		{"it has no checks of the kind informer, but of store", append([]string{"fuzz", "informer"}, on[1:]...)},
		{"--pairs needs --around", append(on, "--pairs")},
		{`there is no check "nonsense"`, append(on, "--around", "nonsense")},
		{"this is no story", append(on, "--around", "garbage.json")},
		{"--known: open nothing.json", append(on, "--known", "nothing.json")},
		{"--known: garbage.json", append(on, "--known", "garbage.json")},
		{"garbage.json: this is no report of lwtest fuzz", []string{"fuzz", "--report", "garbage.json"}},
		{"corpus/a.json, a story of the corpus, is no JSON: delete it", append(on, "--corpus", "corpus", "--stories", "1")},
	} {
		refuses(t, c.says, c.args...)
	}
}
