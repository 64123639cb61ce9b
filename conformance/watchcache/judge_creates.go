package watchcache

import (
	"net/http"
	"slices"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// has says that the subject of a history has a feature. One by hand, or a trace, may not say.
func has(h *history.History, f harness.Feature) bool {
	return slices.Contains(h.Header.Features, string(f))
}

// judgeCreatesOnUpdate looks at updates of what was not there at any moment, of a kind that creates by them.
// A uid is a precondition that nothing meets which is not there; whoever refuses an update because it is
// forbidden, malformed or too much need not have looked.
func judgeCreatesOnUpdate(h *history.History) harness.Judgement {
	if !has(h, CreateOnUpdate) {
		return harness.Judgement{}
	}
	places := writtenIn(h, replay.Create, replay.Update, replay.Patch)
	return judging(func(j *harness.Judgement, r *replay.Replay, w *replay.Write, m replay.Moments, pre *history.Ref, err *history.Error) {
		first := places[placeOf(h.Event(w.Call))]
		if err != nil && err.Code == http.StatusNotFound && h.Header.Check == "" && (first == 0 || first > w.Call) {
			return // there need be no such namespace
		}
		updateOfNothing(j, r, w, m, pre, err)
	}, replay.Update)(h)
}

func updateOfNothing(j *harness.Judgement, r *replay.Replay, w *replay.Write, m replay.Moments, pre *history.Ref, err *history.Error) {
	want := "the object to be created: " + pre.Key + " was not there, and this kind creates on update"
	switch {
	case pre.UID != "" || !gone(r, w, m):
	case err == nil: // whether the object is a new one, write/version-grows tells
		j.Tested++
	case err.Code == http.StatusNotFound, !r.Shared() && (err.Code == http.StatusConflict || err.Code == http.StatusGone): // else another client may have made it
		j.Tested++
		j.Fail(want, err.String(), w.Call, w.Return)
	}
}
