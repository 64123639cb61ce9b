package store

import "fmt"

// What a few things never show, such as a buffer that is full, these drives
// do with more. A store that takes a twentieth of a second for each call, as one
// of another process may, comes to the end in real time.
const (
	manyThings = 130
	manyDeltas = 30
)

func nth(n int) string { return fmt.Sprintf("n%d", n) }

// driveManyKeys has more than a hundred keys wait, of which the first, one in the middle and the last change again.
func driveManyKeys(d *driver) {
	for n := range manyThings {
		d.apply(Add, d.object("a", nth(n)))
	}
	for _, n := range []int{0, manyThings / 2, manyThings - 1} {
		d.apply(Update, d.object("a", nth(n)))
	}
	d.drain()
}

// driveManyDeltas has one key wait with many changes, behind which come two
// deletes: of x after updates alone, of y after everything in turn.
func driveManyDeltas(d *driver) {
	d.apply(Add, d.object("a", "x"))
	for range manyDeltas {
		d.apply(Update, d.object("a", "x"))
	}
	d.apply(Delete, d.object("a", "x"))
	d.apply(Delete, d.object("a", "x"))
	for n := range manyDeltas {
		d.apply(verbs[n%3], d.object("a", "y"))
	}
	d.apply(Add, d.object("a", "y"))
	d.change(Change{Verb: Delete, Object: d.object("a", "y"), Unknown: true})
	d.apply(Delete, d.object("a", "y"))
	d.drain()
}

// someThings are as many as a list of a queue has, of which each pops three times.
const someThings = 70

// driveLargeQueue has a first list of many, a resync of as many, and a list that lacks all but two.
func driveLargeQueue(d *driver) { d.largeQueue(evPop) }

// driveLargeBatches pops the first list in batches.
func driveLargeBatches(d *driver) { d.largeQueue(evPopBatch) }

func (d *driver) largeQueue(kind string) {
	var all []Object
	for n := range someThings {
		all = append(all, d.object("a", nth(n)))
	}
	d.replace(all...)
	d.synced()
	if kind == evPop {
		if n := d.items(someThings); !d.pop(n/2) || !d.sayAndPop(n-n/2) {
			return
		}
		d.synced()
		d.resync()
		if !d.pop(d.items(someThings)) {
			return
		}
	}
	d.replace(all[:2]...)
	if kind == evPop && !d.pop(d.items(someThings)) {
		return
	}
	d.drainAs(kind)
	d.synced()
}

// sayAndPop asks before each tenth Pop whether the queue has synced.
func (d *driver) sayAndPop(n int) bool {
	for i := range n {
		if i%10 == 0 {
			d.synced()
		}
		if !d.pop(1) {
			return false
		}
	}
	return true
}

// driveLargeIndex adds an index to what is there of many, and one has many values.
func driveLargeIndex(d *driver) {
	d.replace(d.grouped(0, "a", "b", groups[:1])...)
	d.apply(Add, d.object("c", "all", groups...))
	d.look(Object{Namespace: "c", Name: "all"})
	d.addIndexers(ByValue)
	d.byIndex(ByValue, append(groups, "some")...)
	d.index(ByValue, d.object("d", "asks", groups...))
	d.apply(Delete, d.object("a", nth(2)))
	d.apply(Update, d.object("c", "all", groups[4:]...))
	d.look(Object{Namespace: "c", Name: "all"})
	d.byIndex(ByValue, groups...)
}

// driveLargeAtOnce makes twenty changes at once.
func driveLargeAtOnce(d *driver) {
	for _, verb := range []Verb{Add, Update, Delete} {
		var all []Change
		for n := range 20 {
			all = append(all, one(verb, d.object("a", nth(n))))
		}
		d.applyAll(all...)
		d.lists()
	}
}

// groups are index values of a list of many.
var groups = []string{"g0", "g1", "g2", "g3", "g4", "g5", "g6", "g7", "g8"}

// driveLargeLists replaces the content by more than a hundred objects, by as many of
// which half have been there, and by a few, and asks for all index values after each.
func driveLargeLists(d *driver) {
	look := func() {
		d.list()
		d.listKeys()
		if d.t.Has(Index) {
			d.byIndex(ByNamespace, "a", "b", "c")
			d.byIndex(ByValue, append(groups, "some")...)
		}
	}
	d.replace(d.grouped(0, "a", "b", groups[:6])...)
	look()
	d.replace(d.grouped(manyThings/2, "b", "c", groups[3:])...) // some groups go, some come, some stay
	look()
	d.apply(Update, d.object("b", nth(manyThings), groups[0]))
	look()
	d.replace(d.grouped(0, "a", "b", groups[:1])[:2]...)
	look()
}

// grouped are many objects, of which each has a group, and each third another value besides.
func (d *driver) grouped(from int, even, odd string, groups []string) (out []Object) {
	for n := from; n < from+manyThings; n++ {
		values := []string{groups[n%len(groups)]}
		if n%3 == 0 {
			values = append(values, "some")
		}
		out = append(out, d.object([]string{even, odd}[n%2], nth(n), values...))
	}
	return out
}
