package controller

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// mostRows and mostDiffer bound a comparison.
const (
	mostRows   = 60
	mostDiffer = 20
)

// compare shows the disturbed run of a finding beside the first undisturbed one.
func compare(h *history.History, f harness.Finding) *harness.Comparison {
	r := recordOf(h)
	p := r.disturbedBy(h, f)
	if p == nil || len(r.undisturbed) == 0 {
		return nil
	}
	calm := r.undisturbed[0]
	all := lineUp(calm.lines(h), p.lines(h))
	c := &harness.Comparison{Left: fmt.Sprintf("run %d, undisturbed", calm.info.Run), Right: fmt.Sprintf("run %d: %s", p.info.Run, p.how())}
	c.Rows = rowsOf(all)
	for _, d := range differences(p.state, r.states()) {
		if c.Differ = append(c.Differ, d.String()); len(c.Differ) == mostDiffer {
			break
		}
	}
	return c
}

// disturbedBy returns the disturbed run that a finding is about; nil: it is about an undisturbed one.
func (r *record) disturbedBy(h *history.History, f harness.Finding) (found *past) {
	if len(f.At) == 0 {
		return nil
	}
	num := f.At[len(f.At)-1]
	if num < 1 || int(num) > len(h.Events) {
		return nil
	}
	of := func(num int32) string { _, of, _ := strings.Cut(h.Event(num).Actor, "@"); return of }
	for _, p := range r.all() {
		if p.num <= num && of(p.num) == of(num) && (found == nil || p.num > found.num) {
			found = p
		}
	}
	if found != nil && len(found.info.Disturbed) == 0 {
		return nil
	}
	return found
}

// differing finds the first write of the controller that differs, from the disturbance on: one that succeeds on one side only, or leaves
// something else. It says how. Between two rests the order of writes does not matter. -1: there is none.
func differing(all []sides) (at int, how string) {
	from := max(0, slices.IndexFunc(all, func(p sides) bool { return p.right != nil && p.right.struck }))
	more := map[string]int{} // successful writes in this part, undisturbed ones less disturbed ones
	for begin, cut, i := 0, false, 0; i < len(all); i++ {
		cut = cut || all[i].cut()
		l, r := all[i].successes()
		if l != nil {
			more[l.request]++
		}
		if r != nil {
			more[r.request]--
		}
		if i+1 < len(all) && !all[i].rests() {
			continue
		}
		for k := max(begin, from); k <= i; k++ {
			if how := all[k].differs(more); how != "" && !cut {
				return k, how
			}
		}
		begin, cut = i+1, false
		clear(more)
	}
	return -1, ""
}

// successes returns the sides that are successful writes of the controller.
func (p sides) successes() (left, right *line) {
	is := func(l *line) *line {
		if l == nil || l.write == nil || !l.write.ok() {
			return nil
		}
		return l
	}
	return is(p.left), is(p.right)
}

// cut reports whether lines are left out here. What is missing on one side may be among them.
func (p sides) cut() bool {
	is := func(l *line) bool { return l != nil && l.request == "" && !l.struck }
	return is(p.left) || is(p.right)
}

// rests reports whether both runs rest here.
func (p sides) rests() bool { return p.left != nil && p.right != nil && p.left.request == evRest }

// differs says how a write differs; empty: it does not.
func (p sides) differs(more map[string]int) string {
	l, r := p.successes()
	switch {
	case l != nil && r == nil && more[l.request] > 0:
		return "it succeeds only undisturbed"
	case l == nil && r != nil && more[r.request] < 0:
		return "it succeeds only in the disturbed run"
	case l == nil || r == nil || l.write.obj == nil || r.write.obj == nil:
		return ""
	}
	return shown(differences(stateOf([]*object{r.write.obj}), []state{stateOf([]*object{l.write.obj})}))
}

// rowsOf returns the rows to show: those around what went wrong and around the first write that differs, the first and the last ones.
func rowsOf(all []sides) (rows []harness.Row) {
	first, how := differing(all)
	wrong := slices.IndexFunc(all, func(p sides) bool { return p.right != nil && p.right.struck })
	in := map[int]bool{}
	for d := 0; d < len(all) && len(in) < mostRows; d++ {
		for _, at := range []int{wrong, first, 0, len(all) - 1} {
			for _, i := range []int{at - d, at + d} {
				if at >= 0 && i >= 0 && i < len(all) && len(in) < mostRows {
					in[i] = true
				}
			}
		}
	}
	for i, out := 0, 0; i <= len(all); i++ {
		if i < len(all) && !in[i] && (!in[i-1] || !in[i+1]) { // a single one has room in place of the note
			out++
			continue
		}
		if out > 0 {
			rows = append(rows, harness.Row{Mark: harness.LeftOut, Between: fmt.Sprintf("%d rows are left out", out)})
			out = 0
		}
		if i < len(all) {
			rows = append(rows, all[i].row())
			if last := &rows[len(rows)-1]; i == first {
				last.Mark, last.Between = harness.Differs, "the first write that differs: "+how
			}
		}
	}
	return rows
}

// row returns it as a row.
func (p sides) row() harness.Row {
	side := func(l *line) harness.Side {
		if l == nil {
			return harness.Side{}
		}
		text := l.text
		if l.more > 0 {
			text += fmt.Sprintf(", and again, %d in all", l.more+1)
		}
		return harness.Side{Num: l.num, Text: text}
	}
	if p.right != nil && p.right.struck && p.right.write == nil {
		return harness.Row{Mark: harness.Disturbed, Between: p.right.text}
	}
	return harness.Row{Left: side(p.left), Right: side(p.right)}
}
