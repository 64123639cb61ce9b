package replay

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/harness/history"
)

// What the words of a JSON patch's tests begin with that are none of a content.
const (
	LabelTest   = "label:"
	VersionTest = "resourceVersion="
	UIDTest     = "uid="
)

// PatchType is the media type of the call of a PATCH; empty: a merge patch.
func PatchType(call *history.Event) types.PatchType {
	if call.Kind != Patch || call.X == nil {
		return ""
	}
	a, _ := readWriteArgs(call.X.Args) // unreadable: NotRead says so
	return a.Type
}

// Tests are what the call of a JSON patch wants of the object as it is.
func Tests(call *history.Event) []string {
	if call.Kind != Patch || call.X == nil {
		return nil
	}
	a, _ := readWriteArgs(call.X.Args) // as above
	return a.Tests
}

// Passes says that a test holds of an object.
func Passes(o *history.Ref, test string) bool {
	if rv, ok := strings.CutPrefix(test, VersionTest); ok {
		return o.RV == rv
	}
	if uid, ok := strings.CutPrefix(test, UIDTest); ok {
		return o.UID == uid
	}
	if pair, ok := strings.CutPrefix(test, LabelTest); ok {
		name, value, _ := strings.Cut(pair, "=")
		is, ok := o.Labels.Map()[name]
		return ok && is == value
	}
	return slices.Contains(strings.Fields(o.Body), test)
}

// Fails gives the first of some tests that holds at none of a write's moments, empty if there is none;
// passes says that all of them hold at each. The object was there all the time.
func (r *Replay) Fails(w *Write, m Moments, tests []string) (test string, passes bool) {
	was := slices.DeleteFunc(slices.Clone(m.Versions), func(i int32) bool { return i == w.Version && !r.Versions[i].both })
	passes = len(was) > 0
	for _, t := range tests {
		held := 0
		for _, i := range was {
			if v := &r.Versions[i]; v.Obj == nil || Passes(v.Obj, t) {
				held++
			}
		}
		if held == 0 && len(was) > 0 {
			return t, false
		}
		passes = passes && held == len(was)
	}
	return "", passes
}
