package mutants

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// restartedLists is a server whose lists f changes once it has been restarted.
func restartedLists(f lister) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return restarting(func(c *calls, restarted func() bool) {
		c.list = func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
			if restarted() {
				return f(ctx, api, r, o)
			}
			return api.List(ctx, r, o)
		}
	})
}

// restartedWatches is one in which f changes what watches ask for.
func restartedWatches(f func(*metav1.ListOptions)) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return restarting(func(c *calls, restarted func() bool) {
		c.watch = func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
			if restarted() {
				f(&o)
			}
			return api.Watch(ctx, r, o)
		}
	})
}

// restarts are faults of what is read once the server has been restarted.
func restarts() []Mutant {
	none := func(*metav1.ListOptions, runtime.Object, []runtime.Object) []runtime.Object { return nil }
	return []Mutant{
		{
			Name: "restart-zero-empty", Rule: "watchcache/list/snapshot",
			About: "after a restart a list at \"0\" has no items: its cache has not been filled",
			Open: restartedLists(changed(func(o *metav1.ListOptions, l runtime.Object, all []runtime.Object) []runtime.Object {
				if o.ResourceVersion == "0" {
					return none(o, l, all)
				}
				return all
			})),
		},
		{
			Name: "restart-label-empty", Rule: "watchcache/list/snapshot",
			About: "after a restart a list by label has no items: its index has not been filled",
			Open: restartedLists(changed(func(o *metav1.ListOptions, l runtime.Object, all []runtime.Object) []runtime.Object {
				if o.LabelSelector != "" {
					return none(o, l, all)
				}
				return all
			})),
		},
		{
			Name: "restart-field-ignored", Rule: "watchcache/list/scope",
			About: "after a restart field selectors are ignored by lists",
			Open:  restartedLists(asking(func(o *metav1.ListOptions) { o.FieldSelector = "" })),
		},
		{
			Name: "restart-exact-is-present", Rule: "watchcache/list/exact",
			About: "after a restart a list at exactly N is of the present, and says N",
			Open: restartedLists(func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				rv, exact := o.ResourceVersion, o.ResourceVersionMatch == metav1.ResourceVersionMatchExact
				if exact {
					o.ResourceVersion, o.ResourceVersionMatch = "", ""
				}
				l, err := api.List(ctx, r, o)
				if err == nil && exact {
					listOf(l).SetResourceVersion(rv)
				}
				return l, err
			}),
		},
		{
			Name: "restart-not-older-behind", Rule: "watchcache/list/not-older-than",
			About: "after a restart a list that must not be older than N is of the state before it",
			Open: restartedLists(asking(func(o *metav1.ListOptions) {
				if o.ResourceVersionMatch == metav1.ResourceVersionMatchNotOlderThan {
					o.ResourceVersion, o.ResourceVersionMatch = plus(o.ResourceVersion, -1), metav1.ResourceVersionMatchExact
				}
			})),
		},
		{
			Name: "restart-token-begins-anew", Rule: "watchcache/list/pages",
			About: "after a restart a continue token from before begins the list anew",
			Open:  restartedLists(asking(func(o *metav1.ListOptions) { o.Continue = "" })),
		},
		{
			Name: "restart-token-ends", Rule: "watchcache/list/pages",
			About: "after a restart a continue token from before ends the list",
			Open: restartedLists(changed(func(o *metav1.ListOptions, l runtime.Object, all []runtime.Object) []runtime.Object {
				if o.Continue == "" {
					return all
				}
				listOf(l).SetContinue("")
				return none(o, l, all)
			})),
		},
		{
			Name: "restart-token-moves-on", Rule: "watchcache/list/pages",
			About: "after a restart a continue token from before goes on at the present, without a word",
			Open:  restartedLists(asking(func(o *metav1.ListOptions) { o.Continue = atPresent(o.Continue) })),
		},
		{
			Name: "restart-get-unknown", Rule: "watchcache/get/not-older-than",
			About: "after a restart a get at a resourceVersion from before finds nothing",
			Open: restarting(func(c *calls, restarted func() bool) {
				c.get = func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
					if o.ResourceVersion != "" && restarted() {
						r.Name += "-unknown"
					}
					return api.Get(ctx, r, o)
				}
			}),
		},
		{
			Name: "restart-stream-empty", Rule: "watchcache/watchlist/initial",
			About: "after a restart a streaming list has nothing but its end",
			Open: restarting(func(c *calls, restarted func() bool) {
				c.watch = func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
					w, err := api.Watch(ctx, r, o)
					if err != nil || !streaming(&o) || !restarted() {
						return w, err
					}
					return watch.Filter(w, func(e watch.Event) (watch.Event, bool) { return e, e.Type != watch.Added }), nil
				}
			}),
		},
		{
			Name: "restart-zero-from-now", Rule: "watchcache/watch/zero",
			About: "after a restart a watch from \"0\" begins with nothing, and goes on from the present",
			Open: restartedWatches(func(o *metav1.ListOptions) {
				if o.ResourceVersion == "0" && o.SendInitialEvents == nil {
					fromNow(o)
				}
			}),
		},
		{
			Name: "restart-gap-by-label", Rule: "watchcache/cache/restart",
			About: "after a restart a watch by label from before goes on with what comes now",
			Open: restartedWatches(func(o *metav1.ListOptions) {
				if from(o) && o.LabelSelector != "" && o.SendInitialEvents == nil {
					fromNow(o)
				}
			}),
		},
		{
			Name: "restart-gap-by-name", Rule: "watchcache/cache/restart",
			About: "after a restart a watch of one name from before goes on with what comes now",
			Open: restartedWatches(func(o *metav1.ListOptions) {
				if from(o) && strings.HasPrefix(o.FieldSelector, "metadata.name=") && o.SendInitialEvents == nil {
					fromNow(o)
				}
			}),
		},
		{
			Name: "restart-gap-without-initial", Rule: "watchcache/cache/restart",
			About: "after a restart a watch with sendInitialEvents=false from before goes on with what comes now",
			Open: restartedWatches(func(o *metav1.ListOptions) {
				if from(o) && o.SendInitialEvents != nil && !*o.SendInitialEvents {
					fromNow(o)
				}
			}),
		},
	}
}

