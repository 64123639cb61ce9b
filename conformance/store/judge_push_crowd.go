package store

import (
	"fmt"
	"math"
	"slices"

	"github.com/lwtest/lwtest/harness/history"
)

// crowd are changes of which some overlap, and what comes after them. Each has
// a push of its own, however late and in any order, of what was there when it
// was made or later. What nobody can put in order may be either way.
type crowd struct {
	owed   []owed               // the changes that have no push yet
	from   int32                // the first of their calls
	writes map[string][]written // by key, since the beginning
	put    map[string]bool      // texts
	keys   []string
	got    []*history.Event // pushes
	shows  [][][]written    // by push and key
	fits   [][]bool         // by what is owed and by push: the one may be of the other
}

func (p *pushes) crowd(ops []*op) {
	made, due := p.made, p.owed
	for _, o := range ops {
		switch {
		case o.Return == 0 || o.Err != nil && !o.Err.Definite || o.Kind == evApplyAll && o.keyless():
			p.of(rulePush).Undecided = fmt.Sprintf("nobody knows what became of %s at #%d", o.Kind, o.Call)
			return
		case isChange(o):
			made, due = append(made, o), append(due, owes(o, p.each)...)
		}
	}
	c := crowd{owed: due, from: ops[0].Call, writes: map[string][]written{}, put: map[string]bool{}}
	if len(p.owed) > 0 {
		c.from = p.owed[0].of.Call
	}
	c.write(made)
	c.look(p.between(ops[0].Call, int32(len(p.h.Events)+1)))
	right := true
	for n := range c.got {
		right = p.oneOf(&c, n) && right
	}
	switch want := len(c.owed); {
	case len(c.got) < want && p.mayBeLate():
		p.of(rulePush).Undecided = fmt.Sprintf("%d pushes of %d changes, and in real time more may come later", len(c.got), want)
	case len(c.got) != want:
		p.fail(rulePush, fmt.Sprintf("%d pushes, one for each change", want), fmt.Sprintf("%d pushes", len(c.got)), ops[0].Call, ops[len(ops)-1].Return)
	case right:
		p.forEach(&c)
	}
}

// owes are the pushes that a change is to have: where of several at once each has one, they are of the first, of the first two and so on.
func owes(o *op, each bool) (out []owed) {
	all := max(1, len(o.made()))
	for n := 1; each && n < all; n++ {
		out = append(out, owed{of: o, n: n})
	}
	return append(out, owed{of: o, n: all})
}

// oneOf looks at one push among them.
func (p *pushes) oneOf(c *crowd, n int) bool {
	e, shown := c.got[n], map[string]string{}
	for _, x := range pushed(e) {
		if shown[x.Key()] != "" || !c.put[text(x)] {
			p.fail(rulePush, "what was put there, once", text(x), c.from, e.Num)
			return false
		}
		shown[x.Key()] = text(x)
	}
	all := "[" + contentOf(shown) + "]"
	if !slices.ContainsFunc(c.fits, func(fits []bool) bool { return fits[n] }) {
		p.fail(rulePush, "what was there when one of the changes was made, or after it", all, c.from, e.Num)
		return false
	}
	if o := c.half(n); o != nil && !p.ofMoments() {
		p.fail(rulePush, fmt.Sprintf("all of %s at #%d, or nothing", o.Kind, o.Call), all, o.Call, e.Num)
		return false
	}
	return true
}

// ofMoments says that a content need not be of one moment: a store that forgets looks at each entry's age.
func (p *pushes) ofMoments() bool { return has(p.h, Expiring) }

// forEach looks for a push of each change.
func (p *pushes) forEach(c *crowd) {
	got, none := "none", slices.IndexFunc(c.fits, func(fits []bool) bool { return !slices.Contains(fits, true) })
	if none < 0 {
		c.inOrder()
		none, got = c.without(), "none but those of other changes"
	}
	if none < 0 {
		p.tested(rulePush)
		return
	}
	o := c.owed[none].of
	p.fail(rulePush, fmt.Sprintf("a push that has %s at #%d", o.Kind, o.Call), got, o.Call, o.Return)
}

// written is what a change made of a key.
type written struct {
	text string // absent
	by   *op    // nil: nobody, it was so in the beginning
	n    int    // of several changes at once it is this one's, from 1
	over int32  // when it has been written over for certain
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

// write notes what changes made of each key, of which each was absent in the beginning.
func (c *crowd) write(made []*op) {
	for _, o := range made {
		for _, x := range o.Args.Objects {
			c.writes[x.Key()] = []written{{text: absent}}
		}
		for _, x := range o.made() {
			c.writes[x.Object.Key()] = []written{{text: absent}}
		}
	}
	for key := range c.writes {
		for _, o := range made {
			c.writes[key] = append(c.writes[key], leaves(o, key)...)
		}
		overs(c.writes[key])
		for _, w := range c.writes[key] {
			c.put[w.text] = true
		}
	}
}

// leaves is what a change makes of a key, one after the other; nothing: it has nothing to do with it.
func leaves(o *op, key string) (out []written) {
	if o.Kind == evReplace {
		if x := lasts(o.Args.Objects)[key]; x != nil {
			return []written{{text: text(*x), by: o, n: 1}}
		}
		return []written{{text: absent, by: o, n: 1}}
	}
	for i, x := range o.made() {
		if x.Object.Key() == key {
			out = append(out, written{text: textAfter(x), by: o, n: i + 1})
		}
	}
	return out
}

func textAfter(c Change) string {
	if c.Verb == Delete {
		return absent
	}
	return text(c.Object)
}

// overs says of what was made of a key when it was written over for certain.
func overs(all []written) {
	for i := range all {
		w := &all[i]
		w.over = math.MaxInt32
		for _, x := range all {
			if x.call() > w.done() || x.by == w.by && x.n > w.n {
				w.over = min(w.over, x.done())
			}
		}
	}
}
