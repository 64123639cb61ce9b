package informer

import (
	"fmt"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
)

// midway has a list fail when a part of it has come, and what is asked for after it take its time; meanwhile what that
// part had is deleted, changed and made anew. part is what strikes it. lists makes the informer list, and arms the fault
// before it does. A part that waits for long is one of which the server knows nothing more, then. It comes later where the
// informer asks first for a list that nobody has any more: deletions are in the midst of that, too.
func (d *driver) midway(name string, part rig.Fault, lists func(arm func())) {
	slowly := rig.Duration(10 * time.Second)
	again := rig.Fault{Name: name + "-again", Verbs: part.Verbs, Streaming: part.Streaming, // another attempt of the same sort
		Latency: slowly, Nth: 2, Times: 1000}
	part.Name = name
	all := []rig.Fault{part, again}
	if part.Streaming != nil {
		all = append(all, rig.Fault{Name: name + "-list", Verbs: []string{"list"}, Latency: slowly})
	} else {
		all[1].Continued = ptr(false)
	}
	var ends []func()
	lists(func() {
		for _, f := range all {
			ends = append(ends, d.fault(f))
		}
	})
	d.poll(400*time.Millisecond, 20)
	d.remove("o0")
	d.put("o1", "midway "+name)
	d.remove("o2")
	d.put("o2", "midway "+name)
	if part.Latency != 0 {
		d.forget()
	}
	d.poll(400*time.Millisecond, 20)
	d.remove("o1")
	if d.doomed != "" {
		d.remove(d.doomed)
		d.doomed = ""
	}
	d.t.Sleep(time.Minute)
	for _, end := range ends {
		end()
	}
}

// starts and relists are how an informer comes to list: for the first time, and because it has missed the ith change.
func (d *driver) starts(arm func()) {
	arm()
	d.start()
}

func (d *driver) relists(i int) func(arm func()) {
	return func(arm func()) {
		d.away(func() {
			d.change(i)
			arm()
		})
	}
}

// partly are ways in which a streaming list ends after two of its events.
var partly = []rig.Events{
	{Do: "error", Status: &rig.Status{Code: 429}}, {Do: "error", Status: &gone}, {Do: "close"}, {Do: "error", Status: &rig.Status{Code: 500}},
}

// driveStreamsMidway lets streaming lists fail when a part has come, which is not true any more at the next attempt.
func driveStreamsMidway(d *driver) {
	d.some(3)
	for i, e := range partly {
		e.Nth = 3
		lists := d.starts
		if i > 0 {
			lists = d.relists(i)
		}
		d.midway(fmt.Sprint("midway-", i), rig.Fault{Verbs: []string{"watch"}, Streaming: ptr(true), Times: 1, Events: &e}, lists)
		d.settle()
		d.away(func() { d.put("o1", fmt.Sprint("whole ", i)) }) // the next attempt of those that have fallen back to a list
		d.settle()
	}
}
