package story

import (
	"slices"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// Cover implements harness.Language. A value is reached if one of its steps applied. The events that show it are those between its
// steps and the next ones, and those that Dimension.Seen knows.
func (v *Vocabulary[W]) Cover(s harness.Script, h *history.History) map[string][]int32 {
	if v.cross == nil {
		return nil
	}
	steps, out := Of(s).Steps, map[string][]int32{}
	for i := range h.Steps {
		at := &h.Steps[i]
		if at.Skipped != "" || at.Text == "" || int(at.Num) > len(steps) || skippedLater(h.Steps[i+1:], at.Num) {
			continue
		}
		until := int32(len(h.Events))
		if i+1 < len(h.Steps) {
			until = h.Steps[i+1].After
		}
		for _, name := range steps[at.Num-1].Of {
			out[name] = append(out[name], numbers(at.After+1, until)...)
		}
	}
	for _, d := range v.cross.Dimensions {
		for _, value := range d.Values {
			nums, reached := out[d.Name+"="+value.Name]
			if !reached || d.Seen == nil || value.With == nil {
				continue
			}
			for i := range h.Events {
				if d.Seen(&h.Events[i]) {
					nums = append(nums, h.Events[i].Num)
				}
			}
			slices.Sort(nums)
			out[d.Name+"="+value.Name] = slices.Compact(nums)
		}
	}
	return out
}

// skippedLater reports whether a step that began turned out not to apply.
func skippedLater(marks []history.Step, num int32) bool {
	return slices.ContainsFunc(marks, func(m history.Step) bool { return m.Num == num && m.Skipped != "" })
}

func numbers(from, to int32) (all []int32) {
	for n := from; n <= to; n++ {
		all = append(all, n)
	}
	return all
}

// PairsOf returns the pairs of some values, sorted.
func PairsOf(values map[string][]int32) (all []string) {
	for a := range values {
		for b := range values {
			if a < b && dimensionOf(a) != dimensionOf(b) {
				all = append(all, PairOf(a, b))
			}
		}
	}
	slices.Sort(all)
	return all
}

func dimensionOf(value string) string {
	for i := range value {
		if value[i] == '=' {
			return value[:i]
		}
	}
	return value
}

// Judged returns the pairs of values that a rule tested together. A rule tested a value if it would have made other tests without the
// events that show the value. judge returns how often a history tested each rule that is not undecided.
func Judged(h *history.History, values map[string][]int32, judge func(*history.History) map[string]int) (all []string) {
	whole := judge(h)
	tested := map[string]map[string]bool{} // by value, the rules
	for name, nums := range values {
		less, err := h.Without(nums)
		if err != nil {
			continue
		}
		counts := judge(less)
		tested[name] = map[string]bool{}
		for rule, n := range whole {
			now, decided := counts[rule]
			tested[name][rule] = n > 0 && decided && now != n
		}
	}
	for a := range tested {
		for b := range tested {
			if a < b && dimensionOf(a) != dimensionOf(b) && both(tested[a], tested[b]) {
				all = append(all, PairOf(a, b))
			}
		}
	}
	slices.Sort(all)
	return all
}

func both(a, b map[string]bool) bool {
	for rule := range a {
		if a[rule] && b[rule] {
			return true
		}
	}
	return false
}
