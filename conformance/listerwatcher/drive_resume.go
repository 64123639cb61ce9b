package listerwatcher

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
)

// follow has a watch meet faults while five changes are made, and lets it go when it has all that is due.
func (d *driver) follow(name string, faults ...rig.Fault) {
	var ends []func()
	for _, f := range faults {
		f.Verbs = []string{"watch"}
		ends = append(ends, d.fault(f))
	}
	o := metav1.ListOptions{ResourceVersion: d.now()}
	if d.t.Has(FieldCalls) {
		o.FieldSelector = "metadata.name!=nobody"
	}
	if r := d.watch(name, o); r != nil {
		d.changes(5)
		d.settle(r)
		d.end(r)
	}
	for _, end := range ends {
		end()
	}
}

// end stops a watch, and waits for its end.
func (d *driver) end(r *reading) {
	r.stop()
	select {
	case <-r.done:
	case <-d.t.Context().Done():
	}
}

// always is more often than any client asks.
const always = 1_000_000

// ended has each watch end before its third event.
func ended(how string) rig.Fault { return rig.Fault{Events: &rig.Events{Nth: 3, Do: how}} }

func driveResumeVersion(d *driver) {
	d.put("a", "1")
	for _, how := range []string{"close", "break"} {
		d.follow(how, ended(how))
	}
}

// initials begin with the state that there is.
var initials = []metav1.ListOptions{
	{}, {ResourceVersion: "0"},
	{SendInitialEvents: ptr(true), ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true},
}

// driveResumeInitial has such watches end when changes have followed that state, and before any has: what came last of it
// is not the newest. One that every client can begin is the last.
func driveResumeInitial(d *driver) {
	d.put("a", "1")
	d.put("b", "1")
	d.put("a", "2")
	for _, how := range []string{"close", "break"} {
		for i, o := range initials {
			d.endUnchanged(fmt.Sprint(how, "-unchanged-", i), how, o)
			d.endChanged(fmt.Sprint(how, "-", i), how, o)
		}
		d.endChanged(how, how, metav1.ListOptions{ResourceVersion: d.now()})
	}
}

// endChanged ends a watch before its third change.
func (d *driver) endChanged(name, how string, o metav1.ListOptions) {
	end := d.fault(rig.Fault{Verbs: []string{"watch"}, Nth: 1, Events: &rig.Events{Types: []string{"MODIFIED"}, Nth: 3, Do: how}})
	defer end()
	if r := d.watch(name, o); r != nil {
		d.t.Sleep(begun) // the state has come
		d.changes(5)
		d.settle(r)
		d.end(r)
	}
}

// endUnchanged ends a watch after a second.
func (d *driver) endUnchanged(name, how string, o metav1.ListOptions) {
	end := d.fault(rig.Fault{Verbs: []string{"watch"}, Nth: 1, Events: &rig.Events{After: ptr(rig.Duration(time.Second)), Do: how}})
	defer end()
	if r := d.watch(name, o); r != nil {
		d.t.Sleep(2 * time.Second)
		d.changes(3)
		d.settle(r)
		d.end(r)
	}
}

// driveResumeBookmark has bookmarks come whose resourceVersion is that of changes in another namespace.
func driveResumeBookmark(d *driver) {
	d.put("a", "1")
	d.marked("marked")
}

// marked has a watch end after such a bookmark.
func (d *driver) marked(name string) {
	second, third := rig.Duration(2*time.Second), rig.Duration(3*time.Second)
	ends := []func(){
		d.fault(rig.Fault{Verbs: []string{"watch"}, Nth: 1, Events: &rig.Events{After: &second, Do: "lie", By: elsewhere}}),
		d.fault(rig.Fault{Verbs: []string{"watch"}, Nth: 1, Events: &rig.Events{After: &third, Do: "close"}}),
	}
	r := d.watch(name, metav1.ListOptions{ResourceVersion: d.now(), AllowWatchBookmarks: true})
	if r == nil {
		return
	}
	d.changes(2)
	d.others(elsewhere)
	d.t.Sleep(5 * time.Second)
	d.changes(2)
	d.settle(r)
	d.end(r)
	for _, end := range ends {
		end()
	}
}

// driveResumeDigits has resourceVersions come to have a digit more, so that as texts they are smaller: by a bookmark, and by an
// event. It is the second change of each watch that comes just before.
func driveResumeDigits(d *driver) {
	r, ok := rig.Part[rig.Reviser](d.t, d.Server, rig.Revisions)
	if !ok {
		return
	}
	d.put("a", "1")
	r.Leap(rig.LeapToDigit(d.now()))
	d.marked("marked")
	for _, how := range []string{"close", "break"} {
		r.Leap(rig.LeapToDigit(d.now()))
		d.follow(how, ended(how))
	}
}

