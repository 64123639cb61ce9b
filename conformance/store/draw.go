package store

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	fuzz "github.com/google/gofuzz"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// draws says how random stories use the words. Those that begin and end a story are drawn below.
var draws = map[string]story.Drawing{
	"add":          {Weight: 8, Draw: drawChange(false)},
	"update":       {Weight: 9, Draw: drawChange(false)},
	"delete":       {Weight: 8, Draw: drawChange(true)},
	"fill":         {Weight: 1, Draw: func(c harness.Choices) story.Step { return story.Step{N: drawMany(c)} }},
	"replace":      {Weight: 7, Draw: drawReplace},
	"apply-all":    {Weight: 4, Draw: drawApplyAll},
	"resync":       {Weight: 3},
	"bookmark":     {Weight: 3, Draw: func(c harness.Choices) story.Step { return withArgs(story.Step{}, story.Pick(c, "", "", older)) }},
	"get":          {Weight: 2, Draw: drawObject},
	"get-by-key":   {Weight: 1, Draw: drawObject},
	"list":         {Weight: 2},
	"list-keys":    {Weight: 1},
	"version":      {Weight: 3},
	"index":        {Weight: 2, Draw: drawIndex},
	"by-index":     {Weight: 1, Draw: drawByIndex},
	"index-values": {Weight: 1, Draw: drawByIndex},
	"add-indexers": {Weight: 1, Draw: func(c harness.Choices) story.Step { return story.Step{With: drawIndexers(c)} }},
	"look":         {Weight: 6, Draw: drawObject},
	"pop":          {Weight: 9, Draw: drawPop},
	"pop-batch":    {Weight: 4, Draw: drawPop},
	"synced":       {Weight: 3},
	"close":        {Weight: 1},
	"advance":      {Weight: 4, Draw: drawTime},
}

// begins makes a store with options. In one story of ten two Pops wait for two objects that come one right after the other.
func begins(c harness.Choices) []story.Step {
	o := Opening{}
	if !story.Chance(c, 3) {
		o.Indexers = drawIndexers(c)
	}
	if story.Chance(c, 2) {
		o.TTL = story.Duration(ttl)
	}
	all := []story.Step{withArgs(story.Step{Op: "open"}, o)}
	if story.Chance(c, 10) {
		all = append(all, story.Step{Op: "pop"}, story.Step{Op: "pop", Actor: "pop2"}, story.Step{Op: "fill", N: 2})
	}
	return all
}

// ends makes what several actors do at once, in every third story, and then looks at everything.
func ends(c harness.Choices) []story.Step {
	var all []story.Step
	if story.Chance(c, 3) {
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
		s.Op, s.Actor, s.N, s.Async = op, fmt.Sprint("u", 1+i%actors), 0, true
		all = append(all, s)
	}
	return all
}

// oddKeys are two of which one lacks what the key function needs, and pairs that differ only behind a dot, or behind as
// many characters as a label or a column may have.
var oddKeys = func() []string {
	all := []string{NoKey, "a/" + NoKey, "a/" + NoKey, "a/" + NoKey}
	for _, long := range []string{"a/x.", "a/" + strings.Repeat("n", 63), "a/" + strings.Repeat("n", 128)} {
		all = append(all, long+"1", long+"2")
	}
	return all
}()

// drawKey chooses one of few keys, so that stories come back to them.
func drawKey(c harness.Choices) string {
	if story.Chance(c, 16) {
		return story.Pick(c, oddKeys...)
	}
	return story.Pick(c, "a/x", "a/x", "a/x", "a/y", "a/y", "a/z", "b/x", "x")
}

func drawObject(c harness.Choices) story.Step { return story.Step{Obj: drawKey(c)} }

// drawMany chooses how many of something there are: seldom more than what is made for few can hold.
func drawMany(c harness.Choices) int { return story.Pick(c, 2, 2, 2, 3, 3, 3, 4, 4, 5, 12, 12, 75) }

func drawContent(c harness.Choices, deletes bool) (x Content) {
	x.Unknown = deletes && story.Chance(c, 3)
	switch n := c.IntN(12); {
	case n == 0:
		x.Version = story.Pick(c, same, older, unset)
	case deletes:
	case n < 5:
		x.Values = transitions[c.IntN(len(transitions))]
	case n == 5:
		x.Same = true
	case n == 6 && story.Chance(c, 4):
		x.Values, x.Body = drawTexts(c)
	case n == 6:
		x.Values = groups[:1+c.IntN(len(groups))]
	}
	return x
}

// drawTexts has gofuzz choose the values and the body of an object. A value must not be empty, nor have a comma.
func drawTexts(c harness.Choices) (values []string, body string) {
	f := fuzz.New().RandSource(story.Source(c)).NilChance(0.3).NumElements(1, 4)
	f.Fuzz(&values)
	f.Fuzz(&body)
	for i, v := range values {
		values[i] = "v" + strings.ReplaceAll(v, ",", "")
	}
	return values, body
}

// withArgs returns a step with arguments, or without if they are nil or zero.
func withArgs(s story.Step, a any) story.Step {
	if a != nil && !reflect.ValueOf(a).IsZero() {
		s.With = a
	}
	return s
}

func drawChange(deletes bool) func(harness.Choices) story.Step {
	return func(c harness.Choices) story.Step {
		s := withArgs(drawObject(c), drawContent(c, deletes))
		if story.Chance(c, 12) {
			s.N = story.Pick(c, 2, 2, 10)
		}
		return s
	}
}

func drawReplace(c harness.Choices) story.Step {
	l, s := List{}, story.Step{}
	for range c.IntN(4) {
		l.Items = append(l.Items, Item{Obj: drawKey(c), Content: drawContent(c, false)})
	}
	if story.Chance(c, 8) {
		l.Version = story.Pick(c, older, unset)
	}
	if story.Chance(c, 12) {
		s.N = drawMany(c)
	}
	return withArgs(s, l)
}

func drawApplyAll(c harness.Choices) story.Step {
	l, s := List{}, story.Step{}
	for range c.IntN(5) {
		verb := story.Pick(c, "", Update, Delete)
		l.Items = append(l.Items, Item{drawKey(c), verb, drawContent(c, verb == Delete)})
	}
	if l.Items == nil || story.Chance(c, 16) {
		s.N = drawMany(c)
	}
	return withArgs(s, l)
}

func drawIndexers(c harness.Choices) Indexers {
	return story.Pick(c, Indexers{ByNamespace, ByValue}, Indexers{ByNamespace}, Indexers{ByValue})
}

func drawByIndex(c harness.Choices) story.Step {
	q := Query{Index: story.Pick(c, "", "", ByNamespace, "other"), Value: story.Pick(c, "red", "blue", "green", "a", "b", "")}
	return withArgs(story.Step{}, q)
}

func drawIndex(c harness.Choices) story.Step {
	q := Query{Index: story.Pick(c, "", "", ByNamespace, "other"), Values: transitions[c.IntN(len(transitions))]}
	return withArgs(drawObject(c), q)
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
	return story.Step{For: story.Duration(story.Pick(c, ttl/4, ttl/2, ttl*3/4, ttl*9/10, ttl, ttl+time.Millisecond, ttl*11/10, 15*time.Minute))}
}
