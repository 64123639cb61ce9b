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

// waiting is a wait under way.
type waiting struct {
	d      *driver
	actor  string
	call   int32
	cancel context.CancelFunc
	done   chan struct{}
}

// until begins a wait from now on.
func (d *driver) until(actor string, c Condition) *waiting { return d.untilUnless(actor, nil, c) }

// untilUnless begins one with a precondition; nil: without.
func (d *driver) untilUnless(actor string, unless *Precondition, c Condition) *waiting {
	o := d.tagged(metav1.ListOptions{ResourceVersion: d.now()})
	given := o.DeepCopy()
	w := &waiting{d: d, actor: actor, done: make(chan struct{})}
	var ctx context.Context
	ctx, w.cancel = context.WithCancel(d.t.Context())
	d.t.Cleanup(w.cancel)
	begun := make(chan int32, 1)
	d.t.Go(func() {
		defer close(w.done)
		num := d.t.Begin(harness.Call{Actor: actor, Kind: untilKind, Args: awaited{called{d.given, configMaps.Resource, o}, c, unless}})
		begun <- num
		d.t.Try(actor, num, func() {
			if unless == nil {
				e, err := d.client.(Waiter).Until(ctx, given, c)
				d.t.End(num, actor, untilKind, d.met(e, err, o, *given))
				return
			}
			e, err := d.client.(Preconditioned).UntilUnless(ctx, given, *unless, c)
			a := d.met(e, err, o, *given)
			if e == nil && err == nil {
				a = harness.Answer{Body: returned{Held: true, After: changed(o, *given)}}
			}
			d.t.End(num, actor, untilKind, a)
		})
	})
	w.call = <-begun
	return w
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

// leave cancels its context.
func (w *waiting) leave() {
	w.d.t.Do(harness.Call{Actor: w.actor, Kind: cancelKind, Args: endArgs{w.call}}, func(context.Context) harness.Answer {
		w.cancel()
		return harness.Answer{}
	})
}

// returnLimit is how long a wait may take in real time to return; of one that takes longer nothing is known.
const returnLimit = 5 * time.Second

// over waits until the call has returned, or in real time for so long; in virtual time it records that it had all
// the time it needs.
func (w *waiting) over() {
	if w.d.t.Virtual() {
		w.d.t.Idle()
		w.d.t.Settled(w.actor, w.call, "")
		return
	}
	select {
	case <-w.done:
	case <-time.After(returnLimit):
	}
}

// end lets go of what still waits, before faults that it meets are taken away.
func (w *waiting) end() {
	select {
	case <-w.done:
		return
	default:
	}
	w.leave()
	w.over()
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
		m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "other-", Namespace: d.abroad}}
		if _, err := d.server.ConfigMaps(d.abroad).Create(d.t.Context(), m, metav1.CreateOptions{}); err != nil {
			d.t.GiveUp("the drive's own write failed: %v", err)
		}
	}
}
