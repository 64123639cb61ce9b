package store

import (
	"fmt"
	"maps"
	"slices"

	"github.com/lwtest/lwtest/harness/history"
)

const (
	rulePush   = "undelta/push"
	ruleNoPush = "undelta/no-push"
)

// pushes judges what a store pushes. While changes come one after the other,
// each push is of the first change that has none yet, however late it comes;
// from where they overlap on each change has one of the pushes for its own, see crowd.
type pushes struct {
	verdicts
	h     *history.History
	items map[string]string // key to text
	made  []*op             // changes, one after the other
	some  bool              // something was pushed
	each  bool              // of several changes at once each is pushed, and else one for all
	owed  []owed            // changes whose push is to come
	lost  *owed             // the first of which the content was not pushed before that of a later one
}

// owed is a push: the content that a change left.
type owed struct {
	of     *op
	n      int // of several changes at once it has the first so many
	want   string
	halves []string // what there was amid several changes at once: a late push of what came before may show it
}

// judgePush takes the store for one that pushes several changes at once as one, or each of them: what breaks a rule does
// so either way.
func judgePush(h *history.History) pushVerdicts {
	if !has(h, Undelta) || runOf(h).Open.Args.TTL > 0 { // whether what grows old is pushed without a change no clause says
		return pushVerdicts{verdicts{}}
	}
	one, batches := pushesOf(h, false), false
	each(h, func(o *op) { batches = batches || len(o.made()) > 1 })
	if !batches || one.right() {
		return pushVerdicts{one}
	}
	if each := pushesOf(h, true); each.right() || each.broken() < one.broken() {
		return pushVerdicts{each}
	}
	return pushVerdicts{one}
}

// right says that nothing is broken, and nothing open.
func (v verdicts) right() bool { return v.broken() == 0 && v.of(rulePush).Undecided == "" }

func (v verdicts) broken() int { return len(v.of(rulePush).Bad) + len(v.of(ruleNoPush).Bad) }

func pushesOf(h *history.History, each bool) verdicts {
	p := &pushes{verdicts: verdicts{}, h: h, items: map[string]string{}, each: each}
	p.judge()
	return p.verdicts
}

func (p *pushes) judge() {
	h := p.h
	var ops []*op
	each(h, func(o *op) {
		if o.changes() || o.Kind == evResync || o.Kind == evBookmark {
			ops = append(ops, o)
		}
	})
	for i, o := range ops {
		if o.Kind == evApplyAll && o.keyless() {
			p.of(rulePush).Undecided = fmt.Sprintf("how much of %s at #%d was done is open", o.Kind, o.Call)
			return
		}
		if o.Return == 0 || i+1 < len(ops) && ops[i+1].Call < o.Return {
			p.crowd(ops[i:])
			return
		}
		end := int32(len(h.Events) + 1)
		if i+1 < len(ops) {
			end = ops[i+1].Call
		}
		if got := p.between(o.Call, end); isChange(o) {
			before := maps.Clone(p.items)
			p.apply(o)
			p.one(o, before, got)
		} else {
			p.none(o, got)
		}
	}
	p.missing()
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

func (p *pushes) mayBeLate() bool { return p.h.Header.Time != history.VirtualTime }

func (p *pushes) apply(o *op) {
	p.made = append(p.made, o)
	change(p.items, o)
}

// change makes a change in a content of texts.
func change(items map[string]string, o *op) {
	if o.Kind == evReplace {
		clear(items)
		for _, x := range o.Args.Objects {
			items[x.Key()] = text(x)
		}
	}
	for _, c := range o.made() {
		put(items, c)
	}
}

func contentOf(items map[string]string) string { return joined(slices.Collect(maps.Values(items))) }

func put(items map[string]string, c Change) {
	if c.Verb == Delete {
		delete(items, c.Object.Key())
	} else {
		items[c.Object.Key()] = text(c.Object)
	}
}

// one push of the whole content is to follow a change.
func (p *pushes) one(o *op, before map[string]string, got []*history.Event) {
	if made := o.made(); p.each && len(made) > 1 {
		for i, c := range made {
			put(before, c)
			p.owe(o, i+1, before)
		}
	} else {
		p.owe(o, max(1, len(made)), p.items)
		p.owed[len(p.owed)-1].halves = halvesOf(made, before)
	}
	if more := p.take(got); len(more) > 0 {
		p.fail(rulePush, "one push of ["+contentOf(p.items)+"]", fmt.Sprintf("%d pushes", len(got)), numbers(o, got)...)
	}
}

// halvesOf is the content after each of several changes but the last.
func halvesOf(made []Change, items map[string]string) (out []string) {
	for i, c := range made {
		if put(items, c); i+1 < len(made) {
			out = append(out, contentOf(items))
		}
	}
	return out
}

func (p *pushes) owe(of *op, n int, items map[string]string) {
	p.owed = append(slices.Clip(p.owed), owed{of: of, n: n, want: contentOf(items)})
}

// take gives each push to the first change that has none yet, and gives back what is left when no change has none. A push
// that comes late may have the content of then.
func (p *pushes) take(got []*history.Event) []*history.Event {
	for len(got) > 0 && len(p.owed) > 0 {
		g := joined(texts(pushed(got[0])))
		i := slices.IndexFunc(p.owed, func(w owed) bool { return w.want == g })
		if i < 0 {
			if later := slices.IndexFunc(p.owed[1:], func(w owed) bool { return slices.Contains(w.halves, g) }); later >= 0 {
				i = 1 + later
			}
		}
		switch {
		case i < 0:
			p.fail(rulePush, "["+p.owed[0].want+"]", "["+g+"]", p.owed[0].of.Call, got[0].Num)
		case i > 0 && p.lost == nil:
			p.lost = &p.owed[0]
			fallthrough
		default:
			p.some = true
			p.tested(rulePush)
		}
		p.owed, got = p.owed[1:], got[1:]
	}
	return got
}

// missing is what has not come to the end. In virtual time the drive has waited for it.
func (p *pushes) missing() {
	if len(p.owed) == 0 {
		return
	}
	w := p.owed[0]
	if p.mayBeLate() {
		p.of(rulePush).Undecided = fmt.Sprintf("nothing was pushed after %s at #%d, and in real time it may come later", w.of.Kind, w.of.Call)
		return
	}
	if p.lost != nil {
		w = *p.lost
	}
	p.fail(rulePush, "one push of ["+w.want+"]", "0 pushes", numbers(w.of, nil)...)
}

func pushed(e *history.Event) []Object {
	if e.X == nil {
		return nil
	}
	return objectsOf(e.X.Items)
}

// none is to follow what changes nothing.
func (p *pushes) none(o *op, got []*history.Event) {
	late := len(got)
	if got = p.take(got); len(got) > 0 {
		p.fail(ruleNoPush, "no push: nothing has changed", fmt.Sprintf("%d pushes", len(got)), numbers(o, got)...)
		return
	}
	if late > 0 || !p.some { // of a store that never pushes this says nothing
		return
	}
	p.tested(ruleNoPush)
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
