package watchcache

import (
	"fmt"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeEmptyVersion: an empty list says where it was, not where something is
// that was created later, and what a watch from there owes is given.
func judgeEmptyVersion(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	empty, later := map[int32]bool{}, createdFrom(h) // by call
	for i := range r.Lists {
		l := &r.Lists[i]
		if len(l.Items) > 0 || l.Body.Continue != "" {
			continue
		}
		got := fmt.Sprintf("an empty list with the resourceVersion %q", l.RV)
		switch next := later[l.Return]; {
		case l.RV == "" || l.RV == "0":
			j.Tested++
			j.Fail("a resourceVersion to watch from", got, l.Call, l.Return)
		case !r.ByOrder && next != 0 && next <= l.N:
			j.Tested++
			j.Fail("a resourceVersion below "+h.RV(next)+", at which something was created after it", got, l.Call, l.Return)
		default:
			empty[l.Call] = true
		}
	}
	if r.Unordered != "" {
		j.Undecided = r.Unordered
		return j
	}
	r.Dues(func(w *replay.WatchCall, _ *replay.Matcher, d replay.Due) {
		if !empty[w.List] || r.Versions[d.Version].Gone {
			return
		}
		j.Tested++
		if d.Given == 0 {
			missing(&j, r, w, d)
		}
	})
	return j
}
