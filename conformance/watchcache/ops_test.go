package watchcache_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/internal/storytest"
)

func TestRandomStoriesAsJSON(t *testing.T) { storytest.RoundTrip(t, watchcache.Suite.Describe(), 300) }

// Each word applies to the fake, which breaks no rule.
func TestWords(t *testing.T) {
	cases := []harness.Case{openFake(t, "").Cases[0], openFake(t, "resource/pods").Cases[0]}
	applied := storytest.Applied(t, cases, 160, func(c harness.Case, r harness.Result, _ *history.History) {
		require.NotEqual(t, harness.Fail, r.Verdict, "%s\n%s%s", c.Plugin, c.Script.Text(), r.Reason)
		require.NotContains(t, r.Reason, "is declared, but", "%s\n%s", c.Plugin, c.Script.Text())
	})
	for _, w := range watchcache.Suite.Language.Words() {
		assert.True(t, applied[w.Name] || w.Name == "join" || w.Name == "storage", "%s never applies", w.Name)
	}
}

const byHand = `{"lwtest":"story/v1","kind":"watchcache","steps":[
	{"op":"create","obj":"x","with":{"finalizer":true}},
	{"op":"list","as":"v1","with":{"namespace":"all","limit":1}},
	{"op":"next","as":"v1"},
	{"op":"watch","actor":"w1","with":{"at":"v1","bookmarks":true,"label":"app=one"}},
	{"op":"update","obj":"x","actor":"c2","async":true,"with":{"version":"old","labels":"two"}},
	{"op":"patch","obj":"x","with":{"type":"apply","manager":"m1","force":true}},
	{"op":"join"},
	{"op":"delete","obj":"x","with":{"uid":"never","dryRun":true}},
	{"op":"settle"}]}`

func TestSentences(t *testing.T) {
	s, err := watchcache.Suite.Describe().Story([]byte(byHand))
	require.NoError(t, err)
	assert.Equal(t, `  1. c1 creates x with a finalizer
  2. l1 lists what is of all namespaces, at most 1; this is v1
  3. l1 takes the next page of the list v1
  4. open the watch w1 of the own namespace where app=one at v1, with bookmarks
  5. c2 updates x (spec, labels two) with an old resourceVersion, and go on at once
  6. c1 patches x (spec), by server-side apply as m1, by force
  7. wait until all asynchronous steps have ended
  8. c1 deletes x with a uid that it never had, as a dry run
  9. wait until all watches have come up to the present
`, s.Text())
}

func TestBadStories(t *testing.T) {
	for from, to := range map[string][2]string{
		`"limit":1`:         {`"limits":1`, `step 2: list: with: there is no field "limits"`},
		`"namespace":"all"`: {`"namespace":"mars"`, `step 2: list: the namespace is "mars": say one of ["" "own" "other" "all"]`},
		`"version":"old"`:   {`"version":"new"`, `step 5: update: the version is "new"`},
		`"type":"apply"`:    {`"type":"put"`, `step 6: patch: the type is "put"`},
		`"actor":"w1",`:     {``, `step 4: watch: it needs "actor"`},
		`"op":"settle"`:     {`"op":"setle"`, `step 9: there is no word "setle" (did you mean settle?)`},
	} {
		_, err := watchcache.Suite.Describe().Story([]byte(strings.Replace(byHand, from, to[0], 1)))
		assert.ErrorContains(t, err, to[1])
	}
}

// In real time stories let little time pass, and have no step that a real server takes long for.
func TestHasten(t *testing.T) {
	k := watchcache.Suite.Describe()
	s, err := k.Story([]byte(`{"lwtest":"story/v1","kind":"watchcache","steps":[{"op":"forget-events"},{"op":"advance","for":"2m"},{"op":"settle"}]}`))
	require.NoError(t, err)
	assert.Equal(t, "  1. wait 1s\n  2. wait until all watches have come up to the present\n", k.Language.Hasten(s, time.Second).Text())
}
