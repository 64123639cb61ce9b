package mutants

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// lagReadRows are servers whose cache lags, and that read from it without a look at how far it has come.
var lagReadRows = []row{
	{name: "lag-get-stale", rule: "cache/lag", about: "most-recent gets come from the cache without a look at how far it has come",
		on: "get", when: unset, ask: fromCache},
	{name: "lag-list-stale", rule: "cache/lag", about: `most-recent lists come from the cache without a look at how far it has come, as lists at "0" do`,
		on: "list", when: unset, ask: fromCache},
	{name: "lag-field-list-stale", rule: "cache/lag", about: "most-recent lists by field come from the cache without a look at how far it has come",
		on: "list", when: all(unset, byField), ask: fromCache},
	{name: "lag-everywhere-list-stale", rule: "cache/lag", about: "most-recent lists of all namespaces come from the cache without a look at how far it has come",
		on: "list", when: all(unset, everywhere), ask: fromCache},
	{name: "lag-not-older-stale", rule: "cache/lag", about: "a list that must not be older than N comes from the cache, which is",
		on: "list", when: all(notOlder, not(continued)), ask: fromCache},
	{name: "lag-selected-not-older-stale", rule: "cache/lag", about: "a list by label that must not be older than N comes from the cache, which is",
		on: "list", when: all(notOlder, not(continued), byLabel), ask: fromCache},
	{name: "lag-everywhere-not-older-stale", rule: "cache/lag", about: "a list of all namespaces that must not be older than N comes from the cache, which is",
		on: "list", when: all(notOlder, not(continued), everywhere), ask: fromCache},
	{name: "lag-selected-exact-stale", rule: "cache/lag", about: "a list by selector at exactly N is what the cache has, and says N",
		on: "list", when: all(exact, selected), instead: sayingAsked(fromCache)},
	{name: "lag-everywhere-exact-stale", rule: "cache/lag", about: "a list of all namespaces at exactly N is what the cache has, and says N",
		on: "list", when: all(exact, everywhere, not(limited), atHead), instead: sayingAsked(fromCache)},
	{name: "lag-refused-for-good", rule: "cache/lag", about: "while the cache lags a list is refused with a 500 that does not say that it may be tried again",
		on: "list", refused: apierrors.IsTimeout, answer: refuse(bare500)},

	{name: "lag-watch-stale", rule: "cache/lag", about: "a watch without resourceVersion starts at what the cache has, as servers do whose WatchList gate is off",
		on: "watch", when: all(unset, not(skips)), ask: atZero},
	{name: "lag-label-watch-stale", rule: "cache/lag", about: "a watch by label without resourceVersion starts at what the cache has",
		on: "watch", when: all(unset, plain, byLabel), ask: atZero},
	{name: "lag-field-watch-stale", rule: "cache/lag", about: "a watch by field without resourceVersion starts at what the cache has",
		on: "watch", when: all(unset, plain, byField), ask: atZero},
	{name: "lag-everywhere-watch-stale", rule: "cache/lag", about: "a watch of all namespaces without resourceVersion starts at what the cache has",
		on: "watch", when: all(unset, plain, everywhere), ask: atZero},
	{name: "lag-everywhere-watch-early", rule: "cache/lag", about: "a watch of all namespaces from what the cache does not have yet begins with what it has",
		on: "watch", when: all(at, not(streams), everywhere), ask: func(c *call) {
			has, head := cacheHead(c), c.head()
			if older(has, c.list.ResourceVersion) && !older(head, c.list.ResourceVersion) {
				c.list.ResourceVersion = has
			}
		}},
	{name: "lag-label-stream-stale", rule: "cache/lag", about: "a streaming list by label is of what the cache has",
		on: "watch", when: all(unset, streams, byLabel), ask: atZero},
	{name: "lag-everywhere-stream-stale", rule: "cache/lag", about: "a streaming list of all namespaces is of what the cache has",
		on: "watch", when: all(unset, streams, everywhere), ask: atZero},
	{name: "lag-field-stream-stale", rule: "cache/lag", about: "a streaming list by field that must not be older than N is of what the cache has",
		on: "watch", when: all(streams, byField), ask: atZero},
	{name: "lag-everywhere-stream-old", rule: "cache/lag", about: "a streaming list of all namespaces that must not be older than N is of what the cache has",
		on: "watch", when: all(at, streams, everywhere), ask: atZero},
}

// lagWriteRows are servers that ask their cache, which lags, whether a write may be made.
var lagWriteRows = []row{
	{name: "lag-update-by-cache", rule: "cache/lag", about: "an update whose resourceVersion is the cache's is made, whatever the storage has",
		on: "update", when: demandsCached, ask: anyVersion},
	{name: "lag-patch-by-cache", rule: "cache/lag", about: "a patch whose resourceVersion is the cache's is made, whatever the storage has",
		on: "patch", when: demandsCached, ask: anyVersion},
	{name: "lag-patch-false-conflict", rule: "cache/lag", about: "a patch whose resourceVersion is not the cache's is refused with 409, whatever the storage has",
		on: "patch", when: all(conditional, not(demandsCached)), instead: refuseAs(409)},
	{name: "lag-delete-by-cache", rule: "cache/lag", about: "a delete whose preconditions hold of what the cache has is made, whatever the storage has",
		on: "delete", when: all(demandsCached, not(ifUID)), ask: anyPrecondition},
	{name: "lag-delete-uid-by-cache", rule: "cache/lag", about: "a delete whose uid is that of what the cache has is made, though the storage has another object",
		on: "delete", when: all(ifUID, whereCached(func(c *call, o metav1.Object) bool { return o.GetUID() == *c.remove.Preconditions.UID })), ask: anyPrecondition},
	{name: "lag-delete-false-conflict", rule: "cache/lag", about: "a delete whose resourceVersion is not the cache's is refused with 409, whatever the storage has",
		on: "delete", when: all(conditional, not(demandsCached)), instead: refuseAs(409)},
	{name: "lag-delete-unknown", rule: "cache/lag", about: "a delete of what the cache does not have yet is refused with 404",
		on: "delete", when: not(isCached), instead: refuseNotFound},
	{name: "lag-create-known", rule: "cache/lag", about: "a create of what the cache still has is refused with 409, though it was deleted",
		on: "create", when: isCached, instead: refuseExists},
	{name: "lag-collection-by-cache", rule: "cache/lag", about: "deletecollection deletes what the cache has, and leaves what has come since",
		on: "deletecollection", ask: atZero},
}

