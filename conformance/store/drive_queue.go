package store

// each pops what n notifications are: in a queue that gathers deltas of keys
// keys, in a log n.
func (d *driver) popEach(keys, n int) bool {
	if d.t.Has(IsDelta) {
		n = keys
	}
	return d.pop(n)
}

// driveOrder queues changes of several keys, some of them twice, of what is not known and of what is.
func driveOrder(d *driver) {
	for range 2 {
		d.apply(Add, d.object("a", "x"))
		d.apply(Add, d.object("a", "y"))
		d.apply(Update, d.object("a", "x"))
		d.apply(Add, d.object("b", "x"))
		d.apply(Delete, d.object("a", "y"))
		d.apply(Update, d.object("a", "x"))
		if !d.popEach(1, 2) {
			return
		}
		d.apply(Update, d.object("a", "x"))
		d.apply(Update, d.object("a", "z"))
		d.apply(Delete, d.object("b", "x"))
		d.apply(Add, d.object("b", "x"))
		if !d.popEach(4, 8) {
			return
		}
	}
	d.drain()
}

// driveDedup queues two of everything of one key, with the key known, so that no delete is dropped.
func driveDedup(d *driver) {
	add := func(v Verb, unknown bool) { d.change(Change{Verb: v, Object: d.object("a", "x"), Unknown: unknown}) }
	d.apply(Add, d.object("a", "x"))
	if !d.pop(1) {
		return
	}
	for _, two := range [][]func(){
		{func() { add(Delete, false) }, func() { add(Delete, false) }},
		{func() { add(Delete, true) }, func() { add(Delete, false) }},
		{func() { add(Delete, false) }, func() { add(Delete, true) }},
		{func() { add(Delete, true) }, func() { add(Delete, true) }},
		{func() { add(Update, false) }, func() { add(Update, false) }},
		{func() { add(Add, false) }, func() { add(Add, false) }},
		{func() { add(Delete, false) }, func() { add(Add, false) }, func() { add(Delete, false) }},
	} {
		for _, f := range two {
			f()
		}
		d.apply(Add, d.object("a", "y"))
		if !d.popEach(2, len(two)+1) {
			return
		}
		d.apply(Add, d.object("a", "x"))
		d.apply(Delete, d.object("a", "y"))
		if !d.popEach(2, 2) {
			return
		}
	}
	same := d.object("a", "x")
	d.apply(Update, same)
	d.apply(Update, same)
	d.drain()
}

// driveUnknown deletes what was never there, and what is gone, and sees that the Pop after it waits.
func driveUnknown(d *driver) {
	x, y := d.object("a", "x"), d.object("a", "y")
	d.apply(Delete, x)
	d.apply(Add, y)
	if !d.pop(1) {
		return
	}
	d.apply(Delete, y)
	if !d.pop(1) {
		return
	}
	d.apply(Delete, y)
	d.change(Change{Verb: Delete, Object: y, Unknown: true})
	p := d.startPop(evPop)
	d.waits(p)
	d.apply(Add, x)
	if d.ended(p) {
		d.apply(Delete, y)
		d.apply(Update, x)
		d.drain()
	}
}

// driveReplace replaces what is known and what is queued, by more, by less, by others and by nothing.
func driveReplace(d *driver) {
	d.replace(d.object("a", "x"), d.object("a", "y"), d.object("b", "x"))
	if !d.popAs(evPop, d.items(3)) {
		return
	}
	d.replace(d.object("a", "y"), d.object("c", "x")) // two known ones are gone
	if !d.pop(d.items(4)) {
		return
	}
	d.apply(Update, d.object("a", "y"))
	d.replace(d.object("c", "x"), d.object("a", "z")) // so is one that is known and queued
	d.apply(Update, d.object("a", "z"))
	if d.t.Has(IsAtomic) && !d.pop(3) || !d.t.Has(IsAtomic) && !d.popEach(3, 5) {
		return
	}
	d.apply(Delete, d.object("a", "z"))
	d.replace(d.object("c", "x")) // its last is a delete
	if d.t.Has(IsAtomic) && !d.pop(2) || !d.t.Has(IsAtomic) && !d.popEach(2, 2) {
		return
	}
	d.change(Change{Verb: Delete, Object: d.object("c", "x"), Unknown: true})
	d.replace(d.object("a", "x"), d.object("a", "y"), d.object("a", "x")) // a key twice
	d.replace(d.object("a", "y"), d.object("a", "x"))
	d.replace()
	d.drain()
}

// driveReplaceVersionless gives lists that have no resourceVersion, after one that has.
func driveReplaceVersionless(d *driver) {
	d.replace(d.object("a", "x"))
	d.replaceAt("", d.object("a", "x"), d.object("a", "y"))
	d.replaceAt("")
	d.drain()
}

// items is how many Pops n items of a Replace take.
func (d *driver) items(n int) int {
	if d.t.Has(IsAtomic) {
		return 1
	}
	return n
}

