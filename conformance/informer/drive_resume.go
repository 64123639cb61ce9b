package informer

import (
	"fmt"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
)

// driveEnds ends watches that have brought each type of event, a bookmark after them, and nothing.
func driveEnds(d *driver) {
	d.some(3)
	d.start()
	d.settle()
	for i, clean := range []bool{true, false, true, false} {
		d.put("o0", fmt.Sprint("e", i)) // ends after MODIFIED
		d.calm()
		d.cut(clean)
		d.calm()
		d.put("new", fmt.Sprint(i)) // after ADDED
		d.calm()
		d.cut(clean)
		d.calm()
		d.remove("new") // after DELETED
		d.calm()
		d.cut(clean)
		d.calm()
		d.t.Sleep(2 * time.Minute) // after a bookmark of what this informer is not given
		d.cut(clean)
		d.calm()
	}
	d.elsewhere(5)
	d.t.Sleep(3 * time.Minute) // a bookmark beyond the last event
	d.cut(true)
	d.settle()
}

// elsewhere writes what the informer is not given, which moves bookmarks.
func (d *driver) elsewhere(n int) {
	for i := range n {
		d.putIn(d.abroad, fmt.Sprint("x", i), "1", nil)
	}
}

// driveGaps has changes come while no watch is open.
func driveGaps(d *driver) {
	d.some(3)
	d.start()
	d.settle()
	for i, clean := range []bool{true, false} {
		d.put("o1", fmt.Sprint("g", i))
		d.calm()
		end := d.fault(rig.Fault{Verbs: []string{"watch"}, Times: 1, Status: &rig.Status{Code: 429}})
		d.cut(clean)
		d.put("o1", fmt.Sprint("h", i))
		d.remove("o0")
		d.put("o0", fmt.Sprint("again", i))
		d.calm()
		end()
	}
	d.settle()
}

// Of what has expired: the status that a kube-apiserver gives, and one that says so by its code alone.
var (
	gone       = rig.Status{Code: 410}
	reasonless = rig.Status{Code: 410, Reason: rig.NoReason}
)

func driveExpiredWatch(d *driver) {
	d.some(3)
	d.hear()
	d.start()
	d.settle()
	for i, f := range []rig.Fault{
		{Times: 1, Status: &gone}, {Times: 1, Status: &rig.Status{Code: 410, Reason: "Gone"}}, {Times: 1, Status: &reasonless},
		{Times: 1, Events: &rig.Events{After: ptr(rig.Duration(0)), Do: "error", Status: &gone}},
		{Times: 1, Events: &rig.Events{Nth: 2, Do: "error", Status: &reasonless}},
		{Times: 1, Events: &rig.Events{Nth: 2, Do: "error", Status: &rig.Status{Code: 410, Reason: "Gone"}}},
	} {
		f.Name, f.Verbs, f.Streaming = fmt.Sprint("expired-", i), []string{"watch"}, ptr(false)
		end := d.fault(f)
		d.cut(true)
		d.change(i)
		d.calm()
		end()
		d.settle()
	}
	d.expiresStreaming()
	d.away(func() { d.change(9) })
	d.settle()
}

// expiresStreaming has a watch that began as a streaming list end with a 410, for who has no other.
func (d *driver) expiresStreaming() {
	d.endsStreaming("expired", rig.Events{Do: "error", Status: &gone})
}

// endsStreaming has it end in place of a change.
func (d *driver) endsStreaming(name string, e rig.Events) {
	e.Types, e.Object, e.Nth = []string{"MODIFIED"}, "o0", 1
	end := d.fault(rig.Fault{Name: name + "-streaming", Verbs: []string{"watch"}, Streaming: ptr(true), Events: &e})
	d.cut(true)
	d.settle()
	d.put("o0", name)
	d.settle()
	end()
}

// change changes one object, makes another anew, makes a third, and deletes the third of the change before.
func (d *driver) change(i int) {
	d.put("o0", fmt.Sprint("c", i))
	d.put(fmt.Sprint("n", i), "1")
	d.remove("o2")
	d.put("o2", fmt.Sprint("c", i))
	if i > 0 {
		d.remove(fmt.Sprint("n", i))
	}
	if d.doomed != "" {
		d.remove(d.doomed)
	}
	d.doomed = fmt.Sprint("k", d.count.Add(1))
	d.put(d.doomed, "1")
}

