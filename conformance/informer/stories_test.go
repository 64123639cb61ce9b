package informer_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/plugins/fake"
	informers "github.com/lwtest/lwtest/plugins/mutants/informer"
)

// Every check is a story that can be written as JSON, read again, and said in plain sentences.
func TestChecksAreStories(t *testing.T) {
	kind := informer.Suite.Describe()
	for _, c := range informer.Suite.Checks() {
		require.NotNil(t, c.Script, c.Name)
		b, err := c.Script.JSON()
		require.NoError(t, err, c.Name)
		again, err := kind.Story(b)
		require.NoError(t, err, c.Name)
		b2, err := again.JSON()
		require.NoError(t, err, c.Name)
		assert.Equal(t, string(b), string(b2), c.Name)
		assert.Equal(t, c.Script.Text(), again.Text(), c.Name)
		assert.Equal(t, len(c.Rules), len(again.Rules()), c.Name)
		assert.True(t, strings.HasSuffix(c.About, "."), "%s: its description is no sentence", c.Name)
	}
}

// Every word is used by a check, and described. At most one check in ten needs a word that no fuzzer can draw.
func TestVocabulary(t *testing.T) {
	used, golden := map[string]int{}, 0
	only := map[string]bool{}
	for _, w := range informer.Suite.Language.Words() {
		only[w.Name] = w.GoldenOnly != ""
		assert.True(t, strings.HasSuffix(w.Help, ".") || w.Name == "join", w.Name)
	}
	for _, c := range informer.Suite.Checks() {
		b, err := c.Script.JSON()
		require.NoError(t, err)
		var s struct{ Steps []struct{ Op string } }
		require.NoError(t, json.Unmarshal(b, &s))
		needs := false
		for _, step := range s.Steps {
			used[step.Op]++
			needs = needs || only[step.Op]
		}
		if needs {
			golden++
		}
	}
	for _, w := range informer.Suite.Language.Words() {
		assert.NotZero(t, used[w.Name], "no check uses the word %s", w.Name)
	}
	assert.LessOrEqual(t, 10*golden, len(informer.Suite.Checks()), "%d checks hide a loop or a race", golden)
}

// correct returns a case of a correct informer of ours.
func correct(t *testing.T, name string) harness.Case {
	t.Helper()
	for _, m := range append(ours.Correct(), ours.Oddities()...) {
		if m.Name == name {
			return m.Cases()[0]
		}
	}
	t.Fatalf("there is no correct informer %s", name)
	return harness.Case{}
}

func playFile(t *testing.T, c harness.Case, story string) (harness.Result, *history.History) {
	t.Helper()
	c, err := c.PlayJSON([]byte(story))
	require.NoError(t, err)
	return harness.Run(c, harness.Options{TB: t, Seed: 1, Target: "ours"})
}

const handmade = `{"lwtest":"story/v1","kind":"informer","steps":[
	{"op":"fill","n":2},{"op":"handle","actor":"h1"},{"op":"start"},{"op":"settle"},
	{"op":"hold","actor":"h2"},{"op":"clear","as":"nothing"},{"op":"put","obj":"o0"},{"op":"settle"}]}`

// A story of somebody's own is played and judged by all rules; its steps are in the history, and in timelines.
func TestPlayStory(t *testing.T) {
	r, h := playFile(t, correct(t, "streams"), handmade)
	assert.Equal(t, harness.Pass, r.Verdict, r.Reason)
	require.Len(t, h.Steps, 10, "eight, and two that did not apply")
	assert.Contains(t, string(h.Header.Story), `"op":"hold"`)
	assert.Contains(t, h.Timeline([]int32{int32(len(h.Events))}), "step 8: wait until nothing moves, and look")
}

// What still goes wrong at the end of a story is no reason to blame an informer: it cannot have come to rest.
func TestPlayStoryThatEndsInTrouble(t *testing.T) {
	for name, steps := range map[string]string{
		"a fault":                       `{"op":"start"},{"op":"settle"},{"op":"fault","as":"f","with":{"verbs":["list","watch"],"status":{"code":503}}},{"op":"cut"},{"op":"put","obj":"a"},{"op":"settle"}`,
		"connections":                   `{"op":"refuse-connections"},{"op":"start"},{"op":"settle"}`,
		"latency":                       `{"op":"fault","as":"f","with":{"verbs":["list","watch"],"latency":"2h"}},{"op":"start"},{"op":"advance","for":"1m"},{"op":"settle"}`,
		"a lag":                         `{"op":"fill","n":2},{"op":"view","with":"lag"},{"op":"view","with":"use-second"},{"op":"start"},{"op":"put","obj":"a"},{"op":"settle"}`,
		"a watch that must not be open": `{"op":"fill","n":6},{"op":"handle","actor":"h1"},{"op":"start"},{"op":"settle"},{"op":"delete-together","with":["o0","o5"]},{"op":"settle"}`,
	} {
		t.Run(name, func(t *testing.T) {
			r, h := playFile(t, correct(t, "streams"), `{"lwtest":"story/v1","kind":"informer","steps":[`+steps+`]}`)
			assert.NotEqual(t, harness.Fail, r.Verdict, "%+v", r.Rules)
			assert.True(t, slices.ContainsFunc(h.Steps, func(s history.Step) bool { return s.Skipped != "" }), "%+v", h.Steps)
		})
	}
}

