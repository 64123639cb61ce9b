package store

import (
	"slices"
	"strings"
	"time"

	fuzz "github.com/google/gofuzz"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// draws says how random stories use the words. Those that begin and end a story are drawn below.
var draws = map[string]story.Drawing{
	"add":          {Weight: 8, Draw: drawPut},
	"update":       {Weight: 9, Draw: drawPut},
	"delete":       {Weight: 8, Draw: drawDelete},
	"fill":         {Weight: 1, Draw: func(c harness.Choices) story.Step { return story.Step{N: drawMany(c)} }},
	"replace":      {Weight: 7, Draw: drawReplace},
	"apply-all":    {Weight: 4, Draw: drawApplyAll},
	"resync":       {Weight: 3},
	"bookmark":     {Weight: 3, Draw: drawBookmark},
	"get":          {Weight: 2, Draw: drawObject},
	"get-by-key":   {Weight: 1, Draw: drawObject},
	"list":         {Weight: 2},
	"list-keys":    {Weight: 1},
	"version":      {Weight: 3},
	"index":        {Weight: 2, Draw: drawIndex},
	"by-index":     {Weight: 1, Draw: drawByIndex},
	"index-values": {Weight: 1, Draw: drawByIndex},
	"add-indexers": {Weight: 1, Draw: drawIndexers},
	"look":         {Weight: 8, Draw: drawObject},
	"pop":          {Weight: 9, Draw: drawPop},
	"pop-batch":    {Weight: 4, Draw: drawPop},
	"synced":       {Weight: 3},
	"close":        {Weight: 1},
	"advance":      {Weight: 4, Draw: drawTime},
}

// begins makes a store with options.
func begins(c harness.Choices) []story.Step {
	o := Opening{}
	if !story.Chance(c, 3) {
		o.Indexers = story.Pick(c, []string{ByNamespace, ByValue}, []string{ByNamespace}, []string{ByValue})
	}
	if story.Chance(c, 2) {
		o.TTL = story.Duration(ttl)
	}
	return []story.Step{{Op: "open", With: o}}
}

// ends makes what several actors do at once, in every second story, and then looks at everything.
func ends(c harness.Choices) []story.Step {
	var all []story.Step
	if story.Chance(c, 2) {
		all = append(drawCrowd(c), story.Step{Op: "join"})
	}
	return append(all, story.Step{Op: "look", Obj: "a/x"}, story.Step{Op: "version"}, story.Step{Op: "synced"}, story.Step{Op: "drain"}, story.Step{Op: "synced"})
}

// drawCrowd draws the steps of two or three actors, all of them asynchronous.
func drawCrowd(c harness.Choices) (all []story.Step) {
	actors := 2 + c.IntN(2)
	for i := range actors + c.IntN(7) {
		op := story.Pick(c, "update", "delete", "replace", "apply-all", "add", "bookmark", "get", "get-by-key", "list", "list-keys", "by-index", "version")
		s := story.Step{}
		if draw := draws[op].Draw; draw != nil {
			s = draw(c)
		}
		s.Op, s.Actor, s.N, s.Async = op, "u"+string(rune('1'+i%actors)), 0, true
		all = append(all, s)
	}
	return all
}

// alike are keys that differ only behind a dot, or behind as many characters as a label or a column may have.
var alike = []string{"a/x.1", "a/x.2", "a/" + strings.Repeat("n", 63) + "1", "a/" + strings.Repeat("n", 63) + "2",
	"a/" + strings.Repeat("n", 128) + "1", "a/" + strings.Repeat("n", 128) + "2"}

// drawKey chooses one of few keys, so that stories come back to them.
func drawKey(c harness.Choices) string {
	if story.Chance(c, 16) {
		return story.Pick(c, slices.Concat(alike, []string{"a/" + NoKey, "a/" + NoKey, "a/" + NoKey, NoKey})...)
	}
	return story.Pick(c, "a/x", "a/x", "a/x", "a/y", "a/y", "a/z", "b/x", "x")
}

func drawObject(c harness.Choices) story.Step { return story.Step{Obj: drawKey(c)} }

// drawMany chooses how many of something there are: seldom more than what is made for few can hold.
func drawMany(c harness.Choices) int { return story.Pick(c, 2, 2, 2, 3, 3, 3, 4, 4, 5, 12, 12, 75) }

func drawContent(c harness.Choices) (x Content) {
	switch c.IntN(12) {
	case 0, 1, 2, 3:
		x.Values = transitions[c.IntN(len(transitions))]
	case 4:
		x.Version = story.Pick(c, same, older, unset)
	case 5:
		x.Same = true
	case 6:
		if story.Chance(c, 4) {
			return fill(c)
		}
		x.Values = groups[:1+c.IntN(len(groups))]
	}
	return x
}

// fill has gofuzz choose the values and the body of an object.
func fill(c harness.Choices) (x Content) {
	fuzz.New().RandSource(story.Source(c)).NilChance(0.3).NumElements(1, 4).Funcs(func(v *Which, _ fuzz.Continue) {}).Fuzz(&x)
	x.Same = false
	for i, v := range x.Values {
		x.Values[i] = "v" + strings.ReplaceAll(v, ",", "")
	}
	return x
}

// stepWith returns a step with arguments, or without if they are zero.
func stepWith[A any](s story.Step, a A, zero bool) story.Step {
	if !zero {
		s.With = a
	}
	return s
}

func (c Content) zero() bool {
	return c.Values == nil && c.Version == "" && c.Body == "" && !c.Same && !c.Unknown
}

func drawPut(c harness.Choices) story.Step {
	s, x := drawObject(c), drawContent(c)
	if story.Chance(c, 20) {
		s.N = story.Pick(c, 2, 10)
	}
	x.Unknown = false
	return stepWith(s, x, x.zero())
}

func drawDelete(c harness.Choices) story.Step {
	s, x := drawObject(c), Content{Unknown: story.Chance(c, 3)}
	if story.Chance(c, 6) {
		x.Version = story.Pick(c, same, older, unset)
	}
	if story.Chance(c, 8) {
		s.N = 2
	}
	return stepWith(s, x, x.zero())
}

func drawReplace(c harness.Choices) story.Step {
	l := List{Items: drawItems(c, 4)}
	for i := range l.Items {
		l.Items[i].Verb, l.Items[i].Unknown = "", false
	}
	if story.Chance(c, 8) {
		l.Version = story.Pick(c, older, unset)
	}
	s := story.Step{}
	if story.Chance(c, 12) {
		s.N = drawMany(c)
	}
	return stepWith(s, l, l.Items == nil && l.Version == "")
}

func drawApplyAll(c harness.Choices) story.Step {
	s, items := story.Step{}, drawItems(c, 5)
	if len(items) == 0 || story.Chance(c, 16) {
		s.N = drawMany(c)
	}
	return stepWith(s, Changes{items}, items == nil)
}

// drawItems chooses fewer than n objects, and what is done to each.
func drawItems(c harness.Choices, n int) (out []Item) {
	for range c.IntN(n) {
		x := Item{Obj: drawKey(c), Verb: story.Pick(c, "", Update, Delete), Content: drawContent(c)}
		if x.Verb == Delete {
			x.Content = Content{Unknown: story.Chance(c, 3)}
		}
		out = append(out, x)
	}
	return out
}

func drawBookmark(c harness.Choices) story.Step {
	if story.Chance(c, 4) {
		return story.Step{With: Mark{older}}
	}
	return story.Step{}
}

func drawByIndex(c harness.Choices) story.Step {
	index := story.Pick(c, ByNamespace, ByValue, ByValue, "other")
	return story.Step{With: Query{Index: index, Value: story.Pick(c, "red", "blue", "green", "a", "b", "")}}
}

func drawIndex(c harness.Choices) story.Step {
	s := drawObject(c)
	s.With = Query{Index: story.Pick(c, ByNamespace, ByValue, ByValue, "other"), Values: transitions[c.IntN(len(transitions))]}
	return s
}

func drawIndexers(c harness.Choices) story.Step {
	return story.Step{With: Indexers{story.Pick(c, []string{ByNamespace}, []string{ByValue}, []string{ByNamespace, ByValue})}}
}

func drawPop(c harness.Choices) story.Step {
	s := story.Step{N: story.Pick(c, 0, 0, 0, 2, 5, 30, 100)}
	if story.Chance(c, 8) {
		s.Actor = "pop2"
	}
	return s
}

// drawTime chooses a time by the age at which entries expire.
func drawTime(c harness.Choices) story.Step {
	return story.Step{For: story.Duration(story.Pick(c, ttl/4, ttl/2, ttl*3/4, ttl*9/10, ttl, ttl+time.Millisecond, ttl*11/10, time.Hour))}
}
