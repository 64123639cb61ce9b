package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness/report"
)

const sharedInformer = "go:client-go/shared-informer"

// jsonStory makes the JSON of an informer's story.
func jsonStory(steps string) string {
	return `{"lwtest":"story/v1","kind":"informer","steps":[` + steps + `]}`
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
}

// A handwritten story finds a bug of client-go in four steps, and its history can be judged and played again.
func TestPlayFindsABug(t *testing.T) {
	example, err := filepath.Abs("../../examples/stories/watchlist-fallback.json")
	require.NoError(t, err)
	chdir(t)
	o := lwtest(t, "play", example, "--target", sharedInformer, "--out", "run")
	assert.Equal(t, report.OK, o.status, "it is known, and shown all the same: %s", o.errors)
	for _, want := range []string{"MUST informer/sync/watchlist-fallback", "step 4: let 40m0s pass", "known   Reflector.watchList asks", "again   lwtest play run/histories/"} {
		assert.Contains(t, o.out, want)
	}
	file := filepath.Join("run", report.History(sharedInformer, "informer/story"))
	assert.Contains(t, lwtest(t, "judge", file).out, "again   lwtest play "+file+"\n")
	assert.Contains(t, lwtest(t, "judge", "--show", "known", "run").out, "again   lwtest play "+file+"\n")
	again := lwtest(t, "play", file)
	assert.Equal(t, report.OK, again.status, again.errors)
	assert.Contains(t, again.out, "MUST informer/sync/watchlist-fallback")
}

// `play` accepts the story that `show --json` prints.
func TestShowAndPlay(t *testing.T) {
	chdir(t)
	const name = "informer/sync/has-synced/empty"
	shown := lwtest(t, "show", name)
	assert.Contains(t, shown.out, "  1. look\n  2. start the informer\n  3. wait until nothing moves, and look\n")
	assert.Contains(t, shown.out, "clause  HasSynced is true only")
	writeFile(t, "mine.json", lwtest(t, "show", "--json", name).out)
	o := lwtest(t, "play", "mine.json", "--target", sharedInformer)
	assert.Equal(t, report.OK, o.status, "%s%s", o.out, o.errors)
	assert.Contains(t, o.errors, "1 check; the run directory is")
	assert.Equal(t, lwtest(t, "show", name).out, lwtest(t, "explain", name).out, "the old name still works")
	assert.NotContains(t, lwtest(t, "--help").out, "explain", "and no help shows it")
}

// A check or a story can be repeated, each time with another seed.
func TestPlayRepeated(t *testing.T) {
	chdir(t)
	writeFile(t, "mine.json", jsonStory(`{"op":"fill","n":2},{"op":"start"},{"op":"settle"}`))
	for what, target := range map[string]string{"toy/map/reads": "good", "mine.json": sharedInformer} {
		o := lwtest(t, "play", what, "--target", target, "--repeat", "3", "--seed", "5", "--format", "json")
		require.Equal(t, report.OK, o.status, "%s%s", o.out, o.errors)
		assert.Contains(t, o.errors, "3 checks; the run directory is")
		var seeds []int64
		for _, r := range readReport(t, o.out).Results {
			seeds = append(seeds, r.Seed)
		}
		assert.Equal(t, []int64{5, 6, 7}, seeds, what)
	}
}

func TestPlayBadInput(t *testing.T) {
	chdir(t)
	on := []string{"--target", sharedInformer}
	for name, text := range map[string]string{
		"word.json": jsonStory(`{"op":"start"},{"op":"setle"}`), "arg.json": jsonStory(`{"op":"put","with":{"colour":"red"}}`), "cut.json": jsonStory(`{"op":"start"}`)[:40],
		"kind.json": strings.Replace(jsonStory(`{"op":"start"}`), "informer", "watchcache", 1), "alien.json": strings.Replace(jsonStory(`{"op":"start"}`), "informer", "alien", 1),
		"list.json": `[]`, "ok.json": jsonStory(`{"op":"start"}`), "rule.json": strings.Replace(jsonStory(`{"op":"start"}`), `"steps"`, `"rules":["x/y"],"steps"`, 1),
		"empty.json": "\n",
	} {
		writeFile(t, name, text)
	}
	for _, c := range []struct {
		says string
		args []string
	}{
		{`word.json: step 2: there is no word "setle" (did you mean settle?)`, append(on, "word.json")},
		{`arg.json: step 1: put: with: there is no field "colour"`, append(on, "arg.json")},
		{"cut.json: this is no story: the JSON ends in the middle", append(on, "cut.json")},
		{`kind.json: step 1: there is no word "start" (did you mean start-up?)`, append(on, "kind.json")},
		{`alien.json: unknown kind "alien"`, append(on, "alien.json")},
		{"list.json: this is no story", append(on, "list.json")},
		{`rule.json: the story names the rule "x/y"`, append(on, "rule.json")},
		{"say on which target", []string{"ok.json"}},
		{"target fake has no checks of the kind of the story, informer", []string{"ok.json", "--target", "fake"}},
		{"there is no file informer/nonsense, and there is no check", append(on, "informer/nonsense")},
		{"--repeat is 0", append(on, "ok.json", "--repeat", "0")},
		{"there is no file nowhere.json", append(on, "nowhere.json")},
		{"empty.json is empty: it holds neither a story nor a history", append(on, "empty.json")},
		{"play needs one --target, and there are 2", append(on, "--target", "fake", "informer/sync/has-synced")},
		{"play needs one --target, and there are 2", append(on, "--target", "fake", "ok.json")},
		{"informer/sync/watchlist-fallback is a rule, not a check: it is tested by informer/", append(on, "informer/sync/watchlist-fallback")},
		{"target fake has no check informer/sync/has-synced\n", []string{"informer/sync/has-synced", "--target", "fake"}},
	} {
		refuses(t, c.says, append([]string{"play"}, c.args...)...)
	}
	refuses(t, "sync/watchlist-fallback is a rule, not a check: it is tested by informer/", "show", "--json", "sync/watchlist-fallback")
	refuses(t, "only the checks of informers are stories yet", "show", "--json", "watchcache/get/future")
	refuses(t, "--json prints the story of one check: 2 were named", "show", "--json", "get/future", "get/most-recent")
}

// A story that hangs is inconclusive, and the reason names the step.
func TestPlayHangs(t *testing.T) {
	chdir(t)
	writeFile(t, "hangs.json", jsonStory(`{"op":"handle","actor":"h1"},{"op":"fill","n":1},{"op":"start"},{"op":"settle"},{"op":"hold","actor":"h1"},
		{"op":"put","obj":"o0"},{"op":"pause"},{"op":"remove-handler","actor":"h1","with":{"wait":true}},{"op":"settle"}`))
	o := lwtest(t, "play", "hangs.json", "--target", sharedInformer)
	assert.Equal(t, report.Unproven, o.status, "%s%s", o.out, o.errors)
	assert.Contains(t, o.out, "in step 8 (remove the handler h1, and wait for the call that is under way)")
}
