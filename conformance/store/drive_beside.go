package store

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
	if _, ok := part[Reader](d); !ok {
		return
	}
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
	if _, ok := part[Batched](d); !ok {
		return
	}
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
	if _, ok := part[Indexed](d); !ok {
		return
	}
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