// A write of the informer's own that does not reach the server is ended, and is not done when the story has gone on.
func TestPlayStoryWithLostWrite(t *testing.T) {
	r, h := playFile(t, correct(t, "http"), `{"lwtest":"story/v1","kind":"informer","steps":[{"op":"serve-tls"},{"op":"open"},{"op":"start"},{"op":"advance","for":"1m0s"},{"op":"kill-connections"},
		{"op":"own-write-held","obj":"o2","for":"19s"},{"op":"put","obj":"o2"},{"op":"settle"}]}`)
	assert.NotEqual(t, harness.Fail, r.Verdict, "%+v", r.Rules)
	answered := slices.IndexFunc(h.Events, func(e history.Event) bool { return e.Kind == "ANSWERED" })
	put := slices.IndexFunc(h.Events, func(e history.Event) bool { return e.Kind == "PUT" })
	require.Positive(t, answered)
	assert.Less(t, answered, put)
	require.NotNil(t, h.Events[answered].Err())
	assert.Contains(t, h.Events[answered].Err().Msg, "context canceled")
}

// A story that needs what a target lacks is skipped, as the check is.
func TestPlayStoryThatNeedsMore(t *testing.T) {
	r, _ := playFile(t, correct(t, "without-handlers"), strings.Replace(handmade, `"steps"`, `"needs":["handlers"],"steps"`, 1))
	assert.Equal(t, harness.Skip, r.Verdict, r.Reason)
}

// A story that names a rule and gives it no occasion proves nothing about it.
func TestPlayStoryThatTestsNothing(t *testing.T) {
	r, _ := playFile(t, correct(t, "streams"), strings.Replace(handmade, `"steps"`, `"rules":["sync/watchlist-fallback"],"steps"`, 1))
	assert.Equal(t, harness.Inconclusive, r.Verdict)
	assert.Contains(t, r.Reason, "sync/watchlist-fallback: never put to the test")
	require.Len(t, r.Idle, 2)
	assert.Equal(t, `step 5 (block the calls of the handler h2) did not apply: nothing has the name "h2"`, r.Idle[0])
}

func TestPlayStoryErrors(t *testing.T) {
	for story, want := range map[string]string{
		strings.Replace(handmade, `"settle"`, `"setle"`, 1):                                                 `step 4: there is no word "setle" (did you mean settle?)`,
		strings.Replace(handmade, `"informer"`, `"store"`, 1):                                               `this is a story for the kind "store", not for "informer"`,
		strings.Replace(handmade, `"steps"`, `"rules":["sync/fallback"],"steps"`, 1):                        `the story names the rule "sync/fallback"`,
		strings.Replace(handmade, `{"op":"hold","actor":"h2"}`, `{"op":"view","with":"x"}`, 1):              `step 5: view: with: there is no view "x"`,
		strings.Replace(handmade, `"obj":"o0"`, `"n":1`, 1):                                                 `step 7: put: it needs "obj"`,
		strings.Replace(handmade, `"obj":"o0"`, `"obj":"o0","with":{"has":"frob"}`, 1):                      `step 7: put: objects have no part "frob"`,
		strings.Replace(handmade, `"obj":"o0"`, `"obj":"o0","with":{"bytes":-5}`, 1):                        `step 7: put: bytes is -5`,
		strings.Replace(handmade, `{"op":"start"}`, `{"op":"open","with":{"namespace":"mars"}}`, 1):         `step 3: open: the namespace is "mars"`,
		strings.Replace(handmade, `{"op":"start"}`, `{"op":"fault","as":"f","with":{"verbs":["wtch"]}}`, 1): `step 3: fault: verbs has "wtch"`,
		strings.Replace(handmade, `{"op":"start"}`, `{"op":"start","when":["virtaul-time"]}`, 1):            `has no feature "virtaul-time" (did you mean virtual-time?)`,
		strings.Replace(handmade, `"steps"`, `"needs":["handlrs"],"steps"`, 1):                              `has no feature "handlrs" (did you mean handlers?)`,
	} {
		_, err := correct(t, "streams").PlayJSON([]byte(story))
		assert.ErrorContains(t, err, want)
	}
}

// The example of docs/stories.md finds what it says: an informer that never gives up on streaming lists.
func TestExampleStory(t *testing.T) {
	b, err := os.ReadFile("../../examples/stories/watchlist-fallback.json")
	require.NoError(t, err)
	r, _ := playFile(t, correct(t, "streams"), string(b))
	assert.Equal(t, harness.Pass, r.Verdict, r.Reason)
	r, _ = playFile(t, stubborn(t), string(b))
	assert.Equal(t, harness.Fail, r.Verdict, r.Reason)
}

// stubborn is a mutant that streams for ever.
func stubborn(t *testing.T) harness.Case {
	t.Helper()
	for _, m := range (informers.Servers{Open: fake.Server, Has: fake.ServerFeatures}).Mutants() {
		if m.Rule == "informer/sync/watchlist-fallback" {
			return m.Cases()[0]
		}
	}
	t.Fatal("there is no such mutant")
	return harness.Case{}
}
