package informer

import (
	"fmt"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
)

// latency is what an answer takes at least that would else be repeated in no time.
const latency = rig.Duration(2 * time.Second)

func ptr[T any](v T) *T { return &v }

// paged makes the informer list in small pages.
func paged(c *Config) { c.PageSize = 3 }

// some puts that many objects.
func (d *driver) some(n int) {
	for i := range n {
		d.put(fmt.Sprintf("o%d", i), "1")
	}
}

// slow has lists, and each event of streaming lists, take a second.
func (d *driver) slow() (end func()) {
	second := rig.Duration(time.Second)
	one := d.fault(rig.Fault{Name: "slow-list", Verbs: []string{"list"}, Latency: second})
	two := d.fault(rig.Fault{Name: "slow-stream", Verbs: []string{"watch"}, Streaming: ptr(true), Events: &rig.Events{Do: "delay", Times: 6, For: second}})
	return func() {
		one()
		two()
	}
}

func driveSlowList(d *driver) {
	d.some(4)
	end := d.slow()
	d.look()
	d.start()
	d.poll(400*time.Millisecond, 16)
	end()
	d.settle()
	d.lives()
	d.pause()
	d.look()
	d.settle()
}

func driveEmptyList(d *driver) {
	d.look()
	d.start()
	d.settle()
	d.put("a", "1")
	d.settle()
}

// fails are what a first list may meet before one is answered.
var fails = []rig.Fault{
	{Status: &rig.Status{Code: 500}}, {Status: &rig.Status{Code: 429}}, {Status: &rig.Status{Code: 503}}, {Status: &gone}, {Status: &rig.Status{Code: 403}},
	{Status: &rig.Status{Code: 401}}, {Status: &rig.Status{Code: 404}}, {Status: &rig.Status{Code: 504}}, {Status: &tooLargeStatus},
	{Reset: "headers"}, {Reset: "body"}, {Answer: &statusAs200}, {Answer: &rig.Answer{Code: 200, Body: `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[`}},
}

func driveFailingList(d *driver) {
	d.some(4)
	var ends []func()
	for i, f := range fails {
		f.Name, f.Verbs, f.Nth = fmt.Sprint("list-", i), []string{"list"}, i+1
		ends = append(ends, d.fault(f))
	}
	ends = append(ends, d.fault(rig.Fault{Name: "streams", Verbs: []string{"watch"}, Streaming: ptr(true), Times: 3, Status: &rig.Status{Code: 500}}))
	d.start()
	d.poll(700*time.Millisecond, 20)
	d.t.Sleep(15 * time.Minute)
	for _, end := range ends {
		end()
	}
	d.settle()
}

func driveSlowPages(d *driver) {
	d.some(8)
	end := d.slow()
	d.start()
	d.poll(400*time.Millisecond, 30)
	end()
	d.settle()
}

// driveSyncedRelist asks all the time whether a handler has synced while a later list takes its time.
func driveSyncedRelist(d *driver) {
	d.some(3)
	d.handle("h1", 0)
	d.start()
	d.settle()
	end := d.slow()
	d.away(func() { d.change(1) })
	d.poll(400*time.Millisecond, 30)
	end()
	d.settle()
}

// driveHeldHandler holds a handler in the call for one of its first objects, each of them once.
func driveHeldHandler(d *driver) {
	d.some(3)
	var all []*handler
	for i := range 3 {
		h := d.handle(fmt.Sprint("h", i), 0)
		if h == nil {
			return
		}
		h.gate.hold(fmt.Sprintf("%s/o%d", d.home, i))
		all = append(all, h)
	}
	if h := d.handleHeld("h3", ""); h != nil { // two of the first objects are gone before it is told of them
		all = append(all, h)
	}
	d.look()
	d.start()
	d.calm()
	d.look()
	d.remove("o0")
	d.remove("o1")
	d.remove("o2")
	d.put("o3", "1") // what is to be seen of the end is not nothing
	d.calm()
	d.look()
	for _, h := range all {
		h.gate.release()
	}
	d.settle()
}

// driveHeldLate has handlers join: one while the first list is under way, the others when the store is filled, each held
// in the call for an object.
func driveHeldLate(d *driver) {
	d.some(3)
	end := func() {}
	if d.t.Has(rig.Faults) {
		end = d.slow()
	}
	d.start()
	d.t.Sleep(500 * time.Millisecond)
	d.handle("amid", 0)
	d.look()
	d.poll(400*time.Millisecond, 12)
	end()
	d.settle()
	for i := range 3 {
		h := d.handleHeld(fmt.Sprint("h", i), fmt.Sprintf("%s/o%d", d.home, i))
		if h == nil {
			return
		}
		d.pause()
		d.look()
		h.gate.release()
		d.settle()
	}
	if h := d.handleHeld("h3", ""); h != nil { // two of its first objects are gone before it is told of them
		d.pause()
		d.remove("o0")
		d.remove("o1")
		d.remove("o2")
		d.calm()
		d.look()
		h.gate.release()
		d.settle()
	}
	d.handle("finds-nothing", 0)
	d.settle()
}

