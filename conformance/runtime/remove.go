package runtime

import (
	"fmt"
	"slices"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var removeGone = harness.Rule{
	Clause: harness.Clause{
		ID:      "remove/gone",
		Level:   harness.Must,
		Text:    "A container that runs can be removed, and a sandbox with containers: all of them are killed. What was removed is in no list any more, with all that was in it.",
		Sources: []harness.Source{api("RuntimeService.RemoveContainer"), api("RuntimeService.RemovePodSandbox")},
		Why:     "A kubelet kills and removes for ever what it thinks is still there.",
		Classes: []string{"RemoveContainer OK", "RemovePodSandbox OK"},
	},
	Judge: judgeRemoved,
}

func judgeRemoved(h *history.History) (j harness.Judgement) {
	l := livesOf(h)
	for _, x := range recordOf(h).calls {
		if x.Method == "RemoveContainer" || x.Method == "RemovePodSandbox" {
			if l.byID[x.ID] != nil && x.Return > 0 && !lost(x) {
				if x.Err != nil && l.busy(x) {
					continue // a kubelet tries again
				}
				if j.Tested++; x.Err != nil {
					j.Fail("success", outcome(x), x.Num, x.Return)
				}
			}
			continue
		}
		ids, _ := listedIn(x)
		for _, id := range ids {
			if removal := l.gone(id, x.Num); removal != nil {
				j.Fail("a list without what was removed", fmt.Sprintf("%s is in it", short(id)), removal.Return, x.Return)
			}
		}
	}
	return j
}

// busy reports whether a start or another removal of the same thing overlaps a removal.
func (l *lives) busy(x *exchange) bool {
	var all []*exchange
	switch about := l.byID[x.ID].(type) {
	case *sandboxLife:
		all = about.removals
	case *containerLife:
		all = slices.Concat(about.starts, about.removals)
	}
	return slices.ContainsFunc(all, func(y *exchange) bool { return y != x && y.Num < x.Return && (y.Return == 0 || y.Return > x.Num) })
}
