package store

// transitions are the index values that an object may have, and change between.
var transitions = [][]string{nil, {"red"}, {"blue"}, {"red", "blue"}, {"blue", "green"}, {"green", "blue"},
	{"red", "blue", "green"}, {"red", "yellow", "green"}, {"red", "red"}}

// driveFunction takes an object from each set of index values to each other, beside one that shares a value.
func driveFunction(d *driver) {
	look := func() {
		d.lists() // what the indexes are of
		d.byIndex(ByValue, "red", "blue", "green", "yellow")
		d.byIndex(ByNamespace, "a", "b", "")
	}
	d.apply(Add, d.object("a", "stays", "blue"))
	d.apply(Add, d.object("", "bare")) // whose namespace is an index value, too
	for _, from := range transitions {
		for _, to := range transitions {
			d.apply(Update, d.object("a", "x", from...))
			d.apply(Update, d.object("a", "x", to...))
			look()
		}
	}
	d.apply(Add, d.object("b", "x", "red"))
	look()
	d.apply(Delete, d.object("a", "x", "other")) // whatever state is given
	look()
	d.change(Change{Verb: Delete, Object: d.object("b", "x"), Unknown: true})
	look()
	d.apply(Delete, d.object("a", "never", "blue"))
	look()
	d.replace(d.object("b", "y", "red", "green"), d.object("b", "z"))
	look()
	d.apply(Delete, d.object("b", "y"))
	look()
}

// driveQuery asks by objects, with values that several objects share, and for an index that there is not.
func driveQuery(d *driver) {
	d.apply(Add, d.object("a", "x", "red", "blue"))
	d.apply(Add, d.object("a", "y", "red", "blue", "green"))
	d.apply(Add, d.object("b", "z", "green"))
	ask := func() {
		d.lists()
		d.byIndex(ByValue, "red", "blue", "green", "yellow")
		for _, values := range transitions {
			d.index(ByValue, d.object("a", "asks", values...))
		}
	}
	ask()
	d.index(ByValue, d.object("b", "asks", "red", "red"))
	d.index(ByValue, d.object("b", "asks", "none"))
	d.index(ByNamespace, d.object("a", "asks"))
	d.index(ByNamespace, d.object("c", "asks"))
	d.apply(Delete, d.object("a", "y"))
	ask()
	d.index("unknown", d.object("a", "asks", "red"))
	d.byIndex("unknown", "red")
}

// driveLateTogether adds two indexes at once to what is there.
func driveLateTogether(d *driver) {
	d.apply(Add, d.object("a", "x", "red", "blue"))
	d.apply(Add, d.object("b", "y", "red"))
	d.addIndexers(ByValue, ByNamespace)
	look := func() {
		d.lists()
		d.byIndex(ByValue, "red", "blue")
		d.byIndex(ByNamespace, "a", "b")
	}
	look()
	d.apply(Add, d.object("a", "z", "red"))
	look()
	d.apply(Delete, d.object("b", "y"))
	look()
}

// driveLateEmpty adds an index to a store that is empty.
func driveLateEmpty(d *driver) {
	d.addIndexers(ByValue)
	d.apply(Add, d.object("a", "x", "red", "blue"))
	d.byIndex(ByValue, "red", "blue")
	d.replace(d.object("a", "y", "red"))
	d.byIndex(ByValue, "red", "blue")
}

// driveLate adds an index to what is there, and one of a name that is taken.
func driveLate(d *driver) {
	d.apply(Add, d.object("a", "x", "red", "blue"))
	d.apply(Add, d.object("b", "y", "red"))
	d.apply(Add, d.object("b", "z"))
	d.addIndexers(ByValue, ByNamespace) // of which one is taken: neither is added
	d.byIndex(ByValue, "red", "blue")
	d.addIndexers(ByValue)
	look := func() {
		d.lists()
		d.byIndex(ByValue, "red", "blue")
		d.index(ByValue, d.object("a", "asks", "red", "blue"))
	}
	look()
	d.addIndexers(ByValue)
	d.addIndexers(ByNamespace) // it has that from the beginning
	look()
	d.byIndex(ByNamespace, "a", "b")
	d.apply(Update, d.object("a", "x", "blue"))
	look()
	d.apply(Delete, d.object("b", "y"))
	look()
	d.replace(d.object("a", "w", "red"))
	look()
}
