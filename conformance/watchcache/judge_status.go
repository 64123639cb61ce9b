package watchcache

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// part is the value of one of the two strings that an object has, "" for none.
func part(name, body string) string {
	for p := range strings.FieldsSeq(body) {
		if v, ok := strings.CutPrefix(p, name+"="); ok {
			return v
		}
	}
	return ""
}

// judgeApart looks at writes that are not to change a part of the object, though they bring another one, or
// leave it out: it is neither what they bring, nor gone. What else a server makes of it is its own
// affair: a status may follow from the spec.
func judgeApart(name string, toStatus bool) func(*history.History) harness.Judgement {
	return judging(func(j *harness.Judgement, r *replay.Replay, w *replay.Write, m replay.Moments, pre *history.Ref, err *history.Error) {
		if err != nil || w.ToStatus() != toStatus {
			return
		}
		v := found(r, w, m, pre)
		if v == nil {
			return
		}
		was, sent, got := part(name, v.Obj.Body), part(name, pre.Body), part(name, r.H.Event(w.Return).Obj.Body)
		if sent == was || sent == "" && w.Verb() == replay.Patch || name == Status && mayFollow(r, w, pre) {
			return
		}
		if j.Tested++; got == sent {
			j.Fail(fmt.Sprintf("the %s as before: %s", name, cmp.Or(was, "none")), cmp.Or(got, "none")+", as it was sent", causes(v.Call, w.Call, w.Return)...)
		}
	}, replay.Update, replay.Patch)
}

// mayFollow reports whether the status that a write brings is that of an earlier state with the same spec: a server that
// derives the status from the spec may have come to it by itself.
func mayFollow(r *replay.Replay, w *replay.Write, sent *history.Ref) bool {
	return slices.ContainsFunc(r.OfKey(w.K), func(i int32) bool {
		v := &r.Versions[i]
		return v.Obj != nil && v.Call < w.Call && part(Spec, v.Obj.Body) == part(Spec, sent.Body) && part(Status, v.Obj.Body) == part(Status, sent.Body)
	})
}

// found is the version that a write has found, where that is known; nil where it is not. Where others may
// write, too, only a resourceVersion tells.
func found(r *replay.Replay, w *replay.Write, m replay.Moments, pre *history.Ref) *replay.Version {
	before := slices.DeleteFunc(slices.Clone(m.Versions), func(i int32) bool { return i == w.Version })
	if m.Absent || len(before) != 1 || pre.RV == "" && r.Shared() {
		return nil
	}
	v := &r.Versions[before[0]]
	if v.Gone || v.Obj == nil || pre.RV != "" && pre.RV != v.Obj.RV {
		return nil
	}
	return v
}

// saysAsMuch says that what a write to status brings beside status and spec is what was there: of some kinds
// it may change that, too. Of another write it says nothing.
func saysAsMuch(w *replay.Write, call *history.Event, was string) bool {
	rest := func(body string) []string {
		return slices.DeleteFunc(strings.Fields(asked(body)), func(p string) bool { return strings.HasPrefix(p, Spec+"=") })
	}
	return !w.ToStatus() || slices.Equal(rest(call.Obj.Body), rest(was))
}
