package informer

import (
	"fmt"
	"maps"
	"slices"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeEqual compares the store with what was written, whenever nothing moves.
var judgeEqual = perInformer(func(v *observed, j *harness.Judgement) {
	for _, q := range v.quiet {
		if q.store != nil {
			j.Tested++
			v.equal(j, q)
		}
	}
})

func (v *observed) equal(j *harness.Judgement, q quietMoment) {
	fail := func(want, got string, nums ...int32) {
		if v.distrusts(q.num) {
			got, nums = got+"; "+rig.Distrusted, append(nums, v.w.untrusted)
		}
		j.Fail(want, got, nums...)
	}
	extra := map[string]*history.Ref{}
	for i := range q.store.items {
		extra[q.store.items[i].Key] = &q.store.items[i]
	}
	for _, t := range v.objects() {
		w, o := t.at(q.num), extra[t.key]
		delete(extra, t.key)
		switch {
		case v.w.pending(t.key, q.num): // it may have happened
		case !w.exists() && o == nil:
		case !w.exists():
			fail(fmt.Sprintf("no %s in the store: %s", t.key, w), stateOf(o).String(), w.done, q.store.done.Num)
		case o == nil:
			fail(w.String(), notInStore, w.done, q.store.done.Num)
		case !v.same(w, stateOf(o)):
			fail(w.String()+" "+w.state.Body, stateOf(o).String()+" "+o.Body, w.done, q.store.done.Num)
		}
	}
	for _, o := range q.store.items {
		if extra[o.Key] != nil {
			fail("only objects that the server has", stateOf(&o).String(), q.store.done.Num)
		}
	}
}

// distrusts reports whether nothing came to the server up to an event because a client did not trust its certificate.
func (v *observed) distrusts(until int32) bool {
	from := v.w.untrusted
	return from != 0 && from < until && !slices.ContainsFunc(v.exchanges, func(x *rig.Exchange) bool { return x.Call.Num > from && x.Call.Num < until })
}

// judgeTimeTravel follows what the store, and each handler, shows of each object: it never goes back.
var judgeTimeTravel = perInformer(func(v *observed, j *harness.Judgement) {
	v.followStore(j)
	for _, l := range v.handlers {
		l.follow(j)
	}
})

func (v *observed) followStore(j *harness.Judgement) {
	f := follower{v: v, j: j, at: map[string]position{}}
	last := int32(0)
	for _, l := range v.readings.of(listKind) {
		if !v.w.trusted(l.call.Num) || l.call.Num < last {
			continue // a concurrent reading may be the older one
		}
		last = l.done.Num
		f.readAll(l)
		for _, q := range v.quiet {
			if q.store == l {
				f.catchUp(q)
			}
		}
	}
	if len(j.Bad) > 0 {
		return
	}
	for _, b := range v.boundedReadings() {
		if b.kind != indexKind && !v.comparedAtRest(b.reading) {
			b.judge(v, j)
		}
	}
}

// follow follows what a handler is called for, and what the store had then.
func (l *listener) follow(j *harness.Judgement) {
	notified := follower{v: l.v, j: j, at: map[string]position{}}
	store := follower{v: l.v, j: j, at: map[string]position{}}
	for _, n := range l.trustedNotices() {
		if n.Held != nil {
			store.shows(*n.Held, n.call.Num)
		}
		if n.kind == Deleted {
			notified.gone(n.state.Key, n.call.Num)
		} else {
			notified.shows(n.state, n.call.Num)
		}
	}
}

// position is how far in an object's timeline an observer is.
type position struct {
	write  int   // index in the timeline
	num    int32 // the event that shows it
	exists bool
}

// follower follows one view of all objects, such as the store.
type follower struct {
	v  *observed
	j  *harness.Judgement
	at map[string]position // by key
}

// readAll takes a reading of all objects.
func (f *follower) readAll(l *reading) {
	for i := range l.items {
		f.shows(stateOf(&l.items[i]), l.done.Num)
	}
	for _, key := range slices.Sorted(maps.Keys(f.at)) {
		if l.item(key) == nil {
			f.gone(key, l.done.Num)
		}
	}
}

// shows takes an object that is in a state.
func (f *follower) shows(s state, num int32) {
	t := f.v.timelines[s.Key]
	first, last := t.span(s)
	p := f.at[s.Key]
	f.j.Tested++
	switch {
	case first < 0 && f.v.w.unanswered(s.Key, num):
		return
	case first < 0:
		f.j.Fail("a state that the object had", s.String(), num)
		return
	case !f.v.same(t.writes[first], s):
		f.j.Fail("a state that the object had: "+t.writes[first].state.Body, s.String()+" "+s.Body, num)
	case last < p.write:
		f.j.Fail(fmt.Sprintf("%s or newer", t.writes[p.write]), s.String(), p.num, num)
	}
	if first > p.write || !p.exists {
		f.at[s.Key] = position{max(first, p.write), num, true}
	}
}

// gone takes that an object is missing: it was deleted since it was last shown, or was not there before.
func (f *follower) gone(key string, num int32) {
	p := f.at[key]
	if !p.exists {
		return
	}
	f.j.Tested++
	t := f.v.timelines[key]
	next := t.deletedAfter(p.write, num)
	if next < 0 {
		f.j.Fail(fmt.Sprintf("%s or newer: it was not deleted", t.writes[p.write]), key+" gone", p.num, num)
		next = p.write
	}
	f.at[key] = position{next, num, false}
}

// catchUp takes that every object is as it was last written, if the store agrees that it exists.
func (f *follower) catchUp(q quietMoment) {
	for _, t := range f.v.objects() {
		w := t.at(q.num)
		if w != nil && (q.store.item(t.key) != nil) == w.exists() {
			f.at[t.key] = position{slices.Index(t.writes, w), q.store.done.Num, w.exists()}
		}
	}
}
