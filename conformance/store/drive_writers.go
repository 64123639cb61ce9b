package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
)

// crowdRounds is how often some actors write at once; what they have left is
// read before they do so again, so that whatever is lost for good is seen.
const crowdRounds = 24

// writing is what one actor of such a round does, by calls of one kind. Own begins the names of the objects that it alone writes.
type writing func(u *driver, rnd *rand.Rand, own string)

// driveAtOnceBeside has an actor make several changes at once beside others
// that do so too, make single changes, replace everything or give bookmarks.
func driveAtOnceBeside(d *driver) {
	if _, ok := part[Batched](d); !ok {
		return
	}
	others := []writing{writeAtOnce, writeEach, writeList}
	if d.t.Has(Version) {
		others = append(others, writeBookmark)
	}
	d.inCrowds(writeAtOnce, others)
}

// driveBookmarksBeside has an actor give bookmarks beside others that write.
func driveBookmarksBeside(d *driver) {
	if _, ok := part[Versioned](d); !ok {
		return
	}
	others := []writing{writeEach, writeList}
	if d.t.Has(Transactions) {
		others = append(others, writeAtOnce)
	}
	d.inCrowds(writeBookmark, others)
}

// inCrowds has one actor write in a way beside another that writes in each of
// the others in turn, and in every second turn beside a third that makes single
// changes. A Replace hides what was lost: it has few rounds.
func (d *driver) inCrowds(way writing, others []writing) {
	if _, ok := part[Reader](d); !ok {
		return
	}
	d.replace(d.object("a", "stays"), d.object("a", "x"))
	rnd := rand.New(rand.NewPCG(uint64(d.t.Seed()), uint64(len(others))))
	for n := range crowdRounds {
		ways := []writing{way, others[n%len(others)]}
		if n/len(others)%2 == 1 {
			ways = append(ways, writeEach)
		}
		d.together(rnd, ways...)
		if d.lists(); d.t.Has(Index) {
			d.byIndex(ByValue, "red", "blue")
		}
	}
	d.look(Object{Namespace: "a", Name: "x"})
}

// together has each of some actors make two calls. The first are all under way
// before any goes on; the second meet those of others that take their time.
func (d *driver) together(rnd *rand.Rand, ways ...writing) {
	var all sync.WaitGroup
	all.Add(len(ways))
	var parts []func()
	for i, way := range ways {
		here := sync.OnceFunc(all.Done)
		u := d.crowd(fmt.Sprintf("u%d", i+1), func() { here(); all.Wait() })
		mine := rand.New(rand.NewPCG(rnd.Uint64(), rnd.Uint64()))
		parts = append(parts, func() {
			defer here() // nobody waits for one whose call has panicked
			for range 2 {
				way(u, mine, u.actor)
			}
		})
	}
	rnd.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	d.atOnce(parts...)
}

// writeAtOnce makes two to four changes at once: of an actor's own objects, mostly of one of them twice, and of that of all.
func writeAtOnce(u *driver, rnd *rand.Rand, own string) {
	var l []Change
	for _, name := range []string{own + "-1", "x", own + "-1", own + "-2"}[:2+rnd.IntN(3)] {
		l = append(l, u.anyOf(rnd, name))
	}
	if rnd.IntN(2) == 0 {
		slices.Reverse(l)
	}
	u.applyAll(l...)
}

// writeEach changes an object of an actor's own, or now and then that of all.
func writeEach(u *driver, rnd *rand.Rand, own string) {
	name := []string{own + "-1", own + "-2", own + "-2", "x"}[rnd.IntN(4)]
	u.change(u.anyOf(rnd, name))
}

func (d *driver) anyOf(rnd *rand.Rand, name string) Change {
	return changeOf(verbs[rnd.IntN(len(verbs))], d.object("a", name, transitions[rnd.IntN(len(transitions))]...))
}

func writeList(u *driver, rnd *rand.Rand, own string) {
	u.replace(u.object("a", "stays"), u.object("a", own+[]string{"-1", "-2"}[rnd.IntN(2)]))
}

func writeBookmark(u *driver, _ *rand.Rand, _ string) { u.bookmark() }
