package store

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness/history"
)

// crowd judges changes of which some overlap: there is one push for each, of
// what was there at one time or another, and has the change that it is of.
func (p *pushes) crowd(ops []*op) {
	c := crowd{each: p.each, writes: map[string][]written{}, put: map[string]bool{}}
	for _, w := range p.owed {
		for _, t := range w.all {
			c.put[t] = true
		}
	}
	for key, t := range p.items {
		c.write(key, t, nil)
	}
	for _, o := range ops {
		switch {
		case o.Return == 0 || o.Err != nil && !o.Err.Definite:
			p.of(rulePush).Undecided = fmt.Sprintf("nobody knows what became of %s at #%d", o.Kind, o.Call)
			return
		case isChange(o):
			c.ops, c.want = append(c.ops, o), c.want+pushesFor(o, p.each)
		}
	}
	c.changes()
	c.got = p.between(ops[0].Call, int32(len(p.h.Events)+1))
	c.late = len(p.owed) > 0 || !c.atOnce()
	for _, e := range c.got {
		p.oneOf(&c, ops[0].Call, e)
	}
	switch want := len(p.owed) + c.want; {
	case len(c.got) < want && p.mayBeLate():
		p.of(rulePush).Undecided = fmt.Sprintf("%d pushes of %d changes, and in real time more may come later", len(c.got), want)
	case len(c.got) != want:
		p.fail(rulePush, fmt.Sprintf("%d pushes, one for each change", want), fmt.Sprintf("%d pushes", len(c.got)), ops[0].Call, ops[len(ops)-1].Return)
	default:
		p.tested(rulePush)
	}
}

// oneOf looks at one push among them.
func (p *pushes) oneOf(c *crowd, from int32, e *history.Event) {
	shown := map[string]string{}
	for _, x := range pushed(e) {
		if _, twice := shown[x.Key()]; twice || !c.put[text(x)] {
			p.fail(rulePush, "what was put there, once", text(x), from, e.Num)
			return
		}
		shown[x.Key()] = text(x)
	}
	all := strings.Join(slices.Sorted(maps.Values(shown)), ", ")
	before := slices.ContainsFunc(p.owed, func(w owed) bool { return w.want == all })
	if key := c.lacks(shown); key != "" && !before {
		p.fail(rulePush, "with "+key+", which is there all the time", "["+all+"]", from, e.Num)
		return
	}
	if of := c.under(e); !c.late && len(of) > 0 && !slices.ContainsFunc(of, func(o *op) bool { return c.has(shown, o, e) }) {
		p.fail(rulePush, "what was there when one of the changes under way was made", "["+all+"]", of[0].Call, e.Num)
	}
}

// lacks is a key that was there all the time, and is not shown.
func (c *crowd) lacks(shown map[string]string) string {
	for _, key := range slices.Sorted(maps.Keys(c.writes)) {
		_, there := shown[key]
		if !there && !slices.ContainsFunc(c.writes[key], func(w written) bool { return w.text == absent }) {
			return key
		}
	}
	return ""
}

// crowd are changes of which some overlap.
type crowd struct {
	ops    []*op // the changes
	want   int   // pushes of them
	each   bool  // of several changes at once each has one
	writes map[string][]written
	put    map[string]bool // texts
	got    []*history.Event
	late   bool // pushes come after their calls: nobody knows which is whose
}

// written is what a change made of a key.
type written struct {
	text string // absent
	by   *op    // nil: it was there
}

func (w written) call() int32 {
	if w.by == nil {
		return -1
	}
	return w.by.Call
}

func (w written) done() int32 {
	if w.by == nil {
		return -1
	}
	return w.by.Return
}

// write notes what a change made of a key.
func (c *crowd) write(key, text string, by *op) {
	c.writes[key] = append(c.writes[key], written{text, by})
	c.put[text] = true
}

// changes are written to each key, of which one that was not there was absent.
func (c *crowd) changes() {
	keys := map[string]bool{}
	for key := range c.writes {
		keys[key] = true
	}
	for _, o := range c.ops {
		for _, x := range o.made() {
			keys[x.Object.Key()] = true
		}
		for _, x := range o.Args.Objects {
			keys[x.Key()] = true
		}
	}
	for key := range keys {
		if len(c.writes[key]) == 0 {
			c.write(key, absent, nil)
		}
		for _, o := range c.ops {
			for _, t := range leaves(o, key) {
				c.write(key, t, o)
			}
		}
	}
}

// leaves is what a change makes of a key, one after the other; nothing: it has nothing to do with it.
func leaves(o *op, key string) (out []string) {
	if o.Kind == evReplace {
		if x := lasts(o.Args.Objects)[key]; x != nil {
			return []string{text(*x)}
		}
		return []string{absent}
	}
	for _, x := range o.made() {
		switch {
		case x.Object.Key() != key:
		case x.Verb == Delete:
			out = append(out, absent)
		default:
			out = append(out, text(x.Object))
		}
	}
	return out
}

// atOnce says that no change has returned before there was a push for it; of several changes at once, for each.
func (c *crowd) atOnce() bool {
	for _, o := range c.ops {
		pushes, returned := 0, 0
		for _, e := range c.got {
			if e.Num < o.Return {
				pushes++
			}
		}
		for _, other := range c.ops {
			if other.Return <= o.Return {
				returned += pushesFor(other, c.each)
			}
		}
		if pushes < returned {
			return false
		}
	}
	return true
}

// under are the changes under way.
func (c *crowd) under(e *history.Event) (out []*op) {
	for _, o := range c.ops {
		if o.Call < e.Num && e.Num < o.Return {
			out = append(out, o)
		}
	}
	return out
}

// has says that what is shown may have been there when, or after, a change was made: of several of which each is pushed the first.
func (c *crowd) has(shown map[string]string, o *op, e *history.Event) bool {
	made := o.made()
	for key, all := range c.writes {
		t, there := shown[key]
		if !there {
			t = absent
		}
		own := len(leaves(o, key)) > 0 && (!c.each || len(made) < 2 || made[0].Object.Key() == key)
		if !slices.ContainsFunc(all, func(w written) bool {
			return w.text == t && w.call() < e.Num && !c.over(key, w, o.Call) && (!own || w.by == o || w.done() > o.Call)
		}) {
			return false
		}
	}
	return true
}

// over says that a write was written over for certain before an event.
func (c *crowd) over(key string, w written, at int32) bool {
	return slices.ContainsFunc(c.writes[key], func(x written) bool { return x.call() > w.done() && x.done() < at })
}
