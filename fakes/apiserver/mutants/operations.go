package mutants

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// operation is one of a JSON patch; path says where, what a test, a copy or a move looks at, too.
type operation map[string]any

func (o operation) is(op string) bool        { return o["op"] == op }
func (o operation) at(beginning string) bool { return strings.HasPrefix(o["path"].(string), beginning) }
func isTest(o operation) bool                { return o.is("test") }
func encoded(all []operation) (patch []byte) { patch, _ = json.Marshal(all); return patch }
func without(f func(operation) bool) operated {
	return func(all []operation) []operation { return slices.DeleteFunc(all, f) }
}

// operated is what a faulty server makes of a JSON patch.
type operated func([]operation) []operation

// patchingOf is a store that is given other patches of a type than were sent.
func patchingOf(of types.PatchType, f func([]byte) []byte) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
		if pt == of {
			data = f(data)
		}
		return api.Patch(ctx, r, pt, data, o)
	}})
}

// operating is a store that is given other operations of JSON patches.
func operating(f operated) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return patchingOf(types.JSONPatchType, func(data []byte) []byte {
		var all []operation
		if json.Unmarshal(data, &all) != nil {
			return data
		}
		return encoded(f(all))
	})
}

// testing is a store behind an API that answers JSON patches with tests itself; rest is the patch without them.
func testing(f func(ctx context.Context, api apiserver.API, r apiserver.Request, data, rest []byte, o metav1.PatchOptions) (runtime.Object, error)) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
		var all []operation
		if pt != types.JSONPatchType || json.Unmarshal(data, &all) != nil || !slices.ContainsFunc(all, isTest) {
			return api.Patch(ctx, r, pt, data, o)
		}
		return f(ctx, api, r, data, encoded(slices.DeleteFunc(all, isTest)), o)
	}})
}

func operate(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
	return api.Patch(ctx, r, types.JSONPatchType, data, o)
}

