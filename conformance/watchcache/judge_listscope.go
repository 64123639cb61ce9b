package watchcache

import (
	"strings"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeListScope: it counts as tested where something was listed, and
// something outside was there, too.
func judgeListScope(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	stranger := strangers(r)
	for i := range r.Lists {
		l := &r.Lists[i]
		m := replay.NewMatcher(h, declaredOf(h, l.Scope))
		outside := false
		for n := range l.Items {
			item := &l.Items[n]
			if stranger(item) {
				j.Fail("only what was created here", describeItem(item)+": nobody here made it", l.Call, l.Return)
				continue
			}
			if selects(r, m, item) || strings.HasPrefix(item.Key, replay.Foreign) && l.Scope.Namespace == "" { // of its labels nothing is known
				continue
			}
			outside = true
			j.Fail("only what the list is of: "+scopeText(l), describeItem(item), l.Call, l.Return)
		}
		if outside || len(l.Items) > 0 && hasOutside(r, m, l) {
			j.Tested++
		}
	}
	return j
}

// hasOutside says that at a list's resourceVersion something was certainly there that it is not of.
func hasOutside(r *replay.Replay, m *replay.Matcher, l *listed) bool {
	if r.Unordered != "" || l.N == 0 && !r.ByOrder || !l.Recent && r.ByOrder {
		return false
	}
	for k := int32(1); int(k) < r.H.Keys(); k++ {
		if !r.Own(k) {
			continue
		}
		if s := r.StateAt(k, l.N); s.Certain && s.Version != replay.None && !m.Matches(r.Versions[s.Version].Obj) {
			return true
		}
	}
	return false
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
