package store

import (
	"math/rand/v2"
	"strings"

	"github.com/lwtest/lwtest/harness/story"
)

var (
	verbs = []Verb{Add, Update, Delete}
	reads = rules(basicGet, basicList, basicKeys)
)

// noKey is an object for which the key function fails.
const noKey = "a/" + NoKey

func mapChecks() []story.Check {
	return []story.Check{
		{Name: "basic/add", About: "adds what is not there and what is, beside objects whose keys are alike, and reads everything after each",
			Rules: append(rules(basicAdd), reads...), Needs: aMap(), Steps: basics(Add)},
		{Name: "basic/update", About: "updates what is there and what is not, and reads everything after each",
			Rules: append(rules(basicUpdate), reads...), Needs: aMap(), Steps: basics(Update)},
		{Name: "basic/delete", About: "deletes what is there and what is not, also without its final state, and reads everything after each",
			Rules: append(rules(basicDelete), reads...), Needs: aMap(), Steps: basics(Delete)},
		{Name: "basic/same-version", About: "puts and deletes states that have no resourceVersion, the one that is there, or an older one",
			Rules: append(rules(basicAdd, basicUpdate, basicDelete, replaceExact), reads...), Needs: aMap(),
			Steps: made(indexed, seq(add("a/x", "red"), look("a/x"), forEach(inVersion, same, older, oldest, unset)))},
		{Name: "basic/many", About: "random changes to four objects, and reads everything after each",
			Rules: append(rules(basicAdd, basicUpdate, basicDelete, replaceExact), reads...), Needs: aMap(), Steps: manyChanges()},
		{Name: "basic/many/at-once", About: "several changes at once, some of them of one key, and reads everything after each",
			Rules: append(rules(basicAdd, basicUpdate, basicDelete), reads...), Needs: aMap(Transactions),
			Steps: made(indexed, times(2, forEach(func(l []Item) steps { return seq(applyAll(l...), look("a/x", "a/y", "b/x")) },
				[]Item{one(Add, "a/x", "red"), one(Update, "a/y", "blue"), one(Delete, "b/x")},
				[]Item{one(Update, "a/x"), one(Update, "a/x", "blue"), one(Add, "b/x", "red")},
				[]Item{one(Delete, "a/x"), one(Add, "a/x", "red"), one(Delete, "b/x"), oneLost("a/y")},
				[]Item{one(Add, "a/x", "blue"), one(Update, "b/x", "red"), one(Add, "a/y", "red"), one(Add, "a/y", "blue")},
				[]Item{one(Add, "a/y"), one(Delete, "a/y"), one(Delete, "a/x"), one(Delete, "b/x")})))},
		{Name: "basic/key-error/at-once", About: "several changes at once, one or two of which have no key",
			Rules: rules(keyError), Needs: aMap(Keys, Transactions),
			Steps: made(indexed, forEach(func(l []Item) steps { return seq(applyAll(l...), look("a/x", "a/y")) },
				[]Item{one(Add, "a/x", "red"), one(Add, noKey, "red"), one(Add, "a/y", "blue")},
				[]Item{one(Update, noKey, "blue"), one(Delete, "a/x")},
				[]Item{one(Delete, noKey)},
				[]Item{one(Add, noKey), one(Update, "a/x"), one(Add, noKey)},
				[]Item{one(Add, noKey), one(Delete, noKey)}))},
		{Name: "basic/key-error", About: "asks for what the key function fails for, also in the middle of a list",
			Rules: rules(keyError), Needs: aMap(Keys),
			Steps: made(indexed, seq(eachThen(look("a/x", "a/y"),
				add("a/x", "red"), add(noKey, "red"), update(noKey, "red"), apply(Delete, noKey, "red"),
				seq(stepWith("get", noKey, nil), replaceBy("", item("a/x", "blue"), item(noKey), item("a/y", "blue"))),
				replaceBy("", asBefore("a/y"), item(noKey)), add("a/y", "blue"))))},
		{Name: "replace/exact", About: "replaces the content by more, less, others, nothing, and a list that has a key twice",
			Rules: rules(replaceExact), Needs: aMap(),
			Steps: made(indexed, seq(forEach(func(l []Item) steps {
				return seq(replaceBy("", l...), lookByBoth(), update("a/y", "blue"), lookByBoth())
			}, []Item{item("a/x", "red"), item("a/y", "red", "blue")}, []Item{item("a/y", "blue"), item("b/z")}, nil, []Item{item("b/z", "red")},
				[]Item{item("a/x", "red"), item("b/z"), item("a/x", "blue")}, []Item{item("a/x"), item("a/y", "red"), item("b/z", "red")}),
				times(2, replace(), lookByBoth())))},
		{Name: "version/told", About: "asks for the resourceVersion after everything that may move it",
			Rules: rules(versionTold), Needs: aMap(Version),
			Steps: eachThen(seq(read(), version()),
				nil, add("a/x"), replaceBy("", item("a/y"), asBefore("a/x")), bookmark(), update("a/x"),
				seq(stepWith("get", "a/x", nil), do("list"), resync()), del("a/y"), del("a/never"), lost("a/x"),
				applyWith(Add, "a/x", Content{Version: oldest}), replaceBy(oldest, asBefore("a/x")), bookmark(older), applyWith(Add, "a/z", Content{Version: unset}),
				bookmark(), replace(), bookmark(), bookmark(oldest), replaceBy(oldest, asBefore("a/x")),
				add(noKey), update(noKey), del(noKey), replace("a/x", noKey))}, // what fails moves nothing
		{Name: "version/told/unset", About: "asks for the resourceVersion after lists that have none",
			Rules: rules(versionTold), Needs: aMap(Version),
			Steps: eachThen(version(),
				replace("a/x"), replaceBy(unset, item("a/x"), item("a/y")), bookmark(), replaceBy(unset), seq(add("a/z"), bookmark()))},
		{Name: "version/told/at-once", About: "asks for the resourceVersion after several changes at once",
			Rules: rules(versionTold), Needs: aMap(Version, Transactions),
			// The last of them has a resourceVersion, or is a delete that nobody saw.
			Steps: eachThen(version(),
				applyAll(one(Add, "a/x"), one(Add, "a/y")), applyAll(one(Update, "a/x"), one(Delete, "a/y")),
				applyAll(oneLost("a/x"), one(Add, "a/z")), applyAll(one(Update, "a/z"), oneLost("a/x")), bookmark())},
		{Name: "undelta/push", About: "changes a store in every way, and does what changes nothing",
			Rules: rules(undeltaPush, undeltaNoPush), Needs: aMap(Undelta),
			Steps: seq(resync(), times(2, add("a/x", "red"), update("a/x"), update("a/y"), applyWith(Add, "a/y", Content{Same: true}),
				applyWith(Update, "a/y", Content{Same: true}), replaceBy("", asBefore("a/y")), del("a/x"), del("a/x"), // which is not there any more
				lost("a/y"), replace("a/y", "b/x", "a/y"), replaceBy("", asBefore("a/x"), asBefore("a/y")), do("await-pushes"), resync(), bookmark(),
				add(noKey), update(noKey), del(noKey), when(Keys, replaceBy("", asBefore("a/y"), item(noKey))), replace(), replace(), resync()))},
	}
}

