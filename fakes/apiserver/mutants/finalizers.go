package mutants

import (
	"context"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// finalizers are faults of deletions that have to wait.
func finalizers() []Mutant {
	return []Mutant{
		{
			Name: "finalizers-ignored", Rule: "watchcache/write/finalizers",
			About: "a delete removes the object at once, whatever finalizers it has (client-go's fake clientset)",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				if now, err := api.Get(ctx, r, metav1.GetOptions{}); err == nil && len(of(now).GetFinalizers()) > 0 && len(o.DryRun) == 0 {
					return now, api.(*apiserver.Server).DeleteTogether(r)
				}
				return api.Delete(ctx, r, o)
			}}),
		},
		{
			Name: "finalizers-ignored-by-uid", Rule: "watchcache/write/finalizers",
			About: "a delete with a uid as its precondition, as garbage collectors send it, removes the object at once, whatever finalizers it has",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				answer, err := api.Delete(ctx, r, o)
				if pre := o.Preconditions; err == nil && pre != nil && pre.UID != nil && len(o.DryRun) == 0 {
					_ = api.(*apiserver.Server).DeleteTogether(r) // where it is still there
				}
				return answer, err
			}}),
		},
		{
			Name: "finalizers-keep-for-ever", Rule: "watchcache/write/finalizers",
			About: "an object with finalizers is not marked: its delete is answered, and does nothing",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				if now, err := api.Get(ctx, r, metav1.GetOptions{}); err == nil && len(of(now).GetFinalizers()) > 0 {
					return now, nil
				}
				return api.Delete(ctx, r, o)
			}}),
		},
		{
			Name: "finalizer-added", Rule: "watchcache/write/finalizers",
			About: "a finalizer that is added to what is being deleted is taken",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				answer, err := api.Update(ctx, r, obj, o)
				if apierrors.IsInvalid(err) && len(of(obj).GetFinalizers()) > 0 {
					return obj.DeepCopyObject(), nil
				}
				return answer, err
			}}),
		},
		{
			Name: "finalizer-added-by-patch", Rule: "watchcache/write/finalizers",
			About: "a finalizer that a patch adds to what is being deleted is taken",
			Open: calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				answer, err := api.Patch(ctx, r, pt, data, o)
				if now, gone := api.Get(ctx, r, metav1.GetOptions{}); apierrors.IsInvalid(err) && gone == nil && of(now).GetDeletionTimestamp() != nil {
					of(now).SetFinalizers(append(of(now).GetFinalizers(), "lwtest.example.com/late"))
					return now, nil
				}
				return answer, err
			}}),
		},
		{
			Name: "mark-untold", Rule: "watchcache/write/finalizers",
			About: "that an object has got a deletionTimestamp is not told to watches",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				told := map[types.UID]bool{}
				return keep(func(e watch.Event, c apiserver.Cause) bool {
					if c == apiserver.Bookmark || of(e.Object).GetDeletionTimestamp() == nil || told[of(e.Object).GetUID()] {
						return true
					}
					told[of(e.Object).GetUID()] = true
					return e.Type != watch.Modified
				})
			}),
		},
		{
			Name: "last-finalizer-untold", Rule: "watchcache/write/finalizers",
			About: "an object that went with its last finalizer is not told as DELETED",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				return keep(func(e watch.Event, c apiserver.Cause) bool {
					return c != apiserver.Deleted || of(e.Object).GetDeletionTimestamp() == nil
				})
			}),
		},
		{
			Name: "last-finalizer-stays", Rule: "watchcache/write/finalizers",
			About: "who takes the last finalizer of what is being deleted is answered, and the object stays",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				if now, err := api.Get(ctx, r, metav1.GetOptions{}); err == nil && of(now).GetDeletionTimestamp() != nil && len(of(obj).GetFinalizers()) == 0 {
					o.DryRun = []string{metav1.DryRunAll}
				}
				return api.Update(ctx, r, obj, o)
			}}),
		},
	}
}

// untoldOf keeps from watches the deletions of objects by uid.
func untoldOf(uids *sync.Map) func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
	return func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
		return keep(func(e watch.Event, c apiserver.Cause) bool {
			_, silent := uids.Load(of(e.Object).GetUID())
			return c != apiserver.Deleted || !silent
		})
	}
}

