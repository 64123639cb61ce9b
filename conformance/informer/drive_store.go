package informer

import (
	"context"
	"fmt"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

func driveIndex(d *driver) {
	d.label("a", "one")
	d.label("b", "one")
	d.label("c", "")
	d.label("d", "four")
	d.label("e", "one")
	d.label("f", "one")
	d.start()
	d.settle()
	d.label("a", "two")
	d.label("c", "two")
	d.settle()
	d.label("a", "")
	d.remove("b")
	d.settle()
	d.away(func() {
		d.label("a", "three")
		d.remove("c")
		d.label("b", "two")
		d.remove("d") // it and its name come again, with another value
		d.label("d", "five")
		d.label("e", "six") // it is the same object, with another value, and so is the next, with none
		d.label("f", "")
	})
	d.settle()
	d.gap(func() {
		d.remove("d")
		d.label("d", "three")
		d.remove("b")
		d.label("b", "")
	})
	d.settle()
	d.remove("a")
	d.settle()
	d.away(func() { // nothing is left
		for _, name := range []string{"b", "d", "e", "f"} {
			d.remove(name)
		}
	})
	d.settle()
	d.label("a", "one")
	d.settle()
}

func driveReads(d *driver) {
	d.some(5)
	d.start()
	d.settle()
	for i := range 10 {
		d.change(i + 1)
		d.pause()
		d.look()
	}
	d.away(func() {
		for i := range 5 {
			d.remove(fmt.Sprint("o", i))
			d.put(fmt.Sprint("p", i), "1")
		}
	})
	d.poll(300*time.Millisecond, 10)
	d.settle()
}

func driveVersion(d *driver) {
	d.some(3)
	d.look()
	d.start()
	d.settle()
	for i := range 5 {
		d.put("o0", fmt.Sprint("v", i))
		d.pause()
		d.look()
		d.put(fmt.Sprint("n", i), "1")
		d.pause()
		d.look()
		d.remove(fmt.Sprint("n", i))
		d.pause()
		d.look()
	}
	d.away(func() { d.change(7) })
	d.poll(300*time.Millisecond, 10)
	d.settle()
	d.away(func() { d.change(7) })
	d.lookAtNewVersion()
	d.settle()
}

// lookAtNewVersion looks, in virtual time, as soon as another version is told: within a millisecond.
func (d *driver) lookAtNewVersion() {
	v, ok := d.informer.(Versioned)
	if !ok || !d.t.Virtual() || !d.t.Has(Version) {
		return
	}
	was := v.Version()
	for range 60_000 {
		d.t.Sleep(time.Millisecond)
		if v.Version() != was {
			d.look()
			return
		}
	}
}

func driveVersionMoves(d *driver) {
	d.some(3)
	d.start()
	d.settle()
	d.elsewhere(5)
	d.t.Sleep(3 * time.Minute)
	d.settle()
	for range 3 {
		d.put("newest", "1")
		d.settle()
		d.bookmarksLate(func() {
			d.remove("newest")
			d.restWithout("newest")
		})
	}
}

// bookmarksLate does something while, in virtual time, no bookmark comes for an hour, so that what it does moves the
// version by itself. In real time mostly none comes so soon.
func (d *driver) bookmarksLate(f func()) {
	if !d.t.Virtual() || !d.t.Has(rig.Cuts) || !d.t.Has(rig.Faults) {
		f()
		return
	}
	end := d.fault(rig.Fault{Verbs: []string{"watch"}, Streaming: ptr(false), Events: &rig.Events{Types: []string{"BOOKMARK"}, Do: "delay", For: rig.Duration(time.Hour)}})
	d.cut(true) // they come on watches that are open
	d.calm()
	f()
	end()
	d.cut(true)
	d.calm()
}

// restWithout looks when the last that came was the end of an object.
func (d *driver) restWithout(name string) {
	if d.t.Virtual() {
		d.settle()
	} else if d.lost(d.home + "/" + name) {
		d.pause()
		d.atRest()
	}
}

// driveOwnWrites has the subject itself write and read.
func driveOwnWrites(d *driver) {
	w, ok := d.informer.(Writer)
	if !ok {
		d.t.GiveUp("the informer declares %s and is no Writer", ReadYourWrites)
		return
	}
	d.some(2)
	d.start()
	d.settle()
	end := d.fault(rig.Fault{Verbs: []string{"watch"}, Events: &rig.Events{Do: "delay", For: rig.Duration(2 * time.Second)}})
	d.cut(true)
	for i := range 5 {
		if s, ok := d.server.(rig.Reviser); ok && d.t.Has(rig.Revisions) && i > 2 {
			s.Leap(1000) // as a text what comes then is no later
		}
		key := fmt.Sprintf("%s/own%d", d.home, i%2)
		d.t.Do(harness.Call{Actor: d.actor, Kind: writeKind, Obj: history.Ref{Key: key}}, func(ctx context.Context) harness.Answer {
			return d.object(w.Write(ctx, key, fmt.Sprint("w", i)))
		})
		d.t.Do(harness.Call{Actor: d.actor, Kind: readKind, Obj: history.Ref{Key: key}}, func(ctx context.Context) harness.Answer {
			return d.object(w.Read(ctx, key))
		})
	}
	end()
	d.settle()
}

func driveTransform(d *driver) {
	d.hear()
	d.some(4)
	d.start()
	d.settle()
	d.lives()
	d.settle()
	d.away(func() { d.change(3) })
	d.settle()
	lists := d.noStreams() // who asks for streaming lists lists now
	d.away(func() { d.change(4) })
	d.settle()
	lists()
	d.remove("o0")
	d.settle()
	d.away(func() { d.remove("o1") })
	d.settle()
}

// driveTransformPages has objects come by pages, at first and later.
func driveTransformPages(d *driver) {
	d.hear()
	d.some(8)
	defer d.noStreams()()
	d.start()
	d.settle()
	d.away(func() { d.change(1) })
	d.settle()
}

// drivePush lets each change come to rest by itself, so that a push that lacks it is seen.
func drivePush(d *driver) {
	d.some(3)
	d.start()
	d.settle()
	for _, change := range []func(){
		func() { d.put("new", "1") },
		func() { d.put("o0", "2") },
		func() { d.remove("o1") },
		func() { d.away(func() { d.put("o2", "2") }) },
		func() { d.away(func() { d.remove("o2") }) },
		func() { d.away(func() { d.put("by-list", "1") }) },
		func() { d.lives() },
		d.empty,
		func() { d.put("o0", "anew") },
		func() { d.away(d.empty) },
	} {
		change()
		d.settle()
	}
}
