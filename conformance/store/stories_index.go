package store

import (
	"fmt"

	"github.com/lwtest/lwtest/harness/story"
)

// transitions are the index values that an object may have, and change between.
var transitions = [][]string{nil, {"red"}, {"blue"}, {"red", "blue"}, {"blue", "green"}, {"green", "blue"},
	{"red", "blue", "green"}, {"red", "yellow", "green"}, {"red", "red"}}

var byNamespace = Opening{Indexers: Indexers{ByNamespace}}

func indexChecks() []story.Check {
	return []story.Check{
		{Name: "index/function", About: "takes an object from each set of index values to each other",
			Rules: rules(indexFunction), Needs: aMap(Index),
			// Another object shares a value. That without a namespace has an index value, too.
			Steps: made(indexed, seq(add("a/stays", "blue"), add("bare"), forEach(func(from []string) steps {
				return forEach(func(to []string) steps { return seq(update("a/x", from...), update("a/x", to...), readBoth()) }, transitions...)
			}, transitions...), eachThen(readBoth(),
				add("b/x", "red"), apply(Delete, "a/x", "other"), lost("b/x"), apply(Delete, "a/never", "blue"), // whatever state is given
				replaceBy("", item("b/y", "red", "green"), item("b/z")), del("b/y"))))},
		{Name: "index/query", About: "asks by objects whose index values are shared, and for an index that there is not",
			Rules: rules(indexQuery), Needs: aMap(Index),
			Steps: made(indexed, seq(add("a/x", "red", "blue"), add("a/y", "red", "blue", "green"), add("b/z", "green"), askAll(),
				askIndexBy(ByValue, "b/asks", "red", "red"), askIndexBy(ByValue, "b/asks", "none"), askIndexBy(ByNamespace, "a/asks"),
				askIndexBy(ByNamespace, "c/asks"), del("a/y"), askAll(), askIndexBy("unknown", "a/asks", "red"), under("unknown", "red")))},
		{Name: "index/add-late", About: "adds an index to what is there, and one whose name is taken",
			Rules: rules(indexLate), Needs: aMap(Index),
			Steps: made(byNamespace, seq(add("a/x", "red", "blue"), add("b/y", "red"), add("b/z"), addIndexers(ByValue, ByNamespace), // one is taken: neither is added
				under(ByValue, "red", "blue"), eachThen(seq(look(), askIndexBy(ByValue, "a/asks", "red", "blue")),
					addIndexers(ByValue), seq(addIndexers(ByValue), addIndexers(ByNamespace)), seq(under(ByNamespace, "a", "b"), update("a/x", "blue")),
					del("b/y"), replaceBy("", item("a/w", "red")))))},
		{Name: "index/add-late/together", About: "adds two indexes at once to what is there", Rules: rules(indexLate), Needs: aMap(Index),
			Steps: seq(add("a/x", "red", "blue"), add("b/y", "red"), eachThen(seq(look(), under(ByNamespace, "a", "b")),
				addIndexers(ByValue, ByNamespace), add("a/z", "red"), del("b/y")))},
		{Name: "index/add-late/empty", About: "adds an index to a store that is empty", Rules: rules(indexFunction), Needs: aMap(Index),
			Steps: seq(addIndexers(ByValue), add("a/x", "red", "blue"), under(ByValue, "red", "blue"), replaceBy("", item("a/y", "red")),
				under(ByValue, "red", "blue"))},
		{Name: "index/add-late/large", About: "adds an index to more than a hundred objects, one of which has many values",
			Rules: rules(indexLate), Needs: aMap(Index),
			Steps: made(byNamespace, seq(replaceBy("", grouped(0, "a", "b", groups[:1])...), add("c/all", groups...), read("c/all"), addIndexers(ByValue),
				under(ByValue, append(groups, "some")...), askIndexBy(ByValue, "d/asks", groups...), del("a/"+nth(2)), update("c/all", groups[4:]...),
				read("c/all"), under(ByValue, groups...)))},
		{Name: "replace/exact/large", About: "replaces the content by more than a hundred objects, by as many of which half were there, and by two",
			Rules: rules(replaceExact), Needs: aMap(),
			Steps: made(indexed, eachThen(seq(read(), under(ByNamespace, "a", "b", "c"), under(ByValue, append(groups, "some")...)),
				replaceBy("", grouped(0, "a", "b", groups[:6])...), replaceBy("", grouped(manyThings/2, "b", "c", groups[3:])...), // some groups stay
				update("b/"+nth(manyThings), groups[0]), replaceBy("", grouped(0, "a", "b", groups[:1])[:2]...)))},
		{Name: "basic/many/at-once/large", About: "twenty changes at once", Rules: rules(basicAdd, basicUpdate, basicDelete), Needs: aMap(Transactions),
			Steps: forEach(func(v Verb) steps {
				var all []Item
				for n := range 20 {
					all = append(all, one(v, "a/"+nth(n)))
				}
				return seq(applyAll(all...), read())
			}, verbs...)},
	}
}

// What a few things never show, such as a buffer that is full, is done with so many. A store that takes a twentieth of a
// second for each call, as one of another process may, comes to the end in real time.
const manyThings = 130

func nth(n int) string { return fmt.Sprint("n", n) }

// groups are index values of a list of many.
var groups = []string{"g0", "g1", "g2", "g3", "g4", "g5", "g6", "g7", "g8"}

// grouped are many objects, of which each has a group, and each third another value besides.
func grouped(from int, even, odd string, groups []string) (out []Item) {
	for n := from; n < from+manyThings; n++ {
		values := []string{groups[n%len(groups)]}
		if n%3 == 0 {
			values = append(values, "some")
		}
		out = append(out, item([]string{even, odd}[n%2]+"/"+nth(n), values...))
	}
	return out
}

func readBoth() steps {
	return seq(read(), under(ByValue, "red", "blue", "green", "yellow"), under(ByNamespace, "a", "b", ""))
}

func askAll() steps {
	return seq(read(), under(ByValue, "red", "blue", "green", "yellow"),
		forEach(func(values []string) steps { return askIndexBy(ByValue, "a/asks", values...) }, transitions...))
}
