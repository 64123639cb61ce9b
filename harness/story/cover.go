package story

import (
	"slices"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// Cover implements harness.Language. A value is reached if one of its steps applied. The events that show it are those between its
// steps and the next ones, or what Cross.Shown returns, and those that Dimension.Seen knows, with the calls that these belong to. A value that is the absence of
// something has none.
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
		step := &steps[at.Num-1]
		nums := numbers(at.After+1, until)
		if step.Async {
			nums = append(nums, later(h, step.Actor, until, next(h.Steps[i+1:], steps, step.Actor))...)
		}
		if v.cross.Shown != nil {
			if nums = v.cross.Shown(h, at); nums == nil {
				continue
			}
		}
		for _, name := range step.Of {
			out[name] = append(append([]int32{}, out[name]...), nums...) // not nil, even if there are none
		}
	}
	for _, d := range v.cross.Dimensions {
		for _, value := range d.Values {
			nums, reached := out[d.Name+"="+value.Name]
			if reached && value.Met != nil && !value.Met(h, nums) {
				delete(out, d.Name+"="+value.Name)
				continue
			}
			if reached && value.Absent {
				out[d.Name+"="+value.Name] = nil
				continue
			}
			if !reached || d.Seen == nil {
				continue
			}
			for i := range h.Events {
				if e := &h.Events[i]; !d.Seen(e) {
					continue
				} else if nums = append(nums, e.Num); e.Call > 0 {
					nums = append(nums, e.Call)
				}
			}
			if d.OnlySeen && !slices.ContainsFunc(h.Events, func(e history.Event) bool { return d.Seen(&e) }) {
				delete(out, d.Name+"="+value.Name)
				continue
			}
			slices.Sort(nums)
			out[d.Name+"="+value.Name] = slices.Compact(nums)
		}
	}
	return out
}

// next returns how many events came before the next step of an actor; -1: there is none.
func next(marks []history.Step, steps []Step, actor string) int32 {
	for i := range marks {
		if n := int(marks[i].Num); n <= len(steps) && steps[n-1].Actor == actor && steps[n-1].Op != joinWord {
			return marks[i].After
		}
	}
	return -1
}

// later returns the events of an actor from one on, before another: an asynchronous step goes on beside the next ones.
func later(h *history.History, actor string, from, until int32) (all []int32) {
	for i := range h.Events[from:] {
		if e := &h.Events[int(from)+i]; e.Actor == actor && (until < 0 || e.Num <= until) {
			all = append(all, e.Num)
		}
	}
	return all
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

// Judged returns the pairs of values that a rule tested together. A rule tested a value if it judges otherwise without the events that
// show the value. Every rule tested a value that is an absence, whose list is nil: nothing shows it. judge returns, for each rule that a
// history tests, what the rule says. weak lists the pairs that harness.Survives alone tested: that nothing crashes is tested by each call.
// In a story that no other rule tested there are none.
func Judged(h *history.History, values map[string][]int32, judge func(*history.History) map[string]string) (all, weak []string) {
	whole := judge(h)
	tested := map[string]map[string]bool{} // by value, the rules
	for name, nums := range values {
		var now map[string]string
		if nums != nil {
			less, err := h.Without(nums)
			if err != nil {
				continue
			}
			now = judge(less)
		}
		tested[name] = map[string]bool{}
		for rule, says := range whole {
			tested[name][rule] = now[rule] != says
		}
	}
	for a := range tested {
		for b := range tested {
			if a >= b || dimensionOf(a) == dimensionOf(b) {
				continue
			}
			switch strong, survives := both(tested[a], tested[b]); {
			case strong:
				all = append(all, PairOf(a, b))
			case survives && len(whole) > 1:
				weak = append(weak, PairOf(a, b))
			}
		}
	}
	slices.Sort(all)
	slices.Sort(weak)
	return all, weak
}

// both reports whether a rule tested both values: another than harness.Survives, and that one.
func both(a, b map[string]bool) (strong, survives bool) {
	for rule := range a {
		if a[rule] && b[rule] {
			is := rule == harness.Survives.Address()
			strong, survives = strong || !is, survives || is
		}
	}
	return strong, survives
}
