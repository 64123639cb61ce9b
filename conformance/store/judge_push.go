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

// pushes judges what a store pushes: with one writer, and everything done
// before the next is asked, each push belongs to the call before it.
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
	r := runOf(h)
	for i := range r.Ops {
		o := &r.Ops[i]
		if o.changes() && o.Err == nil && !o.keyless() {
			p.apply(o)
			p.one(o, p.until(o))
		} else {
			p.none(o, p.until(o))
		}
	}
	return pushVerdicts{p.verdicts}
}

// until is what was pushed from a call to the next, or to the end.
func (p *pushes) until(o *op) []*history.Event {
	var out []*history.Event
	for n := int(o.Call) + 1; n <= len(p.h.Events); n++ {
		switch e := p.h.Event(int32(n)); {
		case e.Phase == history.Call:
			return out
		case e.Phase == history.Notice && e.Kind == evPush:
			out = append(out, e)
		}
	}
	return out
}

func (p *pushes) apply(o *op) {
	switch o.Kind {
	case evReplace:
		p.items = map[string]string{}
		for _, x := range o.Args.Objects {
			p.items[x.Key()] = text(x)
		}
	case string(Delete):
		delete(p.items, o.Obj.Key)
	default:
		p.items[o.Obj.Key] = text(o.object())
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
	for _, x := range objectsOf(got[0].X.Items) {
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
