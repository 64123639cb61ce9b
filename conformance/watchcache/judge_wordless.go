package watchcache

import (
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// wordless are watches from what is gone of which no client can tell why they
// end: without an event, or by an ERROR that says nothing. A server may end a watch
// at any time. Where that is all that ever comes of such watches, a client begins them again for ever.
type wordless struct {
	told map[string]bool // forms of watches that were refused, or served, once at least
	all  map[string][]harness.Finding
}

// look is told of each watch from what is gone.
func (x *wordless) look(r *replay.Replay, w *replay.WatchCall, err *history.Error) {
	form, got := formOf(w), ""
	first := firstAfter(r, w)
	switch {
	case first == nil || err != nil && w.Err != nil && transient(err):
		return
	case err != nil && empty(w, err): // that is one of its own
		return
	case err != nil && w.Err == nil && err.Code == 0:
		got = "an ERROR without a code"
	case err == nil && first.Kind == history.Ended && awaits(r, w):
		got = "the end of the stream"
	case err != nil && transient(err), err == nil && !isEvent(first):
		return
	default:
		x.told[form] = true
		return
	}
	x.all[form] = append(x.all[form], harness.Finding{At: []int32{w.Call, first.Num},
		Want: fmt.Sprintf("%d Expired or Gone: the history before %s is gone", http.StatusGone, w.Args.Options.ResourceVersion), Got: got + ", and never anything else"})
}

// end judges them.
func (x *wordless) end(j *harness.Judgement) {
	for _, form := range slices.Sorted(maps.Keys(x.all)) {
		if all := x.all[form]; !x.told[form] && len(all) >= mostTroubles {
			j.Tested += len(all)
			j.Bad = append(j.Bad, all...)
		}
	}
}

// formOf is what a server may take another way by.
func formOf(w *replay.WatchCall) string {
	o := &w.Args.Options
	return fmt.Sprint(o.AllowWatchBookmarks, o.TimeoutSeconds != nil, o.SendInitialEvents != nil)
}

// firstAfter is the first that came of a watch, be it its end; nil: nothing.
func firstAfter(r *replay.Replay, w *replay.WatchCall) *history.Event {
	for e := range w.All(r.H) {
		if e.Phase == history.Notice {
			return e
		}
	}
	return nil
}

// awaits says that there was a change in its scope when a watch was asked for, which it was to bring.
func awaits(r *replay.Replay, w *replay.WatchCall) bool {
	from, ok := r.H.Floor(w.Args.Options.ResourceVersion)
	m := replay.NewMatcher(r.H, w.Scope)
	for v := range r.Between(from, r.Acked(w.Call)) {
		if ok && v.Sure && !v.Gone && v.Obj != nil && m.Matches(v.Obj) {
			return true
		}
	}
	return false
}
