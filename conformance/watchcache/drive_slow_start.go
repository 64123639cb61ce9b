package watchcache

import (
	"fmt"
	"strings"
	"time"
)

const (
	unsentObjects = 10 // that a watch begins with, or was given as changes: more than a small buffer holds
	unsentHistory = 6  // changes of one of them that a watch from before has missed, too

	unsentSize = 32 << 10 // of each: together they are more than a pipe holds

	unsentReal, unsentVirtual = 30, slowFormsVirtual // changes, in real time and in virtual, while all that is still to be sent

	unsentFor        = 2 * time.Second // they wait for their readers
	unsentForVirtual = 40 * time.Second
)

// driveSlowStart opens watches of every form, and reads nothing of them: what they begin with, or have missed, is
// still to be sent while others write. Then it is read.
func driveSlowStart(d *driver) {
	a := d.namespaces[0]
	x := d.create("c1", d.object(a, "x", selected))
	rv, ok := d.start("l1", "", nothingElse)
	if !ok {
		return
	}
	for i := range unsentObjects {
		m := d.object(a, fmt.Sprint("n", i), selected)
		m.Data[Spec] += strings.Repeat(" and more", unsentSize/len(" and more"))
		d.create("c1", m)
	}
	d.remove("c1", a, "n0", nil)
	for i := range unsentHistory {
		x = d.manner(x, i)
	}
	ws := append(d.everySlow(d.unread, "slow", rv, slowForms()), d.follow("fast", "", from(nothingElse, rv)))
	n, long := unsentReal, unsentFor
	if d.t.Virtual() {
		n, long = unsentVirtual, unsentForVirtual
	}
	d.change("c1", d.get("c1", a, "n1"), others)
	d.remove("c1", a, "n2", nil)
	d.change("c1", d.get("c1", a, "n5"), others) // as it was at first, nobody has been sent it yet
	for i := range n {
		x = d.manner(x, i)
	}
	d.t.Sleep(long)
	resumeAll(ws)
	d.settle(ws...)
	closeAll(ws)
}
