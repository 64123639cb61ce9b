package mutants

import (
	"bytes"
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// typesOfPatch are those with faults of their own when others' writes come between.
var typesOfPatch = []struct {
	name, about string
	is          types.PatchType
}{
	{"merge", "a merge patch", types.MergePatchType},
	{"json", "a JSON patch", types.JSONPatchType},
	{"strategic", "a strategic merge patch", types.StrategicMergePatchType},
	{"apply", "an apply", types.ApplyYAMLPatchType},
}

// racedTypes are faults of patches of one type that others' writes come between.
func racedTypes() []Mutant {
	var all []Mutant
	for _, of := range typesOfPatch {
		all = append(all, Mutant{
			Name: "patch-races-" + of.name, Rule: "watchcache/write/response",
			About: of.about + " is made of what is read, and where others write in the next millisecond, stored over that",
			Open:  comingBetween(of.is, false, func(was, _ runtime.Object) runtime.Object { return was }),
		}, Mutant{
			Name: "lost-update-" + of.name, Rule: "watchcache/write/response",
			About: of.about + " takes the labels as they were a millisecond before it: what others have made of theirs is undone",
			Open:  comingBetween(of.is, false, putBack),
		}, Mutant{
			Name: "patch-version-races-" + of.name, Rule: "watchcache/write/conflict/patch",
			About: "the resourceVersion of " + of.about + " is looked at, and where others write in the next millisecond, it is done all the same",
			Open:  comingBetween(of.is, true, func(was, _ runtime.Object) runtime.Object { return was }),
		}, Mutant{
			Name: "answer-reread-" + of.name, Rule: "watchcache/watch/reliable",
			About: of.about + " is answered with what is there a millisecond later",
			Open: calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				answer, err := api.Patch(ctx, r, pt, data, o)
				if pt != of.is || err != nil || r.Subresource != "" || len(o.DryRun) > 0 {
					return answer, err
				}
				time.Sleep(time.Millisecond)
				if now, err := api.Get(ctx, r, metav1.GetOptions{}); err == nil {
					return now, nil
				}
				return answer, nil
			}}),
		})
	}
	return all
}

// putBack is an object with the labels that it was to have.
func putBack(was, is runtime.Object) runtime.Object {
	of(is).SetLabels(of(was).GetLabels())
	return is
}

// comingBetween is a store that looks, a millisecond after it has made a patch of a type of what is there, whether others
// have written meanwhile, and then stores what f makes of it: was is that patch, is the same made of what is there now. It
// takes such as have a resourceVersion, or such as have none.
func comingBetween(of types.PatchType, versioned bool, f func(was, is runtime.Object) runtime.Object) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
		tried := o
		tried.DryRun = []string{metav1.DryRunAll}
		before := versionNow(ctx, api, r)
		was, err := api.Patch(ctx, r, pt, data, tried)
		if pt != of || bytes.Contains(data, []byte("resourceVersion")) != versioned || len(o.DryRun) > 0 || r.Subresource != "" || err != nil {
			return api.Patch(ctx, r, pt, data, o)
		}
		time.Sleep(time.Millisecond)
		if now := versionNow(ctx, api, r); before == "" || now == "" || now == before {
			return api.Patch(ctx, r, pt, data, o)
		}
		is := was
		if !versioned {
			if is, err = api.Patch(ctx, r, pt, data, tried); err != nil {
				return nil, err
			}
		}
		return force(ctx, api, r, f(was, is), metav1.UpdateOptions{FieldManager: o.FieldManager})
	}})
}

// versionNow is the resourceVersion that an object has, "" where there is none, or it is being deleted.
func versionNow(ctx context.Context, api apiserver.API, r apiserver.Request) string {
	now, err := api.Get(ctx, r, metav1.GetOptions{})
	if err != nil || of(now).GetDeletionTimestamp() != nil {
		return ""
	}
	return of(now).GetResourceVersion()
}
