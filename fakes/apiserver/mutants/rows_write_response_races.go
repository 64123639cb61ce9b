package mutants

import (
	"encoding/json"
	"time"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// racedPatchRows are faults of patches that others' writes come between.
var racedPatchRows = append([]row{
	{name: "patch-over-concurrent", rule: "write/response", about: "a merge patch is made of what is read, and a millisecond later that is stored over whatever is there then",
		on: "patch", when: all(merges, not(conditional), not(dry)), instead: func(c *call) {
			patched := c.tried()
			if c.got, c.err = patched.got, patched.err; c.err == nil {
				time.Sleep(aMoment)
				of(c.got).SetResourceVersion("")
				putAnswer(c)
			}
		}},
	{name: "patch-over-labels", rule: "write/response", about: "a merge patch writes the labels that were there a millisecond before it, too, over what they are then",
		on: "patch", when: all(merges, not(conditional), not(dry), exists), instead: func(c *call) {
			labels, _ := json.Marshal(map[string]any{"metadata": map[string]any{"labels": of(c.now()).GetLabels()}}) // strings
			later(func(c *call) { c.data, _ = jsonpatch.MergeMergePatches(labels, c.data) })(c)
		}},
}, racedTypeRows()...)

// racedTypeRows are those that each type of patch has.
func racedTypeRows() []row {
	var rows []row
	for _, t := range []struct {
		name, about string
		is          types.PatchType
	}{
		{"merge", "a merge patch", types.MergePatchType},
		{"json", "a JSON patch", types.JSONPatchType},
		{"strategic", "a strategic merge patch", types.StrategicMergePatchType},
		{"apply", "an apply", types.ApplyYAMLPatchType},
	} {
		such := func(c *call) bool { return c.patchType == t.is && c.Subresource == "" && !dry(c) }
		versioned := all(such, patchHas("resourceVersion"))
		unversioned := all(such, not(patchHas("resourceVersion")))
		rows = append(rows,
			row{name: "patch-races-" + t.name, rule: "write/response", about: t.about + " is made of what is read, and where others write in the next millisecond, stored over that",
				on: "patch", when: unversioned, instead: whereRaced(func(_ *call, patched runtime.Object) runtime.Object { return patched })},
			row{name: "lost-update-" + t.name, rule: "write/response", about: t.about + " takes the labels as they were a millisecond before it: what others have made of theirs is undone",
				on: "patch", when: unversioned, instead: whereRaced(withLabelsOf)},
			row{name: "patch-version-races-" + t.name, rule: "write/conflict/patch", about: "the resourceVersion of " + t.about + " is looked at, and where others write in the next millisecond, it is done all the same",
				on: "patch", when: versioned, instead: whereRaced(func(_ *call, patched runtime.Object) runtime.Object { return patched })},
			row{name: "answer-reread-" + t.name, rule: "watch/reliable", about: t.about + " is answered with what is there a millisecond later",
				on: "patch", when: such, answer: func(c *call) {
					time.Sleep(aMoment)
					if now := c.now(); now != nil {
						c.got = now
					}
				}})
	}
	return rows
}

// whereRaced looks, a millisecond after a patch was tried, whether others have written meanwhile, and then stores what f
// makes of the object as it was patched before.
func whereRaced(f func(c *call, patched runtime.Object) runtime.Object) func(*call) {
	return func(c *call) {
		before, first := versionNow(c), c.tried()
		if first.err == nil {
			time.Sleep(aMoment)
		}
		if now := versionNow(c); first.err != nil || before == "" || now == "" || now == before {
			c.next()
			return
		}
		if obj := f(c, first.got); c.err == nil {
			o := metav1.UpdateOptions{FieldManager: c.patch.FieldManager}
			c.got, c.err = c.api.Update(c.ctx, c.Request, moved(obj, ""), o)
		}
	}
}

// withLabelsOf patches the object as it is now, and takes the labels of the first try.
func withLabelsOf(c *call, first runtime.Object) runtime.Object {
	second := c.tried()
	if c.err = second.err; c.err == nil {
		of(second.got).SetLabels(of(first).GetLabels())
	}
	return second.got
}

// versionNow is the resourceVersion that an object has; "": there is none, or it is being deleted.
func versionNow(c *call) string {
	now := c.now()
	if now == nil || deleting(of(now)) {
		return ""
	}
	return of(now).GetResourceVersion()
}
