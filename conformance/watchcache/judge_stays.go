package watchcache

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// stands: where nobody else writes, what stays is in each list that is not older than it, and what shows that it is being
// deleted shows it as it was, until somebody writes to it.
func stands(j *harness.Judgement, r *replay.Replay, s *stay) {
	if s.was == nil || r.Shared() {
		return
	}
	for _, q := range replay.Asked(r.H) {
		if q.Kind == replay.List && q.Answered() && q.Call > s.ret && s.within(q.Return) && wholeOf(&q.Args, r, s.k) && (recent(&q.Args.Options) || q.Obj.N >= s.was.N) {
			staysIn(j, r, s, &q)
		}
	}
	for i := range r.Watches {
		if w := &r.Watches[i]; w.Mark != 0 && w.Call > s.ret && s.within(w.Mark) && r.H.Event(w.Mark).Obj.N >= s.was.N && wholeOf(&w.Args, r, s.k) {
			staysFrom(j, r, s, w)
		}
	}
	staysAs(j, r, s)
}

// wholeOf says that a request asks for all there is in a key's namespace, in one answer.
func wholeOf(a *replay.Args, r *replay.Replay, k int32) bool {
	o := &a.Options
	ns, _ := replay.SplitKey(r.H.Key(k))
	return o.Limit == 0 && o.Continue == "" && o.LabelSelector == "" && o.FieldSelector == "" && o.ShardSelector == "" && (a.Namespace == "" || a.Namespace == ns)
}

func staysIn(j *harness.Judgement, r *replay.Replay, s *stay, q *replay.Request) {
	j.Tested++
	for _, o := range replay.Objects(r.H.Event(q.Return)) {
		if o.K != s.k {
			continue
		}
		if o.UID == s.uid && recent(&q.Args.Options) && !replay.IsDeleting(o.Body) {
			j.Fail(o.Key+" with a deletionTimestamp", o.Key+" @"+o.RV+" without", s.call, q.Call, q.Return)
		}
		return
	}
	j.Fail(r.H.Key(s.k)+" to stay: it has finalizers", "a list without it", s.call, q.Call, q.Return)
}

// staysFrom: a watch that says the state it began with has given the object.
func staysFrom(j *harness.Judgement, r *replay.Replay, s *stay, w *replay.WatchCall) {
	j.Tested++
	for i := range w.Events {
		if e := &w.Events[i]; e.K == s.k && e.Num < w.Mark {
			return
		}
	}
	j.Fail(r.H.Key(s.k)+" to stay: it has finalizers", "initial events without it", s.call, w.Call, w.Mark)
}

// staysAs compares what shows the mark with what was there before: a delete sets the mark, and nothing else but what its
// propagation policy asks for.
func staysAs(j *harness.Judgement, r *replay.Replay, s *stay) {
	if s.policy == metav1.DeletePropagationForeground || s.policy == metav1.DeletePropagationOrphan || strings.Contains(s.was.Body, metav1.FinalizerDeleteDependents) || strings.Contains(s.was.Body, metav1.FinalizerOrphanDependents) {
		return
	}
	until := nextWrite(r, s)
	for i := range r.H.Events[s.call:] {
		e := &r.H.Events[int(s.call)+i]
		if e.Num >= until {
			return
		}
		if e.Phase == history.Call || e.Phase == history.Return && e.Kind != replay.Get && e.Kind != replay.List {
			continue // what writes answer is write/response's
		}
		objects := replay.Objects(e)
		for n := range objects {
			o := &objects[n]
			if o.K != s.k || o.N <= s.was.N || !replay.IsDeleting(o.Body) {
				continue
			}
			j.Tested++
			if other := changedBut(s.was, o); other != "" {
				j.Fail(o.Key+" as it was, with the mark of its deletion", e.Kind+" "+o.Key+" @"+o.RV+" "+other, s.call, e.Num)
				return
			}
		}
	}
}

// nextWrite is the number of the first call that may have changed an object since its delete was called, or of the last
// that was under way then.
func nextWrite(r *replay.Replay, s *stay) int32 {
	until := int32(len(r.H.Events) + 1)
	for i := range r.Writes {
		w := &r.Writes[i]
		if w.K == s.k && w.Call != s.call && w.Outcome != replay.Refused && !replay.IsDryRun(r.H.Event(w.Call)) && (w.Return == 0 || w.Return > s.call) {
			until = min(until, max(w.Call, s.call))
		}
	}
	return until
}

// changedBut says what differs between two states of an object but for the mark; empty: nothing.
func changedBut(was, is *history.Ref) string {
	made := was.Meta.Get(replay.Created)
	switch {
	case was.UID != "" && is.UID != "" && was.UID != is.UID:
		return "with another uid"
	case was.Labels != is.Labels:
		return "with other labels"
	case replay.Unmarked(was.Body) != replay.Unmarked(is.Body):
		return "with another content"
	case made != "" && is.Meta != nil && is.Meta.Get(replay.Created) != made:
		return "with another creationTimestamp"
	}
	return ""
}

// policyOf is the propagation policy that a delete asks for; empty for none.
func policyOf(call *history.Event) metav1.DeletionPropagation {
	a, err := replay.ParseArgs(argsOf(call))
	if err != nil {
		return ""
	}
	return a.PropagationPolicy
}
