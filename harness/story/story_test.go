package story_test

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
)

// toy is a world of one counter.
type toy struct {
	t     *harness.T
	mu    sync.Mutex
	log   []string
	names story.Refs[int]
	gate  chan struct{}
}

func (w *toy) note(s string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, s)
}

type amount struct {
	By int `json:"by"`
}

type none struct{}

var words = story.NewVocabulary("toy",
	story.Word[*toy, amount]{Name: "add", Help: "adds", Do: func(w *toy, s story.Step, a amount) error {
		w.note("add " + s.Obj)
		w.names.Set(s.As, a.By)
		return nil
	}, Say: func(s story.Step, a amount) string { return "add " + s.Obj }},
	story.Word[*toy, none]{Name: "use", Help: "uses", Do: func(w *toy, s story.Step, _ none) error {
		_, err := w.names.Get(s.As)
		if err == nil {
			w.note("use " + s.As)
		}
		return err
	}, Say: func(s story.Step, _ none) string { return "use " + s.As }},
	story.Word[*toy, none]{Name: "wait", Help: "waits for the gate", Do: func(w *toy, s story.Step, _ none) error {
		select {
		case <-w.gate:
		case <-w.t.Context().Done():
		}
		w.note("waited " + s.Obj)
		return nil
	}, Say: func(s story.Step, _ none) string { return "wait" }},
	story.Word[*toy, none]{Name: "open", Help: "opens the gate", Do: func(w *toy, _ story.Step, _ none) error {
		w.note("open")
		close(w.gate)
		return nil
	}, Say: func(story.Step, none) string { return "open the gate" }},
	story.Word[*toy, none]{Name: "end", Help: "ends the story", Do: func(*toy, story.Step, none) error { return story.ErrEnd }, Say: func(story.Step, none) string { return "end" }},
	story.Word[*toy, none]{Name: "fail", Help: "fails", Do: func(*toy, story.Step, none) error { return errors.New("no luck") }, Say: func(story.Step, none) string { return "try" }},
	story.Word[*toy, none]{Name: "special", Help: "needs a feature", GoldenOnly: "it loops", Needs: func(story.Step, none) []harness.Feature { return []harness.Feature{"special"} },
		Do: func(w *toy, _ story.Step, _ none) error { w.note("special"); return nil }, Say: func(story.Step, none) string { return "be special" }},
)

var rule = harness.Rule{
	Clause: harness.Clause{ID: "toy/any", Level: harness.Must, Text: "t", Why: "w", Sources: []harness.Source{{Name: "s"}}},
	Judge:  func(*history.History) harness.Judgement { return harness.Judgement{Tested: 1} },
}

// play plays steps in virtual time, and returns what was done and the history.
func play(t *testing.T, has []harness.Feature, steps ...story.Step) ([]string, *history.History, harness.Result) {
	t.Helper()
	w := &toy{}
	s := story.Story{Kind: "toy", Steps: steps}
	require.NoError(t, words.Validate(s))
	suite := harness.Suite[int]{Kind: "toy", Version: "1", Rules: []harness.Rule{rule}, Features: []harness.FeatureInfo{{Name: "special"}},
		Checks: harness.Checks([]harness.Check[int]{{Info: harness.Info{Name: "toy/any", Rules: []harness.Rule{rule}}, Drive: func(t *harness.T, _ int) {
			w.t, w.gate = t, make(chan struct{})
			words.Play(t, w, s)
		}}}...)}
	cases := suite.Bind(harness.Plugin[int]{Name: "toy", Features: append(has, harness.VirtualTime), Open: func(*harness.T) (int, error) { return 1, nil }})
	r, h := harness.Run(cases[0], harness.Options{TB: t, Seed: 1})
	return w.log, h, r
}

func skipped(h *history.History) (out []string) {
	for _, s := range h.Steps {
		if s.Skipped != "" {
			out = append(out, s.Skipped)
		}
	}
	return out
}

func TestStepsAreRecordedBesideTheEvents(t *testing.T) {
	log, h, r := play(t, nil, story.Step{Op: "add", Obj: "a", As: "x", With: amount{2}}, story.Step{Op: "use", As: "x"})
	assert.Equal(t, []string{"add a", "use x"}, log)
	assert.Equal(t, harness.Pass, r.Verdict)
	require.Len(t, h.Steps, 2)
	assert.Equal(t, "use x", h.Steps[1].Text)
	assert.Empty(t, h.Events, "steps are no events")
}