// restartWrites are faults of what is written right after a restart.
func restartWrites() []Mutant {
	return []Mutant{
		{
			Name: "restart-update-unchecked", Rule: "watchcache/write/conflict/update",
			About: "after a restart an object that was not written since is updated at whatever resourceVersion",
			Open: restarting(func(c *calls, restarted func() bool) {
				var written []string
				c.update = func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
					if restarted() && !slices.Contains(written, r.Name) {
						written, obj = append(written, r.Name), moved(obj, "")
					}
					return api.Update(ctx, r, obj, o)
				}
			}),
		},
		{
			Name: "restart-patch-unchecked", Rule: "watchcache/write/conflict/patch",
			About: "after a restart patches are made whatever their resourceVersion",
			Open: restarting(func(c *calls, restarted func() bool) {
				c.patch = func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
					if restarted() {
						data = sentVersion.ReplaceAll(data, nil)
					}
					return api.Patch(ctx, r, pt, data, o)
				}
			}),
		},
		{
			Name: "restart-delete-unchecked", Rule: "watchcache/write/conflict/delete",
			About: "after a restart deletes are made whatever their preconditions",
			Open: restarting(func(c *calls, restarted func() bool) {
				c.remove = func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
					if restarted() {
						o.Preconditions = nil
					}
					return api.Delete(ctx, r, o)
				}
			}),
		},
		{
			Name: "restart-false-conflict", Rule: "watchcache/write/no-false-conflict",
			About: "after a restart an update with a resourceVersion from before is refused with 409, though it is the object's",
			Open: restarting(func(c *calls, restarted func() bool) {
				at := ""
				c.update = func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
					rv := of(obj).GetResourceVersion()
					if at == "" && restarted() {
						at = api.(*apiserver.Server).Revision()
					}
					if at != "" && rv != "" && !older(at, rv) {
						return nil, conflict(r)
					}
					return api.Update(ctx, r, obj, o)
				}
			}),
		},
		{
			Name: "restart-uids-anew", Rule: "watchcache/write/uid-kept",
			About: "after a restart an object that is updated gets a new uid",
			Open: restarting(func(c *calls, restarted func() bool) {
				c.update = func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
					if !restarted() || of(obj).GetUID() == "" {
						return api.Update(ctx, r, obj, o)
					}
					if _, err := api.Delete(ctx, r, metav1.DeleteOptions{}); err != nil {
						return nil, err
					}
					obj, r.Name = moved(obj, ""), ""
					return api.Create(ctx, r, obj, metav1.CreateOptions{})
				}
			}),
		},
		{
			Name: "restart-lost-create-again", Rule: "watchcache/get/most-recent",
			About: "a create whose answer was lost by a restart is made again from a log, once the object has been deleted",
			Open: cutOff(func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object) {
				_, _ = api.Create(ctx, r, obj, metav1.CreateOptions{})
			}),
		},
	}
}

// cutOff is a server whose creates take a while: one that a restart comes into is made, and its answer is
// lost. When that object is deleted, f is given it.
func cutOff(f func(context.Context, apiserver.API, apiserver.Request, runtime.Object)) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return restarting(func(c *calls, restarted func() bool) {
		var lost runtime.Object
		c.create = func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
			answer, err := api.Create(ctx, r, obj, o)
			if err != nil || restarted() {
				return answer, err
			}
			if time.Sleep(10 * time.Microsecond); !restarted() {
				return answer, nil
			}
			lost = obj
			return nil, errors.New("connection reset by peer")
		}
		c.remove = func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
			answer, err := api.Delete(ctx, r, o)
			if err == nil && lost != nil && of(lost).GetName() == r.Name {
				r.Name = ""
				f(ctx, api, r, lost)
				lost = nil
			}
			return answer, err
		}
	})
}
