package store

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
)

// These checks are no stories: calls of several actors must meet each other inside the store, which no order of steps ensures.
var racingChecks = []check{
	{Name: "replace/atomic", About: "three readers list beside one that replaces everything again and again",
		Rules: rules(replaceAtomic), Needs: aMap(), Drive: race{
			Before: generation(0), Turns: 24, Readers: three(do("list"), do("list-keys")), Writes: []steps{generation(1), generation(0)},
		}.run},
	{Name: "concurrent/linearizable", About: "four actors write and read two objects at once",
		Rules: rules(concurrentLinear), Needs: aMap(), Drive: driveLinear},
	{Name: "concurrent/linearizable/readers", About: "three readers ask by key, and by an index or for all, beside one that changes what they ask for",
		Rules: rules(concurrentLinear), Needs: aMap(), Opens: indexed, Drive: race{
			Before: seq(add("a/x", "red"), add("a/stays", "red")), Turns: 30, Writes: cycle(36, changing),
			Readers: three(get("a/x"), orList(askIndexBy(ByValue, "a/asks", "red")), orList(byRed), getByKey("a/x"),
				orList(askIndexBy(ByValue, "a/asks", "red")), orList(byRed)),
		}.run},
	{Name: "concurrent/linearizable/at-once", About: "three readers ask, and give bookmarks, beside one that makes several changes at once",
		Rules: rules(concurrentLinear), Needs: aMap(Transactions), Opens: indexed, Drive: race{
			Before: add("a/x", "red"), Turns: 12, Readers: three(seq(get("a/x"), do("list")), seq(do("list"), get("a/x")), bookmark()),
			Writes: cycle(18, func(n int, values []string) steps {
				if n%2 == 0 {
					return applyAll(one(Delete, "a/x"), one(Add, "a/y", values...))
				}
				return applyAll(one(Update, "a/x", values...), one(Delete, "a/y"))
			}), After: read("a/x", "a/y"), // what follows a read at once must not show less
		}.run},
	{Name: "concurrent/linearizable/batches", About: "actors make several changes at once beside others that do, change one object, replace everything or give bookmarks",
		Rules: rules(concurrentLinear), Needs: aMap(Transactions), Opens: indexed, Drive: inCrowds(writeAtOnce, writeAtOnce, writeEach, writeList, writeBookmark)},
	{Name: "concurrent/linearizable/bookmarks", About: "an actor gives bookmarks beside others that write",
		Rules: rules(concurrentLinear), Needs: aMap(Version), Opens: indexed, Drive: inCrowds(writeBookmark, writeEach, writeList, writeAtOnce)},
	{Name: "concurrent/linearizable/add-late", About: "one of three readers adds an index beside one that changes what is there",
		Rules: rules(concurrentLinear), Needs: aMap(Index), Opens: byNamespace, Drive: race{
			Before: seq(add("a/x", "red"), add("a/stays", "green")), Turns: 12,
			Readers: [][]steps{slices.Insert(slices.Repeat([]steps{ofA}, 11), 2, addIndexers(ByValue)),
				{stepWith("index-values", "", Query{Index: ByNamespace})}, {ofA}},
			Writes: cycle(9, func(n int, values []string) steps { return apply(verbs[n%3], "a/x", values...) }),
			After:  seq(update("a/x", "red", "blue"), under(ByValue, "red", "blue", "green")),
		}.run},
	{Name: "version/told/beside", About: "three readers ask for the version, and for the object, beside one that changes it",
		Rules: rules(versionTold), Needs: aMap(Version), Unless: needs(Expiring), Opens: indexed, Drive: race{
			Before: seq(add("a/x", "red"), add("a/stays", "red")), Turns: 30, Writes: cycle(36, changing), Readers: three(seq(version(), get("a/x"))),
		}.run},
	{Name: "queue/order/beside/batch", About: "the same, by one that pops in batches",
		Rules: rules(queueOrder, queueSynced), Needs: aQueue(Batch), Drive: popsBeside(evPopBatch)},
	{Name: "queue/order/beside", About: "one actor puts, another pops, a third asks whether it has synced, and none waits for the others",
		Rules: rules(queueOrder, queueSynced), Needs: aQueue(), Drive: popsBeside(evPop)},
	{Name: "undelta/push/beside", About: "four actors change their own object and one of all at once, now and then several times, and then one of them alone",
		Rules: rules(undeltaPush), Needs: aMap(Undelta), Drive: drivePushBeside},
}

var (
	byRed = stepWith("by-index", "", Query{Value: "red"})
	ofA   = stepWith("by-index", "", Query{Index: ByNamespace, Value: "a"})
)

