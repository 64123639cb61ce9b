package watchcache

import (
	"fmt"
	"maps"
	"slices"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// silentEnds is how many watches that are asked for in one way must have ended without a word, and none of
// them otherwise, while others were told, to say that those are never told. A server may end a watch when it likes.
const silentEnds = 4

// silence is what became of the watches that are asked for in one way.
type silence struct {
	ends      []int32 // of those that ended without a word
	otherwise bool    // one of them did not
}

// judgeSilent looks for ways to ask from before what is kept that are never told so.
func judgeSilent(j *harness.Judgement, r *replay.Replay, old map[int32]bool) {
	all, told := map[string]*silence{}, false
	for i := range r.Watches {
		w := &r.Watches[i]
		if !old[w.Call] {
			continue
		}
		told = told || refusedWatch(r, w) != nil && !transient(refusedWatch(r, w))
		end, silent := endOf(r, w)
		for _, way := range manners(w) {
			if all[way] == nil {
				all[way] = &silence{}
			}
			if all[way].otherwise = all[way].otherwise || !silent; silent {
				all[way].ends = append(all[way].ends, end)
			}
		}
	}
	for _, way := range slices.Sorted(maps.Keys(all)) {
		if s := all[way]; told && !s.otherwise && len(s.ends) >= silentEnds {
			j.Tested++
			j.Fail("410 Expired or Gone: the history before them is gone", fmt.Sprintf("%d watches %s: each ended without a word", len(s.ends), way), s.ends...)
			return
		}
	}
}

// endOf is the number of the event that ended a watch; silent: nothing came before, and it had time left. A watch
// that the client let go of, that waits, or that came to its end is neither.
func endOf(r *replay.Replay, w *replay.WatchCall) (end int32, silent bool) {
	if w.Err != nil {
		return 0, false
	}
	t := w.Args.Options.TimeoutSeconds
	for e := range w.All(r.H) {
		if e.Phase == history.Notice {
			return e.Num, e.Kind == history.Ended && (t == nil || (e.At-r.H.Event(w.Call).At)/1e9 < *t/2)
		}
	}
	return 0, false
}

// manners are from what, and in which manner, a watch is asked for.
func manners(w *replay.WatchCall) []string {
	o := &w.Args.Options
	of := "of a namespace"
	if w.Args.Namespace == "" {
		of = "of all namespaces"
	}
	how := of
	if o.AllowWatchBookmarks {
		how += ", with bookmarks"
	}
	if o.TimeoutSeconds != nil {
		how += ", with timeoutSeconds"
	}
	if o.SendInitialEvents != nil {
		how += ", without initial events"
	}
	if o.LabelSelector != "" {
		of += ", by label"
	}
	if o.FieldSelector != "" {
		of += ", by field"
	}
	return []string{how, of}
}
