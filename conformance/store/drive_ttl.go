package store

import "time"

const ttl = 2 * time.Second

// driveTTL lets entries grow old, and makes some of them young in time.
func driveTTL(d *driver) {
	x, y, z := Object{Namespace: "a", Name: "x"}, Object{Namespace: "a", Name: "y"}, Object{Namespace: "a", Name: "z"}
	d.apply(Add, d.object("a", "x"))
	d.apply(Add, d.object("a", "y"))
	d.replaceOrAdd(x, y)
	d.apply(Add, d.object("a", "z"))
	d.look(x, y, z)
	d.t.Sleep(ttl * 3 / 4)
	d.look(x, y, z)
	d.apply(Update, d.object("a", "x"))
	d.apply(Add, d.object("a", "z"))
	d.look(x, y, z)
	d.t.Sleep(ttl / 2) // y is old
	d.get(y)
	d.look(x, y, z)
	d.t.Sleep(ttl * 3 / 4) // the others are, too
	d.list()
	d.getByKey(x.Key())
	d.get(z)
	d.look(x, y, z)
	d.apply(Add, d.object("a", "x"))
	d.look(x, y, z)
	d.t.Sleep(ttl * 5 / 4)
	d.getByKey(x.Key())
	d.look(x, y, z)
	d.replaceOld(x, y)
	d.lookExactly()
}

// lookExactly reads what was put in each way just before and just after it grows old. Only in virtual time it can be so exact.
func (d *driver) lookExactly() {
	if !d.t.Virtual() {
		return
	}
	for _, put := range []func(Object){
		func(x Object) { d.apply(Add, x) },
		func(x Object) { d.apply(Update, x) },
		func(x Object) { d.replace(x) },
	} {
		x := d.object("a", "x")
		put(x)
		d.look(x)
		d.t.Sleep(ttl - time.Millisecond)
		d.look(x)
		d.t.Sleep(2 * time.Millisecond)
		d.look(x)
	}
}

// replaceOld has a Replace come when one entry is old, and again when both have begun to be.
func (d *driver) replaceOld(x, y Object) {
	d.replaceOrAdd(x, y)
	d.look(x, y)
	d.t.Sleep(ttl * 3 / 4)
	d.replaceOrAdd(x, y)
	d.t.Sleep(ttl / 2) // older than that by the first, younger by the second
	d.getByKey(x.Key())
	d.look(x, y)
	d.replace(d.object("a", "x")) // over one that ages, and without one
	d.t.Sleep(ttl * 3 / 4)
	d.look(x, y)
}

// driveSameAge puts the very state that is there when it has begun to be old, in each way.
func driveSameAge(d *driver) {
	x := d.object("a", "x")
	for _, again := range []func(){
		func() { d.apply(Add, x) },
		func() { d.apply(Update, x) },
		func() { d.replace(x) },
	} {
		d.apply(Delete, x)
		d.apply(Add, x)
		d.look(x)
		d.t.Sleep(ttl * 3 / 4)
		again()
		d.t.Sleep(ttl / 2)
		d.look(x)
		d.t.Sleep(ttl * 3 / 4)
		d.look(x)
	}
}

// replaceOrAdd puts two objects there by a Replace, which makes them young, too.
func (d *driver) replaceOrAdd(x, y Object) { d.replace(d.object("a", x.Name), d.object("a", y.Name)) }

// driveMixedAges has some entries grow old before others, and writes over the old ones in each way before anybody reads them.
func driveMixedAges(d *driver) {
	old := []string{"a", "f", "k", "p"}
	young := []string{"c", "h", "m", "r"}
	write := func(v Verb, names []string) {
		for _, n := range names {
			d.apply(v, d.object("a", n))
		}
	}
	for _, over := range []func(){
		func() { d.list() }, // of both
		func() { write(Add, old) },
		func() { write(Update, old) },
		func() { write(Delete, old) },
		func() { d.replace(d.object("a", "a"), d.object("a", "c")) },
		func() { d.replace(d.object("a", "a")) },
	} {
		write(Add, old)
		d.lists() // while they are young
		d.t.Sleep(ttl * 3 / 4)
		write(Add, young)
		d.lists()
		d.t.Sleep(ttl / 2)
		over()
		d.listKeys() // before anybody looks at what is old, and takes it away
		d.list()
		for _, n := range []string{"a", "c", "p"} {
			d.getByKey("a/" + n)
		}
	}
}

// driveNoTTL lets an hour pass where nothing grows old. In real time it does not wait.
func driveNoTTL(d *driver) {
	x, y := d.object("a", "x"), d.object("a", "y")
	d.apply(Add, x)
	d.replace(x, y)
	d.look(x, y)
	if d.t.Virtual() {
		d.t.Sleep(time.Hour)
	}
	d.look(x, y)
}
