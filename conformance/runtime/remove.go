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
		Advice:  "Kill what still runs in RemoveContainer and RemovePodSandbox, also after a stop or removal that was cut off, and delete the records before you return.",
		Classes: []string{"RemoveContainer OK", "RemovePodSandbox OK"},
	},
	Judge: judgeRemoved,
}

func judgeRemoved(h *history.History) (j harness.Judgement) {
	l := livesOf(h)
	for _, x := range recordOf(h).calls {
		if x.Method == "RemoveContainer" || x.Method == "RemovePodSandbox" {
			if l.byID[x.ID] != nil && !lost(x) && (x.Err == nil || !contended(h, x)) {
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

// contended reports whether a removal may fail since somebody else starts or removes what it is about, or what is in that: another
// call is under way, or its caller gave up.
func contended(h *history.History, x *exchange) bool {
	ids := []string{x.ID}
	switch about := livesOf(h).byID[x.ID].(type) {
	case *sandboxLife:
		for _, c := range about.containers {
			ids = append(ids, c.id)
		}
	case *containerLife:
		ids = append(ids, about.pod.id)
	}
	r := recordOf(h)
	return slices.ContainsFunc(r.of("StartContainer", "RemoveContainer", "StopPodSandbox", "RemovePodSandbox"), func(y *exchange) bool {
		return y != x && slices.Contains(ids, y.ID) && y.Num < x.Return && (y.Return > x.Num || lost(y) && !r.killed(y.Num, x.Num))
	})
}
