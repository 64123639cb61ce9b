package mutants

import (
	"context"
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// patched are patches that are taken, and of which a part is not written.
func patched() []Mutant {
	return []Mutant{
		{
			Name: "patch-loses-data", Rule: "watchcache/write/response",
			About: "a merge patch is answered, and what it says of the data is not written",
			Open:  patching(func(patch, _ map[string]any) { delete(patch, "data") }),
		},
		{
			Name: "patch-loses-labels", Rule: "watchcache/write/response",
			About: "a merge patch is answered, and what it says of the labels is not written",
			Open:  patching(func(_, meta map[string]any) { delete(meta, "labels") }),
		},
		{
			Name: "patch-wipes-finalizers", Rule: "watchcache/write/response",
			About: "a merge patch that sets finalizers takes all of them away",
			Open:  patching(func(_, meta map[string]any) { meta["finalizers"] = nil }),
		},
		{
			Name: "patch-null-label-ignored", Rule: "watchcache/write/response",
			About: "a merge patch that sets a label to null does not take it away",
			Open:  nulled(ignored, "metadata", "labels"),
		},
		{
			Name: "patch-null-annotation-ignored", Rule: "watchcache/write/response",
			About: "a merge patch that sets an annotation to null does not take it away",
			Open:  nulled(ignored, "metadata", "annotations"),
		},
		{
			Name: "patch-null-data-ignored", Rule: "watchcache/write/response",
			About: "a merge patch that sets a key of the data to null does not take it away",
			Open:  nulled(ignored, "data"),
		},
		{
			Name: "patch-null-label-emptied", Rule: "watchcache/write/response",
			About: "a merge patch that sets a label to null leaves it with an empty value, as a map of strings decodes it",
			Open:  nulled(emptied, "metadata", "labels"),
		},
		{
			Name: "patch-null-annotation-emptied", Rule: "watchcache/write/response",
			About: "a merge patch that sets an annotation to null leaves it with an empty value",
			Open:  nulled(emptied, "metadata", "annotations"),
		},
		{
			Name: "patch-null-wipes-annotations", Rule: "watchcache/write/response",
			About: "a merge patch that sets one annotation to null takes all of them away",
			Open:  patching(func(_, meta map[string]any) { wipeForNull(meta) }),
		},
	}
}

// nulled is a store whose merge patches with nulls in some part of the object are changed first.
func nulled(f func(part map[string]any, name string), path ...string) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return patching(func(patch, _ map[string]any) {
		part, _, _ := unstructured.NestedFieldNoCopy(patch, path...)
		values, _ := part.(map[string]any)
		for name, v := range values {
			if v == nil {
				f(values, name)
			}
		}
	})
}

func wipeForNull(meta map[string]any) {
	notes, _ := meta["annotations"].(map[string]any)
	for _, v := range notes {
		if v == nil {
			meta["annotations"] = nil
		}
	}
}

func ignored(part map[string]any, name string) { delete(part, name) }
func emptied(part map[string]any, name string) { part[name] = "" }

// patching is a store that is given other merge patches than were sent.
func patching(f func(patch, meta map[string]any)) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
		var patch map[string]any
		if pt == types.MergePatchType && json.Unmarshal(data, &patch) == nil {
			if meta, ok := patch["metadata"].(map[string]any); ok {
				f(patch, meta)
				data, _ = json.Marshal(patch) // it was JSON
			}
		}
		return api.Patch(ctx, r, pt, data, o)
	}})
}
