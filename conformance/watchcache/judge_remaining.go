package watchcache

import (
	"fmt"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeRemaining counts what is on the pages behind a page: nobody else knows
// what there is in a namespace. It takes lists that were taken to their end
// and of which list/pages finds no page out of step.
func judgeRemaining(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	done := map[*listed]bool{} // a token that was used twice
	for _, c := range chains(r) {
		if !c.whole() || c[0].RV == "" || !inStep(&harness.Judgement{}, c) {
			continue
		}
		want := int64(0)
		for n := len(c) - 1; n >= 0; n-- {
			l := c[n]
			if left := l.Body.Remaining; l.Body.Continue != "" && !hasSelector(l.Scope) && !done[l] {
				done[l] = true
				j.Tested++ // a page without a count says nothing wrong
				if left != nil && *left != want {
					j.Fail(fmt.Sprintf("remainingItemCount %d: so many come after this page", want), fmt.Sprint(*left), l.Call, l.Return)
				}
			}
			want += int64(len(l.Items))
		}
	}
	return j
}

// hasSelector says that a list has any selector.
func hasSelector(s replay.Scope) bool { return !s.Labels.Empty() || !s.Fields.Empty() }

// judgeRemainingAbsent: a list that is whole, or has a selector, says nothing
// of what remains. It counts as tested where the list is in pages.
func judgeRemainingAbsent(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	for i := range r.Lists {
		l := &r.Lists[i]
		more, narrow := l.Body.Continue != "", hasSelector(declaredOf(h, l.Scope))
		if more && !narrow || !more && (!l.Page || l.Astray) && l.Body.Remaining == nil {
			continue
		}
		j.Tested++
		if l.Body.Remaining == nil {
			continue
		}
		want := "no remainingItemCount on the last page"
		if narrow {
			want = "no remainingItemCount with a selector"
		}
		j.Fail(want, fmt.Sprint(*l.Body.Remaining), l.Call, l.Return)
	}
	return j
}
