package watchcache

import (
	"iter"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

type listed = replay.ListCall

// judgeMostRecent: a list says at which resourceVersion it was made; writes
// that had been answered before it was asked for lie at or below that. Of a
// deletion only the answer tells: what it deleted is not listed any more.
func judgeMostRecent(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	if r.ByOrder {
		j.Undecided = notComparable
		return j
	}
	ended := endings(r)
	for i := range r.Lists {
		l := &r.Lists[i]
		acked := r.Acked(l.Call)
		if l.Args.Options.ResourceVersion != "" || l.Page || acked == 0 || !history.Comparable(l.RV) {
			continue
		}
		if len(l.Items) > 0 || l.N < acked { // an empty list shows no state that could be old
			j.Tested++
		}
		if l.N < acked {
			j.Fail("a resourceVersion of at least "+h.RV(acked)+", which a write before it was answered with", "a list @"+l.RV, l.Call, l.Return)
		}
		for n := range l.Items {
			item := &l.Items[n]
			if d := ended[item.N]; d != nil && d.K == item.K && d.By < l.Call && r.Own(item.K) {
				j.Fail("nothing of "+item.Key+": a deletion before the list was answered", describeItem(item), d.By, l.Call, l.Return)
			}
		}
	}
	return j
}

// endings are the deletions that a write was certainly answered for, by the
// rank of the version that they ended.
func endings(r *replay.Replay) map[int32]*replay.Version {
	out := map[int32]*replay.Version{}
	for i := range r.Versions {
		if v := &r.Versions[i]; v.Gone && v.By != 0 && v.Prev != replay.None && r.Versions[v.Prev].Obj.UID != "" { // without uids the delete may have been another object's
			out[r.Versions[v.Prev].N] = v
		}
	}
	return out
}

// judgeListWhere is list/snapshot for some lists.
func judgeListWhere(picks func(*listed) bool) func(*history.History) harness.Judgement {
	return func(h *history.History) harness.Judgement {
		r := replay.Of(h)
		var j harness.Judgement
		if r.ByOrder {
			j.Undecided = notComparable
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
			if tested > 0 && (len(l.Items) > 0 || len(bad) > 0) { // as list/snapshot
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

// exactlyLegacy: of a list of one name kube-apiserver makes no page, and takes
// the limit for no more than that.
func exactlyLegacy(o *metav1.ListOptions) bool {
	return o.SendInitialEvents == nil && o.Continue == "" && o.ResourceVersionMatch == "" && o.Limit > 0 && !strings.Contains(o.FieldSelector, "metadata.name=")
}

// judgeNotOlderThan compares what lists say they are with what was asked for.
func judgeNotOlderThan(h *history.History) harness.Judgement {
	var j harness.Judgement
	if replay.Of(h).ByOrder {
		j.Undecided = notComparable
		return j
	}
	for q, c := range answers(h, notOlder) {
		if c >= 0 && len(replay.Objects(h.Event(q.Return))) == 0 {
			continue // an empty list shows no state that could be old
		}
		j.Tested++
		if c < 0 {
			j.Fail("a resourceVersion of at least "+q.Args.Options.ResourceVersion, answer(h, q), q.Call, q.Return)
		}
	}
	return j
}

// answers are the lists that ask for a resourceVersion in such a way, and how
// that of their answer compares to it.
func answers(h *history.History, picks func(*metav1.ListOptions) bool) iter.Seq2[*replay.Request, int] {
	return func(yield func(*replay.Request, int) bool) {
		for _, q := range replay.Asked(h) {
			rv := q.Args.Options.ResourceVersion
			if q.Kind != replay.List || !q.Answered() || !picks(&q.Args.Options) || !history.Comparable(rv) || !history.Comparable(q.Obj.RV) {
				continue
			}
			if !yield(&q, history.CompareRV(q.Obj.RV, rv)) {
				return
			}
		}
	}
}