// operations are faults of JSON patches and of strategic merge patches.
func operations() []Mutant {
	return []Mutant{
		{
			Name: "json-patch-ignores-version", Rule: "watchcache/write/conflict/patch",
			About: "a JSON patch is done whatever resourceVersion it puts in the place of the object's",
			Open:  operating(without(func(o operation) bool { return o.is("replace") && o.at("/metadata/resourceVersion") })),
		},
		{
			Name: "json-patch-tests-nothing", Rule: "watchcache/write/conflict/test",
			About: "a JSON patch is done whatever its tests say",
			Open:  operating(without(isTest)),
		},
		{
			Name: "json-patch-tests-no-version", Rule: "watchcache/write/conflict/test",
			About: "a JSON patch is done whatever resourceVersion it tests",
			Open:  operating(without(func(o operation) bool { return isTest(o) && o.at("/metadata/resourceVersion") })),
		},
		{
			Name: "json-patch-tests-first", Rule: "watchcache/write/conflict/test",
			About: "of a JSON patch only a test that comes first is looked at",
			Open: operating(func(all []operation) []operation {
				return append(all[:min(1, len(all))], without(isTest)(all[min(1, len(all)):])...)
			}),
		},
		{
			Name: "json-patch-tests-absent", Rule: "watchcache/write/conflict/test",
			About: "a test of a label that is not there holds",
			Open: testing(func(ctx context.Context, api apiserver.API, r apiserver.Request, data, rest []byte, o metav1.PatchOptions) (runtime.Object, error) {
				if now, err := api.Get(ctx, r, metav1.GetOptions{}); err == nil && of(now).GetLabels()["lwtest/nothing"] == "" && strings.Contains(string(data), "nothing") {
					data = rest
				}
				return operate(ctx, api, r, data, o)
			}),
		},
		{
			Name: "json-patch-tests-dry", Rule: "watchcache/write/conflict/test",
			About: "the tests of a JSON patch are not looked at in a dry run",
			Open: testing(func(ctx context.Context, api apiserver.API, r apiserver.Request, data, rest []byte, o metav1.PatchOptions) (runtime.Object, error) {
				if len(o.DryRun) > 0 {
					data = rest
				}
				return operate(ctx, api, r, data, o)
			}),
		},
		{
			Name: "json-patch-failed-applied", Rule: "watchcache/write/conflict/test",
			About: "a JSON patch of which a test fails is answered with 422, and the rest of it is done: the operations are no transaction",
			Open: testing(func(ctx context.Context, api apiserver.API, r apiserver.Request, data, rest []byte, o metav1.PatchOptions) (runtime.Object, error) {
				answer, err := operate(ctx, api, r, data, o)
				if apierrors.IsInvalid(err) {
					_, _ = operate(ctx, api, r, rest, o) // the answer stays what it was
				}
				return answer, err
			}),
		},
		{
			Name: "json-patch-failed-404", Rule: "watchcache/write/conflict/test",
			About: "a JSON patch of which a test fails is answered with 404: its path was not found",
			Open: testing(func(ctx context.Context, api apiserver.API, r apiserver.Request, data, _ []byte, o metav1.PatchOptions) (runtime.Object, error) {
				answer, err := operate(ctx, api, r, data, o)
				if apierrors.IsInvalid(err) {
					err = apierrors.NewNotFound(r.Resource.GroupResource(), r.Name)
				}
				return answer, err
			}),
		},
		{
			Name: "json-patch-no-tests", Rule: "watchcache/write/answered",
			About: "a JSON patch with tests is refused with 422, whether they hold or not",
			Open: testing(func(_ context.Context, _ apiserver.API, r apiserver.Request, _, _ []byte, _ metav1.PatchOptions) (runtime.Object, error) {
				return nil, apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", "unknown operation test", 0, false)
			}),
		},
		{
			Name: "json-patch-last-lost", Rule: "watchcache/write/response",
			About: "of a JSON patch of several operations the last is not done",
			Open: operating(func(all []operation) []operation {
				if len(all) > 1 {
					all = all[:len(all)-1]
				}
				return all
			}),
		},
		{
			Name: "json-patch-removes-nothing", Rule: "watchcache/write/response",
			About: "a JSON patch leaves what it removes",
			Open:  operating(without(func(o operation) bool { return o.is("remove") })),
		},
		{
			Name: "json-patch-moves-copy", Rule: "watchcache/write/response",
			About: "a JSON patch leaves what it moves where it was, too",
			Open: operating(func(all []operation) []operation {
				for _, o := range all {
					if o.is("move") {
						o["op"] = "copy"
					}
				}
				return all
			}),
		},
		{
			Name: "json-patch-loses-finalizers", Rule: "watchcache/write/finalizers",
			About: "a JSON patch takes the finalizers away that it does not name",
			Open: calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				answer, err := api.Patch(ctx, r, pt, data, o)
				if pt != types.JSONPatchType || err != nil || len(o.DryRun) > 0 || len(of(answer).GetFinalizers()) == 0 {
					return answer, err
				}
				of(answer).SetFinalizers(nil)
				return api.Update(ctx, r, answer, metav1.UpdateOptions{})
			}}),
		},
		{
			Name: "json-patch-adds-over", Rule: "watchcache/write/response",
			About: "what a JSON patch adds to a list takes the place of the list",
			Open: operating(func(all []operation) []operation {
				for _, o := range all {
					if path, ok := strings.CutSuffix(o["path"].(string), "/-"); ok {
						o["path"], o["value"] = path, []any{o["value"]}
					}
				}
				return all
			}),
		},
		{
			Name: "strategic-ignores-version", Rule: "watchcache/write/conflict/patch",
			About: "a strategic merge patch is done whatever resourceVersion it has",
			Open:  patchingOf(types.StrategicMergePatchType, noVersion),
		},
		{
			Name: "strategic-is-merge", Rule: "watchcache/write/response",
			About: "a strategic merge patch is taken for a merge patch: the owners that it names take the place of the others",
			Open: calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				if pt == types.StrategicMergePatchType {
					pt = types.MergePatchType
				}
				return api.Patch(ctx, r, pt, data, o)
			}}),
		},
		{
			Name: "strategic-keeps-null", Rule: "watchcache/write/response",
			About: "a strategic merge patch leaves what it sets to null",
			Open: patchingOf(types.StrategicMergePatchType, func(data []byte) []byte {
				return regexp.MustCompile(`"[^"]*":null,?`).ReplaceAll(data, nil)
			}),
		},
	}
}
