package store

func one(v Verb, o Object) Change { return Change{Verb: v, Object: o} }

func (d *driver) lookAt(some ...Object) {
	d.look(some...)
	if d.t.Has(Index) {
		d.byIndex(ByValue, "red", "blue")
	}
}

// driveAtOnce makes several changes at once: of several keys, of one key in a row, of what is there and what is not.
func driveAtOnce(d *driver) {
	x, y, z := Object{Namespace: "a", Name: "x"}, Object{Namespace: "a", Name: "y"}, Object{Namespace: "b", Name: "x"}
	for range 2 {
		d.applyAll(one(Add, d.object("a", "x", "red")), one(Update, d.object("a", "y", "blue")), one(Delete, z))
		d.lookAt(x, y, z)
		d.applyAll(one(Update, d.object("a", "x")), one(Update, d.object("a", "x", "blue")), one(Add, d.object("b", "x", "red")))
		d.lookAt(x, y, z)
		d.applyAll(one(Delete, d.object("a", "x")), one(Add, d.object("a", "x", "red")), one(Delete, d.object("b", "x")), Change{Verb: Delete, Object: y, Unknown: true})
		d.lookAt(x, y, z)
		d.applyAll(one(Add, d.object("a", "x", "blue")), one(Update, d.object("b", "x", "red")), one(Add, d.object("a", "y", "red")), one(Add, d.object("a", "y", "blue")))
		d.lookAt(x, y, z)
		d.applyAll(one(Add, d.object("a", "y")), one(Delete, d.object("a", "y")), one(Delete, d.object("a", "x")), one(Delete, d.object("b", "x")))
		d.lookAt(x, y, z)
	}
}

// driveAtOnceKeyError makes several changes at once, of which one has no key, or two: these alone are left out, and told.
func driveAtOnceKeyError(d *driver) {
	x, y := Object{Namespace: "a", Name: "x"}, Object{Namespace: "a", Name: "y"}
	d.applyAll(one(Add, d.object("a", "x", "red")), one(Add, d.object("a", NoKey, "red")), one(Add, d.object("a", "y", "blue")))
	d.lookAt(x, y)
	d.applyAll(one(Update, d.object("a", NoKey, "blue")), one(Delete, d.object("a", "x")))
	d.lookAt(x, y)
	d.applyAll(one(Delete, d.object("a", NoKey)))
	d.lookAt(x, y)
	d.applyAll(one(Add, d.object("a", NoKey)), one(Update, d.object("a", "x")), one(Add, d.object("a", NoKey)))
	d.lookAt(x, y)
	d.applyAll(one(Add, d.object("a", NoKey)), one(Delete, d.object("a", NoKey)))
	d.lookAt(x, y)
}

// driveAtOnceVersion makes several changes at once, and asks for the
// resourceVersion: the last of them has one, or is a delete that nobody saw.
func driveAtOnceVersion(d *driver) {
	d.applyAll(one(Add, d.object("a", "x")), one(Add, d.object("a", "y")))
	d.version()
	d.applyAll(one(Update, d.object("a", "x")), one(Delete, d.object("a", "y")))
	d.version()
	d.applyAll(Change{Verb: Delete, Object: d.object("a", "x"), Unknown: true}, one(Add, d.object("a", "z")))
	d.version()
	d.applyAll(one(Update, d.object("a", "z")), Change{Verb: Delete, Object: d.object("a", "x"), Unknown: true})
	d.version()
	d.bookmark()
	d.version()
}

// driveVersionless replaces the content by lists that have no resourceVersion: the old one may be told, or none.
func driveVersionless(d *driver) {
	d.replace(d.object("a", "x"))
	d.version()
	d.replaceAt("", d.object("a", "x"), d.object("a", "y"))
	d.version()
	d.bookmark()
	d.version()
	d.replaceAt("")
	d.version()
	d.apply(Add, d.object("a", "z"))
	d.bookmark()
	d.version()
}
