package watchcache

import (
	"net/http"
	"slices"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeCollection looks at what was there throughout the deletion of a
// collection: what was selected is gone, or marked, and the rest is not.
func judgeCollection(h *history.History) harness.Judgement {
	r := replay.Of(h)
	if r.ByOrder {
		return judgeSweptByOrder(r)
	}
	var j harness.Judgement
	calls := map[int32]bool{}
	for i := range r.Collections {
		c := &r.Collections[i]
		if c.Outcome != replay.Done {
			continue
		}
		calls[c.Call] = true
		for _, s := range c.Keys {
			switch s.Fate {
			case replay.Ended:
				survives(&j, r, c, s)
			case replay.Marked:
				j.Tested++ // write/finalizers looks at it
			}
		}
		tooMuch(&j, r, c)
	}
	eachGiven(&j, r, func(v *replay.Version) bool { return calls[v.Call] && v.Call != 0 })
	return j
}

// survives: nothing that was asked for afterwards has an object that was deleted.
func survives(j *harness.Judgement, r *replay.Replay, c *replay.Collection, s replay.Swept) {
	j.Tested++
	fail := func(got string, at ...int32) {
		j.Fail("no "+r.H.Key(s.K)+": it was selected", got, append([]int32{c.Call}, at...)...)
	}
	for _, q := range replay.Asked(r.H) {
		if q.Kind == replay.Get && q.Call > c.Return && q.Args.Options.ResourceVersion == "" && q.Answered() && q.Obj.K == s.K && s.UID != "" && q.Obj.UID == s.UID {
			fail(at(r.H.Event(q.Return)), q.Call, q.Return)
			return
		}
	}
	for i := range r.Lists {
		l := &r.Lists[i]
		if l.Call < c.Return || l.Args.Options.ResourceVersion != "" || l.Page {
			continue
		}
		if n := slices.IndexFunc(l.Items, func(o history.Ref) bool { return o.K == s.K && s.UID != "" && o.UID == s.UID }); n >= 0 {
			fail(describeItem(&l.Items[n]), l.Call, l.Return)
			return
		}
	}
}

// tooMuch: what is not selected is not deleted, if nobody else may have done that.
func tooMuch(j *harness.Judgement, r *replay.Replay, c *replay.Collection) {
	if r.Shared() {
		return
	}
	for k := int32(1); int(k) < r.H.Keys(); k++ {
		fate, known := fateOf(c, k)
		uid, ok := livesAt(r, c, k)
		if !ok || known && fate != replay.Spared || !known && r.Covers(c, k) {
			continue
		}
		j.Tested++
		if e := goneAfter(r, c, k, uid); e != nil {
			j.Fail(r.H.Key(k)+" to stay: it was not selected", describeGone(e), c.Call, e.Num)
		}
	}
}

func describeGone(e *history.Event) string {
	if e.Phase == history.Notice {
		return told1(e)
	}
	return "404"
}

func fateOf(c *replay.Collection, k int32) (replay.Fate, bool) {
	for _, s := range c.Keys {
		if s.K == k {
			return s.Fate, true
		}
	}
	return 0, false
}

// livesAt is the uid of the object that a key's last write before a collection's
// deletion left there; false where that is not known.
func livesAt(r *replay.Replay, c *replay.Collection, k int32) (string, bool) {
	uid, since, ending := "", int32(0), int32(0) // ending: the last answer to a delete
	for i := range r.Writes {
		w := &r.Writes[i]
		if w.K != k || w.Outcome == replay.Refused || replay.IsDryRun(r.H.Event(w.Call)) {
			continue
		}
		switch {
		case w.Outcome == replay.Unknown && w.Call < c.Return:
			return "", false
		case w.Return > c.Call || w.Call > c.Return:
			return uid, uid != "" && w.Call > c.Return && !sweptSince(r, c, k, since)
		case w.Ends() || w.Marks():
			uid, ending = "", max(ending, w.Return)
		case w.Call < ending: // which of the two came first nobody knows
			uid = ""
		default:
			uid, since = r.H.Event(w.Return).Obj.UID, w.Call
		}
	}
	return uid, uid != "" && !sweptSince(r, c, k, since)
}

// sweptSince says that another collection may have had the object.
func sweptSince(r *replay.Replay, c *replay.Collection, k, since int32) bool {
	for i := range r.Collections {
		o := &r.Collections[i]
		if o.Call == c.Call || o.Call > c.Return || !r.Covers(o, k) || o.Return != 0 && o.Return < since {
			continue
		}
		if fate, known := fateOf(o, k); !known || fate != replay.Spared && fate != replay.Kept {
			return true
		}
	}
	return false
}

// goneAfter is the first event that shows that an object is gone before any
// later write of its key was called.
func goneAfter(r *replay.Replay, c *replay.Collection, k int32, uid string) *history.Event {
	for i := int(c.Call); i < len(r.H.Events); i++ {
		e := &r.H.Events[i]
		switch {
		case e.Phase == history.Call && (e.Obj.K == k && slices.Contains([]string{replay.Create, replay.Update, replay.Patch, replay.Delete}, e.Kind) || e.Kind == replay.DeleteCollection && e.Num != c.Call):
			return nil
		case e.Kind == replay.Deleted && e.Obj.K == k && e.Obj.UID == uid:
			if w := watchOf(r, e.Call); w != nil && !leavesScope(w) {
				return e
			}
		case e.Phase == history.Return && e.Kind == replay.Get && e.Call > c.Return && r.H.Event(e.Call).Obj.K == k && most(r.H.Event(e.Call)):
			if err := e.Err(); err != nil && err.Code == http.StatusNotFound {
				return e
			}
		}
	}
	return nil
}
