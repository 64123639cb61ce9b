package watchcache

import (
	"fmt"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

type listed = replay.ListCall

// judgeListScope: it counts as tested where something outside was there, too.
func judgeListScope(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	for i := range r.Lists {
		l := &r.Lists[i]
		m := replay.NewMatcher(h, l.Scope)
		for n := range l.Items {
			item := &l.Items[n]
			if selects(r, m, item) || strings.HasPrefix(item.Key, replay.Foreign) && l.Scope.Namespace == "" { // of its labels nothing is known
				continue
			}
			j.Tested++
			j.Fail("only what the list is of: "+scopeText(l), describeItem(item), l.Call, l.Return)
		}
		if r.ByOrder && r.Unordered != "" || l.N == 0 && !r.ByOrder {
			continue
		}
		for k := int32(1); int(k) < h.Keys(); k++ {
			if !r.Own(k) {
				continue
			}
			s := r.StateAt(k, l.N)
			if s.Certain && s.Version != replay.None && !m.Matches(r.Versions[s.Version].Obj) {
				j.Tested++
				break
			}
		}
	}
	return j
}

func scopeText(l *listed) string {
	o := &l.Args.Options
	s := "all namespaces"
	if l.Args.Namespace != "" {
		s = "namespace " + l.Args.Namespace
	}
	for _, x := range []string{o.LabelSelector, o.FieldSelector} {
		if x != "" {
			s += ", " + x
		}
	}
	return s
}

// judgeMostRecent: a list says at which resourceVersion it was made; writes
// that had been answered before it was asked for lie at or below that.
func judgeMostRecent(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	if r.ByOrder {
		j.Undecided = "writes return no resourceVersion that could be compared"
		return j
	}
	for i := range r.Lists {
		l := &r.Lists[i]
		acked := r.Acked(l.Call)
		if l.Args.Options.ResourceVersion != "" || l.Page || acked == 0 || l.RV == "" {
			continue
		}
		j.Tested++
		if l.N < acked {
			j.Fail("a resourceVersion of at least "+h.RV(acked)+", which a write before it was answered with", "a list @"+l.RV, l.Call, l.Return)
		}
	}
	return j
}

// judgeListWhere is list/snapshot for some lists.
func judgeListWhere(picks func(*listed) bool) func(*history.History) harness.Judgement {
	return func(h *history.History) harness.Judgement {
		r := replay.Of(h)
		var j harness.Judgement
		if r.ByOrder {
			j.Undecided = "writes return no resourceVersion that could be compared"
			return j
		}
		states := r.Sweep()
		for _, i := range byVersion(r.Lists) {
			l := &r.Lists[i]
			if l.N == 0 || !picks(l) {
				continue
			}
			states.To(l.N)
			tested, bad := compareList(r, states, replay.NewMatcher(h, l.Scope), l, l.N)
			if tested > 0 {
				j.Tested++
			}
			j.Bad = append(j.Bad, bad...)
		}
		return j
	}
}

// Which lists ask for what; pages are judged by their first one.
func notOlder(o *metav1.ListOptions) bool {
	return o.SendInitialEvents == nil && o.Continue == "" && (o.ResourceVersionMatch == metav1.ResourceVersionMatchNotOlderThan || o.ResourceVersionMatch == "" && o.Limit <= 0)
}

func exactly(o *metav1.ListOptions) bool {
	return o.SendInitialEvents == nil && o.Continue == "" && o.ResourceVersionMatch == metav1.ResourceVersionMatchExact
}

func exactlyLegacy(o *metav1.ListOptions) bool {
	return o.SendInitialEvents == nil && o.Continue == "" && o.ResourceVersionMatch == "" && o.Limit > 0
}

// judgeAnswers compares what lists say they are with what was asked for.
func judgeAnswers(picks func(*metav1.ListOptions) bool, want string, right func(compared int) bool) func(*history.History) harness.Judgement {
	return func(h *history.History) harness.Judgement {
		var j harness.Judgement
		for _, q := range replay.Asked(h) {
			rv := q.Args.Options.ResourceVersion
			if q.Kind != replay.List || !q.Answered() || !picks(&q.Args.Options) || !history.Comparable(rv) || !history.Comparable(q.Obj.RV) {
				continue
			}
			j.Tested++
			if !right(history.CompareRV(q.Obj.RV, rv)) {
				j.Fail(fmt.Sprintf(want, rv), answer(h, &q), q.Call, q.Return)
			}
		}
		return j
	}
}

// judgeExactly: the resourceVersion asked for, and the state there; or a
// refusal that says why not.
func judgeExactly(picks func(*metav1.ListOptions) bool) func(*history.History) harness.Judgement {
	says := judgeAnswers(picks, "the resourceVersion %s, no other", func(c int) bool { return c == 0 })
	is := judgeListWhere(func(l *listed) bool {
		return picks(&l.Args.Options) && l.RV == l.Args.Options.ResourceVersion
	})
	return func(h *history.History) harness.Judgement {
		j := is(h)
		j.Bad = append(j.Bad, says(h).Bad...)
		for _, q := range replay.Asked(h) {
			if q.Kind != replay.List || !q.Refused() || !picks(&q.Args.Options) || !history.Comparable(q.Args.Options.ResourceVersion) {
				continue
			}
			if q.Err.Code != http.StatusGone && !replay.Retriable(q.Err, q.Refusal) {
				j.Fail("the state at "+q.Args.Options.ResourceVersion+", 410 if it is gone, or 504 if it has not been seen", answer(h, &q), q.Call, q.Return)
			}
		}
		return j
	}
}

// judgeEmptyVersion: an empty list is looked at, and what a watch from it owes.
func judgeEmptyVersion(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	empty := map[int32]bool{} // by call
	for i := range r.Lists {
		l := &r.Lists[i]
		if len(l.Items) > 0 || l.Body.Continue != "" {
			continue
		}
		if l.RV == "" || l.RV == "0" {
			j.Tested++
			j.Fail("a resourceVersion to watch from", fmt.Sprintf("an empty list with the resourceVersion %q", l.RV), l.Call, l.Return)
			continue
		}
		empty[l.Call] = true
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
