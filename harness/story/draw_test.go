package story_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	fuzz "github.com/google/gofuzz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// random is the toy's vocabulary with which stories are drawn.
func random() *story.Vocabulary[*toy] {
	v := *words
	return v.Random(map[string]story.Drawing{
		"add": {Weight: 3, Draw: func(c harness.Choices) story.Step {
			return story.Step{Obj: story.Pick(c, "a", "b"), N: c.IntN(9), With: amount{By: c.IntN(1000)}, Async: story.Chance(c, 2)}
		}},
		"open": {Weight: 1},
	}, nil, func(harness.Choices) []story.Step { return []story.Step{{Op: "end"}} })
}

func choices(seed uint64) harness.Choices { return rand.New(rand.NewPCG(seed, 0)) }

func TestDraw(t *testing.T) {
	v := random()
	s := story.Of(v.Draw(choices(1), 400))
	require.NoError(t, v.Validate(s))
	assert.Equal(t, s, story.Of(v.Draw(choices(1), 400)), "the same choices")
	assert.NotEqual(t, s, story.Of(v.Draw(choices(2), 400)))
	require.Len(t, s.Steps, 401)
	assert.Equal(t, "end", s.Steps[400].Op)
	var adds []int // of broad stories three in four steps, of narrow ones all, three in four or none
	for seed := range uint64(20) {
		all := story.Of(v.Draw(choices(seed), 400)).Steps
		adds = append(adds, len(slices.DeleteFunc(all, func(s story.Step) bool { return s.Op != "add" })))
	}
	assert.Contains(t, adds, 400)
	assert.Contains(t, adds, 0)
	mixed := slices.DeleteFunc(adds, func(n int) bool { return n == 0 || n == 400 })
	assert.InDelta(t, 10, len(mixed), 6)
	for _, n := range mixed {
		assert.InDelta(t, 300, n, 40, "three in four")
	}
	assert.Equal(t, 3, v.Words()[0].Weight)
	assert.Panics(t, func() { v.Random(map[string]story.Drawing{"ad": {Weight: 1}}, nil, nil) })
}

// Each step has a record of its own: who changes the bytes of one leaves the others alone. Short data are a story, too.
func TestDrawFromBytes(t *testing.T) {
	v, data := random(), make([]byte, 48)
	for i := range data {
		data[i] = byte(37 * i)
	}
	draw := func() []story.Step { return story.Of(v.Draw(story.NewBytes(data), 4)).Steps }
	was := draw()
	data[17] ^= 1
	now := draw()
	assert.NotEqual(t, was[1], now[1])
	assert.Equal(t, []story.Step{was[0], was[2], was[3]}, []story.Step{now[0], now[2], now[3]})
	assert.Len(t, story.Of(v.Draw(story.NewBytes(nil), 4)).Steps, 5)
}

// Packages that want a source of random numbers get it from the same choices; without bytes it ends, too.
func TestSource(t *testing.T) {
	fill := func(c harness.Choices) (out []string) {
		fuzz.New().NumElements(1, 9).RandSource(story.Source(c)).Fuzz(&out)
		return out
	}
	assert.Equal(t, fill(choices(1)), fill(choices(1)))
	assert.NotEqual(t, fill(choices(1)), fill(choices(2)))
	assert.NotPanics(t, func() { fill(story.NewBytes(nil)) })
}

// Of many steps those are left that matter, with no more in them than matters.
func TestShrink(t *testing.T) {
	v := random()
	tried := 0
	fails := func(s harness.Script) bool {
		tried++
		a, b := false, false
		for _, step := range story.Of(s).Steps {
			by, _ := step.With.(amount)
			a = a || step.Obj == "a" && step.N >= 3
			b = b || a && step.Obj == "b" && by.By > 0
		}
		return b
	}
	big := v.Draw(choices(7), 60)
	require.True(t, fails(big))
	small, n := story.Shrink(v, big, func(int) bool { return true }, fails)
	assert.Equal(t, tried-1, n)
	steps := story.Of(small).Steps
	require.Len(t, steps, 2)
	assert.Equal(t, "a", steps[0].Obj)
	assert.Less(t, steps[0].N, 6)
	assert.Nil(t, steps[0].With)
	assert.False(t, steps[0].Async || steps[1].Async)
	assert.NotZero(t, steps[1].With)

	small, n = story.Shrink(v, big, func(tried int) bool { return tried < 3 }, fails)
	assert.Equal(t, 3, n)
	assert.True(t, fails(small))
}

// Lists in arguments lose their elements, and these their fields.
func TestShrinkLists(t *testing.T) {
	type item struct{ Name, Value string }
	type list struct{ Items []item }
	v := story.NewVocabulary("toy", story.Word[*toy, list]{Name: "set", Text: "set"})
	big := list{[]item{{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", ""}}}
	small, _ := story.Shrink(v, v.Script(story.Story{Kind: "toy", Steps: []story.Step{{Op: "set", With: big}}}), func(int) bool { return true }, func(s harness.Script) bool {
		l, _ := story.Of(s).Steps[0].With.(list)
		return slices.ContainsFunc(l.Items, func(x item) bool { return x.Name == "b" }) && slices.ContainsFunc(l.Items, func(x item) bool { return x.Value == "3" })
	})
	assert.Equal(t, list{[]item{{"b", ""}, {"", "3"}}}, story.Of(small).Steps[0].With)
	assert.Equal(t, list{[]item{{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", ""}}}, big, "it is left alone")
}