// generation is a list of which half of the keys are of every other one alone.
func generation(n int) steps {
	var all []string
	for i := range 20 {
		all = append(all, fmt.Sprintf("a/all%d", i), fmt.Sprintf("a/some%d-%d", n, i))
	}
	return replace(all...)
}

// changing makes, replaces, changes and deletes an object, each time with other values, beside one that is only replaced and
// keeps its own.
func changing(n int, values []string) steps {
	switch n % 4 {
	case 0:
		return del("a/x")
	case 1:
		return add("a/x", values...)
	case 2:
		return replaceBy("", item("a/x", values...), item("a/stays", "red"))
	}
	return update("a/x", values...)
}

// cycle makes n writes, each with other index values than the one before.
func cycle(n int, f func(n int, values []string) steps) (out []steps) {
	for i := range n {
		out = append(out, f(i, transitions[i%len(transitions)]))
	}
	return out
}

// three are the turns of three readers, each of which begins with another.
func three(turns ...steps) (out [][]steps) {
	for i := range 3 {
		out = append(out, slices.Concat(turns[i%len(turns):], turns[:i%len(turns)]))
	}
	return out
}

// orList reads by an index if there are some, and else lists.
func orList(byIndex steps) steps { return seq(when(Index, byIndex), when("!"+Index, do("list"))) }

// driveLinear has several actors write and read two objects at once. A third is there all the time.
func driveLinear(d *driver) {
	d.replace(d.object("a", "stays"), d.object("a", "x"))
	d.inCrowd(d.t.Rand(), burstCalls, 1, slices.Repeat([]writing{(*driver).atRandom}, burstActors)...)
}

func (d *driver) atRandom(rnd *rand.Rand) {
	name := []string{"x", "y"}[rnd.IntN(2)]
	switch k := rnd.IntN(10); {
	case k < 3:
		d.apply(verbs[k], d.object("a", name))
	case k < 4:
		d.replace(d.object("a", "stays"), d.object("a", name))
	case k < 6:
		d.get(Object{Namespace: "a", Name: name})
	case k < 7:
		d.getByKey(Object{Namespace: "a", Name: name}.Key())
	case k < 9:
		d.list()
	default:
		d.listKeys()
	}
}

// drivePushBeside has several actors change an object of their own, and one of
// all, some of them several times at once; four changes are under way each
// time. When all have come to rest one actor changes what is there, alone:
// what was pushed wrong for good shows then.
func drivePushBeside(d *driver) {
	d.replace(d.object("a", "stays"), d.object("a", "x"))
	own := func(n int) string { return fmt.Sprintf("u%d", n+1) }
	d.inCrowd(d.t.Rand(), burstCalls, burstCalls, slices.Repeat([]writing{(*driver).pushAtRandom}, burstActors)...)
	d.allPushed()
	for n := range burstActors {
		d.apply(Add, d.object("a", own(n)))
	}
	for _, name := range []string{"x", own(0), own(1), own(2)} {
		d.apply(Update, d.object("a", name))
		d.apply(Delete, d.object("a", name))
	}
}

// pushAtRandom makes one call: it changes an actor's own object, that of all, both, or everything.
func (d *driver) pushAtRandom(rnd *rand.Rand) {
	some := func() Change {
		name := d.actor
		if rnd.IntN(4) == 0 {
			name = "x"
		}
		return changeOf(verbs[rnd.IntN(len(verbs))], d.object("a", name))
	}
	switch k := rnd.IntN(12); {
	case k == 0:
		d.replace(d.object("a", "stays"), d.object("a", d.actor))
	case k < 4 && d.t.Has(Transactions):
		d.applyAll(some(), changeOf(verbs[rnd.IntN(len(verbs))], d.object("a", "x")), some())
	default:
		d.change(some())
	}
}

// popsBeside has one actor put, another pop, and a third ask whether it has synced, none waiting for another.
func popsBeside(kind string) func(*driver) {
	return func(d *driver) {
		d.apply(Add, d.object("a", "x"))
		d.apply(Update, d.object("a", "x"))
		d.apply(Add, d.object("a", "y"))
		p := &popping{actor: "pop", done: make(chan struct{})}
		pops, asks := d.as(p.actor), d.as("r1")
		d.t.Go(func() {
			defer close(p.done)
			for pops.pop(kind) == nil {
			}
		})
		d.t.Wait() // it waits, or has begun
		d.atOnce(func() {
			for i := range burstCalls {
				d.apply([]Verb{Add, Update}[i%2], d.object("a", []string{"x", "y", "z"}[i%3]))
				runtime.Gosched()
			}
			d.close()
		}, func() {
			for range 12 {
				asks.synced()
				runtime.Gosched()
			}
		})
		if d.ended(p) {
			d.synced()
		}
	}
}