// collections are faults of deletes of whole collections.
func collections() []Mutant {
	return []Mutant{
		{
			Name: "collection-unselected", Rule: "watchcache/write/collection",
			About: "deletecollection deletes all, whatever its selectors say",
			Open: calling(calls{sweep: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions, _ metav1.ListOptions) (runtime.Object, error) {
				return api.DeleteCollection(ctx, r, o, metav1.ListOptions{})
			}}),
		},
		{
			Name: "collection-field-ignored", Rule: "watchcache/write/collection",
			About: "deletecollection does not look at the field selector",
			Open: calling(calls{sweep: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions, which metav1.ListOptions) (runtime.Object, error) {
				which.FieldSelector = ""
				return api.DeleteCollection(ctx, r, o, which)
			}}),
		},
		{
			Name: "collection-first-page", Rule: "watchcache/write/collection",
			About: "deletecollection deletes the first two and is answered as if that were all",
			Open: calling(calls{sweep: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions, which metav1.ListOptions) (runtime.Object, error) {
				which.Limit = 2
				return api.DeleteCollection(ctx, r, o, which)
			}}),
		},
		{
			Name: "collection-told-once", Rule: "watchcache/write/collection",
			About: "of the objects of a collection that are deleted, watches are told of one",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				var swept sync.Map // by uid
				o.OnWatch = untoldOf(&swept)
				return calling(calls{sweep: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions, which metav1.ListOptions) (runtime.Object, error) {
					if l, err := api.List(ctx, r, which); err == nil && len(items(l)) > 0 {
						for _, obj := range items(l)[1:] {
							swept.Store(of(obj).GetUID(), true)
						}
					}
					return api.DeleteCollection(ctx, r, o, which)
				}})(o)
			},
		},
		{
			Name: "collection-over-finalizers", Rule: "watchcache/write/finalizers",
			About: "deletecollection removes objects at once, whatever finalizers they have",
			Open: calling(calls{sweep: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions, which metav1.ListOptions) (runtime.Object, error) {
				l, err := api.DeleteCollection(ctx, r, o, which)
				for _, obj := range items(l) {
					if r.Name = of(obj).GetName(); len(of(obj).GetFinalizers()) > 0 {
						_ = api.(*apiserver.Server).DeleteTogether(r) // there it is
					}
				}
				return l, err
			}}),
		},
		{
			Name: "collection-preconditions-ignored", Rule: "watchcache/write/collection/preconditions",
			About: "deletecollection does not look at its preconditions",
			Open:  sweeping(func(o *metav1.DeleteOptions) { o.Preconditions = nil }),
		},
		{
			Name: "collection-version-ignored", Rule: "watchcache/write/collection/preconditions",
			About: "of the preconditions of a deletecollection only the uid is looked at",
			Open: sweeping(func(o *metav1.DeleteOptions) {
				if o.Preconditions != nil {
					o.Preconditions = &metav1.Preconditions{UID: o.Preconditions.UID}
				}
			}),
		},
		{
			Name: "collection-uid-ignored", Rule: "watchcache/write/collection/preconditions",
			About: "of the preconditions of a deletecollection only the resourceVersion is looked at",
			Open: sweeping(func(o *metav1.DeleteOptions) {
				if o.Preconditions != nil {
					o.Preconditions = &metav1.Preconditions{ResourceVersion: o.Preconditions.ResourceVersion}
				}
			}),
		},
		{
			Name: "collection-conflict-unsaid", Rule: "watchcache/write/collection/preconditions",
			About: "deletecollection leaves alone what its preconditions do not hold of, and is answered as if it were gone",
			Open: calling(calls{sweep: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions, which metav1.ListOptions) (runtime.Object, error) {
				l, err := api.DeleteCollection(ctx, r, o, which)
				if apierrors.IsConflict(err) {
					return api.List(ctx, r, which)
				}
				return l, err
			}}),
		},
		{
			Name: "collection-conflict-deleted", Rule: "watchcache/write/collection/preconditions",
			About: "a deletecollection is refused for its preconditions, and deletes all the same",
			Open: calling(calls{sweep: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions, which metav1.ListOptions) (runtime.Object, error) {
				l, err := api.DeleteCollection(ctx, r, o, which)
				if apierrors.IsConflict(err) && len(o.DryRun) == 0 {
					_, _ = api.DeleteCollection(ctx, r, metav1.DeleteOptions{}, which) // the answer stays what it was
				}
				return l, err
			}}),
		},
	}
}

// sweeping is a store whose deletes of collections are asked for otherwise.
func sweeping(f func(*metav1.DeleteOptions)) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return calling(calls{sweep: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions, which metav1.ListOptions) (runtime.Object, error) {
		f(&o)
		return api.DeleteCollection(ctx, r, o, which)
	}})
}
