package mutants

import (
	"context"
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	}
}

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
