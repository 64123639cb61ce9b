package store

import (
	"fmt"
	"math/rand/v2"
	"sync"
)

// drivePushBeside has several actors change an object of their own, and one of
// all, some of them several times at once; four changes are under way each
// time. When all have come to rest one actor changes what is there, alone:
// what was pushed wrong for good shows then.
func drivePushBeside(d *driver) {
	if _, ok := part[Reader](d); !ok {
		return
	}
	d.replace(d.object("a", "stays"), d.object("a", "x"))
	own := func(n int) string { return fmt.Sprintf("own%d", n+1) }
	d.inRounds(burstCalls, func(n int, u *driver, rnd *rand.Rand) { u.pushAtRandom(rnd, own(n)) })
	d.allPushed()
	for n := range burstActors {
		d.apply(Add, d.object("a", own(n)))
	}
	for _, name := range []string{"x", own(0), own(1), own(2)} {
		d.apply(Update, d.object("a", name))
		d.apply(Delete, d.object("a", name))
	}
}

// inRounds has each of several actors make one call in each round, all of which are under way before any goes on.
func (d *driver) inRounds(rounds int, call func(n int, u *driver, rnd *rand.Rand)) {
	met := make([]sync.WaitGroup, rounds)
	var parts []func()
	for i := range met {
		met[i].Add(burstActors)
	}
	for n := range burstActors {
		round := 0
		u := d.crowd(fmt.Sprintf("u%d", n+1), func() {
			met[round].Done()
			met[round].Wait()
			round++
		})
		rnd := rand.New(rand.NewPCG(uint64(d.t.Seed()), uint64(n)))
		parts = append(parts, func() {
			defer func() { // nobody waits for one whose call has panicked
				for ; round < rounds; round++ {
					met[round].Done()
				}
			}()
			for range rounds {
				call(n, u, rnd)
			}
		})
	}
	d.atOnce(parts...)
}

// pushAtRandom makes one call: it changes an actor's own object, that of all, both, or everything.
func (d *driver) pushAtRandom(rnd *rand.Rand, own string) {
	some := func() Change {
		name := own
		if rnd.IntN(4) == 0 {
			name = "x"
		}
		return changeOf(verbs[rnd.IntN(len(verbs))], d.object("a", name))
	}
	switch k := rnd.IntN(12); {
	case k == 0:
		d.replace(d.object("a", "stays"), d.object("a", own))
	case k < 4 && d.t.Has(Transactions):
		d.applyAll(some(), changeOf(verbs[rnd.IntN(len(verbs))], d.object("a", "x")), some())
	default:
		d.change(some())
	}
}
