package mutants

import (
	"context"
	"errors"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// mistaken are faults of servers that refuse what is to be refused, and give another reason.
func mistaken() []Mutant {
	const missing, stale = "watchcache/write/missing/", "watchcache/write/conflict/"
	const exists, exact, expired = "watchcache/write/exists", "watchcache/list/exact", "watchcache/list/continue-expired"
	var all []Mutant
	for _, m := range []struct {
		name, rule, verb string
		such             func(error, *asked) bool // which refusals
		with             error                    // are given as this one
		about            string
	}{
		{"missing-update-invalid", missing + "update", "update", whatever(apierrors.IsNotFound), unprocessable(), "an update of what is not there is refused with 422"},
		{"missing-update-version-conflict", missing + "update", "update", func(err error, a *asked) bool { return apierrors.IsNotFound(err) && a.version != "" }, conflicting(),
			"an update of what is not there is refused with 409, if it has a resourceVersion"},
		{"missing-update-fails", missing + "update", "update", whatever(apierrors.IsNotFound), inTrouble(), "an update of what is not there is refused with 500, each time"},
		{"missing-patch-unimplemented", missing + "update", "patch", whatever(apierrors.IsNotFound), unimplemented(), "a patch of what is not there is refused with 501"},
		{"missing-delete-forbidden", missing + "delete", "delete", whatever(apierrors.IsNotFound), forbidden(), "a delete of what is not there is refused with 403, as if nobody may know"},
		{"missing-get-at-version-fails", missing + "delete", "get", func(err error, a *asked) bool { return apierrors.IsNotFound(err) && a.version != "" }, inTrouble(),
			"a get at a resourceVersion of what is not there is refused with 500"},
		{"exists-unallowed", exists, "create", whatever(apierrors.IsAlreadyExists), unallowed(), "a create of what exists is refused with 405"},
		{"exists-fails", exists, "create", whatever(apierrors.IsAlreadyExists), inTrouble(), "a create of what exists is refused with 500, each time"},
		{"stale-update-unallowed", stale + "update", "update", whatever(apierrors.IsConflict), unallowed(), "a stale update is refused with 405"},
		{"stale-patch-unimplemented", stale + "patch", "patch", whatever(apierrors.IsConflict), unimplemented(), "a stale patch is refused with 501"},
		{"stale-delete-fails", stale + "delete", "delete", whatever(apierrors.IsConflict), inTrouble(), "a stale delete is refused with 500, each time"},
		{"delete-uid-unallowed", stale + "uid", "delete", func(err error, a *asked) bool { return apierrors.IsConflict(err) && a.uid }, unallowed(), "a delete with another object's uid is refused with 405"},
	} {
		all = append(all, Mutant{Name: m.name, Rule: m.rule, About: m.about, Open: otherwise(m.verb, m.such, m.with)})
	}
	return append(all, misread()...)
}

// asked is what a request said that makes a difference.
type asked struct {
	version string // of a get, or of the object of an update
	uid     bool   // of a delete: there is one
	list    metav1.ListOptions
}

func whatever(such func(error) bool) func(error, *asked) bool {
	return func(err error, _ *asked) bool { return such(err) }
}

// gone are refusals of lists that begin, of such as ask for a state that is gone.
func goneOf(which func(*metav1.ListOptions) bool) func(error, *asked) bool {
	return func(err error, a *asked) bool {
		return apierrors.IsResourceExpired(err) && a.list.Continue == "" && which(&a.list)
	}
}

// otherwise is a store of which such refusals of a verb are given as another one.
func otherwise(verb string, such func(error, *asked) bool, with error) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	said := func(by string, a asked, answer runtime.Object, err error) (runtime.Object, error) {
		if by == verb && err != nil && such(err, &a) {
			return nil, with
		}
		return answer, err
	}
	return calling(calls{
		create: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
			answer, err := api.Create(ctx, r, obj, o)
			return said("create", asked{}, answer, err)
		},
		get: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
			answer, err := api.Get(ctx, r, o)
			return said("get", asked{version: o.ResourceVersion}, answer, err)
		},
		list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
			answer, err := api.List(ctx, r, o)
			return said("list", asked{list: o}, answer, err)
		},
		update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
			answer, err := api.Update(ctx, r, obj, o)
			return said("update", asked{version: of(obj).GetResourceVersion()}, answer, err)
		},
		patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
			answer, err := api.Patch(ctx, r, pt, data, o)
			return said("patch", asked{}, answer, err)
		},
		remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
			answer, err := api.Delete(ctx, r, o)
			return said("delete", asked{uid: o.Preconditions != nil && o.Preconditions.UID != nil}, answer, err)
		},
	})
}

// misread are faults of servers that take for right, or wrong, what they have not looked at.
func misread() []Mutant {
	return []Mutant{
		{
			Name: "deleting-update-refused", Rule: "watchcache/write/answered",
			About: "an update of what is being deleted is refused with 400, unless it takes a finalizer",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				now, err := api.Get(ctx, r, metav1.GetOptions{})
				if err == nil && of(now).GetDeletionTimestamp() != nil && len(of(obj).GetFinalizers()) == len(of(now).GetFinalizers()) && of(obj).GetResourceVersion() == of(now).GetResourceVersion() {
					return nil, badRequest()
				}
				return api.Update(ctx, r, obj, o)
			}}),
		},
		{
			Name: "sweep-unlabelled-is-all", Rule: "watchcache/write/collection",
			About: "a deletecollection of what has no label deletes all",
			Open: calling(calls{sweep: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions, which metav1.ListOptions) (runtime.Object, error) {
				if strings.HasPrefix(which.LabelSelector, "!") {
					which.LabelSelector = ""
				}
				return api.DeleteCollection(ctx, r, o, which)
			}}),
		},
	}
}

func exactMatch(o *metav1.ListOptions) bool {
	return o.ResourceVersionMatch == metav1.ResourceVersionMatchExact
}

func inTrouble() error { return apierrors.NewInternalError(errors.New("something went wrong")) }
func forbidden() error { return apierrors.NewForbidden(schema.GroupResource{}, "", errors.New("no")) }

func unimplemented() error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: 501, Reason: "NotImplemented", Message: "no"}}
}

func conflicting() error {
	return apierrors.NewConflict(schema.GroupResource{}, "", errors.New("it was changed"))
}
