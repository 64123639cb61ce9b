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
// each push is of the first change that has none yet, however late it comes;
// where they overlap pushes are counted, and show nothing that nobody has put there.
type pushes struct {
	verdicts
	h     *history.History
	items map[string]string // key to text
	some  bool              // something was pushed
	owed  []owed            // changes whose push is to come
	spare []spare           // pushes that may come besides
	lent  int               // how many came while others were owed: some may be those
	lost  *owed             // the first of which the content was not pushed before that of a later one
}

// owed is a push: the content that a change left.
type owed struct {
	of   *op
	want string
	all  []string
	each []string // of several changes at once: the content after each of them, of which there may be a push, too
}

// spare are pushes of several changes at once of which one has come, and for each there may be one.
type spare struct {
	left   int
	each   []string
	ofThen bool // the one that has come had the content of later
}

func judgePush(h *history.History) pushVerdicts {
	p := &pushes{verdicts: verdicts{}, h: h, items: map[string]string{}}
	if !has(h, Undelta) || runOf(h).Open.Args.TTL > 0 { // whether what grows old is pushed without a change no clause says
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
			return pushVerdicts{p.verdicts}
		}
		if o.Return == 0 || i+1 < len(ops) && ops[i+1].Call < o.Return {
			p.crowd(ops[i:])
			return pushVerdicts{p.verdicts}
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

func (p *pushes) mayBeLate() bool { return p.h.Header.Time != history.VirtualTime }

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
		put(items, c)
	}
}

func put(items map[string]string, c Change) {
	if c.Verb == Delete {
		delete(items, c.Object.Key())
	} else {
		items[c.Object.Key()] = text(c.Object)
	}
}

// one push of the whole content is to follow a change. Of several changes at once there may be one for each, too.
func (p *pushes) one(o *op, before map[string]string, got []*history.Event) {
	all := slices.Sorted(maps.Values(p.items))
	w := owed{of: o, want: strings.Join(all, ", "), all: all}
	if made := o.made(); len(made) > 1 {
		w.each = eachOf(made, before)
	}
	p.owed = append(slices.Clip(p.owed), w)
	if more := p.take(got); len(more) > 0 {
		p.fail(rulePush, "one push of ["+w.want+"]", fmt.Sprintf("%d pushes", len(got)), numbers(o, got)...)
	}
}

// eachOf is the content after each of several changes.
func eachOf(made []Change, items map[string]string) (out []string) {
	for _, c := range made {
		put(items, c)
		out = append(out, strings.Join(slices.Sorted(maps.Values(items)), ", "))
	}
	return out
}

// take gives each push to the first change that has none yet, and gives back what is left when no change has none. A push
// that comes late may have the content of then.
func (p *pushes) take(got []*history.Event) []*history.Event {
	for ; len(got) > 0; got = got[1:] {
		var have []string
		for _, x := range pushed(got[0]) {
			have = append(have, text(x))
		}
		slices.Sort(have)
		g := strings.Join(have, ", ")
		i := slices.IndexFunc(p.owed, func(w owed) bool { return w.want == g || slices.Contains(w.each, g) })
		if i != 0 && p.spares(g, i < 0) {
			continue
		}
		switch {
		case len(p.owed) == 0:
			return got
		case i < 0:
			p.fail(rulePush, "["+p.owed[0].want+"]", "["+g+"]", p.owed[0].of.Call, got[0].Num)
		case i > 0 && p.lost == nil:
			p.lost = &p.owed[0]
			fallthrough
		default:
			p.some = true
			p.tested(rulePush)
		}
		p.given(g)
	}
	return nil
}

// given takes the first change off the list of those that have no push. What may come besides of earlier ones comes
// before a push that is none of it.
func (p *pushes) given(g string) {
	w := p.owed[0]
	p.owed = p.owed[1:]
	if g == w.want && !slices.ContainsFunc(p.spare, func(s spare) bool { return slices.Contains(s.each, g) }) {
		p.spare = slices.DeleteFunc(p.spare, func(s spare) bool { return !s.ofThen })
	}
	if len(w.each) > 1 {
		p.spare = append(p.spare, spare{len(w.each) - 1, w.each, !slices.Contains(w.each, g)})
	}
}

// spares says that a push is one that may come besides. Late, it may have the content of then.
func (p *pushes) spares(g string, ofThen bool) bool {
	now := strings.Join(slices.Sorted(maps.Values(p.items)), ", ")
	i := slices.IndexFunc(p.spare, func(s spare) bool { return s.left > 0 && (ofThen && g == now || slices.Contains(s.each, g)) })
	if i < 0 {
		return false
	}
	if p.spare[i].left--; len(p.owed) > 0 {
		p.lent++
	}
	return true
}

// missing is what has not come to the end. In virtual time the drive has waited for it.
func (p *pushes) missing() {
	if len(p.owed) <= p.lent {
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
