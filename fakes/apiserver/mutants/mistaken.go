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
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// mistaken are faults of servers that refuse what is to be refused, and give another reason.
func mistaken() []Mutant { return append(mistakenWrites(), mistakenReads()...) }

func mistakenWrites() []Mutant {
	const missing, stale = "watchcache/write/missing/", "watchcache/write/conflict/"
	return []Mutant{
		{
			Name: "missing-update-invalid", Rule: missing + "update",
			About: "an update of what is not there is refused with 422",
			Open:  otherwise("update", apierrors.IsNotFound, unprocessable()),
		},
		{
			Name: "missing-update-version-conflict", Rule: missing + "update",
			About: "an update of what is not there is refused with 409, if it has a resourceVersion",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				answer, err := api.Update(ctx, r, obj, o)
				if apierrors.IsNotFound(err) && of(obj).GetResourceVersion() != "" {
					return nil, conflict(r)
				}
				return answer, err
			}}),
		},
		{
			Name: "missing-update-fails", Rule: missing + "update",
			About: "an update of what is not there is refused with 500, each time",
			Open:  otherwise("update", apierrors.IsNotFound, inTrouble()),
		},
		{
			Name: "missing-patch-unimplemented", Rule: missing + "update",
			About: "a patch of what is not there is refused with 501",
			Open:  otherwise("patch", apierrors.IsNotFound, unimplemented()),
		},
		{
			Name: "missing-delete-forbidden", Rule: missing + "delete",
			About: "a delete of what is not there is refused with 403, as if nobody may know",
			Open:  otherwise("delete", apierrors.IsNotFound, forbidden()),
		},
		{
			Name: "missing-get-at-version-fails", Rule: missing + "delete",
			About: "a get at a resourceVersion of what is not there is refused with 500",
			Open: calling(calls{get: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
				answer, err := api.Get(ctx, r, o)
				if apierrors.IsNotFound(err) && o.ResourceVersion != "" {
					return nil, inTrouble()
				}
				return answer, err
			}}),
		},
		{
			Name: "exists-unallowed", Rule: "watchcache/write/exists",
			About: "a create of what exists is refused with 405",
			Open:  otherwise("create", apierrors.IsAlreadyExists, unallowed()),
		},
		{
			Name: "exists-fails", Rule: "watchcache/write/exists",
			About: "a create of what exists is refused with 500, each time",
			Open:  otherwise("create", apierrors.IsAlreadyExists, inTrouble()),
		},
		{
			Name: "stale-update-unallowed", Rule: stale + "update",
			About: "a stale update is refused with 405",
			Open:  otherwise("update", apierrors.IsConflict, unallowed()),
		},
		{
			Name: "stale-patch-unimplemented", Rule: stale + "patch",
			About: "a stale patch is refused with 501",
			Open:  otherwise("patch", apierrors.IsConflict, unimplemented()),
		},
		{
			Name: "stale-delete-fails", Rule: stale + "delete",
			About: "a stale delete is refused with 500, each time",
			Open:  otherwise("delete", apierrors.IsConflict, inTrouble()),
		},
		{
			Name: "delete-uid-unallowed", Rule: stale + "uid",
			About: "a delete with another object's uid is refused with 405",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				answer, err := api.Delete(ctx, r, o)
				if apierrors.IsConflict(err) && o.Preconditions.UID != nil {
					return nil, unallowed()
				}
				return answer, err
			}}),
		},
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

