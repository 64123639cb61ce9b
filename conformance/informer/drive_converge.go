package informer

// driveEqual writes before the start and after it.
func driveEqual(d *driver) {
	d.put("a", "1")
	d.put("b", "1")
	d.remove("b")
	d.start()
	d.settle()
	d.lives()
	d.settle()
}

// lives has objects come, change, go, and come again.
func (d *driver) lives() {
	d.put("c", "1")
	d.put("a", "2")
	d.put("c", "2")
	d.remove("a")
	d.put("a", "3")
	d.remove("c")
	d.put("b", "2")
}
