package listerwatcher

import (
	"slices"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
)

// wanted is what the waits of these drives wait for.
var wanted = Condition{"ADDED", "wanted"}

// driveResumeWaits has the first watch of a wait end before an event, and so after the one before it, of each type;
// and after a bookmark that is ahead of all events.
func driveResumeWaits(d *driver) {
	d.put("a", "1")
	for _, end := range []rig.Events{
		{Types: []string{"MODIFIED"}, Object: "b", Nth: 1, Do: "close"},
		{Types: []string{"DELETED"}, Object: "b", Nth: 1, Do: "close"},
		{Types: []string{"MODIFIED"}, Object: "a", Nth: 1, Do: "close"},
		{Types: []string{"DELETED"}, Object: "b", Nth: 1, Do: "break"},
	} {
		d.disturbed([]rig.Fault{{Nth: 1, Events: &end}}, func() {
			d.put("b", "1")
			d.put("b", "2")
			d.remove("b")
			d.changes(2)
			d.t.Sleep(longPause)
			d.put("wanted", "1")
		}, wanted)
		d.remove("wanted")
	}
	for _, how := range []string{"close", "break"} {
		d.disturbed([]rig.Fault{beforeWanted(how)}, func() { d.changes(2); d.put("wanted", "1") }, wanted)
		d.remove("wanted")
	}
	d.waitMarked()
}

// driveResumeWaitsDigits is driveResumeDigits, of waits.
func driveResumeWaitsDigits(d *driver) {
	r, ok := rig.Part[rig.Reviser](d.t, d.Server, rig.Revisions)
	if !ok {
		return
	}
	d.put("a", "1")
	r.Leap(rig.LeapToDigit(d.now()))
	d.waitMarked()
	for _, how := range []string{"close", "break"} {
		d.remove("wanted")
		r.Leap(rig.LeapToDigit(d.now()))
		d.disturbed([]rig.Fault{ended(how)}, func() { d.changes(5); d.t.Sleep(longPause); d.put("wanted", "1") }, wanted)
	}
}

// driveResumeWaitsLarge is driveResumeLarge, of waits.
func driveResumeWaitsLarge(d *driver) {
	d.large(func(string) { d.goesOn(ended("close")) })
}

// waitMarked has the first watch of a wait end after a bookmark that is ahead of all events.
func (d *driver) waitMarked() {
	mark, end := rig.Duration(begun+2*time.Second), rig.Duration(begun+3*time.Second)
	d.disturbed([]rig.Fault{
		{Nth: 1, Events: &rig.Events{After: &mark, Do: "lie", By: elsewhere}},
		{Nth: 1, Events: &rig.Events{After: &end, Do: "close"}},
	}, func() {
		d.changes(2)
		d.others(elsewhere)
		d.t.Sleep(time.Duration(end))
		d.changes(2)
		d.put("wanted", "1")
	}, wanted)
}

// beforeWanted ends the first watch of a wait such that what it waits for is the first event of the next.
func beforeWanted(how string) rig.Fault {
	return rig.Fault{Nth: 1, Events: &rig.Events{Types: []string{"ADDED"}, Object: "wanted", Nth: 1, Do: how}}
}

// longPause is what a client may take to open its next watch.
const longPause = 3 * time.Second

// driveResumeWaitsRefused has the watches of waits, from the second on, meet what watches may, and end without an event.
func driveResumeWaitsRefused(d *driver) {
	d.put("a", "1")
	for _, f := range append(slices.Clone(troubles), rig.Fault{Events: &rig.Events{Nth: 1, Do: "close"}}) {
		f.Nth, f.Times = 2, patience+2
		d.goesOn(ended("close"), f)
		d.disturbed([]rig.Fault{beforeWanted("close"), f}, func() { d.changes(2); d.put("wanted", "1") }, wanted)
		d.remove("wanted")
	}
}

// driveResumeWaitsStream has two watches of a wait in a row end with an ERROR.
func driveResumeWaitsStream(d *driver) {
	d.put("a", "1")
	for _, s := range passing {
		d.goesOn(rig.Fault{Nth: 1, Times: 2, Events: &rig.Events{Types: []string{"MODIFIED"}, Object: "a", Nth: 2, Do: "error", Status: &s}})
	}
}

// driveResumeWaitsExpired has the first watch of a wait end with an ERROR before what it waits for comes.
func driveResumeWaitsExpired(d *driver) {
	d.put("a", "1")
	for _, nth := range []int{1, 3} {
		d.goesOn(rig.Fault{Nth: 1, Events: expiring("MODIFIED", "a", nth)})
	}
}

// driveResumeWaitsExpiredStatus has the second one refused.
func driveResumeWaitsExpiredStatus(d *driver) {
	d.put("a", "1")
	d.goesOn(ended("close"), rig.Fault{Nth: 2, Times: 1, Status: &rig.Status{Code: 410, Reason: "Expired"}})
}

// goesOn has a wait meet faults, and then what it waits for come.
func (d *driver) goesOn(faults ...rig.Fault) {
	d.disturbed(faults, func() { d.changes(5); d.t.Sleep(longPause); d.put("wanted", "1") }, wanted)
	d.remove("wanted")
}

// driveResumeWaitsForbidden refuses all that waits ask for, for as long as they ask, when their first watch has ended.
func driveResumeWaitsForbidden(d *driver) {
	d.put("a", "1")
	for _, code := range []int32{401, 403} {
		ended := d.fault(rig.Fault{Verbs: []string{"watch"}, Nth: 1, Events: &rig.Events{Types: []string{"MODIFIED"}, Object: "a", Nth: 2, Do: "close"}})
		w := d.until("forbidden", Condition{"ADDED", "never"})
		d.t.Sleep(begun)
		allowed := d.fault(rig.Fault{Verbs: []string{"list", "watch"}, Status: &rig.Status{Code: code}})
		d.changes(3)
		w.over()
		w.end()
		allowed()
		ended()
	}
}
