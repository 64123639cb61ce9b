package store

import "strings"

var verbs = []Verb{Add, Update, Delete}

// driveBasic does one verb to what is there and what is not, with neighbours
// whose keys are alike.
func driveBasic(v Verb) func(*driver) {
	return func(d *driver) {
		x, other, longer, bare := d.object("a", "x"), d.object("b", "x"), d.object("a", "xy"), d.object("", "x")
		all := []Object{x, other, longer, bare}
		d.look(all...)
		for _, o := range []Object{other, longer, bare} {
			d.apply(Add, o)
			d.look(all...)
		}
		if v == Delete {
			d.alike()
		}
		d.apply(v, x) // which is not there
		d.look(all...)
		for range 2 {
			d.apply(v, d.object("a", "x"))
			d.look(all...)
			d.apply(Add, d.object("a", "x"))
			d.look(all...)
		}
		if v == Delete {
			d.change(Change{Verb: Delete, Object: x, Unknown: true})
			d.look(all...)
			d.change(Change{Verb: Delete, Object: x, Unknown: true})
			d.look(all...)
		}
		d.apply(v, d.object("", "x", "red"))
		d.look(all...)
	}
}

// alike adds and deletes objects whose names are alike up to a dot, and in as many characters as a label may have, or
// nearly a name.
func (d *driver) alike() {
	for _, same := range []string{"x.", strings.Repeat("n", 63), strings.Repeat("n", 252)} {
		one, two := d.object("a", same+"1"), d.object("a", same+"2")
		d.apply(Add, one)
		d.apply(Add, two)
		d.look(one, two)
		d.apply(Delete, one)
		d.look(one, two)
	}
}

// driveSameVersion puts states that have no resourceVersion, the one that is there, or an older one (of which the first
// is newer as a text): whatever comes last is what is there.
func driveSameVersion(d *driver) {
	x := d.object("a", "x", "red")
	put := func(rv string, values ...string) Object {
		o := d.object("a", "x", values...)
		o.ResourceVersion = rv
		return o
	}
	d.apply(Add, x)
	d.lookAt(x)
	for _, rv := range []string{x.ResourceVersion, "50", "100", "", ""} {
		d.apply(Update, put(rv, "blue"))
		d.lookAt(x)
		d.apply(Add, x)
		d.apply(Add, put(rv, "red", "blue"))
		d.lookAt(x)
		d.apply(Add, x)
		d.replace(put(rv, "red"), put(rv, "blue"))
		d.lookAt(x)
		d.apply(Add, x)
		d.lookAt(x)
		d.apply(Delete, put("50"))
		d.lookAt(x)
		d.apply(Add, x)
		d.lookAt(x)
	}
}

// driveMany does random changes to a few objects, and reads everything after each.
func driveMany(d *driver) {
	names := []string{"x", "y", "z", "w"}
	var all []Object
	for _, n := range names {
		all = append(all, Object{Namespace: "a", Name: n})
	}
	for range 40 {
		n := names[d.t.Rand().IntN(len(names))]
		switch k := d.t.Rand().IntN(8); {
		case k < 6:
			d.apply(verbs[k%3], d.object("a", n))
		case k < 7:
			d.replace(d.object("a", n), d.object("a", names[0]))
		default:
			d.resync()
			d.bookmark()
		}
		d.look(all...)
		d.version()
	}
	d.replace(d.object("a", "x"), d.object("a", "y")) // chance may have given none
	d.look(all...)
}