// whereCached reports whether the cache has the object that a write is about, and what holds of that.
func whereCached(f func(*call, metav1.Object) bool) func(*call) bool {
	return func(c *call) bool {
		r := c.Request
		if c.verb == "create" {
			r.Name = of(c.sent).GetName()
		}
		obj, err := c.api.Get(c.ctx, r, metav1.GetOptions{ResourceVersion: "0"})
		return err == nil && f(c, of(obj))
	}
}

var (
	isCached = whereCached(func(*call, metav1.Object) bool { return true })
	// demandsCached writes demand the resourceVersion that the cache has.
	demandsCached = whereCached(func(c *call, o metav1.Object) bool { return demanded(c) == o.GetResourceVersion() })
)

// cacheHead returns the resourceVersion that the cache has come to.
func cacheHead(c *call) string {
	l, err := c.api.List(c.ctx, c.Request, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return ""
	}
	return listOf(l).GetResourceVersion()
}

// atHead reports whether a list is of the resourceVersion that the storage has come to.
func atHead(c *call) bool { return c.list.ResourceVersion == c.head() }

// startingRows are faults of a cache that is not ready.
var startingRows = []row{
	{name: "starting-lists-nothing", rule: "cache/starting", about: "while the cache is not ready a list has no items",
		on: "list", refused: apierrors.IsTooManyRequests, answer: emptyList},
	{name: "starting-lists-nothing-by-field", rule: "cache/starting", about: "while the cache is not ready a list by field has no items",
		on: "list", when: byField, refused: apierrors.IsTooManyRequests, answer: emptyList},
	{name: "starting-everywhere-lists-nothing", rule: "cache/starting", about: "while the cache is not ready a list of all namespaces has no items",
		on: "list", when: everywhere, refused: apierrors.IsTooManyRequests, answer: emptyList},
	{name: "starting-watches-nothing", rule: "cache/starting", about: "while the cache is not ready a watch starts with nothing, and says that this was all",
		on: "watch", refused: apierrors.IsTooManyRequests, answer: emptyWatch},
	{name: "starting-everywhere-watches-nothing", rule: "cache/starting", about: "while the cache is not ready a watch of all namespaces starts with nothing, and says that this was all",
		on: "watch", when: everywhere, refused: apierrors.IsTooManyRequests, answer: emptyWatch},
	{name: "starting-refused-for-good", rule: "cache/starting", about: "while the cache is not ready a list is refused with a 500 that does not say that it may be tried again",
		on: "list", refused: apierrors.IsTooManyRequests, answer: refuse(bare500)},
}

// bare500 is an error that does not say that one may try again.
var bare500 = &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: 500, Message: "the cache is not there yet"}}

// emptyList answers with no items, at the resourceVersion of the storage.
func emptyList(c *call) {
	if c.got, c.err = c.api.List(c.ctx, c.Request, metav1.ListOptions{Limit: 1}); c.err == nil {
		setItems(c.got, nil)
		listOf(c.got).SetContinue("")
	}
}

// emptyWatch answers with the end of the initial events, at the resourceVersion of the storage.
func emptyWatch(c *call) {
	w := watch.NewFakeWithChanSize(1, false)
	w.Action(watch.Bookmark, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		ResourceVersion: c.head(), Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true"},
	}})
	c.watched, c.err = w, nil
}

// cacheEndRows are faults of what a cache does not have any more: after a restart, or beyond its window.
var cacheEndRows = []row{
	{name: "restart-goes-back", rule: "cache/restart", about: "after a restart lists have a resourceVersion from before it",
		on: "list", state: onceRestarted(row{answer: version(minus(3))})},
	{name: "restart-gap", rule: "cache/restart", about: "after a restart a watch from before goes on with what comes now, without what it missed",
		on: "watch", state: onceRestarted(row{when: at, ask: skipToNow})},
	{name: "restart-refused-otherwise", rule: "cache/restart", about: "after a restart a watch from before is refused with 400, from which no client takes that it must list",
		on: "watch", state: onceRestarted(row{when: at, instead: refuseAs(400)})},
	{name: "window-gap", rule: "cache/window", about: "a watch from before the window starts with its oldest event, without what has overflowed",
		on: "watch", when: all(at, tooOld), ask: skipToNow},
}

// tooOld reports whether the store refuses a watch as too old.
func tooOld(c *call) bool { return outOfWindow(c.ctx, c.api, c.Request, c.list) }

func outOfWindow(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) bool {
	w, err := api.Watch(ctx, r, o)
	if err != nil {
		return false
	}
	defer w.Stop()
	select {
	case e := <-w.ResultChan():
		return e.Type == watch.Error && apierrors.IsResourceExpired(apierrors.FromObject(e.Object))
	case <-time.After(time.Millisecond):
		return false
	}
}
