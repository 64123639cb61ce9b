package listerwatcher

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
)

func driveWatchFaithful(d *driver) {
	d.put("a", "1")
	d.late()
	d.hold("held")
	rv := d.now()
	named := d.fit([]metav1.ListOptions{{ResourceVersion: rv, FieldSelector: "metadata.name=b"}})[0]
	open := []*reading{
		d.watch("unset", metav1.ListOptions{}),
		d.watch("zero", metav1.ListOptions{ResourceVersion: "0"}),
		d.watch("now", metav1.ListOptions{ResourceVersion: rv}),
		d.watch("stream", metav1.ListOptions{SendInitialEvents: ptr(true), ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true}),
		d.watch("named", named),
	}
	d.lives()
	d.free("held")
	d.hold("d")
	d.free("d")
	d.settle(there(open)...)
}

// late has a consumer that reads when more events wait for it than any client has room for, and then reads on.
func (d *driver) late() {
	r := d.open("late", metav1.ListOptions{ResourceVersion: d.now()})
	if r == nil {
		return
	}
	d.changes(manyEvents)
	d.t.Sleep(lateness)
	d.t.Go(r.read)
	d.settle(r)
	d.end(r)
}

// quiet is as long as a server lets any watch be.
const quiet = 25 * time.Minute

func driveWatchQuiet(d *driver) {
	d.put("a", "1")
	open := there([]*reading{d.watch("quiet", metav1.ListOptions{ResourceVersion: d.now()}), d.watch("quiet-from-the-start", metav1.ListOptions{})})
	d.changes(1)
	d.t.Sleep(quiet)
	d.changes(2)
	d.settle(open...)
}

const (
	manyEvents = 200
	lateness   = 3 * time.Second
)

// there leaves out watches that were refused.
func there(all []*reading) []*reading {
	var out []*reading
	for _, r := range all {
		if r != nil {
			out = append(out, r)
		}
	}
	return out
}

// lives has objects come, change, go, and come again.
func (d *driver) lives() {
	d.put("b", "1")
	d.put("a", "2")
	d.put("b", "2")
	d.remove("a")
	d.put("a", "3")
	d.remove("b")
	d.put("c", "1")
}

func driveWatchBookmarks(d *driver) {
	d.put("a", "1")
	end := d.fault(rig.Fault{Name: "marks", Verbs: []string{"watch"}, Events: &rig.Events{Do: "early"}})
	open := there([]*reading{
		d.watch("marked", metav1.ListOptions{ResourceVersion: d.now(), AllowWatchBookmarks: true}),
		d.watch("initial", metav1.ListOptions{AllowWatchBookmarks: true}),
	})
	d.lives()
	d.settle(open...)
	end()
}

// endings are the errors that a watch may end with.
var endings = []rig.Status{
	{Code: 410, Reason: "Expired"}, {Code: 410, Reason: "Gone"}, {Code: 410}, {Code: 429, RetryAfter: 2}, {Code: 500}, {Code: 504, RetryAfter: 1}, {Code: 403},
	{Code: 504, Reason: "Timeout", RetryAfter: 1, Cause: string(metav1.CauseTypeResourceVersionTooLarge)},
	invalid,
}

func driveWatchError(d *driver) {
	d.put("a", "1")
	for i, s := range endings {
		for _, nth := range []int{1, 3} {
			name := fmt.Sprint("error-", i, "-", nth)
			end := d.fault(rig.Fault{Name: name, Verbs: []string{"watch"}, Nth: 1, Events: &rig.Events{Nth: nth, Do: "error", Status: &s}})
			if r := d.watch(name, metav1.ListOptions{ResourceVersion: d.now()}); r != nil {
				d.changes(4)
				d.finish(r)
			}
			end()
		}
	}
}

// changes makes so many, of one object.
func (d *driver) changes(n int) {
	for range n {
		d.put("a", fmt.Sprint(d.Count.Add(1)))
	}
}

// frames are what no client can read, and what it cannot know the meaning of.
var frames = []rig.Events{
	{Do: "truncate"},
	{Do: "garble"},
	{Do: "replace", Frame: `{"type":"STRANGE","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"strange","resourceVersion":"7"}}}`},
	{Do: "replace", Frame: `{"object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"typeless","resourceVersion":"7"}}}`},
	{Do: "replace", Frame: `{"type":"ADDED","object":null}`},
	{Do: "replace", Frame: `{"type":"ADDED","object":"none"}`},
	{Do: "replace", Frame: `[]`},
}

// strange are bodies that are no watch, with status 200.
var strange = []string{"no JSON at all", failure}

func driveWatchFrame(d *driver) {
	d.put("a", "1")
	for i, f := range frames {
		f.Nth, f.Times = 2, 1
		d.misread(rig.Fault{Name: fmt.Sprint("frame-", i), Events: &f})
	}
	for i, body := range strange {
		d.misread(rig.Fault{Name: fmt.Sprint("body-", i), Answer: &rig.Answer{Code: 200, Body: body}})
	}
}