func driveExpiredList(d *driver) {
	d.some(3)
	one := d.fault(rig.Fault{Name: "list", Verbs: []string{"list"}, Times: 1, Status: &gone})
	two := d.fault(rig.Fault{Name: "stream", Verbs: []string{"watch"}, Streaming: ptr(true), Times: 1, Status: &gone})
	d.start()
	d.settle()
	one()
	two()
	lists, streams := rig.Fault{Verbs: []string{"list"}}, rig.Fault{Verbs: []string{"watch"}, Streaming: ptr(true)}
	for i, round := range []struct {
		status rig.Status
		faults []rig.Fault
	}{
		{gone, []rig.Fault{lists}},
		{gone, []rig.Fault{streams}},
		{rig.Status{Code: 410, Reason: "Gone"}, []rig.Fault{lists, streams}},
		{reasonless, []rig.Fault{lists, streams}},
	} {
		var ends []func()
		for _, f := range round.faults {
			f.Times, f.Status = 1, &round.status
			ends = append(ends, d.fault(f))
		}
		d.away(func() { d.change(i) })
		d.settle()
		for _, end := range ends {
			end()
		}
	}
}

// driveStaleList is a server that does not know the events since the last seen any more, and has that state still: where
// it is asked for exactly that, it answers.
func driveStaleList(d *driver) {
	d.some(5)
	d.start()
	d.settle()
	d.stale()
	d.settle()
	// who lists after each watch has not met a 410 yet
	end := d.fault(rig.Fault{Name: "expired", Verbs: []string{"watch"}, Streaming: ptr(false), Times: 1, Status: &gone})
	d.cut(true)
	d.put("o0", "end")
	d.settle()
	end()
	d.expiresStreaming()
}

func driveStaleMany(d *driver) {
	d.some(505)
	defer d.noStreams()()
	end := d.fault(rig.Fault{Verbs: []string{"list"}, Times: 1, Status: &gone}) // the list after it is of the most recent, in pages
	d.start()
	d.calm()
	end()
	d.stale()
	d.t.Sleep(time.Minute)
}

// noStreams has streaming lists be refused, so that it lists.
func (d *driver) noStreams() (end func()) {
	return d.fault(rig.Fault{Name: "no-streams", Verbs: []string{"watch"}, Streaming: ptr(true), Status: &rig.Status{Code: 400}})
}

// stale refuses each watch from where it is now, until it has moved. One that may have been opened this very moment has
// brought something before it ends: client-go lists again where it has not, for it takes that for a failure.
func (d *driver) stale() {
	d.put("o3", "before")
	end := d.fault(rig.Fault{Name: "busy", Verbs: []string{"watch"}, Status: &rig.Status{Code: 429}})
	d.cut(true)
	d.change(1)
	d.forgetEvents()
	end()
}

// driveTooLarge brings it to a view that is behind, which catches up in the end.
func driveTooLarge(d *driver) {
	d.some(3)
	d.start()
	d.settle()
	d.hold(true)
	d.change(1)
	d.calm()
	d.turn(true)
	end := d.fault(rig.Fault{Verbs: []string{"watch"}, Times: 1, Status: &gone}) // it lists again, there
	limit := time.Now().Add(fourPauses)
	if d.t.Virtual() {
		d.cut(true)
		d.t.Sleep(40 * time.Minute) // who asks by HTTP may ask again by itself, ten times each
	} else if !d.tooLargeAtOnce(limit, tooLargeStatus, func() { d.hold(false) }) {
		d.look()
		return // it may take half a minute until it asks again
	}
	d.look()
	end()
	d.hold(false)
	d.settle()
	d.turn(false)
	d.tooLargeOfWatch(limit)
}

// tooLargeOfWatch has who lists the most recent at once hear of it: a watch is refused so. In real time so is the list of a
// resourceVersion that it then asks for.
func (d *driver) tooLargeOfWatch(limit time.Time) {
	end := func() {}
	refuse := func() {
		end = d.fault(rig.Fault{Verbs: []string{"watch"}, Streaming: ptr(false), Times: 1, Status: &tooLargeStatus})
	}
	if d.t.Virtual() {
		refuse()
		d.cut(true)
		d.put("o0", "end")
		d.t.Sleep(time.Minute)
	} else if !d.tooLargeAtOnce(limit, tooLargeStatus, refuse) {
		end()
		d.look()
		return
	}
	end()
	d.settle()
}

// fourPauses are as long as client-go's takes to have asked four times: 1.6, 3.2, 6.4 and 12.8 seconds at most.
const fourPauses = 24500 * time.Millisecond

