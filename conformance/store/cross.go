package store

import (
	"strings"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// cross is what random stories of stores and queues combine: a change, the object's key, its index values and its version, how it is
// read, and the moment.
var cross = story.Cross{
	Dimensions: []story.Dimension{
		{Name: "change", Values: []story.Value{
			{Name: "add", With: applied("add")},
			{Name: "update", With: applied("update")},
			{Name: "delete", With: applied("delete")},
			{Name: "delete with an unknown final state", With: func(obj string, c Content) steps {
				c.Unknown = true
				return applied("delete")(obj, c)
			}},
			{Name: "replace", With: func(obj string, c Content) steps {
				return stepWith("replace", "", List{Items: []Item{{Obj: obj, Content: c}, item("a/new")}})
			}},
			{Name: "replace without it", With: func(string, Content) steps { return stepWith("replace", "", List{Items: []Item{item("a/new")}}) }},
			{Name: "replace by nothing", With: func(string, Content) steps { return do("replace") }},
			{Name: "apply all", With: func(obj string, c Content) steps {
				return stepWith("apply-all", "", List{Items: []Item{{Obj: obj, Verb: Update, Content: c}, {Obj: "a/new", Verb: Add}, {Obj: "a/y", Verb: Delete}}})
			}},
			{Name: "resync", With: func(string, Content) steps { return do("resync") }},
			{Name: "bookmark of a queue", Needs: []harness.Feature{Bookmarks}, With: func(string, Content) steps { return do("bookmark") }},
			{Name: "bookmark", Needs: []harness.Feature{Version}, With: func(string, Content) steps { return do("bookmark") }},
			{Name: "many", With: func(string, Content) steps { return fill(75) }},
		}},
		{Name: "key", Values: []story.Value{
			{Name: "with a namespace", With: "a/x"}, {Name: "without one", With: "x"}, {Name: "of another namespace", With: "b/x"}, {Name: "that cannot be made", With: "a/" + NoKey},
			{Name: "that is long", With: "a/" + strings.Repeat("n", 128)},
		}},
		{Name: "values", Values: []story.Value{
			{Name: "none", With: []string(nil)}, {Name: "one", With: []string{"one"}}, {Name: "several", With: []string{"one", "two", "three"}}, {Name: "the same twice", With: []string{"one", "one"}},
			{Name: "one with a space", With: []string{"one two"}},
		}},
		{Name: "version", Values: []story.Value{
			{Name: "newest", With: Which("")}, {Name: "the same", With: same}, {Name: "older", With: older}, {Name: "none", With: unset},
		}},
		{Name: "read", Values: []story.Value{
			{Name: "all", With: func(obj string) steps { return seq(when(Map, steps{{Op: "look", Obj: obj}}), popped(1)) }},
			{Name: "get", With: func(obj string) steps {
				return seq(when(Map, steps{{Op: "get", Obj: obj}, {Op: "get-by-key", Obj: obj}}), popped(2))
			}},
			{Name: "list", With: func(string) steps { return seq(when(Map, do("list"), do("list-keys")), popped(3)) }},
			{Name: "index", With: func(obj string) steps {
				return seq(when(Map, steps{{Op: "index", Obj: obj, With: Query{Index: ByValue}}, {Op: "by-index", With: Query{Index: ByValue, Value: "one"}}, {Op: "index-values", With: Query{Index: ByValue}}}), popped(4))
			}},
			{Name: "version", With: func(string) steps { return seq(when(Map, do("version")), when(IsQueue, do("synced")), popped(1)) }},
			{Name: "at once", With: func(obj string) steps {
				return seq(when(Batch, steps{{Op: "pop-batch"}}), when(Map, steps{{Op: "look", Obj: obj}, {Op: "list"}}), popped(1))
			}},
		}},
		{Name: "moment", Values: []story.Value{
			{Name: "with others", With: moment{before: func(obj string) steps { return seq(add("a/y", "one"), add("a/z"), add(obj, "one", "two"), popped(1)) }}},
			{Name: "at first", With: moment{}},
			{Name: "after a list", With: moment{before: func(obj string) steps {
				return stepWith("replace", "", List{Items: []Item{item(obj, "two"), item("a/y", "one")}})
			}}},
			{Name: "after its deletion", With: moment{before: func(obj string) steps { return seq(add(obj, "one"), popped(1), del(obj)) }}},
			{Name: "after a long time", With: moment{before: func(obj string) steps {
				return seq(add(obj, "one"), add("a/y"), steps{{Op: "advance", For: story.Duration(2 * time.Minute)}})
			}}},
			{Name: "while a Pop waits", With: moment{before: func(string) steps { return seq(steps{{Op: "pop", N: 3}}) }}},
			{Name: "after the close", With: moment{before: func(obj string) steps { return seq(add("a/y", "one"), add(obj, "one"), popped(1), do("close")) }}},
			// of a queue, nobody can tell in which order changes came that overlap
			{Name: "beside others", Needs: []harness.Feature{Map}, With: moment{before: func(obj string) steps {
				return seq(add(obj, "one"), story.Async(seq(byActor("u1", update(obj, "two")), byActor("u2", update("a/y", "one")), byActor("u2", del(obj)))...))
			}, after: story.Join()}},
		}},
	},
	Story: crossed,
}

// moment is what happens before and after a change of an object.
type moment struct {
	before func(obj string) steps
	after  steps
}

func applied(word string) func(string, Content) steps {
	return func(obj string, c Content) steps { return stepWith(word, obj, c) }
}

// popped pops from a queue; a map does not.
func popped(n int) steps { return when(IsQueue, steps{{Op: "pop", N: n}}) }

// byActor returns steps as another actor takes them.
func byActor(actor string, s steps) steps {
	return story.Each(s, func(_ int, x story.Step) steps {
		x.Actor = actor
		return steps{x}
	})
}

func crossed(r story.Row) []story.Part {
	obj, m := story.With[string](r, "key"), story.With[moment](r, "moment")
	c := Content{Values: story.With[[]string](r, "values"), Version: story.With[Which](r, "version")}
	var before steps
	if m.before != nil {
		before = m.before(obj)
	}
	change := story.With[func(string, Content) steps](r, "change")(obj, c)
	return []story.Part{
		story.Scene(made(Opening{Indexers: indexed.Indexers, TTL: story.Duration(ttl)}, nil)...),
		story.Shows("moment", before...),
		{Of: []string{"change", "key", "values", "version"}, Steps: change},
		story.Shows("read", story.With[func(string) steps](r, "read")(obj)...),
		story.Shows("moment", m.after...),
		story.Scene(seq(steps{{Op: "look", Obj: obj}}, add("c/last", "one"), add("c/end"), steps{{Op: "look", Obj: "c/last"}}, do("version"), do("synced"), do("drain"), do("synced"))...),
	}
}
