package mutants

import (
	"regexp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// mergePatchRows are faults of merge patches that are taken, and of which a part is not done, and of what patches are answered with.
var mergePatchRows = []row{
	{name: "patch-answers-before", rule: "write/response", about: "a patch answers with the object as it was before, and the new resourceVersion",
		on: "patch", instead: remembering(func(c *call, was runtime.Object) { c.got = moved(was, of(c.got).GetResourceVersion()) })},
	{name: "dry-patch-version", rule: "write/response", about: "a patch that is a dry run is answered with a new resourceVersion",
		on: "patch", when: dry, answer: answerAt(plusOne)},
	{name: "patch-loses-data", rule: "write/response", about: "a merge patch is answered, and what it says of the data is not written",
		on: "patch", when: merges, ask: changePatch(func(patch, _ map[string]any) { delete(patch, "data") })},
	{name: "patch-loses-labels", rule: "write/response", about: "a merge patch is answered, and what it says of the labels is not written",
		on: "patch", when: merges, ask: changePatch(func(_, meta map[string]any) { delete(meta, "labels") })},
	{name: "patch-wipes-finalizers", rule: "write/response", about: "a merge patch that sets finalizers takes all of them away",
		on: "patch", when: merges, ask: changePatch(func(_, meta map[string]any) { meta["finalizers"] = nil })},
	{name: "patch-drops-owners", rule: "write/response", about: "a merge patch that says nothing of ownerReferences takes them away",
		on: "patch", when: merges, ask: changePatch(func(_, meta map[string]any) { meta["ownerReferences"] = nil })},
	{name: "patch-owners-ignored", rule: "write/response", about: "a merge patch leaves the owners as they are",
		on: "patch", when: merges, ask: changePatch(func(_, meta map[string]any) { delete(meta, "ownerReferences") })},
	{name: "patch-owners-stay", rule: "write/response", about: "a merge patch that sets the owners to null leaves them",
		on: "patch", when: all(merges, patchHas(`"ownerReferences":null`)), ask: changePatch(func(_, meta map[string]any) { delete(meta, "ownerReferences") })},

	{name: "patch-null-label-ignored", rule: "write/response", about: "a merge patch that sets a label to null does not take it away",
		on: "patch", when: merges, ask: changePatch(func(_, meta map[string]any) { ignoreNulls(meta["labels"]) })},
	{name: "patch-null-annotation-ignored", rule: "write/response", about: "a merge patch that sets an annotation to null does not take it away",
		on: "patch", when: merges, ask: changePatch(func(_, meta map[string]any) { ignoreNulls(meta["annotations"]) })},
	{name: "patch-null-data-ignored", rule: "write/response", about: "a merge patch that sets a key of the data to null does not take it away",
		on: "patch", when: merges, ask: changePatch(func(patch, _ map[string]any) { ignoreNulls(patch["data"]) })},
	{name: "patch-null-label-emptied", rule: "write/response", about: "a merge patch that sets a label to null leaves it with an empty value, as a map of strings decodes it",
		on: "patch", when: merges, ask: changePatch(func(_, meta map[string]any) { emptyNulls(meta["labels"]) })},
	{name: "patch-null-annotation-emptied", rule: "write/response", about: "a merge patch that sets an annotation to null leaves it with an empty value",
		on: "patch", when: merges, ask: changePatch(func(_, meta map[string]any) { emptyNulls(meta["annotations"]) })},
	{name: "patch-null-wipes-annotations", rule: "write/response", about: "a merge patch that sets one annotation to null takes all of them away",
		on: "patch", when: merges, ask: changePatch(func(_, meta map[string]any) {
			if len(nulls(meta["annotations"])) > 0 {
				meta["annotations"] = nil
			}
		})},
}

// otherPatchRows are faults of JSON patches and strategic merge patches that are taken, and not done as they say.
var otherPatchRows = []row{
	{name: "json-patch-last-lost", rule: "write/response", about: "of a JSON patch of several operations the last is not done",
		on: "patch", when: jsonPatches, ask: operations(func(all []operation) []operation {
			if len(all) > 1 {
				all = all[:len(all)-1]
			}
			return all
		})},
	{name: "json-patch-removes-nothing", rule: "write/response", about: "a JSON patch leaves what it removes",
		on: "patch", when: jsonPatches, ask: operations(without(func(o operation) bool { return o.is("remove") }))},
	{name: "json-patch-moves-copy", rule: "write/response", about: "a JSON patch leaves what it moves where it was, too",
		on: "patch", when: jsonPatches, ask: eachOperation(func(o operation) {
			if o.is("move") {
				o["op"] = "copy"
			}
		})},
	{name: "json-patch-adds-over", rule: "write/response", about: "what a JSON patch adds to a list takes the place of the list",
		on: "patch", when: jsonPatches, ask: eachOperation(func(o operation) {
			if path, ok := strings.CutSuffix(o["path"].(string), "/-"); ok {
				o["path"], o["value"] = path, []any{o["value"]}
			}
		})},
	{name: "strategic-is-merge", rule: "write/response", about: "a strategic merge patch is taken for a merge patch: the owners that it names take the place of the others",
		on: "patch", when: strategic, ask: func(c *call) { c.patchType = types.MergePatchType }},
	{name: "strategic-keeps-null", rule: "write/response", about: "a strategic merge patch leaves what it sets to null",
		on: "patch", when: strategic, ask: func(c *call) { c.data = regexp.MustCompile(`"[^"]*":null,?`).ReplaceAll(c.data, nil) }},
}

// applyRows are faults of applies that are taken, and of which something else becomes.
var applyRows = []row{
	{name: "apply-keeps-what-it-leaves-out", rule: "write/response", about: "an apply without data leaves the data that its manager had applied: nobody remembers who owns what",
		on: "patch", when: all(applies, exists), ask: func(c *call) {
			now, err := runtime.DefaultUnstructuredConverter.ToUnstructured(c.now())
			changePatch(func(patch, _ map[string]any) {
				if err == nil && patch["data"] == nil {
					patch["data"] = now["data"]
				}
			})(c)
		}},
	{name: "apply-keeps-notes", rule: "write/response", about: "an apply leaves the annotations that its manager had applied, and that it leaves out",
		on: "patch", when: applies, instead: remembering(func(c *call, was runtime.Object) {
			if notes := of(was).GetAnnotations(); len(notes) > 0 && len(of(c.got).GetAnnotations()) == 0 {
				of(c.got).SetAnnotations(notes)
				putAnswer(c)
			}
		})},
	{name: "apply-answers-another", rule: "write/response", about: "an apply that creates is answered with an annotation that is not stored",
		on: "patch", when: all(applies, not(exists)), answer: objects(func(o metav1.Object) { o.SetAnnotations(map[string]string{"applied": "yes"}) })},
	{name: "apply-answers-newer", rule: "write/response", about: "an apply that changes nothing is answered with a new resourceVersion, which is not stored",
		on: "patch", when: applies, instead: remembering(func(c *call, was runtime.Object) {
			if of(was).GetResourceVersion() == of(c.got).GetResourceVersion() {
				answerAt(plusOne)(c)
			}
		})},
	{name: "apply-replaces", rule: "write/response", about: "an apply takes away what other managers have, as if it were a PUT",
		on: "patch", when: applies, answer: func(c *call) {
			of(c.got).SetAnnotations(patchedMeta(c).Annotations)
			putAnswer(c)
		}},
	{name: "apply-loses-the-rest", rule: "write/response", about: "an apply of a manager that is new to an object takes away the data of the others",
		on: "patch", when: all(applies, exists, not(patchHas(`"data":`)), not(patchHas(`"spec":`))), ask: func(c *call) {
			_, _ = c.api.Patch(c.ctx, c.Request, types.MergePatchType, []byte(`{"data":null}`), metav1.PatchOptions{}) // it is there
			anyVersion(c)
		}},
	{name: "dry-apply-version", rule: "write/response", about: "an apply that would create is answered with a resourceVersion, though it is a dry run",
		on: "patch", when: all(applies, dry, not(exists)), answer: answerAt(invented)},
}

// nulls are the keys of a part of a patch that it sets to null.
func nulls(part any) (keys []string) {
	values, _ := part.(map[string]any)
	for key, v := range values {
		if v == nil {
			keys = append(keys, key)
		}
	}
	return keys
}

// ignoreNulls leaves those keys out of the patch, emptyNulls gives them empty values.
func ignoreNulls(part any) {
	for _, key := range nulls(part) {
		delete(part.(map[string]any), key)
	}
}

func emptyNulls(part any) {
	for _, key := range nulls(part) {
		part.(map[string]any)[key] = ""
	}
}

// eachOperation changes each operation of a JSON patch.
func eachOperation(f func(operation)) func(*call) {
	return operations(func(all []operation) []operation {
		for _, o := range all {
			f(o)
		}
		return all
	})
}