// basics does one verb to what is there and what is not, with neighbours whose keys are alike.
func basics(v Verb) steps {
	look := read("a/x", "b/x", "a/xy", "x")
	extra, tombstones := steps{}, steps{}
	if v == Delete {
		extra = forEach(alike, "a/x.", "a/"+strings.Repeat("n", 63), "a/"+strings.Repeat("n", 252))
		tombstones = times(2, applyWith(Delete, "a/x", Content{Unknown: true, Version: older}), look)
	}
	return seq(eachThen(look, nil, add("b/x"), add("a/xy"), add("x")), extra, apply(v, "a/x"), look, // which is not there
		times(2, apply(v, "a/x"), look, add("a/x"), look), tombstones, apply(v, "x", "red"), look)
}

// alike deletes one of two objects whose names are alike up to a dot, or in as many characters as a label may have, or
// nearly a name.
func alike(same string) steps {
	return seq(add(same+"1"), add(same+"2"), read(same+"1", same+"2"), del(same+"1"), read(same+"1", same+"2"))
}

// inVersion puts states with a resourceVersion in each way. Whatever comes last is what is there.
func inVersion(v Which) steps {
	item := func(values ...string) Item {
		return Item{Obj: "a/x", Content: Content{Version: v, Values: values}}
	}
	return eachThen(seq(look("a/x"), add("a/x", "red"), look("a/x")),
		applyWith(Update, "a/x", item("blue").Content), applyWith(Add, "a/x", item("red", "blue").Content), replaceBy("", item("red"), item("blue")),
		applyWith(Delete, "a/x", Content{Version: older}))
}

func oneLost(obj string) Item {
	return Item{Obj: obj, Verb: Delete, Content: Content{Unknown: true}}
}

func lookByBoth() steps { return seq(look("a/x", "a/y", "b/z"), under(ByNamespace, "a", "b")) }

// manyChanges are the same random ones in each run. The fuzzer draws others.
func manyChanges() steps {
	rnd := rand.New(rand.NewPCG(1, 1))
	names := []string{"a/x", "a/y", "a/z", "a/w"}
	return eachThen(seq(read(names...), version()), append(randomly(40, func() steps {
		n := names[rnd.IntN(len(names))]
		switch k := rnd.IntN(8); {
		case k < 6:
			return apply(verbs[k%3], n)
		case k < 7:
			return replace(n, names[0])
		}
		return seq(resync(), bookmark())
	}), replace("a/x", "a/y"))...)
}

// randomly returns what f returns, call after call.
func randomly(n int, f func() steps) (out []steps) {
	for range n {
		out = append(out, f())
	}
	return out
}
