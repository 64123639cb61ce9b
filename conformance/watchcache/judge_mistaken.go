package watchcache

import (
	"maps"
	"net/http"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// mostTroubles is how often something may be refused in a way that need not be
// about it (500, 403), and never as it should be, before that is what the server answers.
const mostTroubles = 4

// mistaken looks at wrong refusals of what has to be refused in one way. One
// that is final takes for a wrong request what is done elsewhere, and is wrong
// at once; a trouble is, where it is all that ever comes.
type mistaken struct {
	h        *history.History
	judged   []int           // codes that other parts of the rule judge
	done     map[string]bool // ways in which something was done
	right    map[string]bool // ways that were refused as they should be, once at least
	fails    map[string]bool // verbs of which others failed, too, that could be done: the server is in trouble
	troubles map[string][]harness.Finding
}

func newMistaken(h *history.History, judged []int) *mistaken {
	x := &mistaken{h, judged, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string][]harness.Finding{}}
	for i := range h.Events {
		if e := &h.Events[i]; e.Phase == history.Return && e.Call != 0 && e.Err() == nil {
			call := h.Event(e.Call)
			x.done[x.evidence(call)], x.done[x.own(call)] = true, true
		}
	}
	return x
}

// look is told of a request that had to be refused with a code.
func (x *mistaken) look(j *harness.Judgement, call, ret int32, code int, want string) {
	c, err := x.h.Event(call), x.h.Event(ret).Err()
	switch how := way(c); {
	case err.Code == code:
		x.right[how] = true
	case replay.Retriable(err, replay.RefusalOf(x.h.Event(ret))), slices.Contains(x.judged, err.Code):
	case blames(err.Code) && x.done[x.evidence(c)]:
		j.Tested++
		j.Fail(want, err.String(), call, ret)
	case x.h.Header.Check == "": // of anybody's clients the rights, quotas and troubles come and go
	case err.Code == http.StatusInternalServerError && x.done[x.evidence(c)], err.Code == http.StatusForbidden && x.done[x.own(c)]:
		x.troubles[how] = append(x.troubles[how], harness.Finding{At: []int32{call, ret}, Want: want, Got: err.String() + ", and never anything else"})
	}
}

// end judges the troubles.
func (x *mistaken) end(j *harness.Judgement) {
	for _, how := range slices.Sorted(maps.Keys(x.troubles)) {
		if all := x.troubles[how]; !x.right[how] && len(all) >= mostTroubles && !x.fails[x.h.Event(all[0].At[0]).Kind] {
			j.Tested += len(all)
			j.Bad = append(j.Bad, all...)
		}
	}
}

// doable says that nothing in what an object was was in the way of a request.
func doable(call *history.Event, was *standing) bool {
	pre := &call.Obj
	if call.Kind == replay.Create {
		return was.rv == ""
	}
	return was.rv != "" && (pre.RV == "" || pre.RV == was.rv) && (pre.UID == "" || pre.UID == was.uid)
}

// way is the manner of a write or a get: a server may know it or not.
func way(call *history.Event) string {
	how := manner(call)
	switch {
	case call.Kind == replay.Get:
		a, _ := replay.ParseArgs(argsOf(call))
		how += " at " + a.Options.ResourceVersion
	case call.Obj.RV != "" && call.Obj.UID != "":
		how += " of both"
	case call.Obj.UID != "":
		how += " of the uid"
	}
	if replay.ToStatus(call) {
		how += " to status"
	}
	return how
}

// evidence is what must have been done for a request to be no wrong one: of a
// create its content, too, as that is looked at before the name is. What other clients than a check send may be wrong
// in itself, or a webhook may be against it, which is asked before anything else: of theirs each content counts.
func (x *mistaken) evidence(call *history.Event) string {
	if call.Kind == replay.Create || x.h.Header.Check == "" {
		return way(call) + " " + call.Obj.Labels.String() + " " + call.Obj.Body
	}
	return way(call)
}

// own is evidence that whoever asks may do so there.
func (x *mistaken) own(call *history.Event) string {
	ns, _ := replay.SplitKey(call.Obj.Key)
	return call.Actor + " in " + ns + ": " + x.evidence(call)
}

// judgeMistaken is for requests of which due says with which code they had to
// be refused, and what is wanted; 0: they are of another rule.
func judgeMistaken(j *harness.Judgement, h *history.History, due func(call *history.Event, was *standing) (code int, want string), judged ...int) {
	x := newMistaken(h, judged)
	for _, s := range allStood(h) {
		if code, want := due(h.Event(s.call), &s.was); code != 0 {
			x.look(j, s.call, s.ret, code, want)
		} else if h.Event(s.ret).Err().Code == http.StatusInternalServerError && doable(h.Event(s.call), &s.was) {
			x.fails[h.Event(s.call).Kind] = true
		}
	}
	x.end(j)
}

// missingDue: what was not there.
func missingDue(r *replay.Replay, verbs []string) func(*history.Event, *standing) (int, string) {
	return func(call *history.Event, was *standing) (int, string) {
		_, _, applies := replay.AppliedBy(call)
		if was.rv != "" || !slices.Contains(verbs, call.Kind) || applies && !replay.ToStatus(call) || !r.Own(call.Obj.K) {
			return 0, ""
		}
		return http.StatusNotFound, "404 NotFound: " + call.Obj.Key + " was not there before, nor after"
	}
}

// existsDue: the name that is taken.
func existsDue(call *history.Event, was *standing) (int, string) {
	if was.rv == "" || call.Kind != replay.Create || call.Obj.RV != "" {
		return 0, ""
	}
	return http.StatusConflict, "409 AlreadyExists: " + call.Obj.Key + " was there before and after, @" + was.rv
}

// conflictDue: the precondition that did not hold. What misleads of these other parts of the rule judge.
func conflictDue(h *history.History, aspect string) func(*history.Event, *standing) (int, string) {
	comparable := !replay.Of(h).ByOrder
	return func(call *history.Event, was *standing) (int, string) {
		pre := &call.Obj
		stale := pre.RV != "" && pre.RV != "0" && pre.RV != was.rv && (pre.N != 0 || !comparable)
		switch {
		case was.rv == "" || call.Kind == replay.Create || call.Kind == replay.Get:
			return 0, ""
		case aspect == aspectUID && !stale && pre.UID != "" && was.uid != "" && pre.UID != was.uid && call.Kind != replay.Patch:
			return http.StatusConflict, "409 Conflict: " + pre.Key + " was of uid " + was.uid + " before and after, and not of " + pre.UID
		case aspect != aspectUID && stale && replay.ToStatus(call) == (aspect == aspectStatus) && (aspect == aspectStatus || call.Kind == verbOf[aspect]):
			return http.StatusConflict, "409 Conflict: " + pre.Key + " was @" + was.rv + " before and after, and not of resourceVersion " + pre.RV
		}
		return 0, ""
	}
}

// missing404 says that a refusal is 404 NotFound, and not another 404.
func missing404(err *history.Error) bool {
	return err.Code == http.StatusNotFound && err.Reason == string(metav1.StatusReasonNotFound)
}
