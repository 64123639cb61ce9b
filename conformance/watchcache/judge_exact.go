package watchcache

import (
	"net/http"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeExactly: the resourceVersion asked for, and the state there; or a
// refusal that says why not.
func judgeExactly(picks func(*metav1.ListOptions) bool) func(*history.History) harness.Judgement {
	is := judgeListWhere(func(l *listed) bool {
		return picks(&l.Args.Options) && l.RV == l.Args.Options.ResourceVersion
	})
	return func(h *history.History) harness.Judgement {
		j := is(h)
		if replay.Of(h).ByOrder {
			return j
		}
		for q, c := range answers(h, picks) {
			if rv := q.Args.Options.ResourceVersion; c != 0 {
				j.Tested++
				j.Fail("the resourceVersion "+rv+", no other", answer(h, q), q.Call, q.Return)
			}
		}
		refusedAt(&j, h, picks)
		return j
	}
}

// refusedAt looks at refusals of states. A trouble (500), or one that is about
// who asks (403), is wrong where such lists are answered of other states, and it
// is all that is ever said of one that is not to be had.
func refusedAt(j *harness.Judgement, h *history.History, picks func(*metav1.ListOptions) bool) {
	done, told, troubles := map[string]bool{}, false, []harness.Finding(nil)
	each := func(f func(q *replay.Request, form, want string)) {
		for _, q := range replay.Asked(h) {
			if rv := q.Args.Options.ResourceVersion; q.Kind == replay.List && q.Return != 0 && picks(&q.Args.Options) && history.Comparable(rv) {
				f(&q, mode(&q)+", "+narrowing(&q), "the state at "+rv+", 410 if it is gone, or 504 if it has not been seen")
			}
		}
	}
	each(func(q *replay.Request, form, _ string) {
		if q.Answered() {
			done[form], done[q.Actor+": "+form] = true, true
		}
	})
	each(func(q *replay.Request, form, want string) {
		switch {
		case q.Err == nil || replay.Retriable(q.Err, q.Refusal):
		case unfounded(q):
			j.Tested++
			j.Fail(want, answer(h, q), q.Call, q.Return)
		case q.Err.Code == http.StatusGone:
			told = true
			if has(h, NoPastStates) {
				j.Tested++ // 410 is all that such a server has to say
			}
		case h.Header.Check == "": // of anybody's clients the rights come and go, and so do troubles
		case q.Err.Code == http.StatusInternalServerError && done[form], q.Err.Code == http.StatusForbidden && done[q.Actor+": "+form]:
			troubles = append(troubles, harness.Finding{At: []int32{q.Call, q.Return}, Want: want, Got: answer(h, q) + ", and never anything else"})
		}
	})
	if !told && len(troubles) >= mostTroubles {
		j.Tested += len(troubles)
		j.Bad = append(j.Bad, troubles...)
	}
}

// unfounded says that a list was refused as a wrong request, and nothing in it
// is wrong, as far as can be told. A server that is in trouble, or that does not know the
// client, says nothing of the resourceVersion.
func unfounded(q *replay.Request) bool {
	if !clientError(q) && q.Err.Code != http.StatusNotImplemented || replay.Retriable(q.Err, q.Refusal) || slices.Contains(elsewhere, q.Err.Code) {
		return false
	}
	s, err := replay.ParseScope(q.Args)
	return err == nil && !s.Restricted(replay.ByField)
}

// elsewhere are codes that are about who asks, and of what; and the one of a state that is gone.
var elsewhere = []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusRequestTimeout, http.StatusGone}
