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
		Rules: rules(replaceAtomic), Needs: aMap(), Drive: driveAtomic},
	{Name: "concurrent/linearizable", About: "four actors write and read two objects at once",
		Rules: rules(concurrentLinear), Needs: aMap(), Drive: driveLinear},
	{Name: "concurrent/linearizable/readers", About: "three readers ask by key, and by an index or for all, beside one that changes what they ask for",
		Rules: rules(concurrentLinear), Needs: aMap(), Opens: indexed, Drive: driveReaders},
	{Name: "concurrent/linearizable/at-once", About: "three readers ask, and give bookmarks, beside one that makes several changes at once",
		Rules: rules(concurrentLinear), Needs: aMap(Transactions), Opens: indexed, Drive: driveBesideAtOnce},
	{Name: "concurrent/linearizable/batches", About: "actors make several changes at once beside others that do, change one object, replace everything or give bookmarks",
		Rules: rules(concurrentLinear), Needs: aMap(Transactions), Opens: indexed, Drive: driveAtOnceBeside},
	{Name: "concurrent/linearizable/bookmarks", About: "an actor gives bookmarks beside others that write",
		Rules: rules(concurrentLinear), Needs: aMap(Version), Opens: indexed, Drive: driveBookmarksBeside},
	{Name: "concurrent/linearizable/add-late", About: "one of three readers adds an index beside one that changes what is there",
		Rules: rules(concurrentLinear), Needs: aMap(Index), Opens: byNamespace, Drive: driveBesideLate},
	{Name: "version/told/beside", About: "three readers ask for the version, and for the object, beside one that changes it",
		Rules: rules(versionTold), Needs: aMap(Version), Unless: needs(Expiring), Opens: indexed, Drive: driveToldBeside},
	{Name: "queue/order/beside/batch", About: "the same, by one that pops in batches",
		Rules: rules(queueOrder, queueSynced), Needs: aQueue(Batch), Drive: popsBeside(evPopBatch)},
	{Name: "queue/order/beside", About: "one actor puts, another pops, a third asks whether it has synced, and none waits for the others",
		Rules: rules(queueOrder, queueSynced), Needs: aQueue(), Drive: popsBeside(evPop)},
	{Name: "undelta/push/beside", About: "four actors change their own object and one of all at once, now and then several times, and then one of them alone",
		Rules: rules(undeltaPush), Needs: aMap(Undelta), Drive: drivePushBeside},
}

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

// driveAtomic has readers list beside one that replaces everything, again and
// again, by lists of which each object and half of the keys differ. Each list
// meets a Replace.
func driveAtomic(d *driver) {
	d.replace(d.generation(0)...)
	d.beside(burstLists, 2, func(_, _ int, r *driver) {
		r.list()
		r.listKeys()
	}, func(n int, w *driver) { w.replace(w.generation(n + 1)...) })
}

// generation is a list of which half of the keys are of every other one alone.
func (d *driver) generation(n int) []Object {
	var out []Object
	for i := range 20 {
		out = append(out, d.object("a", fmt.Sprintf("all%d", i)), d.object("a", fmt.Sprintf("some%d-%d", n%2, i)))
	}
	return out
}

// driveReaders has readers ask for one object, by its key and by what it is
// indexed by, beside one that changes it again and again.
func driveReaders(d *driver) {
	x := Object{Namespace: "a", Name: "x"}
	d.changing(func(i, n int, r *driver) {
		switch how := (i + n) % 3; {
		case how == 0 && n%2 == 0:
			r.get(x)
		case how == 0:
			r.getByKey(x.Key())
		case !d.t.Has(Index):
			r.list()
		case how == 1:
			r.index(ByValue, d.object("a", "asks", "red"))
		default:
			r.under(ByValue, "red")
		}
	})
}

// driveToldBeside has them ask for the version that is told, and at once for the object.
func driveToldBeside(d *driver) {
	d.changing(func(_, _ int, r *driver) {
		r.version()
		d.as(r.actor).get(Object{Namespace: "a", Name: "x"})
	})
}

// changing is of one object, which is made, replaced, changed and deleted, each
// time with other values, beside one that is only replaced and keeps its own.
func (d *driver) changing(read func(i, n int, r *driver)) {
	d.apply(Add, d.object("a", "x", "red"))
	d.apply(Add, d.object("a", "stays", "red"))
	d.beside(burstCalls, 2, read, func(n int, w *driver) {
		values := transitions[n%len(transitions)]
		switch n % 4 {
		case 0:
			w.apply(Delete, w.object("a", "x"))
		case 1:
			w.apply(Add, w.object("a", "x", values...))
		case 2:
			w.replace(w.object("a", "x", values...), w.object("a", "stays", "red"))
		default:
			w.apply(Update, w.object("a", "x", values...))
		}
	})
}

// driveBesideAtOnce has readers ask beside one that changes two objects at once, again and again.
func driveBesideAtOnce(d *driver) {
	d.apply(Add, d.object("a", "x", "red"))
	d.beside(burstLists, 1, func(i, n int, r *driver) {
		x, at := Object{Namespace: "a", Name: "x"}, d.as(r.actor)
		switch (i + n) % 3 { // what follows at once must not show less
		case 0:
			r.get(x)
			at.list()
		case 1:
			r.list()
			at.get(x)
		default:
			r.bookmark()
		}
	}, func(n int, w *driver) {
		values := transitions[n%len(transitions)]
		if n%2 == 0 {
			w.applyAll(changeOf(Delete, w.object("a", "x")), changeOf(Add, w.object("a", "y", values...)))
		} else {
			w.applyAll(changeOf(Update, w.object("a", "x", values...)), changeOf(Delete, w.object("a", "y")))
		}
	})
	d.look(Object{Namespace: "a", Name: "x"}, Object{Namespace: "a", Name: "y"})
}

// driveBesideLate has one of three readers add an index, and all ask for what they can, beside one that changes an object.
func driveBesideLate(d *driver) {
	d.apply(Add, d.object("a", "x", "red"))
	d.apply(Add, d.object("a", "stays", "green"))
	d.beside(burstLists, 2, func(i, n int, r *driver) {
		switch {
		case i == 0 && n == 2:
			r.addIndexers(ByValue)
		case i == 1:
			r.indexValues(ByNamespace)
		default:
			r.under(ByNamespace, "a")
		}
	}, func(n int, w *driver) {
		w.apply(verbs[n%3], w.object("a", "x", transitions[n%len(transitions)]...))
	})
	d.apply(Update, d.object("a", "x", "red", "blue"))
	d.byIndex(ByValue, "red", "blue", "green")
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
			for range burstLists {
				asks.synced()
				runtime.Gosched()
			}
		})
		if d.ended(p) {
			d.synced()
		}
	}
}
