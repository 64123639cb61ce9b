package informer

import (
	"context"
	"fmt"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
)

// removeTogether deletes several by one write. Each deletion is recorded as one of its own, and what comes of them must
// not be seen before all are: no watch is open.
func (d *driver) removeTogether(names ...string) {
	r, ok := rig.Part[rig.Reviser](d.t, d.server, rig.Revisions)
	if !ok {
		return
	}
	for i, name := range names {
		d.ends(d.home, name, func(context.Context, rig.Writer) error {
			if i > 0 {
				return nil // it is gone
			}
			return r.DeleteTogether(d.home, names...)
		})
	}
}

// driveDeletedTogether has several deletions have one resourceVersion, of which a watch tells, and then a list.
func driveDeletedTogether(d *driver) {
	if d.t.Has(Handlers) {
		d.two()
	}
	d.some(6)
	d.start()
	d.settle()
	d.atOnce(func() { d.removeTogether("o1", "o2", "o3") })
	d.settle()
	d.put("o2", "back")
	d.atOnce(func() {
		d.put("o0", "before")
		d.removeTogether("o2", "o4")
		d.put("o4", "after")
	})
	d.settle()
	d.away(func() { d.removeTogether("o0", "o5") })
	d.settle()
}

// driveLarge has resourceVersions that an int32 does not hold, and then ones that a float64 does not, which is all that
// some languages have for numbers.
func driveLarge(d *driver) {
	r, ok := rig.Part[rig.Reviser](d.t, d.server, rig.Revisions)
	if !ok {
		return
	}
	if d.t.Has(Handlers) {
		d.two()
	}
	d.some(3)
	d.start()
	d.settle()
	for i, by := range []uint64{1 << 31, 1 << 53} {
		r.Leap(by)
		d.put("o1", fmt.Sprint("last ", i))
		d.change(2*i + 1) // watched
		d.settle()
		for n := range 2 { // after an odd one, and an even one
			d.put("o1", fmt.Sprint("next ", i, n))
			d.calm()
			d.cut(true)
			d.calm()
		}
		d.away(func() { d.change(2*i + 2) })
		d.settle()
	}
}

// driveDigits has resourceVersions come to have a digit more, so that as texts they are smaller: by a bookmark, by an event of
// each type, and by a list.
func driveDigits(d *driver) {
	r, ok := rig.Part[rig.Reviser](d.t, d.server, rig.Revisions)
	if !ok {
		return
	}
	d.some(3)
	d.hear()
	d.start()
	d.settle()
	near := func() { // the last change has the last resourceVersion of so many digits
		r.Leap(rig.LeapToDigit(d.put("o1", fmt.Sprint("far ", d.count.Add(1)))))
		d.put("o1", fmt.Sprint("next ", d.count.Add(1)))
		d.put("o1", fmt.Sprint("near ", d.count.Add(1)))
		d.calm()
	}
	near()
	d.elsewhere(5)
	d.t.Sleep(3 * time.Minute) // a bookmark
	d.cut(true)
	d.settle()
	for _, change := range []func(){func() { d.put("o1", "longer") }, func() { d.put("new", "1") }, func() { d.remove("new") }} {
		near()
		change()
		d.calm()
		d.cut(true)
		d.settle()
	}
	near()
	d.away(func() { d.put("o1", "unseen") })
	d.settle()
	d.cut(true)
	d.settle()
}
