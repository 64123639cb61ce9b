package store

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
)

// No order of steps ensures that the calls of these meet.
var racingChecks = []raced{
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

// before is what is there when actors write.
var before = replace("a/stays", "a/x")

// writing is what one actor does, by calls of one kind.
type writing = func(u *driver, rnd *rand.Rand)

// driveLinear has several actors write and read two objects at once. A third is there all the time.
func driveLinear(d *driver) {
	d.play(before, d)
	d.inCrowd(d.t.Rand(), burstCalls, 1, slices.Repeat([]writing{atRandom}, burstActors)...)
}

func atRandom(u *driver, rnd *rand.Rand) {
	x := []string{"a/x", "a/y"}[rnd.IntN(2)]
	all := []steps{add(x), update(x), del(x), replace("a/stays", x), get(x), get(x), getByKey(x), do("list"), do("list"), do("list-keys")}
	u.play(all[rnd.IntN(len(all))], u)
}

// drivePushBeside has several actors change an object of their own, and one of
// all, some of them several times at once; four changes are under way each
// time. When all have come to rest one actor changes what is there, alone:
// what was pushed wrong for good shows then.
func drivePushBeside(d *driver) {
	d.play(before, d)
	d.inCrowd(d.t.Rand(), burstCalls, burstCalls, slices.Repeat([]writing{pushAtRandom}, burstActors)...)
	d.allPushed()
	d.play(seq(forEach(addA, "a/u1", "a/u2", "a/u3", "a/u4"),
		forEach(func(o string) steps { return seq(update(o), del(o)) }, "a/x", "a/u1", "a/u2", "a/u3")), d)
}

// pushAtRandom makes one call: it changes an actor's own object, that of all, both, or everything.
func pushAtRandom(u *driver, rnd *rand.Rand) {
	own, verb := "a/"+u.actor, func() Verb { return verbs[rnd.IntN(len(verbs))] }
	some := func() string { return []string{own, own, own, "a/x"}[rnd.IntN(4)] }
	switch k := rnd.IntN(12); {
	case k == 0:
		u.play(replace("a/stays", own), u)
	case k < 4 && u.t.Has(Transactions):
		u.play(applyAll(one(verb(), some()), one(verb(), "a/x"), one(verb(), some())), u)
	default:
		u.play(apply(verb(), some()), u)
	}
}

// inCrowds has one actor write in a way beside another that writes in each of
// the others in turn, and in every second turn beside a third that makes single
// changes. What they have left is read before they do so again, so that
// whatever is lost for good is seen. A Replace hides that: it has few rounds.
func inCrowds(way writing, others ...writing) func(*driver) {
	return func(d *driver) {
		d.play(before, d)
		for n := range 24 {
			ways := []writing{way, others[n%len(others)]}
			if n/len(others)%2 == 1 {
				ways = append(ways, writeEach)
			}
			d.inCrowd(d.t.Rand(), 2, 1, ways...)
			d.play(look(), d)
		}
		d.play(read("a/x"), d)
	}
}

// writeAtOnce makes two to four changes at once: of an actor's own objects, mostly of one of them twice, and of that of all.
func writeAtOnce(u *driver, rnd *rand.Rand) {
	var l []Item
	for _, name := range []string{u.actor + "-1", "x", u.actor + "-1", u.actor + "-2"}[:2+rnd.IntN(3)] {
		l = append(l, anyOf(rnd, "a/"+name))
	}
	if rnd.IntN(2) == 0 {
		slices.Reverse(l)
	}
	u.play(applyAll(l...), u)
}

// writeEach changes an object of an actor's own, or now and then that of all.
func writeEach(u *driver, rnd *rand.Rand) {
	x := anyOf(rnd, "a/"+[]string{u.actor + "-1", u.actor + "-2", u.actor + "-2", "x"}[rnd.IntN(4)])
	u.play(apply(x.Verb, x.Obj, x.Values...), u)
}

func anyOf(rnd *rand.Rand, obj string) Item {
	return one(verbs[rnd.IntN(len(verbs))], obj, transitions[rnd.IntN(len(transitions))]...)
}

func writeList(u *driver, rnd *rand.Rand) {
	u.play(replace("a/stays", "a/"+u.actor+[]string{"-1", "-2"}[rnd.IntN(2)]), u)
}

func writeBookmark(u *driver, _ *rand.Rand) { u.play(bookmark(), u) }

// popsBeside has one actor put, another pop, and a third ask whether it has synced, none waiting for another.
func popsBeside(kind string) func(*driver) {
	return func(d *driver) {
		d.play(seq(add("a/x"), update("a/x"), add("a/y")), d)
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
				d.play(apply(verbs[i%2], []string{"a/x", "a/y", "a/z"}[i%3]), d)
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
