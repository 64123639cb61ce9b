package watchcache

import (
	"net/http"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeConflictTest: a JSON patch of which a test held at no moment is refused, as what does not fit the object
// is, and nothing shows that it was done. Where others write, too, only a resourceVersion does not come back.
func judgeConflictTest(h *history.History) harness.Judgement {
	r := replay.Of(h)
	j := harness.Judgement{Undecided: r.Unordered}
	if j.Undecided != "" {
		return j
	}
	seen := refusedButSeen(r)
	eachWrite(r, []string{replay.Patch}, func(w *replay.Write, m replay.Moments, pre *history.Ref, err *history.Error) {
		tests := replay.Tests(h.Event(w.Call))
		if len(tests) == 0 || !there(r, m) {
			return
		}
		judgeApplied(&j, r, w, seen[w.Call])
		if r.Shared() {
			tests = slices.DeleteFunc(tests, func(t string) bool { return !strings.HasPrefix(t, replay.VersionTest) })
		}
		failed, _ := r.Fails(w, m, tests)
		if failed == "" {
			return
		}
		want := "422, or 409: " + pre.Key + " was not " + failed
		switch {
		case err == nil:
			j.Tested++
			j.Fail(want, "the PATCH was accepted", w.Call, w.Return)
		case slices.Contains(failsTest, err.Code):
			j.Tested++
		case slices.Contains(misleading, err.Code) && alive(r, m):
			j.Tested++
			j.Fail(want, err.String(), w.Call, w.Return)
		}
	})
	return j
}

// failsTest are the codes that say so: no source names one. kube-apiserver answers with 422.
var failsTest = []int{http.StatusUnprocessableEntity, http.StatusConflict, http.StatusPreconditionFailed}

// fits says that a patch can be done to what the object was all the time: of a JSON patch the tests hold, and
// what it names is there, for what a path leads to must be. Any other can be done to everything.
func fits(r *replay.Replay, w *replay.Write, m replay.Moments) bool {
	call := r.H.Event(w.Call)
	if replay.PatchType(call) != types.JSONPatchType {
		return true
	}
	_, passes := r.Fails(w, m, replay.Tests(call))
	if r.Shared() || len(replay.Tests(call)) > 0 && !passes {
		return false
	}
	all := append(names(&call.Obj), replay.Removes(call)...)
	return !slices.ContainsFunc(m.Versions, func(i int32) bool {
		v := r.Versions[i].Obj
		return i != w.Version && (v == nil || slices.ContainsFunc(all, func(n string) bool { return !slices.Contains(names(v), n) }))
	})
}

// names are the words of an object without their values, and its labels.
func names(o *history.Ref) (all []string) {
	for _, p := range strings.Fields(o.Body) {
		name, _, _ := strings.Cut(p, "=")
		all = append(all, name)
	}
	for name := range o.Labels.Map() {
		all = append(all, label+name)
	}
	return all
}