// tooLargeAtOnce is what takes the place of a view that is behind in real time: lists are refused at once. (A view makes a client
// wait three seconds each time, and tells it to come again, which some do ten times by themselves.) Of one that is to behave
// as client-go's four are, which is enough; of others all that say from which version. It says whether the informer has got over
// it by then.
func (d *driver) tooLargeAtOnce(limit time.Time, at rig.Status, armed func()) bool {
	at.RetryAfter = 0
	for _, f := range []rig.Fault{{Verbs: []string{"list"}}, {Verbs: []string{"watch"}, Streaming: ptr(true)}} {
		f.Status, f.Versioned = &at, ptr(true)
		if d.t.Has(ClientGoSemantics) {
			f.Times = occasions
		}
		defer d.fault(f)()
	}
	armed()
	d.cut(true)
	there := d.coming(d.sentinel(d.home))
	for ; time.Now().Before(limit); d.t.Sleep(50 * time.Millisecond) {
		if there() {
			return true
		}
	}
	return false
}

// spellings are how a server says it: since 1.18.6 by the type of a cause, which tooLargeStatus has, since 1.17 by a cause's
// message, and before by the message of the whole.
var spellings = []rig.Status{
	tooLargeStatus,
	{Code: 504, Reason: "Timeout", Message: "Timeout: Too large resource version: 99, current: 9", RetryAfter: 1},
	{Code: 504, Reason: "Timeout", Message: "Too large resource version", RetryAfter: 1, Cause: rig.NoReason},
}

// driveTooLargeSpelt says it of each resourceVersion, in each way, for as long as it takes to ask often; in real time in the last.
func driveTooLargeSpelt(d *driver) {
	d.some(3)
	d.start()
	d.settle()
	if !d.t.Virtual() {
		expired, limit := func() {}, time.Now().Add(fourPauses)
		over := d.tooLargeAtOnce(limit, spellings[len(spellings)-1], func() {
			expired = d.fault(rig.Fault{Verbs: []string{"watch"}, Streaming: ptr(false), Times: 1, Status: &gone}) // it lists
		})
		expired()
		d.look()
		if over {
			d.tooLargeOfWatch(limit)
		}
		return
	}
	for i, s := range spellings {
		var ends []func()
		for _, f := range []rig.Fault{{Verbs: []string{"list"}}, {Verbs: []string{"watch"}, Streaming: ptr(true)}} {
			f.Name, f.Status, f.Versioned = fmt.Sprint("spelt-", i, f.Verbs), &s, ptr(true)
			ends = append(ends, d.fault(f))
		}
		d.away(func() { d.change(i + 1) })
		d.t.Sleep(40 * time.Minute)
		for _, end := range ends {
			end()
		}
		d.settle()
	}
	d.tooLargeOfWatch(time.Time{})
}

// driveTooLargeWatch says it of a resourceVersion that the server does have: of watches again and again, of lists once,
// for who then asks for the most recent must get it.
func driveTooLargeWatch(d *driver) {
	d.some(3)
	d.start()
	d.settle()
	for i, f := range []rig.Fault{
		{Verbs: []string{"watch"}, Streaming: ptr(false), Status: &tooLargeStatus},
		{Verbs: []string{"watch"}, Streaming: ptr(false), Events: &rig.Events{After: ptr(rig.Duration(0)), Do: "error", Status: &tooLargeStatus}},
		{Verbs: []string{"list"}, Status: &tooLargeStatus},
		{Verbs: []string{"watch"}, Streaming: ptr(true), Status: &tooLargeStatus},
	} {
		f.Name = fmt.Sprint("too-large-", i)
		if i < 2 {
			d.tooLargeForLong(f, i+1)
		} else {
			f.Times = 1
			end := d.fault(f)
			d.away(func() { d.change(i + 1) })
			d.t.Sleep(time.Minute)
			end()
		}
		d.settle()
	}
}

// tooLargeForLong has watches fail so for as long as it takes to try often. Each takes a moment, or it would do so in no time.
func (d *driver) tooLargeForLong(f rig.Fault, change int) {
	slow := d.fault(rig.Fault{Name: f.Name + "-slow", Verbs: f.Verbs, Streaming: f.Streaming, Latency: latency})
	end := d.fault(f)
	d.cut(true)
	d.change(change)
	d.t.Sleep(40 * time.Minute)
	end()
	slow()
}
