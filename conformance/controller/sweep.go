package controller

import (
	"slices"

	"github.com/lwtest/lwtest/harness/story"
)

// sweeping reports whether a step strikes at each place in turn.
func sweeping(all []story.Step) bool { return slices.ContainsFunc(all, sweeps) }

func sweeps(s story.Step) bool {
	switch a := s.With.(type) {
	case Kill:
		return a.Each
	case At:
		return a.Each
	case Refuse:
		return a.Each
	case Cut:
		return a.Each
	case Late:
		return a.Each
	case Unseen:
		return a.Each
	}
	return false
}

// places returns the steps once for each place at which what sweeps may strike, as the undisturbed run had them. Two steps that sweep
// strike at each pair of places.
func (all *runs) places(steps []story.Step) [][]story.Step {
	i := slices.IndexFunc(steps, sweeps)
	if i < 0 {
		return [][]story.Step{steps}
	}
	was := all.seen[0]
	var out [][]story.Step
	for _, with := range placed(steps[i], was, len(all.s.Scenario())) {
		one := slices.Clone(steps)
		one[i].With = with
		out = append(out, all.places(one)...)
	}
	return out
}

// placed returns the arguments of a step that sweeps, for each place.
func placed(s story.Step, was *outcome, steps int) (all []any) {
	if s.Op == "unseen" {
		for n := 1; n <= steps; n++ {
			all = append(all, Unseen{Step: n})
		}
		return all
	}
	if s.Op == "late" {
		for _, res := range was.watched {
			all = append(all, Late{Resource: res})
		}
		return all
	}
	for n := 1; n <= was.writes; n++ {
		switch a := s.With.(type) {
		case Kill:
			a.At = At{Write: n}
			all = append(all, a)
		case Refuse:
			a.At = At{Write: n}
			all = append(all, a)
		case Cut:
			a.At = At{Write: n}
			all = append(all, a)
		default:
			all = append(all, At{Write: n})
		}
	}
	return all
}