func driveInitial(d *driver) {
	d.some(3)
	if d.handle("early", 0) == nil {
		return
	}
	d.start()
	d.pause()
	d.put("soon", "1")
	d.t.Sleep(100 * time.Millisecond)
	d.put("not-so-soon", "1")
	d.settle()
	d.put("later", "1")
	d.settle()
	if d.t.Has(ManyHandlers) {
		d.handle("late", 0)
	}
	d.put("after", "1")
	d.settle()
	d.away(func() { d.put("by-list", "1") })
	d.settle()
	d.atOnce(func() {
		for i := range 12 {
			d.put(fmt.Sprint("at-once-", i), "1")
		}
	})
	d.settle()
}

// away does something while no request of the informer's is answered, and then has the server not know any more what
// was before: it has to list again.
func (d *driver) away(f func()) {
	end := d.fault(rig.Fault{Verbs: []string{"list", "watch"}, Status: &rig.Status{Code: 503}})
	d.cut(true)
	f()
	d.forget()
	end()
}

// forget has the server not know any more what was before, where it can do that.
func (d *driver) forget() {
	if s, ok := d.server.(rig.Forgetter); ok && d.t.Has(rig.Forgets) {
		_ = s.Forget(d.t.Context()) // where it cannot now, either, what was is not gone
	}
}

func driveStreamRefused(d *driver) {
	d.some(2)
	for i, code := range refusals {
		end := d.fault(rig.Fault{Name: fmt.Sprint("refused-", code), Verbs: []string{"watch"}, Streaming: ptr(true), Status: &rig.Status{Code: int32(code)}})
		if i == 0 {
			d.start()
		} else {
			d.again410()
		}
		d.settle()
		end()
	}
}

// again410 makes the informer list again: it has missed something, and is told so.
func (d *driver) again410() {
	end := d.fault(rig.Fault{Verbs: []string{"watch"}, Streaming: ptr(false), Nth: 1, Status: &rig.Status{Code: 410}})
	d.cut(true)
	d.calm()
	end()
}

// driveStreamFault starts an informer whose streaming lists all meet a fault, and gives it hours, or as much real time as
// it takes to have met it four times.
func driveStreamFault(f rig.Fault, lasts time.Duration) func(*driver) {
	return func(d *driver) {
		d.some(3)
		d.streamsMeet(f)
		d.start()
		if d.t.Virtual() {
			lasts = 40 * time.Minute
		}
		d.t.Sleep(lasts)
		d.look()
	}
}

// Real time in which an informer that does not give up has asked four times for what takes two seconds each time.
const (
	metAtOnce    = 20 * time.Second // with pauses that grow from a second on
	metByRetries = 4 * time.Minute  // when its client asks ten times more by itself
	metByTimeout = time.Hour        // when it waits each time until its own timeout ends the stream, ten minutes at most
)

// streamsMeet has all streaming lists take a moment, and meet a fault.
func (d *driver) streamsMeet(f rig.Fault) (end func()) {
	f.Latency = 0
	f.Name, f.Verbs, f.Streaming = "stream", []string{"watch"}, ptr(true)
	slow := d.fault(rig.Fault{Name: "slow", Verbs: []string{"watch"}, Streaming: ptr(true), Latency: latency})
	fails := d.fault(f)
	return func() { slow(); fails() }
}

// driveStreamErrors has each of three informers meet ERRORs of one code, one after the other.
func driveStreamErrors(d *driver) {
	d.some(3)
	for i, code := range []int32{500, 504, 403} {
		if i > 0 {
			if d.running = d.open(turn(informerActor, i+1), d.config); d.running == nil {
				return
			}
		}
		ends := d.streamsMeet(rig.Fault{Events: &rig.Events{Nth: 1, Do: "error", Status: &rig.Status{Code: code}}})
		d.start()
		d.t.Sleep(40 * time.Minute)
		d.look()
		d.stop()
		ends()
	}
}

func driveStreamExpires(d *driver) {
	driveStreamFault(rig.Fault{Events: &rig.Events{Nth: 1, Do: "error", Status: &rig.Status{Code: 410}}}, metAtOnce)(d)
}
