package watchcache

import (
	"math"
	"net/http"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// slowBacklog is how much must have waited for a reader before what it was
// given says anything: less than that every server can hold back.
const slowBacklog = 100

// reader is who stopped reading for a while: in one watch, or in those that
// go on after it, too.
type reader struct {
	paused, resumed int32 // numbers of the events that say so; resumed 0: it never read on
	backlog         int   // what was due to it of what was written in between
	told            bool  // 410: it must list anew
}

// judgeSlow looks at watches whose reader stopped for a while, and at those
// that go on after them.
func judgeSlow(h *history.History) harness.Judgement {
	r := replay.Of(h)
	j := harness.Judgement{Undecided: r.Unordered}
	if j.Undecided != "" {
		return j
	}
	slow := readers(r)
	r.Dues(func(w *replay.WatchCall, _ *replay.Matcher, d replay.Due) {
		s := slow[w.Actor]
		if s == nil {
			return
		}
		if call := r.Versions[d.Version].Call; call > s.paused && (s.resumed == 0 || call < s.resumed) {
			s.backlog++
		}
		if d.Given == 0 {
			missing(&j, r, w, d)
		}
	})
	for _, s := range slow {
		if s.told || s.backlog >= slowBacklog {
			j.Tested++
		}
	}
	return j
}

// readers are those that stopped reading, by actor.
func readers(r *replay.Replay) map[string]*reader {
	out := map[string]*reader{}
	for i := range r.Watches {
		w := &r.Watches[i]
		for e := range w.All(r.H) {
			s := out[w.Actor]
			switch {
			case e.Kind == replay.Paused && s == nil:
				out[w.Actor] = &reader{paused: e.Num}
			case s == nil:
			case e.Kind == replay.Resumed && s.resumed == 0:
				s.resumed = e.Num
			case e.Kind == replay.Errored && e.Err().Code == http.StatusGone:
				s.told = true
			}
		}
		if s := out[w.Actor]; s != nil && w.Err != nil && w.Err.Code == http.StatusGone {
			s.told = true
		}
	}
	return out
}

// absence is a time in which somebody did not read.
type absence struct{ from, to int64 }

// absences are those of each actor, in order; who never read on was away for ever.
func absences(r *replay.Replay) map[string][]absence {
	out := map[string][]absence{}
	for i := range r.H.Events {
		e := &r.H.Events[i]
		all := out[e.Actor]
		switch {
		case e.Kind == replay.Paused:
			out[e.Actor] = append(all, absence{e.At, math.MaxInt64 / 2})
		case e.Kind == replay.Resumed && len(all) > 0:
			all[len(all)-1].to = e.At
		}
	}
	return out
}
