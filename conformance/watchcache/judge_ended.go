package watchcache

import (
	"maps"
	"slices"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
)

// judgeEnded looks at deletes that were under way while an object was there which they did not name, whatever they named
// before: if that object ended, another delete must have done that. And of one object that nothing holds only one delete
// that names it is accepted. Where others write, they may have ended it, or have given it something to wait for; what a
// collection's deletion has ended nobody knows.
func judgeEnded(j *harness.Judgement, r *replay.Replay, aspect string) {
	if r.Shared() || r.ByOrder || aspect != aspectUID && aspect != "delete" {
		return
	}
	of := naming(r)
	for _, k := range slices.Sorted(maps.Keys(of)) {
		if !r.Own(k) || r.Swept(k) {
			continue
		}
		for _, e := range r.Ends(k) {
			endedBy(j, r, aspect, &e, of[k])
		}
		namedTwice(j, r, aspect, of[k])
	}
}

// naming are the deletes of each key of which one at least says what it is to delete, in order of their calls.
func naming(r *replay.Replay) map[int32][]*replay.Write {
	all, some := map[int32][]*replay.Write{}, map[int32]bool{}
	for i := range r.Writes {
		w := &r.Writes[i]
		call := r.H.Event(w.Call)
		if w.K == 0 || w.Verb() != replay.Delete || replay.IsDryRun(call) {
			continue
		}
		all[w.K] = append(all[w.K], w)
		some[w.K] = some[w.K] || call.Obj.UID != "" || call.Obj.RV != ""
	}
	maps.DeleteFunc(all, func(k int32, _ []*replay.Write) bool { return !some[k] })
	return all
}

// endedBy looks for what can have ended an object, and at who did not name it. Of several that did not one that was
// accepted is to blame.
func endedBy(j *harness.Judgement, r *replay.Replay, aspect string, e *replay.End, deletes []*replay.Write) {
	named, occasion := false, false
	var other *replay.Write
	for _, w := range deletes {
		if !e.During(w) {
			continue
		}
		if rv, uid := r.Names(e, w); rv && uid {
			named = named || w.Outcome != replay.Refused
		} else if w.Outcome != replay.Unknown {
			occasion = occasion || wrongBy(rv) == aspect
			if other == nil || other.Outcome == replay.Refused {
				other = w
			}
		}
	}
	if occasion {
		j.Tested++
	}
	if named || other == nil || slices.ContainsFunc(j.Bad, func(f harness.Finding) bool { return f.At[0] == other.Call }) {
		return
	}
	if rv, _ := r.Names(e, other); wrongBy(rv) != aspect {
		return
	}
	v, pre := r.Versions[e.Last].Obj, &r.H.Event(other.Call).Obj
	want, got := "409 Conflict: "+pre.Key+" was @"+v.RV+", and not of resourceVersion "+pre.RV, "the DELETE was accepted, and ended it: nothing else can have"
	if aspect == aspectUID {
		want = "409 Conflict: " + pre.Key + " was of uid " + v.UID + ", and not of uid " + pre.UID
	}
	if other.Outcome == replay.Refused {
		want, got = "a refused DELETE changes nothing", pre.Key+" @"+v.RV+" is gone, and nothing else can have deleted it"
	}
	j.Fail(want, got, other.Call, other.Return, e.Known)
}

// wrongBy is the aspect of what is not of a resourceVersion, or else of a uid: that is judged where it is wrong alone.
func wrongBy(rv bool) string {
	if rv {
		return aspectUID
	}
	return "delete"
}

// namedTwice looks for two accepted deletes that named the same object.
func namedTwice(j *harness.Judgement, r *replay.Replay, aspect string, all []*replay.Write) {
	if has(r.H, Grace) {
		return
	}
	first := map[string]*replay.Write{}
	for _, w := range all {
		pre := &r.H.Event(w.Call).Obj
		name := pre.UID
		if aspect != aspectUID {
			name = pre.RV
		}
		if name == "" || !deletes(r, w) {
			continue
		}
		was := first[name]
		if was == nil {
			first[name] = w
			continue
		}
		if !everHeld(r, w.K) {
			j.Tested++
			j.Fail("409 Conflict, or 404, for one of the DELETEs of "+pre.Key+" with "+aspectWord(aspect)+" "+name+": it ends once", "both were accepted", was.Call, was.Return, w.Call, w.Return)
		}
		return
	}
}

// aspectWord is what a delete names an object by.
func aspectWord(aspect string) string {
	if aspect == aspectUID {
		return "uid"
	}
	return "resourceVersion"
}
