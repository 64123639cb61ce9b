package store

import (
	"math/rand/v2"
	"slices"
)

// crowdRounds is how often some actors write at once; what they have left is
// read before they do so again, so that whatever is lost for good is seen.
const crowdRounds = 24

// writing is what one actor does, by calls of one kind.
type writing = func(u *driver, rnd *rand.Rand)

// inCrowds has one actor write in a way beside another that writes in each of
// the others in turn, and in every second turn beside a third that makes single
// changes. A Replace hides what was lost: it has few rounds.
func inCrowds(way writing, others ...writing) func(*driver) {
	return func(d *driver) {
		d.replace(d.object("a", "stays"), d.object("a", "x"))
		for n := range crowdRounds {
			ways := []writing{way, others[n%len(others)]}
			if n/len(others)%2 == 1 {
				ways = append(ways, writeEach)
			}
			d.inCrowd(d.t.Rand(), 2, 1, ways...)
			if d.look(); d.t.Has(Index) {
				d.byIndex(ByValue, "red", "blue")
			}
		}
		d.look(Object{Namespace: "a", Name: "x"})
	}
}

// writeAtOnce makes two to four changes at once: of an actor's own objects, mostly of one of them twice, and of that of all.
// A store without transactions makes a single one.
func writeAtOnce(u *driver, rnd *rand.Rand) {
	if !u.t.Has(Transactions) {
		writeEach(u, rnd)
		return
	}
	var l []Change
	for _, name := range []string{u.actor + "-1", "x", u.actor + "-1", u.actor + "-2"}[:2+rnd.IntN(3)] {
		l = append(l, u.anyOf(rnd, name))
	}
	if rnd.IntN(2) == 0 {
		slices.Reverse(l)
	}
	u.applyAll(l...)
}

// writeEach changes an object of an actor's own, or now and then that of all.
func writeEach(u *driver, rnd *rand.Rand) {
	name := []string{u.actor + "-1", u.actor + "-2", u.actor + "-2", "x"}[rnd.IntN(4)]
	u.change(u.anyOf(rnd, name))
}

func (d *driver) anyOf(rnd *rand.Rand, name string) Change {
	return changeOf(verbs[rnd.IntN(len(verbs))], d.object("a", name, transitions[rnd.IntN(len(transitions))]...))
}

func writeList(u *driver, rnd *rand.Rand) {
	u.replace(u.object("a", "stays"), u.object("a", u.actor+[]string{"-1", "-2"}[rnd.IntN(2)]))
}

func writeBookmark(u *driver, _ *rand.Rand) { u.bookmark() }