// driveExact replaces what is there by more, by less, by others, by nothing, and by a list that has a key twice.
func driveExact(d *driver) {
	x, y, z := Object{Namespace: "a", Name: "x"}, Object{Namespace: "a", Name: "y"}, Object{Namespace: "b", Name: "z"}
	look := func() {
		d.look(x, y, z)
		if d.t.Has(Index) {
			d.byIndex(ByNamespace, "a", "b")
			d.byIndex(ByValue, "red", "blue")
		}
	}
	lists := [][]Object{
		{d.object("a", "x", "red"), d.object("a", "y", "red", "blue")},
		{d.object("a", "y", "blue"), d.object("b", "z")},
		{},
		{d.object("b", "z", "red")},
		{d.object("a", "x", "red"), d.object("b", "z"), d.object("a", "x", "blue")},
		{d.object("a", "x"), d.object("a", "y", "red"), d.object("b", "z", "red")},
	}
	for _, l := range lists {
		d.replace(l...)
		look()
		d.apply(Update, d.object("a", "y", "blue"))
		look()
	}
	d.replace()
	look()
	d.replace()
	look()
}

// driveKeyError asks for what the key function fails for, also in the middle of a list.
func driveKeyError(d *driver) {
	x, y := d.object("a", "x", "red"), d.object("a", "y", "blue")
	look := func() {
		d.look(x, y)
		if d.t.Has(Index) {
			d.byIndex(ByValue, "red", "blue")
		}
	}
	d.apply(Add, x)
	look()
	for _, v := range verbs {
		d.apply(v, d.object("a", NoKey, "red"))
		look()
	}
	d.get(d.object("a", NoKey))
	d.replace(d.object("a", "x", "blue"), d.object("a", NoKey), y)
	look()
	d.replace(y, d.object("a", NoKey))
	look()
	d.apply(Add, y)
	look()
}

// driveVersion asks for the resourceVersion after everything that may move it, and what may not.
func driveVersion(d *driver) {
	told := func() {
		d.lists() // what it is told of
		d.version()
	}
	told()
	x := d.object("a", "x")
	d.apply(Add, x)
	told()
	d.replace(d.object("a", "y"), x)
	told()
	d.bookmark()
	told()
	d.apply(Update, d.object("a", "x"))
	told()
	d.get(x)
	d.list()
	d.resync()
	told()
	d.apply(Delete, d.object("a", "y"))
	told()
	d.apply(Delete, d.object("a", "never"))
	told()
	d.change(Change{Verb: Delete, Object: d.object("a", "x"), Unknown: true})
	told()
	d.apply(Add, x) // an older object
	told()
	d.replaceAt("50", x) // an older list
	told()
	d.bookmarkAt("9")
	told()
	d.apply(Add, Object{Namespace: "a", Name: "z", Body: "without a resourceVersion"})
	told()
	d.bookmark()
	told()
	d.replace()
	told()
	d.bookmark()
	told()
	d.bookmarkAt("100") // older as a text, too
	told()
	d.replaceAt("100", x)
	told()
	if !d.t.Has(Keys) {
		return
	}
	for _, v := range verbs { // what fails moves nothing
		d.apply(v, d.object("a", NoKey))
		told()
	}
	d.replace(d.object("a", "x"), d.object("a", NoKey))
	told()
}

// drivePush changes a store in every way, and in ways that change nothing.
func drivePush(d *driver) {
	x, y := d.object("a", "x", "red"), d.object("a", "y")
	d.resync()
	for range 2 {
		d.apply(Add, x)
		d.apply(Update, d.object("a", "x"))
		d.apply(Update, y)
		d.apply(Add, y) // as it is
		d.apply(Update, y)
		d.replace(y)
		d.apply(Delete, x)
		d.apply(Delete, x) // which is not there
		d.change(Change{Verb: Delete, Object: y, Unknown: true})
		d.replace(d.object("a", "y"), d.object("b", "x"), d.object("a", "y"))
		d.replace(x, y)
		d.allPushed()
		d.resync()
		d.bookmark()
		if d.t.Has(Keys) {
			d.apply(Add, d.object("a", NoKey))
			d.apply(Update, d.object("a", NoKey))
			d.apply(Delete, d.object("a", NoKey))
			d.replace(y, d.object("a", NoKey))
		}
		d.replace()
		d.replace()
		d.resync()
	}
}
