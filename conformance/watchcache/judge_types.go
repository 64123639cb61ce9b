package watchcache

import (
	"fmt"
	"slices"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// had is what is known of a watcher's copy of one object.
type had int8

const (
	unknown had = iota
	absent
	present
)

// judgeTypes keeps for each object whether the watcher has it. At first that
// is known where the watch starts at a resourceVersion (the state there), or
// after its end mark (what it was given).
func judgeTypes(h *history.History) harness.Judgement {
	r := replay.Of(h)
	j := harness.Judgement{Undecided: r.Unordered}
	if j.Undecided != "" {
		return j
	}
	copies := make([]struct {
		watch int32
		had   had
		event int32 // that told so
	}, h.Keys())
	for i := range r.Watches {
		w := &r.Watches[i]
		if w.Err != nil {
			continue
		}
		m := replay.NewMatcher(h, w.Scope)
		for i := range w.Events {
			e := &w.Events[i]
			if !e.IsEvent() || !r.Own(e.K) {
				continue
			}
			c := &copies[e.K]
			if c.watch != w.Call {
				c.watch, c.had, c.event = w.Call, atStart(r, w, m, e), 0
			}
			if c.had != present && strays(r, m, e) {
				continue
			}
			judgeType(&j, r, w, m, e, c.had, c.event)
			c.had, c.event = present, e.Num
			if e.Deleted() {
				c.had = absent
			}
		}
	}
	return j
}

// strays says that an event is of a change outside of what is watched, before
// it and after it. Where the watcher has nothing of it, that is watch/scope's,
// whatever its type.
func strays(r *replay.Replay, m *replay.Matcher, e *replay.Shown) bool {
	v := e.Version
	if v == replay.None || r.Versions[v].Hazy {
		return false
	}
	_, changed := r.Transition(m, v)
	return !changed
}

// atStart is what the watcher had of an event's object before it: nothing, where
// the watch itself is to bring all there is.
func atStart(r *replay.Replay, w *replay.WatchCall, m *replay.Matcher, e *replay.Shown) had {
	switch {
	case w.Mark != 0 && e.Num < w.Mark: // watchlist/only-added's
		return unknown
	case w.Mark != 0 || w.Initial() && !r.ByOrder:
		return absent
	case !w.Known:
		return unknown
	}
	s := r.StateAtStart(w, e.K)
	switch {
	case !s.Certain:
		return unknown
	case s.Version != replay.None && m.Matches(r.Versions[s.Version].Obj):
		return present
	}
	return absent
}

var wants = map[had][]string{
	absent:  {replay.Added},
	present: {replay.Modified, replay.Deleted},
}

func judgeType(j *harness.Judgement, r *replay.Replay, w *replay.WatchCall, m *replay.Matcher, e *replay.Shown, c had, told int32) {
	want, ok := wants[c]
	if v := e.Version; v != replay.None && w.Known && (w.Mark == 0 || e.Num > w.Mark) && change(r, e) > w.Start {
		if kind, changed := r.Transition(m, v); changed && kind != "" {
			want, ok = []string{kind}, true
		}
	}
	if kind := made(r, m, e); kind == replay.Deleted || !ok && kind != "" && e.Kind() != replay.Added {
		want, ok = []string{kind}, true // whether or not the watcher was given what was before
	}
	shown := r.H.Event(e.Num)
	if !e.Deleted() && deletedThere(r, e) {
		j.Tested++
		j.Fail("DELETED: "+shown.Obj.Key+" was deleted, and nobody wrote it at that resourceVersion", fmt.Sprintf("%s %s", e.Kind(), at(shown)), causes(w.Call, told, e.Num)...)
		return
	}
	if !ok {
		return
	}
	j.Tested++
	for _, k := range want {
		if k == e.Kind() {
			return
		}
	}
	j.Fail(wantType(want, shown), fmt.Sprintf("%s %s", e.Kind(), at(shown)), causes(w.Call, told, e.Num)...)
}

// made is the type of the change that an event shows; empty where that is not known.
func made(r *replay.Replay, m *replay.Matcher, e *replay.Shown) string {
	if e.Version == replay.None {
		i := r.Find(e.K, e.N)
		switch {
		case i == replay.None || !r.Versions[i].Sure:
			return ""
		case r.Versions[i].Gone:
			return replay.Deleted
		case !m.Leaves(): // what lives at that resourceVersion does not leave what is watched
			kind, _ := r.Transition(m, i)
			return kind
		}
		return ""
	}
	if r.Versions[e.Version].Call == 0 {
		return ""
	}
	kind, _ := r.Transition(m, e.Version)
	return kind
}

// deletedThere says that an event shows an object at a resourceVersion at which
// nothing but its deletion can have been: no write explains it, and where no
// other client can have written only a deletion that was never shown is left.
func deletedThere(r *replay.Replay, e *replay.Shown) bool {
	if e.Version != replay.None || r.Shared() || r.ByOrder || !slices.Contains(r.Phantoms, e.Num) {
		return false
	}
	return slices.ContainsFunc(r.OfKey(e.K), func(i int32) bool {
		v := &r.Versions[i]
		return v.Unseen() && v.Sure && v.After < e.N && e.N < v.Before
	})
}

func wantType(want []string, e *history.Event) string {
	switch want[0] {
	case replay.Added:
		return "ADDED: the watcher does not have " + e.Obj.Key
	case replay.Deleted:
		return "DELETED: " + e.Obj.Key + " leaves what is watched"
	}
	return "MODIFIED: the watcher has " + e.Obj.Key
}
