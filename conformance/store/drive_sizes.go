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

// driveManyKeys has hundreds of keys wait, of which the first, one in the middle and the last change again.
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

// groups are index values of a list of many.
var groups = []string{"g0", "g1", "g2", "g3", "g4", "g5", "g6", "g7", "g8"}

// driveLargeLists replaces the content by hundreds of objects, by as many of
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