// driveResumeLarge has watches end at resourceVersions that are large: odd ones, and even ones.
func driveResumeLarge(d *driver) {
	d.large(func(name string) { d.follow(name, ended("close")) })
}

// elsewhere is how many objects of another namespace are made.
const elsewhere = 5

func driveExpiredStream(d *driver) {
	d.put("a", "1")
	for i, s := range []rig.Status{{Code: 410, Reason: "Expired"}, {Code: 410, Reason: "Gone"}, {Code: 410, Reason: rig.NoReason}} {
		for _, nth := range []int{1, 3} {
			name := fmt.Sprint("gone-", i, "-", nth)
			d.meet(name, endLimit, rig.Fault{Events: &rig.Events{Nth: nth, Do: "error", Status: &s}})
		}
	}
}

// meet has a watch meet faults that it cannot mend, for as long as it tries: in real time, until a limit.
func (d *driver) meet(name string, limit time.Duration, faults ...rig.Fault) {
	var ends []func()
	for _, f := range faults {
		f.Verbs = []string{"watch"}
		ends = append(ends, d.fault(f))
	}
	if r := d.watch(name, metav1.ListOptions{ResourceVersion: d.now()}); r != nil {
		d.changes(5)
		d.over(r, limit)
		d.end(r)
	}
	for _, end := range ends {
		end()
	}
}

// refusedLimit is how long, in real time, is waited for the end of a watch that is refused again and again: whoever asks
// once a second has asked more often by then than patience says. It is waited for four times in a drive.
const refusedLimit = 6 * time.Second

// refuse has each status come for ever: from the first watch on, and from the second, when the first has ended.
func (d *driver) refuse(all ...rig.Status) {
	d.put("a", "1")
	for i, s := range all {
		d.meet(fmt.Sprint("first-", i), refusedLimit, rig.Fault{Nth: 1, Times: always, Status: &s})
		d.meet(fmt.Sprint("second-", i), refusedLimit, ended("close"), rig.Fault{Nth: 2, Times: always, Status: &s})
	}
}

func driveExpiredStatus(d *driver) {
	d.refuse(rig.Status{Code: 410, Reason: "Expired"}, rig.Status{Code: 410, Reason: "Gone"})
}

func drivePermanent(d *driver) { d.refuse(rig.Status{Code: 401}, rig.Status{Code: 403}) }

// troubles are what a watch may meet on opening, and get over.
var troubles = []rig.Fault{
	{Status: &rig.Status{Code: 429, RetryAfter: 1}},
	{Status: &rig.Status{Code: 500}},
	{Status: &rig.Status{Code: 503, RetryAfter: 1}},
	{Status: &rig.Status{Code: 504}},
	{Answer: &rig.Answer{Code: 504, Body: tooLarge}},
	{Answer: &rig.Answer{Code: 502, Type: "text/html", Body: "<h1>Bad Gateway</h1>"}},
	{Reset: "headers"},
}

func driveResumeRefused(d *driver) {
	d.put("a", "1")
	for i, f := range troubles {
		f.Nth, f.Times = 1, triesInARow+1
		d.follow(fmt.Sprint("first-", i), f)
		f.Nth = 2
		d.follow(fmt.Sprint("second-", i), ended("close"), f)
	}
	d.follow("long", rig.Fault{Nth: 1, Times: longOutage, Status: &rig.Status{Code: 500}})
}

// longOutage is how often a server refuses that takes half a minute to come back.
const longOutage = 30

// passing are ERRORs that a watch may end with, and go on.
var passing = []rig.Status{{Code: 429, RetryAfter: 3}, {Code: 500}, {Code: 503}, {Code: 504, RetryAfter: 2}}

func driveResumeStream(d *driver) {
	d.put("a", "1")
	for i, s := range passing {
		d.follow(fmt.Sprint("error-", i), rig.Fault{Nth: 1, Times: 2, Events: &rig.Events{Nth: 3, Do: "error", Status: &s}})
	}
}

func driveResumeEarly(d *driver) {
	d.put("a", "1")
	for _, how := range []string{"close", "break"} {
		d.follow(how, rig.Fault{Nth: 1, Times: 8, Events: &rig.Events{After: &soon, Do: how}})
	}
}

// strangers are events that no client can go on from.
var strangers = []rig.Events{
	{Do: "replace", Frame: `{"type":"STRANGE","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"strange","resourceVersion":"7"}}}`},
	{Do: "replace", Frame: `{"object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"typeless","resourceVersion":"7"}}}`},
	{Do: "replace", Frame: `{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"versionless"}}}`},
}

func driveUnreadable(d *driver) {
	d.put("a", "1")
	for i, f := range strangers {
		f.Nth, f.Times = 2, 1
		d.meet(fmt.Sprint("strange-", i), endLimit, rig.Fault{Nth: 1, Events: &f})
	}
}