// misread has a watch meet a fault while five changes are made.
func (d *driver) misread(f rig.Fault) {
	f.Verbs, f.Nth = []string{"watch"}, 1
	end := d.fault(f)
	if r := d.watch(f.Name, metav1.ListOptions{ResourceVersion: d.now()}); r != nil {
		d.changes(5)
		d.finish(r)
	}
	end()
}

func driveWatchEnd(d *driver) {
	d.put("a", "1")
	for _, do := range []string{"close", "break"} {
		for _, nth := range []int{1, 4} {
			for _, unread := range []bool{false, true} {
				name := fmt.Sprint(do, "-", nth, "-", unread)
				end := d.fault(rig.Fault{Name: name, Verbs: []string{"watch"}, Nth: 1, Events: &rig.Events{Nth: nth, Do: do}})
				if r := d.open(name, metav1.ListOptions{ResourceVersion: d.now()}); r != nil {
					d.readAround(r, unread, func() { d.changes(5) })
					d.finish(r)
				}
				end()
			}
		}
	}
}

// finish waits until the stream has ended; of a client that goes on by itself until it has had what is due, and then
// stops it.
func (d *driver) finish(r *reading) {
	if !d.t.Has(Retries) {
		d.over(r, endLimit)
		return
	}
	d.settle(r)
	d.end(r)
}

// readAround has the watch read before what happens, or only a while after it.
func (d *driver) readAround(r *reading, after bool, happens func()) {
	if after {
		happens()
		d.t.Sleep(time.Second)
		d.t.Go(r.read)
		return
	}
	d.t.Go(r.read)
	happens()
}

// manner is how a watch is let go of.
type manner struct {
	name   string
	events int  // that come before
	unread bool // nothing of them is read before
	beside bool // more come at that moment
	twice  bool
}

var manners = []manner{
	{name: "idle"}, {name: "twice", twice: true}, {name: "read", events: 3}, {name: "unread", events: 3, unread: true},
	{name: "many-unread", events: manyEvents, unread: true}, {name: "beside", events: 3, beside: true},
}

func driveWatchStop(d *driver) {
	d.letGo((*reading).stop)
	d.abandon("abandoned", manyEvents)
	if !d.t.Has(rig.Faults) {
		return
	}
	for _, e := range []rig.Events{{Do: "error", Status: &rig.Status{Code: 410}}, {Do: "garble"}} {
		e.Nth = 1
		end := d.fault(rig.Fault{Verbs: []string{"watch"}, Events: &e})
		d.abandon("abandoned-"+e.Do, 3)
		end()
	}
}

func driveWatchCancel(d *driver) {
	d.letGo((*reading).leave)
	if r := d.open("unread-then-stopped", metav1.ListOptions{ResourceVersion: d.now()}); r != nil {
		d.changes(manyEvents)
		d.t.Sleep(time.Second)
		r.leave()
		r.stop() // nobody reads it any more
	}
}

// abandon stops a watch with events of which nobody ever reads one. Its context never ends: Stop must do without.
func (d *driver) abandon(name string, events int) {
	r := d.openFor(context.WithoutCancel(d.t.Context()), nil, name, metav1.ListOptions{ResourceVersion: d.now()})
	if r == nil {
		return
	}
	d.changes(events)
	d.t.Sleep(time.Second)
	r.stop()
}

func (d *driver) letGo(end func(*reading)) {
	d.put("a", "1")
	for _, m := range manners {
		r := d.open(m.name, metav1.ListOptions{ResourceVersion: d.now()})
		if r == nil {
			continue
		}
		if !m.unread {
			d.t.Go(r.read)
		}
		d.changes(m.events)
		if m.unread || m.events == 0 {
			d.t.Wait()
		} else {
			d.arrive(r)
		}
		beside := make(chan struct{})
		d.t.Go(func() {
			defer close(beside)
			if m.beside {
				d.changes(3)
			}
		})
		end(r)
		if m.twice {
			end(r)
		}
		if m.unread {
			d.t.Go(r.read)
		}
		d.over(r, endLimit)
		<-beside
	}
}

// driveCancelOpening ends the context of a call that has no answer yet.
func driveCancelOpening(d *driver) {
	end := d.fault(rig.Fault{Name: "kept-back", Verbs: []string{"watch"}, Hang: "headers"})
	defer end()
	d.opening("early", false)
}

// driveStopOpening stops watches that have no answer yet: to their first request, and to the one that follows an end.
func driveStopOpening(d *driver) {
	d.put("a", "1")
	first := d.fault(rig.Fault{Name: "kept-back", Verbs: []string{"watch"}, Hang: "headers"})
	d.opening("early", true)
	first()
	ended := d.fault(rig.Fault{Name: "ended", Verbs: []string{"watch"}, Nth: 1, Events: &rig.Events{Nth: 3, Do: "close"}})
	later := d.fault(rig.Fault{Name: "later", Verbs: []string{"watch"}, Nth: 2, Times: always, Hang: "headers"})
	defer later()
	defer ended()
	if r := d.watch("later", metav1.ListOptions{ResourceVersion: d.now()}); r != nil {
		d.changes(3)
		d.t.Sleep(longPause)
		r.stop()
		d.over(r, endLimit)
	}
}
