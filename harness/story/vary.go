package story

import (
	"slices"
	"time"

	"github.com/lwtest/lwtest/harness"
)

// Vary implements harness.Language. It changes one to three places of a story, and leaves the steps alone with which
// random stories end.
func (v *Vocabulary[W]) Vary(c harness.Choices, s, other harness.Script) harness.Script {
	steps, tail := v.body(Of(s).Steps)
	from, _ := v.body(Of(other).Steps)
	for range 1 + c.IntN(3) {
		steps = v.varied(c, steps, from)
	}
	for len(steps) > longest {
		at := c.IntN(len(steps))
		steps = slices.Delete(steps, at, at+1)
	}
	return v.Script(Story{Kind: v.kind, Steps: append(steps, tail...)})
}

// longest is how many steps a variation has at most, beside those that it ends with: variations of variations would grow.
const longest = 30

// body splits the steps of a random story before those that it ends with. Their number may depend on choices: with each
// choice the first, it is the largest.
func (v *Vocabulary[W]) body(steps []Step) (body, tail []Step) {
	n := len(steps)
	if v.end != nil {
		n = max(0, n-len(v.end(NewBytes(nil))))
	}
	return slices.Clone(steps[:n]), steps[n:]
}

// varied deletes, repeats, moves, draws or copies a part of the steps.
func (v *Vocabulary[W]) varied(c harness.Choices, steps, other []Step) []Step {
	at := c.IntN(len(steps) + 1)
	part := func(all []Step) []Step { // a few steps in a row
		from := c.IntN(len(all) + 1)
		return slices.Clone(all[from:min(len(all), from+1+c.IntN(4))])
	}
	switch c.IntN(6) {
	case 0:
		return slices.Delete(steps, at, min(len(steps), at+1+c.IntN(3)))
	case 1:
		return slices.Insert(steps, at, part(steps)...)
	case 2:
		return slices.Insert(steps, at, part(other)...)
	case 3:
		if at < len(steps) {
			return slices.Replace(steps, at, at+1, v.drawStep(c)...)
		}
	case 4:
		if to := c.IntN(len(steps) + 1); at < len(steps) && to < len(steps) {
			steps[at], steps[to] = steps[to], steps[at]
			return steps
		}
	}
	return slices.Insert(steps, at, v.drawStep(c)...)
}

// Around implements harness.Language. The faults are those of Vocabulary.Faults.
func (v *Vocabulary[W]) Around(s harness.Script, pairs bool) (int, func(i int) harness.Script) {
	was := Of(s)
	sizes := []int{len(was.Steps) + 1, len(v.faults)} // of a row: a place, and the fault there
	if pairs {
		sizes = append(sizes, sizes...)
	}
	never := func(d1, v1, d2, v2 int) bool { return d1 == 0 && d2 == 2 && v1 > v2 || d1 == 2 && d2 == 0 && v2 > v1 }
	rows := cover(sizes, len(sizes), never, NewBytes(nil))
	return len(rows), func(i int) harness.Script {
		now := was
		now.Steps = slices.Clone(was.Steps)
		for at := len(sizes) - 2; at >= 0; at -= 2 { // the last place first: the others stay where they are
			now.Steps = slices.Insert(now.Steps, rows[i][at], v.faults[rows[i][at+1]]...)
		}
		return v.Script(now)
	}
}

// Faults sets what Around inserts: each element is one fault, of one step or several. It returns v.
func (v *Vocabulary[W]) Faults(all ...[]Step) *Vocabulary[W] {
	v.faults = all
	return v
}

// Hasten implements harness.Language.
func (v *Vocabulary[W]) Hasten(s harness.Script, most time.Duration) harness.Script {
	of := Of(s)
	of.Steps = slices.DeleteFunc(slices.Clone(of.Steps), func(s Step) bool { return v.random[s.Op].Slow })
	for i := range of.Steps {
		of.Steps[i].For = min(of.Steps[i].For, Duration(most))
	}
	return v.Script(of)
}
