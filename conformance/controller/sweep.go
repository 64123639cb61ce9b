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
		all = append(all, atWrite(s, n))
	}
	return all
}

// strikes returns the write at which a step strikes; 0: none, or each.
func strikes(s story.Step) int {
	switch a := s.With.(type) {
	case At:
		return a.Write
	case Kill:
		return a.Write
	case Refuse:
		return a.Write
	case Cut:
		return a.Write
	}
	return 0
}

// atWrite returns the arguments of a step that strikes at one write.
func atWrite(s story.Step, n int) any {
	switch a := s.With.(type) {
	case Kill:
		a.At = At{Write: n}
		return a
	case Refuse:
		a.At = At{Write: n}
		return a
	case Cut:
		a.At = At{Write: n}
		return a
	}
	return At{Write: n}
}

// mostBeyond is how many such runs go on at once in real time.
const mostBeyond = 4

// beyond disturbs writes that the undisturbed run did not have, one after the other, until one does not come: a controller with several workers
// writes more in one run than in another. It reports whether a run ended otherwise than undisturbed.
func (all *runs) beyond(steps []story.Step) (different bool) {
	i := slices.IndexFunc(steps, sweeps)
	if steps[i].Op == "unseen" || steps[i].Op == "late" || sweeping(steps[i+1:]) {
		return false
	}
	most := 2 * all.seen[0].writes
	for n := all.seen[0].writes + 1; n <= most; {
		var places [][]story.Step
		for ; len(places) < min(all.tempo.atOnce, mostBeyond) && n <= most; n++ {
			one := slices.Clone(steps)
			one[i].With = atWrite(steps[i], n)
			places = append(places, one)
		}
		came := all.came
		if different = all.sweep(places) || different; all.came == came {
			break
		}
	}
	return different
}