func TestStepThatDoesNotApply(t *testing.T) {
	log, h, r := play(t, nil, story.Step{Op: "use", As: "nothing"}, story.Step{Op: "special"},
		story.Step{Op: "add", Obj: "real", When: []harness.Feature{"!" + harness.VirtualTime}},
		story.Step{Op: "add", Obj: "virtual", When: []harness.Feature{harness.VirtualTime, "!special"}})
	assert.Equal(t, []string{"add virtual"}, log)
	assert.Equal(t, []string{`nothing has the name "nothing"`, "needs the feature special", "only when !virtual-time"}, skipped(h))
	assert.Equal(t, harness.Pass, r.Verdict)
}

func TestNeedsAreMet(t *testing.T) {
	log, _, _ := play(t, []harness.Feature{"special"}, story.Step{Op: "special"})
	assert.Equal(t, []string{"special"}, log)
}

// Asynchronous steps of one actor keep their order; those of others, and the next step, do not wait for them.
func TestAsync(t *testing.T) {
	log, _, _ := play(t, nil, story.Concat(
		story.Async(story.Step{Op: "wait", Actor: "a", Obj: "first"}, story.Step{Op: "add", Actor: "a", Obj: "second"}),
		[]story.Step{{Op: "add", Obj: "beside"}, {Op: "open"}}, story.Join("a"), []story.Step{{Op: "add", Obj: "last"}})...)
	assert.Equal(t, []string{"add beside", "open", "waited first", "add second", "add last"}, log)
}

// A story waits at its end for what it has begun.
func TestAsyncIsAwaitedAtTheEnd(t *testing.T) {
	log, _, _ := play(t, nil, story.Concat(story.Async(story.Step{Op: "wait", Actor: "a"}), []story.Step{{Op: "open"}})...)
	assert.Equal(t, []string{"open", "waited "}, log)
}

func TestJoinOfAllActors(t *testing.T) {
	log, _, _ := play(t, nil, story.Concat(story.Async(story.Step{Op: "wait", Actor: "a"}, story.Step{Op: "wait", Actor: "b"}),
		[]story.Step{{Op: "open"}}, story.Join(), []story.Step{{Op: "add", Obj: "last"}})...)
	assert.Equal(t, "add last", log[len(log)-1])
	assert.Len(t, log, 4)
}

// A story that waits for ever ends with the case's time, and says so.
func TestStoryThatHangs(t *testing.T) {
	_, _, r := play(t, nil, story.Step{Op: "wait"})
	assert.Equal(t, harness.Inconclusive, r.Verdict)
	assert.Contains(t, r.Reason, "deadline")
}

func TestEndStory(t *testing.T) {
	log, _, r := play(t, nil, story.Step{Op: "end"}, story.Step{Op: "add", Obj: "never"})
	assert.Empty(t, log)
	assert.Equal(t, harness.Pass, r.Verdict)
}

func TestStepThatFails(t *testing.T) {
	log, _, r := play(t, nil, story.Step{Op: "add"}, story.Step{Op: "fail"}, story.Step{Op: "add", Obj: "never"})
	assert.Equal(t, []string{"add "}, log)
	assert.Equal(t, harness.Inconclusive, r.Verdict)
	assert.Equal(t, "step 2 (try): no luck", r.Reason)
}

func TestRefs(t *testing.T) {
	var r story.Refs[int]
	r.Set("slow-2", 2)
	r.Set("slow-1", 1)
	r.Set("other", 3)
	assert.Equal(t, []string{"slow-2", "slow-1"}, r.Names("slow-*"))
	r.Delete("slow-2")
	assert.Equal(t, []string{"slow-1"}, r.Names("slow-*"))
	assert.Equal(t, []string{"other"}, r.Names("other"))
	_, err := r.Get("slow-2")
	assert.ErrorContains(t, err, `nothing has the name "slow-2"`)
}

func TestJSON(t *testing.T) {
	s := story.Story{Kind: "toy", About: "It adds.", Rules: []string{"toy/any"}, Steps: []story.Step{
		{Op: "add", Actor: "a", Obj: "o", As: "x", N: 3, For: story.Duration(90 * time.Second), With: amount{2}, Async: true, When: []harness.Feature{"!special"}},
		{Op: "join"}, {Op: "end"},
	}}
	b, err := json.Marshal(s)
	require.NoError(t, err)
	assert.JSONEq(t, `{"lwtest":"story/v1","kind":"toy","about":"It adds.","rules":["toy/any"],"steps":[
		{"op":"add","actor":"a","obj":"o","as":"x","n":3,"for":"1m30s","with":{"by":2},"async":true,"when":["!special"]},{"op":"join"},{"op":"end"}]}`, string(b))
	back, err := words.Read(b)
	require.NoError(t, err)
	assert.Equal(t, s, back)
	kind, err := story.KindOf(b)
	require.NoError(t, err)
	assert.Equal(t, "toy", kind)
}

