package listerwatcher

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
)

// untilKind is the kind of a wait's call.
const untilKind = "UNTIL"

// awaited are the arguments of one, as a history keeps them.
type awaited struct {
	called
	Condition Condition     `json:"condition"`
	Unless    *Precondition `json:"unless,omitempty"`
}

// until begins a wait from now on.
func (d *driver) until(actor string, c Condition) *calling { return d.untilUnless(actor, nil, c) }

// untilUnless begins one with a precondition; nil: without.
func (d *driver) untilUnless(actor string, unless *Precondition, c Condition) *calling {
	call, do := d.waiting(actor, d.tagged(metav1.ListOptions{ResourceVersion: d.now()}), unless, c)
	w := d.begin(d.t.Context(), call, do)
	d.t.Cleanup(w.cancel)
	return w
}

// waiting returns the call of a wait with options, and what it does.
func (d *driver) waiting(actor string, o metav1.ListOptions, unless *Precondition, c Condition) (harness.Call, func(context.Context, *calling) harness.Answer) {
	call := harness.Call{Actor: actor, Kind: untilKind, Args: awaited{called{d.given, configMaps.Resource, o}, c, unless}}
	return call, func(ctx context.Context, _ *calling) harness.Answer {
		given := o.DeepCopy()
		if unless == nil {
			e, err := d.client.(Waiter).Until(ctx, given, c)
			return d.met(e, err, o, *given)
		}
		e, err := d.client.(Preconditioned).UntilUnless(ctx, given, *unless, c)
		if e == nil && err == nil {
			return harness.Answer{Body: returned{Held: true, After: changed(o, *given)}}
		}
		return d.met(e, err, o, *given)
	}
}

// met is what a history keeps of the end of a wait.
func (d *driver) met(e *Event, err error, before, after metav1.ListOptions) harness.Answer {
	switch {
	case err != nil:
		return d.refused(err, before, after)
	case e == nil:
		return harness.Answer{Body: returned{After: changed(before, after)}} // of no type
	}
	return harness.Answer{Obj: rig.Object(d.t, e.Object), Body: returned{Met: e.Type, After: changed(before, after)}}
}

// begun is what a client may take to open its first watch.
const begun = 1500 * time.Millisecond

// await has a wait go to its end while things happen.
func (d *driver) await(actor string, c Condition, happen func()) {
	d.awaitUnless(actor, nil, c, happen)
}

func (d *driver) awaitUnless(actor string, unless *Precondition, c Condition, happen func()) {
	w := d.untilUnless(actor, unless, c)
	d.t.Sleep(begun)
	happen()
	w.over()
	w.end()
}

func driveUntil(d *driver) {
	d.put("a", "1")
	d.await("made", Condition{"ADDED", "b"}, d.lives)
	d.put("a", "1")
	d.await("changed", Condition{"MODIFIED", "a"}, d.lives)
	d.await("gone", Condition{"DELETED", "a"}, d.lives)
	d.bothAwait()
	d.await("long", Condition{"ADDED", "long"}, func() { d.putLong("long", "1", rig.Sizes[1]) })
}

// bothAwait has two waits at once: what the second waits for comes first.
func (d *driver) bothAwait() {
	one, two := d.until("one", Condition{"ADDED", "one"}), d.until("two", Condition{"ADDED", "two"})
	d.t.Sleep(begun)
	d.put("two", "1")
	two.over()
	d.put("one", "1")
	one.over()
	one.end()
	two.end()
}

func driveUntilQuiet(d *driver) {
	d.put("a", "1")
	d.await("quiet", Condition{"ADDED", "quiet"}, func() { d.t.Sleep(quiet); d.put("quiet", "1") })
}

func driveUntilContext(d *driver) {
	d.put("a", "1")
	never := Condition{"ADDED", "never"}
	for _, happen := range []func(){func() {}, d.lives} {
		w := d.until("cancelled", never)
		d.t.Sleep(begun)
		happen()
		d.t.Wait()
		w.leave()
		w.over()
	}
}

