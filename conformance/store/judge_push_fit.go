package store

import (
	"maps"
	"slices"

	"github.com/lwtest/lwtest/harness/history"
)

// look notes what the pushes may show, and of which changes each may be.
func (c *crowd) look(got []*history.Event) {
	c.got, c.keys = got, slices.Sorted(maps.Keys(c.writes))
	for _, e := range got {
		shown := map[string]string{}
		for _, x := range pushed(e) {
			shown[x.Key()] = text(x)
		}
		c.shows = append(c.shows, c.mayShow(shown, e.Num))
	}
	for _, w := range c.owed {
		own, fits := c.own(w), make([]bool, len(got))
		for n, e := range got {
			fits[n] = w.of.Call < e.Num && c.has(w, own, n)
		}
		c.fits = append(c.fits, fits)
	}
}

// mayShow are, by key, the writes that have left what is shown.
func (c *crowd) mayShow(shown map[string]string, at int32) (out [][]written) {
	for _, key := range c.keys {
		t, there := shown[key]
		if !there {
			t = absent
		}
		var may []written
		for _, w := range c.writes[key] {
			if w.text == t && w.call() < at {
				may = append(may, w)
			}
		}
		out = append(out, may)
	}
	return out
}

// own is, by key, the last change of it that a push is to have; 0: none.
func (c *crowd) own(w owed) (out []int) {
	for _, key := range c.keys {
		last := 0
		for _, x := range c.writes[key] {
			if x.by == w.of && x.n <= w.n {
				last = x.n
			}
		}
		out = append(out, last)
	}
	return out
}

// has says that each key is in a push as it may have been when a change was made, or later: as that change left it or
// what may have been later, and where the change has nothing to do with it, as anything that was not yet written over.
func (c *crowd) has(w owed, own []int, n int) bool {
	for k, all := range c.shows[n] {
		if !slices.ContainsFunc(all, func(x written) bool {
			if x.by == w.of {
				return x.n >= own[k]
			}
			return x.over > w.of.Call && (own[k] == 0 || x.done() > w.of.Call)
		}) {
			return false
		}
	}
	return true
}

// half is a Replace of which a push shows something for certain, beside what was there before.
func (c *crowd) half(n int) *op {
	each := slices.Repeat([]int{1}, len(c.keys)) // it writes every key
	for _, all := range c.shows[n] {
		all = slices.DeleteFunc(slices.Clone(all), func(x written) bool { return x.over <= c.from })
		if len(all) > 0 && !slices.ContainsFunc(all, func(x written) bool {
			return x.by == nil || x.by.Kind != evReplace || c.has(owed{of: x.by, n: 1}, each, n)
		}) {
			return all[0].by
		}
	}
	return nil
}

// inOrder leaves each change that overlaps none one push, when once there was one for each before it: from then on the
// next push is of the next change, as where none overlap at all.
func (c *crowd) inOrder() {
	from, last := -1, int32(0)
	for i, w := range c.owed {
		came := slices.IndexFunc(c.got, func(e *history.Event) bool { return e.Num > w.of.Call })
		switch {
		case i > 0 && w.of == c.owed[i-1].of:
		case w.of.Call < last:
			from = -1
		case from < 0 && came == i:
			from = i
		}
		last = max(last, w.of.Return)
	}
	for i := range c.owed {
		for n := range c.fits[i] {
			c.fits[i][n] = c.fits[i][n] && (from < 0 || i < from || n == i)
		}
	}
}

// without is what is owed and has no push of its own, whichever way the pushes are given to what is owed; -1: there is none.
func (c *crowd) without() int {
	of := make([]int, len(c.got)) // by push: what it is given to, -1 nothing
	for n := range of {
		of[n] = -1
	}
	var give func(i int, tried []bool) bool
	give = func(i int, tried []bool) bool {
		for n, fits := range c.fits[i] {
			if !fits || tried[n] {
				continue
			}
			tried[n] = true
			if of[n] < 0 || give(of[n], tried) { // who has it may have another
				of[n] = i
				return true
			}
		}
		return false
	}
	for i := range c.owed {
		if !give(i, make([]bool, len(c.got))) {
			return i
		}
	}
	return -1
}