func TestParseErrors(t *testing.T) {
	of := func(steps string) string { return `{"lwtest":"story/v1","kind":"toy","steps":` + steps + `}` }
	for name, c := range map[string]struct{ json, want string }{
		"no JSON":              {`steps: [`, "this is no story"},
		"a list":               {`[]`, "this is no story"},
		"another format":       {`{"lwtest":"story/v9","kind":"toy","steps":[{"op":"end"}]}`, `plays stories of the format "story/v1"`},
		"no format":            {`{"kind":"toy","steps":[{"op":"end"}]}`, `the field "lwtest" is ""`},
		"another kind":         {`{"lwtest":"story/v1","kind":"store","steps":[{"op":"end"}]}`, `for the kind "store", not for "toy"`},
		"an unknown field":     {`{"lwtest":"story/v1","kind":"toy","step":[]}`, `there is no field "step"`},
		"no steps":             {of(`[]`), "the story has no steps"},
		"an unknown word":      {of(`[{"op":"end"},{"op":"addd"}]`), `step 2: there is no word "addd" (did you mean add?)`},
		"a word like none":     {of(`[{"op":"xyzzy"}]`), `step 1: there is no word "xyzzy": docs/stories.md has all words of the kind toy`},
		"a field of no step":   {of(`[{"op":"end","object":"o"}]`), `step 1: there is no field "object"`},
		"a bad argument":       {of(`[{"op":"add","with":{"buy":1}}]`), `step 1: add: with: there is no field "buy"`},
		"a wrong type":         {of(`[{"op":"add","with":{"by":"2"}}]`), `step 1: add: with:`},
		"an argument too many": {of(`[{"op":"end","with":{}}]`), `step 1: end: the word takes no "with"`},
		"a bad duration":       {of(`[{"op":"end","for":"soon"}]`), `"soon" is not a duration: write one such as "30s"`},
		"a negative number":    {of(`[{"op":"end","n":-1}]`), "step 1: end: n and for must not be negative"},
		"join with arguments":  {of(`[{"op":"join","async":true}]`), `step 1: join takes neither`},
		"two mistakes":         {of(`[{"op":"xyzzy"},{"op":"plugh"}]`), "step 2"},
		"an empty condition":   {of(`[{"op":"end","when":[""]}]`), `step 1: end: a condition in "when" is empty`},
		"more behind it":       {of(`[{"op":"end"}]`) + "{}", "something follows the end"},
	} {
		_, err := words.Parse([]byte(c.json))
		assert.ErrorContains(t, err, c.want, name)
	}
	_, err := story.KindOf([]byte(`{}`))
	assert.ErrorContains(t, err, `it has no field "kind"`)
}

func TestValidateChecksTheTypeOfArguments(t *testing.T) {
	err := words.Validate(story.Story{Kind: "toy", Steps: []story.Step{{Op: "add", With: 3}}})
	assert.ErrorContains(t, err, "step 1: add: with is a int: the word wants a story_test.amount")
}

func TestText(t *testing.T) {
	text := words.Text(story.Story{Kind: "toy", Steps: story.Concat(
		[]story.Step{{Op: "add", Obj: "a"}}, story.Async(story.Step{Op: "wait"}),
		story.When(harness.VirtualTime, story.Step{Op: "open"}, story.Step{Op: "end"}),
		story.When("!special", story.Step{Op: "use", As: "x"}), story.Join(), story.Join("a"))})
	assert.Equal(t, strings.TrimPrefix(`
  1. add a
  2. wait, and go on at once
     in virtual time:
  3.   open the gate
  4.   end
     without the feature special:
  5.   use x
  6. wait until all asynchronous steps have ended
  7. wait until the asynchronous steps of a have ended
`, "\n"), text)
}

func TestWordsAreDescribed(t *testing.T) {
	all := words.Words()
	assert.Equal(t, "add", all[0].Name)
	assert.NotNil(t, all[0].Args)
	assert.Nil(t, all[1].Args)
	assert.Equal(t, "it loops", all[6].GoldenOnly)
	assert.Equal(t, "join", all[7].Name)
}

func TestTwoWordsOfOneName(t *testing.T) {
	w := story.Word[*toy, none]{Name: "end"}
	assert.Panics(t, func() { story.NewVocabulary("toy", w, w) })
}
