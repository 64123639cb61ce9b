package controller

import (
	"net/http"
	"slices"
	"time"

	"github.com/lwtest/lwtest/harness"
)

// disturbance is what goes wrong at one write.
type disturbance struct {
	text   string
	write  int
	step   int // of the scenario, which is not seen; 0: none
	kill   bool
	after  bool
	behind int  // writes that the next life's API server does not show
	before bool // nor what a user wrote last

	lose      bool
	code      int       // of a refusal
	of        string    // the object whose writes are refused
	till      time.Time // until then
	refused   int
	cut       bool
	late      bool
	how       string
	resource  string
	overlap   bool
	interfere bool
	last      time.Duration
	done      bool
}

// arm lets a disturbance wait for its write. One that waits already is not armed again.
func (r *run) arm(d *disturbance) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.ContainsFunc(r.armed, func(o *disturbance) bool { return o.text == d.text }) {
		return
	}
	r.armed = append(r.armed, d)
	if d.how == "hang" || d.how == "deaf" || d.overlap || d.step > 0 {
		r.slowest = max(r.slowest, d.last)
	}
	if d.behind > 0 || d.before {
		r.slowest = max(r.slowest, r.tempo.behind-r.tempo.quiet) // in virtual time quiet is longer
	}
}

// late delays the events of a resource from now on; "": of all resources.
func (r *run) late(text, resource string, by time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lates[resource] = by
	r.slowest = max(r.slowest, by)
	d := &disturbance{text: text, late: true, resource: resource}
	r.armed = append(r.armed, d)
	for s := range r.streams { // the controller watches already
		if resource == "" || resource == s.resource {
			d.done = true
			s.delay(by)
		}
	}
}

// came returns the disturbances that came about.
func (r *run) came() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(r.disturbed), func(text string) bool {
		return slices.ContainsFunc(r.armed, func(d *disturbance) bool { return d.text == text && !d.done })
	})
}

// behind reports whether the next life begins on an API server that stands still, and lets it go on after a minute.
func (r *run) behind() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.frozenFor()
	if f != nil {
		r.t.Go(func() {
			r.t.Sleep(r.tempo.behind + r.tempo.pause)
			f.Thaw()
		})
	}
	return f != nil
}

// frozenFor returns the API server that stands still for the life after a kill, once; nil: none does. The lock is held.
func (r *run) frozenFor() (f Freezer) {
	for _, d := range r.armed {
		if d.done && (d.behind > 0 || d.before) {
			f, _ = r.c.(Freezer)
			d.behind, d.before = 0, false
		}
	}
	return f
}

// hide lets the API server of the next life not show what a user writes now, if a disturbance wants that.
func (r *run) hide() {
	f, ok := r.c.(Freezer)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, d := range r.armed {
		if ok && d.before && !d.done && !r.onFrozen() {
			f.Thaw()
			f.Freeze()
		}
	}
}

// onFrozen reports whether a life uses the API server that can stand still: it would never see what happens. The lock is held.
func (r *run) onFrozen() bool {
	return r.life != nil && r.life.behind || r.next != nil && r.next.behind
}

// mostRefused ends a refusal, so that a controller which tries again without a pause comes to an end.
const mostRefused = 100

// decides reports whether a disturbance decides what becomes of a write and of those who wait for it.
func (d *disturbance) decides() bool { return d.kill || d.lose || d.code > 0 || d.cut }

// due counts a write, and returns what is to happen at it. If several disturbances would decide what becomes of it, the first does, and the
// others do not come about. Nor does a third life beside two.
func (r *run) due(method string, x target) (n int, all []*disturbance) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writes++
	for _, d := range r.armed {
		if f, ok := r.c.(Freezer); ok && d.kill && d.behind > 0 && !d.done && !r.onFrozen() && r.writes == max(1, d.write-d.behind+1) {
			f.Freeze() // it shows nothing of this write, and of those that follow
		}
		again := d.code > 0 && d.of == x.key() && time.Now().Before(d.till) && d.refused < mostRefused
		if d.write != r.writes && !again || d.done && !again || d.write == 0 {
			continue
		}
		if d.decides() && slices.ContainsFunc(all, (*disturbance).decides) || d.overlap && r.overlapping {
			continue
		}
		r.overlapping = r.overlapping || d.overlap
		if d.interfere && x.name == "" || d.code == http.StatusConflict && method == http.MethodDelete {
			continue // nothing is there to change; and no API server refuses so a delete that names no resourceVersion
		}
		if !d.done {
			d.done, d.of, d.till = true, x.key(), time.Now().Add(d.last)
		}
		d.refused++
		all = append(all, d)
	}
	return r.writes, all
}

// overlap starts a second life, and kills the first after a while.
func (r *run) overlap(first *life, d time.Duration) {
	r.t.Go(func() {
		second := r.start(Start{})
		r.mu.Lock()
		r.next, r.overlapping = second, second != nil
		r.mu.Unlock()
		if second == nil {
			return
		}
		r.t.Sleep(d)
		r.kill(first)
	})
}

// blind lets nobody watch for a while if a step of the scenario is not to be seen, and reports whether that is so.
func (r *run) blind(step int) bool {
	r.mu.Lock()
	i := slices.IndexFunc(r.armed, func(d *disturbance) bool { return d.step == step && !d.done })
	if i < 0 {
		r.mu.Unlock()
		return false
	}
	d := r.armed[i]
	d.done = true
	r.mu.Unlock()
	r.t.Seen(r.actor(userActor), evDisturb, 0, harness.Answer{Body: d.text})
	r.cut(&disturbance{how: "deaf", last: d.last})
	return true
}

// cut does to watches what a disturbance says.
func (r *run) cut(d *disturbance) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for s := range r.streams {
		if d.resource != "" && d.resource != s.resource {
			continue
		}
		if d.how == "expire" || d.how == "deaf" {
			r.gone[s.resource] = true
		}
		if d.how == "deaf" {
			r.deaf[s.resource] = time.Now().Add(d.last)
		}
		if d.how == "hang" {
			s.hang(d.last)
		} else {
			s.cancel()
		}
	}
}
