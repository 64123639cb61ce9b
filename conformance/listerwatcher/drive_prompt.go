package listerwatcher

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
)

// What is let go of in the pause before a client asks again.

// moments are how long that is after the trouble began: soon, when no client has given up, and after more than a minute,
// when pauses are long. No usual pause ends then: of some seconds, of twice as long each time, of twenty seconds.
var moments = []time.Duration{1300 * time.Millisecond, 4900 * time.Millisecond, 100300 * time.Millisecond, 106600 * time.Millisecond}

// busyFaults refuse what is asked for, for now.
var busyFaults = []rig.Fault{{Status: &rig.Status{Code: 429}}, {Status: &rig.Status{Code: 429, RetryAfter: 20}}}

// failing are other faults that a client gets over by asking again.
var failing = []rig.Fault{
	{Status: &rig.Status{Code: 500}},
	{Status: &rig.Status{Code: 503}},
	{Status: &rig.Status{Code: 503, RetryAfter: 20}},
	{Reset: "headers"},
	{Events: &rig.Events{After: &soon, Do: "break"}},
	{Events: &rig.Events{After: &soon, Do: "error", Status: &rig.Status{Code: 500}}},
}

// toldLater ends watches with an ERROR that says when to come back.
var toldLater = rig.Fault{Events: &rig.Events{After: &soon, Do: "error", Status: &rig.Status{Code: 500, RetryAfter: 20}}}

// soon is how long a watch is open that ends early.
var soon = rig.Duration(time.Millisecond)

func driveWatchPrompt(d *driver) {
	d.put("a", "1")
	for _, f := range slices.Concat(busyFaults, failing, []rig.Fault{toldLater}) {
		d.letGoPausing(func() func() { return d.troubled(f) })
	}
}

func driveWatchPromptAway(d *driver) {
	d.put("a", "1")
	d.letGoPausing(d.away)
}

// letGoPausing has watches, one after another, break off when they have given events, meet a trouble then, and be
// stopped and cancelled in turn.
func (d *driver) letGoPausing(trouble func() (end func())) {
	for n, later := range moments {
		broken := d.troubled(ended("break"))
		if r := d.watch("pausing", metav1.ListOptions{ResourceVersion: d.now()}); r != nil {
			d.t.Sleep(begun)
			end := trouble()
			d.changes(3)
			d.t.Sleep(later)
			if n%2 == 0 {
				r.stop()
			} else {
				r.leave()
			}
			d.over(r, endLimit)
			end()
		}
		broken()
	}
}

// troubled has a fault strike whatever it may.
func (d *driver) troubled(f rig.Fault) (end func()) {
	f.Verbs = []string{"list", "watch"}
	if f.Events != nil {
		f.Verbs = []string{"watch"}
	}
	return d.fault(f)
}

func driveUntilPause(d *driver) {
	d.put("a", "1")
	for _, f := range failing {
		d.leavePausing(func() func() { return d.troubled(f) }, nil)
		d.leavePausing(func() func() { return d.troubled(ended("break")) }, func() func() { return d.troubled(f) })
	}
}

func driveUntilPauseBusy(d *driver) {
	d.put("a", "1")
	for _, f := range busyFaults {
		d.leavePausing(func() func() { return d.troubled(f) }, nil)
	}
}

// driveUntilPauseAway has connections refused to waits of which the server has heard: to those that it has given nothing
// yet, and to those whose watches are open.
func driveUntilPauseAway(d *driver) {
	d.put("a", "1")
	d.leavePausing(func() func() { return d.troubled(busyFaults[0]) }, d.away)
	d.leavePausing(nil, d.away)
}

// leavePausing has waits, one after another, begin in one trouble, meet another, and their contexts end; nil: there is none.
func (d *driver) leavePausing(first, then func() (end func())) {
	for _, later := range moments {
		endFirst, endThen := func() {}, func() {}
		if first != nil {
			endFirst = first()
		}
		w := d.until("pausing", Condition{"ADDED", "never"})
		if then != nil {
			d.t.Sleep(begun)
			endThen = then()
			d.changes(3)
		}
		d.t.Sleep(later)
		w.leave()
		w.over()
		endThen()
		endFirst()
	}
}
