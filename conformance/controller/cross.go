package controller

import (
	"slices"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
)

// cross is what random stories of controllers combine: two disturbances, each at a write, and whose events are late meanwhile.
var cross = story.Cross{
	Dimensions: []story.Dimension{
		{Name: "first", Values: disturbances()},
		{Name: "at", Values: writes(1, 2, 3, 4, 6, 9)},
		{Name: "second", Values: append([]story.Value{{Name: "nothing", With: func(At) steps { return nil }, Absent: true}}, disturbances()...)},
		{Name: "later by", Values: writes(1, 2, 4, 8)},
	},
	Story: crossed,
	Shown: shownBy,
}

// shownBy returns the end of each run in which what a step waits for came about: without it rules do not judge the run.
func shownBy(h *history.History, step *history.Step) (nums []int32) {
	for _, p := range recordOf(h).disturbed {
		if slices.Contains(p.final.Came, step.Text) {
			nums = append(nums, p.end)
		}
	}
	return nums
}

func disturbances() []story.Value {
	place := func(make func(At) any, d time.Duration, op string) func(At) steps {
		return func(a At) steps { return steps{last(op, d, make(a))} }
	}
	refused := func(code int) func(At) any { return func(a At) any { return Refuse{At: a, Code: code} } }
	cuts := func(how string) func(At) any { return func(a At) any { return Cut{At: a, How: how} } }
	at := func(a At) any { return a }
	behind := []harness.Feature{StaleViews}
	return []story.Value{
		{Name: "killed before", With: place(func(a At) any { return Kill{At: a} }, 0, "kill")},
		{Name: "killed after", With: place(func(a At) any { return Kill{At: a, After: true} }, 0, "kill")},
		{Name: "killed, and behind", Needs: behind, With: place(func(a At) any { return Kill{At: a, After: true, Behind: 2} }, 0, "kill")},
		{Name: "killed, and before the user", Needs: behind, With: place(func(a At) any { return Kill{At: a, After: true, Before: "user"} }, 0, "kill")},
		{Name: "answer lost", With: place(at, 0, "lose")},
		{Name: "interference", With: place(at, 0, "interfere")},
		{Name: "409", With: place(refused(409), 0, "refuse")},
		{Name: "500 for a while", With: place(refused(500), 10*time.Second, "refuse")},
		{Name: "watches expire", With: place(cuts("expire"), 0, "cut")},
		{Name: "watches hang", With: place(cuts("hang"), 5*time.Minute, "cut")},
		{Name: "nobody can watch", With: place(cuts("deaf"), time.Minute, "cut")},
		{Name: "two lives", With: place(at, 20*time.Second, "overlap")},
	}
}

func writes(all ...int) (out []story.Value) {
	for _, n := range all {
		out = append(out, story.Value{Name: At{Write: n}.at(), With: n})
	}
	return out
}

// crossed makes a story of a row.
func crossed(r story.Row) []story.Part {
	n := story.With[int](r, "at")
	first, second := story.With[func(At) steps](r, "first"), story.With[func(At) steps](r, "second")
	return []story.Part{
		{Of: []string{"first", "at"}, Steps: first(At{Write: n})},
		{Of: []string{"second", "later by"}, Steps: second(At{Write: n + story.With[int](r, "later by")})},
		story.Scene(scenario),
	}
}
