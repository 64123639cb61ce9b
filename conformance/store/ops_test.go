package store_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/store"
	"github.com/lwtest/lwtest/conformance/store/golden"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/internal/storytest"
	"github.com/lwtest/lwtest/plugins/mutants"
	stores "github.com/lwtest/lwtest/plugins/mutants/store"
)

func TestRandomStoriesAsJSON(t *testing.T) { storytest.RoundTrip(t, store.Suite.Describe(), 500) }

// Each word applies to one of our correct stores, none of which breaks a rule; a word that no random story has is in a check.
func TestWords(t *testing.T) {
	var cases []harness.Case
	for _, m := range stores.Correct() {
		cases = append(cases, m.Cases()[0])
	}
	applied := storytest.Applied(t, cases, 40, func(c harness.Case, r harness.Result, _ *history.History) {
		require.NotEqual(t, harness.Fail, r.Verdict, "%s\n%s%s", c.Plugin, c.Script.Text(), r.Reason)
	})
	inChecks := map[string]bool{}
	for _, c := range store.Suite.Checks() {
		if c.Script == nil {
			continue
		}
		for _, name := range c.Script.Words() {
			inChecks[name] = true
		}
	}
	for _, w := range store.Suite.Language.Words() {
		assert.True(t, applied[w.Name] || w.Weight == 0 && inChecks[w.Name] || w.Name == "join", "%s never applies", w.Name)
	}
}

const handmade = `{"lwtest":"story/v1","kind":"store","steps":[
	{"op":"open","with":{"indexers":["value"],"ttl":"2s"}},
	{"op":"add","obj":"a/x","with":{"values":["red","blue"]}},
	{"op":"replace","n":2,"with":{"items":[{"obj":"b/x","version":"older"}],"version":"none"}},
	{"op":"delete","obj":"a/x","with":{"unknown":true}},
	{"op":"list","actor":"u2","async":true},
	{"op":"join"},
	{"op":"look","obj":"a/x"}]}`

func TestSentences(t *testing.T) {
	s, err := store.Suite.Describe().Story([]byte(handmade))
	require.NoError(t, err)
	assert.Equal(t, `  1. open the store, with indexes by value, with a TTL of 2s
  2. add a/x with the values red and blue
  3. replace everything by a list without a resourceVersion: b/x with an older resourceVersion; 2 more objects
  4. delete a/x, its final state unknown
  5. list all objects, as u2, and go on at once
  6. wait until all asynchronous steps have ended
  7. read everything, and a/x by its key
`, s.Text())
}

func TestBadStories(t *testing.T) {
	for story, want := range map[string]string{
		strings.Replace(handmade, `"value"]`, `"colour"]`, 1):           `step 1: open: the index function is "colour": say one of ["namespace" "value"]`,
		strings.Replace(handmade, `"red"`, `"red,green"`, 1):            `step 2: add: values are ["red,green" "blue"]`,
		strings.Replace(handmade, `"obj":"a/x",`, ``, 1):                `step 2: add: it needs "obj"`,
		strings.Replace(handmade, `"older"`, `"eldest"`, 1):             `step 3: replace: item 1: the version is "eldest"`,
		strings.Replace(handmade, `"none"`, `"newest"`, 1):              `step 3: replace: the version is "newest"`,
		strings.Replace(handmade, `{"obj":"b/x",`, `{`, 1):              `step 3: replace: item 1: it has no "obj"`,
		strings.Replace(handmade, `{"op":"look",`, `{"op":"loook",`, 1): `step 7: there is no word "loook" (did you mean look?)`,
	} {
		_, err := store.Suite.Describe().Story([]byte(story))
		assert.ErrorContains(t, err, want)
	}
}

// What a subject lacks is no reason to fail: the steps do not apply.
func TestStoryForAQueueOnAMap(t *testing.T) {
	c, err := stores.Correct()[0].Cases()[0].PlayJSON([]byte(`{"lwtest":"story/v1","kind":"store","steps":[
		{"op":"add","obj":"a/x"},{"op":"pop"},{"op":"drain"},{"op":"open"},{"op":"look","obj":"a/x"}]}`))
	require.NoError(t, err)
	r, h := harness.Run(c, harness.Options{TB: t, Seed: 1})
	assert.Equal(t, harness.Pass, r.Verdict, r.Reason)
	var why []string
	for _, s := range h.Steps {
		if s.Skipped != "" {
			why = append(why, s.Skipped)
		}
	}
	assert.Equal(t, []string{"needs the feature queue", "needs the feature queue", "the store is open"}, why)
}

// A Pop that must return and waits ends the story. One that waits for the next step does not.
func TestTakeEndsTheStory(t *testing.T) {
	cases := stores.Correct()
	at := slices.IndexFunc(cases, func(m mutants.Target) bool { return slices.Contains(m.Cases()[0].Has, store.IsDelta) })
	c, err := cases[at].Cases()[0].PlayJSON([]byte(`{"lwtest":"story/v1","kind":"store","steps":[
		{"op":"await"},{"op":"pop"},{"op":"add","obj":"a/x"},{"op":"await"},{"op":"take"},{"op":"add","obj":"a/y"}]}`))
	require.NoError(t, err)
	r, h := harness.Run(c, harness.Options{TB: t, Seed: 1})
	assert.NotEqual(t, harness.Fail, r.Verdict, r.Reason)
	assert.Equal(t, "nobody pops", h.Steps[1].Skipped)
	assert.False(t, slices.ContainsFunc(h.Events, func(e history.Event) bool { return e.Obj.Key == "a/y" }))
}

// Only what races is no story.
func TestChecksAreStories(t *testing.T) {
	var drives []string
	for _, c := range store.Suite.Checks() {
		if c.Script == nil {
			drives = append(drives, c.Name)
		}
	}
	assert.Len(t, drives, 11)
	assert.Subset(t, golden.Concurrent, drives)
}