func mistakenReads() []Mutant {
	return []Mutant{
		{
			Name: "exact-gone-fails", Rule: "watchcache/list/exact",
			About: "a list at exactly a state that is gone fails with 500, as etcd's error does where nobody translates it",
			Open:  calling(calls{list: refusingGone(inTrouble(), exactMatch)}),
		},
		{
			Name: "exact-gone-unimplemented", Rule: "watchcache/list/exact",
			About: "a list at exactly a state that is gone is refused with 501",
			Open:  calling(calls{list: refusingGone(unimplemented(), exactMatch)}),
		},
		{
			Name: "exact-legacy-gone-forbidden", Rule: "watchcache/list/exact-legacy",
			About: "a list at a state that is gone, with a limit, is refused with 403",
			Open:  calling(calls{list: refusingGone(forbidden(), func(o *metav1.ListOptions) bool { return !exactMatch(o) })}),
		},
		{
			Name: "continue-put-off", Rule: "watchcache/list/continue-expired",
			About: "an expired token is answered with 504, for ever",
			Open:  calling(calls{list: refusingExpired(apierrors.NewTimeoutError("later", 1), func(o *metav1.ListOptions) bool { return o.Continue != "" })}),
		},
		{
			Name: "continue-future-served", Rule: "watchcache/list/continue-alone",
			About: "a continue token beside a resourceVersion that is not there yet is served",
			Open: calling(calls{list: asking(func(o *metav1.ListOptions) {
				if o.Continue != "" && len(o.ResourceVersion) > len("99999999") {
					o.ResourceVersion = ""
				}
			})}),
		},
		{
			Name: "version-with-sign-served", Rule: "watchcache/list/bad-version",
			About: "a list takes \"+1\" for a resourceVersion, as a parser of integers with a sign does",
			Open:  calling(calls{list: asking(func(o *metav1.ListOptions) { o.ResourceVersion = strings.TrimPrefix(o.ResourceVersion, "+") })}),
		},
		{
			Name: "stream-version-unread", Rule: "watchcache/list/bad-version",
			About: "a streaming list takes a resourceVersion that cannot be read for unset",
			Open: calling(calls{watch: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
				if o.SendInitialEvents != nil && *o.SendInitialEvents && strings.Trim(o.ResourceVersion, "0123456789") != "" {
					o.ResourceVersion = ""
				}
				return api.Watch(ctx, r, o)
			}}),
		},
		{
			Name: "expired-ends-silently", Rule: "watchcache/watch/expired",
			About: "a watch of what is gone ends cleanly, and says nothing",
			Open: relaying(func(w *relay) func(watch.Event) []watch.Event {
				return func(e watch.Event) []watch.Event {
					if e.Type == watch.Error {
						w.end()
						return nil
					}
					return []watch.Event{e}
				}
			}),
		},
		{
			Name: "expired-codeless", Rule: "watchcache/watch/expired",
			About: "the ERROR of a watch of what is gone has neither code nor reason",
			Open: relaying(func(*relay) func(watch.Event) []watch.Event {
				return func(e watch.Event) []watch.Event {
					if s := failed(e); s != nil && s.Code == 410 {
						s.Code, s.Reason = 0, ""
					}
					return []watch.Event{e}
				}
			}),
		},
	}
}

// otherwise is a store of which such refusals of a verb are given as another one.
func otherwise(verb string, such func(error) bool, with error) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	said := func(answer runtime.Object, err error) (runtime.Object, error) {
		if such(err) {
			return nil, with
		}
		return answer, err
	}
	all := calls{
		create: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
			return said(api.Create(ctx, r, obj, o))
		},
		update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
			return said(api.Update(ctx, r, obj, o))
		},
		patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
			return said(api.Patch(ctx, r, pt, data, o))
		},
		remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
			return said(api.Delete(ctx, r, o))
		},
	}
	return calling(map[string]calls{"create": {create: all.create}, "update": {update: all.update}, "patch": {patch: all.patch}, "delete": {remove: all.remove}}[verb])
}

// refusingExpired is a list of which the 410s are given as another refusal, for such options.
func refusingExpired(with error, which func(*metav1.ListOptions) bool) lister {
	return func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
		l, err := api.List(ctx, r, o)
		if apierrors.IsResourceExpired(err) && which(&o) {
			return nil, with
		}
		return l, err
	}
}

// refusingGone is refusingExpired for lists that begin.
func refusingGone(with error, which func(*metav1.ListOptions) bool) lister {
	return refusingExpired(with, func(o *metav1.ListOptions) bool { return o.Continue == "" && which(o) })
}

func exactMatch(o *metav1.ListOptions) bool {
	return o.ResourceVersionMatch == metav1.ResourceVersionMatchExact
}

func inTrouble() error { return apierrors.NewInternalError(errors.New("something went wrong")) }
func forbidden() error { return apierrors.NewForbidden(schema.GroupResource{}, "", errors.New("no")) }

func unimplemented() error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: 501, Reason: "NotImplemented", Message: "no"}}
}
