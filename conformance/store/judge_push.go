package store

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness/history"
)

const (
	rulePush   = "undelta/push"
	ruleNoPush = "undelta/no-push"
)

// pushes judges what a store pushes. While changes come one after the other,
// each push belongs to the one before it; where they overlap pushes are counted,
// and show nothing that nobody has put there.
type pushes struct {
	verdicts
	h     *history.History
	items map[string]string // key to text
	some  bool              // something was pushed
	owed  int               // pushes that may come later than expected, in real time
}

func judgePush(h *history.History) pushVerdicts {
	p := &pushes{verdicts: verdicts{}, h: h, items: map[string]string{}}
	if !has(h, Undelta) {
		return pushVerdicts{p.verdicts}
	}
	var ops []*op
	each(h, func(o *op) {
		if o.changes() || o.Kind == evResync || o.Kind == evBookmark {
			ops = append(ops, o)
		}
	})
	for i, o := range ops {
		if o.Kind == evApplyAll && o.keyless() {
			p.of(rulePush).Undecided = fmt.Sprintf("how much of %s at #%d was done is open", o.Kind, o.Call)
			break
		}
		if o.Return == 0 || i+1 < len(ops) && ops[i+1].Call < o.Return {
			p.crowd(ops[i:])
			break
		}
		end := int32(len(h.Events) + 1)
		if i+1 < len(ops) {
			end = ops[i+1].Call
		}
		if got := p.between(o.Call, end); isChange(o) {
			p.apply(o)
			p.one(o, got)
		} else {
			p.none(o, got)
		}
	}
	return pushVerdicts{p.verdicts}
}

// isChange says that an op has changed something, or put there what was there.
func isChange(o *op) bool { return o.changes() && o.Err == nil && !o.keyless() }

// between is what was pushed between two events.
func (p *pushes) between(from, to int32) []*history.Event {
	var out []*history.Event
	for n := from + 1; n < to; n++ {
		if e := p.h.Event(n); e.Phase == history.Notice && e.Kind == evPush {
			out = append(out, e)
		}
	}
	return out
}

// crowd judges changes of which some overlap: there is one push for each, of
// what was there at one time or another.
func (p *pushes) crowd(ops []*op) {
	put, changes := map[string]bool{}, 0
	for _, t := range p.items {
		put[t] = true
	}
	for _, o := range ops {
		switch {
		case o.Return == 0 || o.Err != nil && !o.Err.Definite:
			p.of(rulePush).Undecided = fmt.Sprintf("nobody knows what became of %s at #%d", o.Kind, o.Call)
			return
		case isChange(o):
			changes++
			for _, c := range o.made() {
				put[text(c.Object)] = put[text(c.Object)] || c.Verb != Delete
			}
			for _, x := range o.Args.Objects {
				put[text(x)] = true
			}
		}
	}
	got := p.between(ops[0].Call, int32(len(p.h.Events)+1))
	for _, e := range got {
		keys := map[string]bool{}
		for _, x := range pushed(e) {
			if !put[text(x)] || keys[x.Key()] {
				p.fail(rulePush, "what was put there, once", text(x), ops[0].Call, e.Num)
			}
			keys[x.Key()] = true
		}
	}
	if len(got) != changes {
		p.fail(rulePush, fmt.Sprintf("%d pushes, one for each change", changes), fmt.Sprintf("%d pushes", len(got)), ops[0].Call, ops[len(ops)-1].Return)
		return
	}
	p.tested(rulePush)
}

func (p *pushes) apply(o *op) {
	if o.Kind == evReplace {
		p.items = map[string]string{}
		for _, x := range o.Args.Objects {
			p.items[x.Key()] = text(x)
		}
	}
	change(p.items, o)
}

// change makes the changes of single objects in a content of texts.
func change(items map[string]string, o *op) {
	for _, c := range o.made() {
		if c.Verb == Delete {
			delete(items, c.Object.Key())
		} else {
			items[c.Object.Key()] = text(c.Object)
		}
	}
}

// one push of the whole content is to follow a change.
func (p *pushes) one(o *op, got []*history.Event) {
	want := strings.Join(slices.Sorted(maps.Values(p.items)), ", ")
	switch {
	case len(got) == 0 && p.h.Header.Time != history.VirtualTime:
		p.owed++
		p.of(rulePush).Undecided = fmt.Sprintf("nothing was pushed after %s at #%d, and in real time it may come later", o.Kind, o.Call)
		return
	case len(got) != 1:
		p.fail(rulePush, "one push of ["+want+"]", fmt.Sprintf("%d pushes", len(got)), numbers(o, got)...)
		return
	}
	var have []string
	for _, x := range pushed(got[0]) {
		have = append(have, text(x))
	}
	slices.Sort(have)
	if g := strings.Join(have, ", "); g != want {
		p.fail(rulePush, "["+want+"]", "["+g+"]", o.Call, got[0].Num)
		return
	}
	p.some = true
	p.tested(rulePush)
}

func pushed(e *history.Event) []Object {
	if e.X == nil {
		return nil
	}
	return objectsOf(e.X.Items)
}

// none is to follow what changes nothing.
func (p *pushes) none(o *op, got []*history.Event) {
	if late := min(p.owed, len(got)); late > 0 {
		p.owed -= late
		return
	}
	if len(got) > 0 {
		p.fail(ruleNoPush, "no push: nothing has changed", fmt.Sprintf("%d pushes", len(got)), numbers(o, got)...)
		return
	}
	if !p.some { // of a store that never pushes this says nothing
		return
	}
	if o.changes() || o.Kind == evResync || o.Kind == evBookmark {
		p.tested(ruleNoPush)
	}
}

// numbers are those of a call, and of what was pushed after it or its return.
func numbers(o *op, got []*history.Event) []int32 {
	out := []int32{o.Call}
	for _, e := range got {
		out = append(out, e.Num)
	}
	if len(got) == 0 {
		out = append(out, o.Return)
	}
	return out
}
