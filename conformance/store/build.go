package store

import (
	"strings"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// raced is a check that is no story, as a literal: calls of several actors must meet each other inside the store.
type raced struct {
	Name, About   string
	Rules         []harness.Rule
	Needs, Unless []harness.Feature
	Opens         Opening // what the store is made with
	Drive         func(*driver)
}

func checksOf(races []raced) (out []harness.Check[Open]) {
	for _, c := range races {
		out = append(out, harness.Check[Open]{Info: harness.Info{Name: c.Name, About: c.About, Rules: c.Rules, Needs: c.Needs, Unless: c.Unless},
			Drive: drive(Options{Indexers: c.Opens.Indexers, TTL: time.Duration(c.Opens.TTL)}, c.Drive)})
	}
	return out
}

// made begins with a store that is made with something.
func made(with Opening, s steps) steps { return seq(stepWith("open", "", with), s) }

func rules(r ...harness.Rule) []harness.Rule           { return r }
func needs(f ...harness.Feature) []harness.Feature     { return f }
func aQueue(more ...harness.Feature) []harness.Feature { return append(needs(IsQueue), more...) }
func aMap(more ...harness.Feature) []harness.Feature   { return append(needs(Map), more...) }

var indexed = Opening{Indexers: Indexers{ByNamespace, ByValue}}

// The functions below make steps, for readable stories.

// steps is a part of a story.
type steps = []story.Step

func seq(parts ...steps) steps { return story.Concat(parts...) }
func do(name string) steps     { return steps{{Op: name}} }
func stepWith(name, obj string, args any) steps {
	return steps{withArgs(story.Step{Op: name, Obj: obj}, args)}
}
func times(n int, parts ...steps) steps {
	return story.Repeat(n, func(int) steps { return seq(parts...) })
}
func when(f harness.Feature, parts ...steps) steps { return story.When(f, seq(parts...)...) }
func forEach[T any](f func(T) steps, all ...T) steps {
	return story.Each(all, func(_ int, x T) steps { return f(x) })
}

// eachThen does the same after each of some parts.
func eachThen(then steps, parts ...steps) steps {
	return forEach(func(s steps) steps { return seq(s, then) }, parts...)
}

func add(obj string, values ...string) steps    { return apply(Add, obj, values...) }
func update(obj string, values ...string) steps { return apply(Update, obj, values...) }
func del(obj string) steps                      { return apply(Delete, obj) }
func apply(v Verb, obj string, values ...string) steps {
	return applyWith(v, obj, Content{Values: values})
}
func applyWith(v Verb, obj string, c Content) steps {
	return stepWith(strings.ToLower(string(v)), obj, c)
}

// lost deletes an object of which nobody has seen the final state.
func lost(obj string) steps { return applyWith(Delete, obj, Content{Unknown: true}) }

// fill adds a/n0 to a/n(n-1).
func fill(n int) steps { return steps{{Op: "fill", N: n}} }

func item(obj string, values ...string) Item { return Item{Obj: obj, Content: Content{Values: values}} }

// asBefore is an item with the very object that was put last.
func asBefore(obj string) Item { return Item{Obj: obj, Content: Content{Same: true}} }

// one is an item of several changes.
func one(v Verb, obj string, values ...string) Item {
	return Item{Obj: obj, Verb: v, Content: Content{Values: values}}
}

func replace(objs ...string) steps {
	var l []Item
	for _, o := range objs {
		l = append(l, item(o))
	}
	return replaceBy("", l...)
}

func replaceBy(v Which, l ...Item) steps { return stepWith("replace", "", List{Items: l, Version: v}) }
func applyAll(l ...Item) steps           { return stepWith("apply-all", "", List{Items: l}) }
func resync() steps                      { return do("resync") }
func bookmark(v ...Which) steps          { return stepWith("bookmark", "", append(v, "")[0]) }

// read lists all objects and all keys, and asks for some in both ways, also such as may not be there.
func read(objs ...string) steps { return stepWith("read", "", Keyed(objs)) }

// under asks an index for what it has under some values, and for all its values.
func under(index string, values ...string) steps {
	return stepWith("read-index", "", Query{Index: index, Values: values})
}

// look reads everything, some objects by their keys, and the index by value.
func look(objs ...string) steps { return seq(read(objs...), under(ByValue, "red", "blue")) }

func askIndexBy(index, obj string, values ...string) steps {
	return stepWith("index", obj, Query{Index: index, Values: values})
}

func addIndexers(names ...string) steps { return stepWith("add-indexers", "", Indexers(names)) }
func version() steps                    { return do("version") }
func advance(d time.Duration) steps     { return steps{{Op: "advance", For: story.Duration(d)}} }

// take pops n times, and each Pop must return.
func take(n int) steps {
	if n == 0 {
		return nil
	}
	return steps{{Op: "take", N: n}}
}

// takeOf pops as often as each sort of queue must return something.
func takeOf(delta, log, atomic int) steps {
	return seq(when(IsDelta, take(delta)), story.When("!"+IsDelta, when("!"+IsAtomic, take(log))...), when(IsAtomic, take(atomic)))
}

// takeItems pops what a list, or a resync, of n objects has put.
func takeItems(n int) steps { return takeOf(n, n, 1) }

// takeChanges pops n changes of so many keys.
func takeChanges(keys, n int) steps { return takeOf(keys, n, n) }

// waiting has a Pop wait while steps are done, and return then.
func waiting(pop string, parts ...steps) steps { return seq(do(pop), seq(parts...), do("await")) }

func synced() steps { return do("synced") }
func shut() steps   { return do("close") }
func drain() steps  { return do("drain") }