// driveUntilOpening has the contexts of waits end while the server keeps the headers of a watch back: of the first, and of
// the one that follows an end.
func driveUntilOpening(d *driver) {
	d.put("a", "1")
	kept := rig.Fault{Times: always, Hang: "headers"}
	for nth := 1; nth <= 2; nth++ {
		kept.Nth = nth
		d.disturbed([]rig.Fault{{Nth: 1, Events: &rig.Events{Types: []string{"MODIFIED"}, Object: "a", Nth: 1, Do: "close"}}, kept}, func() {
			d.changes(2)
			d.t.Sleep(longPause)
		}, Condition{"ADDED", "never"})
	}
}

func driveUntilTroubles(d *driver) {
	d.put("a", "1")
	for _, faults := range [][]rig.Fault{
		{ended("close")},
		{ended("break")},
		{ended("close"), {Nth: 2, Times: 2, Status: &rig.Status{Code: 500}}},
		{{Nth: 1, Times: 1, Events: &rig.Events{Nth: 3, Do: "error", Status: &rig.Status{Code: 500}}}},
	} {
		d.disturbed(faults, func() { d.changes(5); d.put("wanted", "1") }, Condition{"ADDED", "wanted"})
		d.remove("wanted")
	}
}

// disturbed is a wait that meets faults.
func (d *driver) disturbed(faults []rig.Fault, happen func(), c Condition) {
	var ends []func()
	for _, f := range faults {
		f.Verbs = []string{"watch"}
		ends = append(ends, d.fault(f))
	}
	d.await("disturbed", c, happen)
	for _, end := range ends {
		end()
	}
}

// driveUntilPrecondition has two waits that need not begin, and two that must.
func driveUntilPrecondition(d *driver) {
	d.put("a", "1")
	never := Condition{"ADDED", "never"}
	d.awaitUnless("there", &Precondition{"a", true}, never, func() {})
	d.awaitUnless("not-there", &Precondition{"b", false}, never, func() {})
	d.awaitUnless("not-gone", &Precondition{"a", false}, Condition{"MODIFIED", "a"}, func() { d.changes(2) })
	d.awaitUnless("gone", &Precondition{"b", true}, Condition{"DELETED", "a"}, func() { d.remove("a") })
}

// driveUntilExpired has two waits that nothing meets, and two of which the ERROR takes the place of what would.
func driveUntilExpired(d *driver) {
	d.put("a", "1")
	for _, nth := range []int{1, 3} {
		d.disturbed([]rig.Fault{{Events: expiring("MODIFIED", "a", nth)}}, func() { d.changes(5) }, Condition{"ADDED", "never"})
	}
	d.disturbed([]rig.Fault{{Nth: 1, Events: expiring("ADDED", "b", 1)}}, func() { d.put("b", "1"); d.changes(2) }, Condition{"ADDED", "b"})
	d.disturbed([]rig.Fault{{Nth: 1, Events: expiring("DELETED", "b", 1)}}, func() { d.remove("b"); d.changes(2) }, Condition{"DELETED", "b"})
}

// expiring has a watch end with an ERROR 410 in place of such an event.
func expiring(of, object string, nth int) *rig.Events {
	return &rig.Events{Types: []string{of}, Object: object, Nth: nth, Do: "error", Status: &rig.Status{Code: 410, Reason: "Expired"}}
}

// driveUntilRefused refuses six watches: more would have a client that lists by watches ask without end.
func driveUntilRefused(d *driver) {
	d.put("a", "1")
	for _, reason := range []string{"Expired", "Gone"} {
		gone := &rig.Status{Code: 410, Reason: reason}
		d.disturbed([]rig.Fault{ended("close"), {Nth: 2, Times: patience + 2, Status: gone}}, func() { d.changes(5) }, Condition{"ADDED", "never"})
	}
}

// others makes so many objects of another namespace.
func (d *driver) others(n int) {
	for range n {
		m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "other-", Namespace: d.Other}}
		if _, err := d.Server.ConfigMaps(d.Other).Create(d.t.Context(), m, metav1.CreateOptions{}); err != nil {
			d.t.GiveUp("the drive's own write failed: %v", err)
		}
	}
}
