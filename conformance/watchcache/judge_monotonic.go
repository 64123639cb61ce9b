package watchcache

import (
	"slices"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeListMonotonic keeps the newest answer to a most-recent list: no such
// list that was asked for after it may be older. Lists that overlap may.
func judgeListMonotonic(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	if r.ByOrder {
		j.Undecided = "writes return no resourceVersion that could be compared"
		return j
	}
	var recent []*replay.ListCall // in order of their calls
	for i := range r.Lists {
		if o := &r.Lists[i].Args.Options; o.ResourceVersion == "" && o.Continue == "" && r.Lists[i].N != 0 {
			recent = append(recent, &r.Lists[i])
		}
	}
	answers := slices.Clone(recent)
	slices.SortFunc(answers, func(a, b *replay.ListCall) int { return int(a.Return - b.Return) })
	var top *replay.ListCall
	for _, l := range recent { // in order of their calls
		for ; len(answers) > 0 && answers[0].Return < l.Call; answers = answers[1:] {
			if top == nil || answers[0].N > top.N {
				top = answers[0]
			}
		}
		if top == nil {
			continue
		}
		if len(l.Items) > 0 { // an empty list shows no state that could be old
			j.Tested++
		}
		if l.N < top.N {
			j.Fail("a resourceVersion of at least "+top.RV+", as the list before it had", "a list @"+l.RV, top.Return, l.Call, l.Return)
		}
	}
	return j
}
