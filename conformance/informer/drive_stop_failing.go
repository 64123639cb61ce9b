package informer

import (
	"fmt"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
)

// failings are what informers meet from their start on, each of them one: every list and streaming list, lists alone,
// further pages, or every watch that follows a list.
var failings = []rig.Fault{
	{Verbs: []string{"list", "watch"}, Status: &rig.Status{Code: 403}}, {Verbs: []string{"list", "watch"}, Status: &rig.Status{Code: 503}}, {Verbs: []string{"list", "watch"}, Status: &rig.Status{Code: 504}},
	{Verbs: []string{"list"}, Status: &gone}, {Verbs: []string{"list"}, Reset: "body"},
	{Verbs: []string{"list"}, Continued: ptr(true), Status: &gone}, {Verbs: []string{"list"}, Continued: ptr(true), Status: &rig.Status{Code: 429}}, {Verbs: []string{"list"}, Continued: ptr(true), Status: &rig.Status{Code: 503}},
	{Verbs: []string{"watch"}, Streaming: ptr(false), Status: &rig.Status{Code: 403}}, {Verbs: []string{"watch"}, Streaming: ptr(false), Status: &gone}, {Verbs: []string{"watch"}, Streaming: ptr(false), Status: &rig.Status{Code: 504}},
	{Verbs: []string{"watch"}, Streaming: ptr(false), Events: &rig.Events{After: ptr(rig.Duration(0)), Do: "break"}},
	{Verbs: []string{"watch"}, Streaming: ptr(false), Events: &rig.Events{After: ptr(rig.Duration(0)), Do: "error", Status: &gone}},
	{Verbs: []string{"watch"}, Streaming: ptr(false), Events: &rig.Events{After: ptr(rig.Duration(0)), Do: "error", Status: &rig.Status{Code: 500}}},
}

// driveStopFailing has two informers for each failing, one pair after the other.
func driveStopFailing(d *driver) {
	d.some(8)
	d.elsewhere(8)
	for i, f := range failings {
		first, second := d.pair(i+1, f.Continued != nil)
		if first == nil || second == nil {
			return
		}
		f.Name = fmt.Sprint("failing-", i)
		end := d.fault(f)
		lists := d.noStreams() // of those that this leaves
		d.stopAmid(first, second)
		lists()
		end()
	}
}

// pair are the nth informers of the two namespaces, with small pages where lists can have them.
func (d *driver) pair(n int, pages bool) (first, second *running) {
	here, there := d.config, d.another()
	if pages && d.t.Has(PageSize) {
		paged(&here)
		paged(&there)
	}
	if first = d.running; n > 1 { // there is one already
		first = d.open(turn(informerActor, n), here)
	}
	return first, d.open(turn(secondActor, n), there)
}

// untilAmid is in the midst of a pause where these begin with a second, and each is twice as long, up to half a minute.
// No pause ends with it.
const untilAmid = 40303 * time.Millisecond

// stopAmid has two informers run, of which the second starts later, and stops them: one might be just about to ask again.
func (d *driver) stopAmid(first, second *running) {
	const apart = 6500 * time.Millisecond
	first.start()
	d.t.Sleep(apart)
	second.start()
	d.t.Sleep(untilAmid - apart)
	first.halt()
	d.pause()
	second.halt()
	first.stopped()
	second.stopped()
}

// driveStopAway has two that start while connections are refused, and then one that has listed before.
func driveStopAway(d *driver) {
	up := func() {}
	d.stopPausing(false, func() { up = d.refuse() })
	up()
	last := d.open(turn(informerActor, 2), d.config)
	if last == nil {
		return
	}
	last.start()
	d.t.Sleep(5 * time.Second)
	d.refuse()
	d.t.Sleep(untilAmid)
	last.stop()
}

// driveStopResync stops one informer shortly after its handler was due to be told again, and another some time before.
func driveStopResync(d *driver) {
	d.some(1)
	d.elsewhere(1)
	second := d.open(secondActor, d.another())
	if second == nil || d.handle("h1", 0) == nil || second.handle("h2", 0) == nil {
		return
	}
	d.start()
	d.t.Sleep(3 * time.Second)
	second.start()
	d.t.Sleep(d.config.Resync + 500*time.Millisecond - 3*time.Second)
	d.halt()
	d.pause()
	second.halt()
	d.stopped()
	second.stopped()
}
