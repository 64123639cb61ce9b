package watchcache

import (
	"net/http"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// restarted is the last restart before an event: where it was answered, and the
// largest resourceVersion that had been seen by then.
type restarted struct {
	at      int32
	largest string
}

// judgeRestart: what was acknowledged or shown before a restart is there after
// it, and watches from before go on or are told to list.
func judgeRestart(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	if r.ByOrder {
		j.Undecided = "writes return no resourceVersion that could be compared"
		return j
	}
	old := versionsAfter(&j, r)
	if len(old) == 0 {
		return j
	}
	compacted := len(done(h, replay.Compact)) > 0
	for i := range r.Watches {
		w := &r.Watches[i]
		err := refusedWatch(r, w)
		if !old[w.Call] || err == nil || err.Code == 0 || replay.Retriable(err, replay.Refusal{}) {
			continue
		}
		if unlooked(err) && err.Code < 500 || err.Code >= 500 && (compacted || h.Event(w.Call).At > int64(ownCompaction)) { // watch/expired-edge judges that
			continue
		}
		if j.Tested++; err.Code != http.StatusGone {
			j.Fail("a watch that goes on, or 410", err.String(), w.Call)
		}
	}
	r.Dues(func(w *replay.WatchCall, _ *replay.Matcher, d replay.Due) {
		if !old[w.Call] || refusedWatch(r, w) != nil {
			return
		}
		j.Tested++
		if d.Given == 0 {
			missing(&j, r, w, d)
		}
	})
	return j
}

// versionsAfter looks at the resourceVersions after each restart, and gives the
// calls of watches that go on from before it.
func versionsAfter(j *harness.Judgement, r *replay.Replay) map[int32]bool {
	var last restarted
	largest, old := "", map[int32]bool{}
	for i := range r.H.Events {
		e := &r.H.Events[i]
		switch {
		case e.Kind == replay.Restart && e.Phase == history.Return && e.Err() == nil:
			last = restarted{e.Num, largest}
		case last.largest != "" && e.Kind == replay.Watch && e.Phase == history.Call:
			old[e.Num] = last.before(e)
		case last.largest != "" && e.Phase == history.Return && e.Err() == nil && e.Call > last.at && history.Comparable(e.Obj.RV):
			last.grown(j, r.H, e)
		}
		if tells(e) && (largest == "" || history.CompareRV(e.Obj.RV, largest) > 0) {
			largest = e.Obj.RV
		}
	}
	return old
}

// before says that a watch asks for what came after a resourceVersion from
// before the restart, and for nothing that is refused for itself.
func (s *restarted) before(call *history.Event) bool {
	if call.X == nil {
		return false
	}
	a, err := replay.ParseArgs(call.X.Args)
	o := &a.Options
	return err == nil && history.Comparable(o.ResourceVersion) && history.CompareRV(o.ResourceVersion, s.largest) <= 0 &&
		o.Continue == "" && (o.ResourceVersionMatch == "" && o.SendInitialEvents == nil || withoutInitial(o))
}

// withoutInitial says that a watch asks for changes only, as one without the option does.
func withoutInitial(o *metav1.ListOptions) bool {
	return o.SendInitialEvents != nil && !*o.SendInitialEvents && o.ResourceVersionMatch == metav1.ResourceVersionMatchNotOlderThan
}

// grown: most-recent lists are not older than what was seen before, and what is created is newer.
func (s *restarted) grown(j *harness.Judgement, h *history.History, e *history.Event) {
	call := h.Event(e.Call)
	c := history.CompareRV(e.Obj.RV, s.largest)
	switch {
	case e.Kind == replay.List && fresh(call):
		if j.Tested++; c < 0 {
			j.Fail("a resourceVersion of at least "+s.largest+", which was there before the restart", "a list @"+e.Obj.RV, s.at, e.Call, e.Num)
		}
	case e.Kind == replay.Create && !replay.IsDryRun(call):
		if j.Tested++; c <= 0 {
			j.Fail("a resourceVersion above "+s.largest+", which was there before the restart", e.Obj.Key+" created @"+e.Obj.RV, s.at, e.Call, e.Num)
		}
	}
}

// tells says that an answer, or what a watch brought, tells of a resourceVersion of the store.
func tells(e *history.Event) bool {
	if e.Err() != nil || !history.Comparable(e.Obj.RV) {
		return false
	}
	if e.Phase == history.Notice {
		return isEvent(e) || e.Kind == replay.Bookmark
	}
	return e.Phase == history.Return && slices.Contains([]string{replay.Create, replay.Update, replay.Patch, replay.List}, e.Kind)
}

// fresh says that a list asks for the most recent state.
func fresh(call *history.Event) bool {
	if call.X == nil {
		return true
	}
	a, err := replay.ParseArgs(call.X.Args)
	return err == nil && a.Options.ResourceVersion == "" && a.Options.Continue == ""
}
