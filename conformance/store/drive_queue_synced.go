package store

// driveSynced asks whether it has synced after everything: the first Replace has items.
func driveSynced(d *driver) {
	d.synced()
	d.replace(d.object("a", "x"), d.object("a", "y"))
	d.synced()
	d.apply(Add, d.object("a", "z"))
	d.apply(Delete, d.object("a", "y"))
	d.apply(Update, d.object("a", "x"))
	d.synced()
	for range d.items(2) {
		if !d.pop(1) {
			return
		}
		d.synced()
	}
	d.replace(d.object("a", "x"), d.object("a", "y"), d.object("a", "z"), d.object("a", "w"))
	d.synced()
	d.resync()
	if !d.pop(2) {
		return
	}
	d.synced()
	d.drain()
	d.synced()
}

// driveSyncedTwice gives a list first that has keys twice.
func driveSyncedTwice(d *driver) {
	d.replace(d.object("a", "x"), d.object("a", "y"), d.object("a", "x"), d.object("a", "y"), d.object("a", "x"))
	d.synced()
	if !d.pop(1) {
		return
	}
	d.synced()
	d.drain()
	d.synced()
}

// driveSyncedEmpty gives an empty list first.
func driveSyncedEmpty(d *driver) {
	d.synced()
	d.replace()
	d.synced()
	if d.t.Has(IsAtomic) {
		if !d.pop(1) {
			return
		}
		d.synced()
	}
	d.replace(d.object("a", "x"))
	d.synced()
	d.drain()
	d.synced()
}

// driveSyncedUnkeyable gives a list first that fails, and then a change.
func driveSyncedUnkeyable(d *driver) {
	d.synced()
	d.replace(d.object("a", "x"), d.object("a", NoKey))
	d.synced()
	d.apply(Add, d.object("a", "y"))
	d.drain()
	d.synced()
}

// driveSyncedBefore has a resync and a bookmark come before the first list: neither is one.
func driveSyncedBefore(d *driver) {
	d.resync()
	d.synced()
	d.bookmark()
	d.synced()
	d.replace(d.object("a", "x"), d.object("a", "y"))
	d.synced()
	n := 2
	if d.t.Has(IsAtomic) && d.t.Has(Bookmarks) {
		n = 3
	}
	for range n {
		if !d.pop(1) {
			return
		}
		d.synced()
	}
	d.resync()
	d.synced()
	d.drain()
	d.synced()
}

// driveResyncUnsynced resyncs when half of the first list has popped: what is known by then gets its Sync, synced or not.
func driveResyncUnsynced(d *driver) {
	d.replace(d.object("a", "x"), d.object("a", "y"))
	if !d.t.Has(IsAtomic) && !d.pop(1) {
		return
	}
	d.synced()
	d.resync()
	d.synced()
	d.apply(Add, d.object("z", "end")) // shows what is missing before it
	d.drain()
	d.synced()
}

// driveSyncedBatch pops the first list in batches, of which it takes two at least, as a key is there twice.
func driveSyncedBatch(d *driver) {
	d.replace(d.object("a", "x"), d.object("a", "y"), d.object("a", "x"))
	d.apply(Add, d.object("a", "z"))
	d.synced()
	if !d.popAs(evPopBatch, 1) {
		return
	}
	d.synced()
	d.drainAs(evPopBatch)
	d.synced()
}

// driveSyncedChange begins with a change of one object.
func driveSyncedChange(v Verb) func(*driver) {
	return func(d *driver) {
		d.synced()
		d.apply(v, d.object("a", "x"))
		d.synced()
		d.replace(d.object("a", "x"), d.object("a", "y"))
		d.synced()
		d.drain()
		d.synced()
	}
}