// driveUnkeyable gives a list with an object in the middle that has no key. What is queued then is open.
func driveUnkeyable(d *driver) {
	d.apply(Add, d.object("a", "x"))
	d.replace(d.object("a", "x"), d.object("a", "y"))
	if !d.popEach(2, 1+d.items(2)) {
		return
	}
	d.apply(Add, d.object("a", "z"))
	d.apply(Update, d.object("a", "x"))
	d.replace(d.object("a", "y"), d.object("a", NoKey), d.object("a", "x"))
	if d.pop(2) { // what was queued before it
		d.drain()
	}
}

// driveGhost lets the delete of what was never popped be missed: once with nothing known, once with others.
func driveGhost(d *driver) {
	d.apply(Add, d.object("a", "x"))
	d.replace()
	d.apply(Add, d.object("a", "y"))
	if d.t.Has(IsAtomic) && !d.pop(3) || !d.t.Has(IsAtomic) && !d.popEach(2, 3) {
		return
	}
	d.apply(Add, d.object("a", "z"))
	d.apply(Update, d.object("a", "z"))
	d.replace(d.object("a", "y"), d.object("a", "w"))
	d.drain()
}

// driveResync resyncs with nothing known, with nothing pending, with something pending, and twice in a row.
func driveResync(d *driver) {
	d.resync()
	d.apply(Add, d.object("a", "x"))
	d.apply(Add, d.object("a", "y"))
	d.apply(Add, d.object("a", "z"))
	if !d.pop(d.afterResync(3)) {
		return
	}
	d.resync()
	if !d.pop(d.items(3)) {
		return
	}
	d.apply(Update, d.object("a", "y"))
	d.resync()
	d.resync()
	if !d.pop(3) { // of atomic: the update and two SyncAll
		return
	}
	d.apply(Delete, d.object("a", "z"))
	if !d.pop(1) {
		return
	}
	d.apply(Delete, d.object("a", "y")) // while it is known
	d.resync()
	if !d.popEach(2, 2) {
		return
	}
	d.apply(Add, d.object("a", "w"))
	d.resync()
	d.apply(Update, d.object("a", "x"))
	d.drain()
}

// afterResync is how many Pops take so much after a resync of nothing: one of the sort atomic is an item itself.
func (d *driver) afterResync(n int) int {
	if d.t.Has(IsAtomic) {
		return n + 1
	}
	return n
}

// driveBookmark puts bookmarks between everything else, and before it.
func driveBookmark(d *driver) {
	d.bookmark()
	if d.t.Has(IsAtomic) && !d.pop(1) {
		return
	}
	d.replace(d.object("a", "x"))
	d.bookmark()
	d.apply(Update, d.object("a", "x"))
	d.bookmark()
	d.bookmark()
	d.apply(Add, d.object("a", "y"))
	d.bookmark()
	d.resync()
	if !d.popEach(2, 3) {
		return
	}
	d.replace(d.object("a", "y"))
	d.bookmark()
	d.drain()
}

// driveBatch pops in batches: keys that come again, lists, resyncs and
// bookmarks end one, each of them behind two changes that may be together.
func driveBatch(d *driver) {
	two := func() {
		d.apply(Update, d.object("a", "w"))
		d.apply(Update, d.object("a", "v"))
	}
	d.replace(d.object("a", "x"), d.object("a", "y"), d.object("a", "z"))
	d.apply(Add, d.object("a", "w"))
	d.apply(Update, d.object("a", "x"))
	d.apply(Update, d.object("a", "y"))
	d.apply(Update, d.object("a", "x"))
	d.resync()
	d.bookmark()
	d.apply(Delete, d.object("a", "x"))
	d.apply(Add, d.object("b", "x"))
	d.resync()
	two()
	d.bookmark()
	d.bookmark()
	two()
	d.replace(d.object("a", "y"), d.object("a", "x"), d.object("a", "z"), d.object("b", "x"))
	two()
	d.resync()
	d.bookmark()
	d.apply(Update, d.object("a", "z"))
	d.drainAs(evPopBatch)
}

// driveQueueMany does random things to a few keys, and pops now and then. A
// list lacks one key at most: the order of several tombstones may be a map's.
func driveQueueMany(d *driver) {
	names := []string{"x", "y", "z", "w"}
	rnd := d.t.Rand()
	for range 12 {
		fresh := map[string]bool{}
		for range 1 + rnd.IntN(4) {
			n := names[rnd.IntN(len(names))]
			switch k := rnd.IntN(9); {
			case k < 4:
				d.apply([]Verb{Add, Update}[k%2], d.object("a", n))
				fresh[n] = true
			case k < 6:
				d.change(Change{Verb: Delete, Object: d.object("a", n), Unknown: k == 5})
			case k < 7:
				d.replace(d.allBut(names, n)...)
			case k < 8:
				d.resync()
			default:
				d.bookmark()
			}
		}
		d.synced()
		if !d.pop(rnd.IntN(len(fresh) + 1)) {
			return
		}
		d.synced()
	}
	d.replace(d.allBut(names, "x")...) // chance may have given none
	d.drain()
	d.synced()
}

func (d *driver) allBut(names []string, but string) []Object {
	var out []Object
	for _, n := range names {
		if n != but {
			out = append(out, d.object("a", n))
		}
	}
	return out
}
