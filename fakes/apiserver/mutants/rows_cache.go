package mutants

import (
	"encoding/json"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// restartGapRows are faults of watches that go on after a restart.
var restartGapRows = []row{
	{name: "restart-gap-by-label", rule: "cache/restart", about: "after a restart a watch by label from before goes on with what comes now",
		on: "watch", state: onceRestarted(row{when: all(at, plain, byLabel), ask: skipToNow})},
	{name: "restart-gap-by-name", rule: "cache/restart", about: "after a restart a watch of one name from before goes on with what comes now",
		on: "watch", state: onceRestarted(row{when: all(at, plain, fieldsBegin("metadata.name=")), ask: skipToNow})},
	{name: "restart-gap-without-initial", rule: "cache/restart", about: "after a restart a watch with sendInitialEvents=false from before goes on with what comes now",
		on: "watch", state: onceRestarted(row{when: all(at, skips), ask: skipToNow})},
	{name: "restart-gap-to-informers", rule: "cache/restart", about: "after a restart a watch with bookmarks and timeoutSeconds from before goes on with what comes now",
		on: "watch", state: onceRestarted(row{when: all(at, informers), ask: skipToNow})},
	{name: "restart-gap-everywhere-by-label", rule: "cache/restart", about: "after a restart a watch of all namespaces by label from before goes on with what comes now",
		on: "watch", state: onceRestarted(row{when: all(at, everywhere, byLabel), ask: skipToNow})},
}

// progressRows are faults of caches that hear of no resourceVersions but those of their own objects.
var progressRows = []row{
	{name: "progress-unheard-list", rule: "cache/progress", about: "a list that must not be older than a version above those of its objects is refused with 504 until one of them changes (kubernetes#107133)",
		on: "list", when: all(at, not(exact), not(limited), unheard), instead: refuseLate},
	{name: "progress-unheard-stream", rule: "cache/progress", about: "a streaming list from a version above those of its objects is refused with 504 until one of them changes",
		on: "watch", when: all(at, streams, unheard), instead: refuseLate},
}

// unheard reports whether a request is for a resourceVersion above those of all objects.
func unheard(c *call) bool {
	whole := c.Request
	whole.Namespace = ""
	l, err := c.api.List(c.ctx, whole, metav1.ListOptions{})
	if err != nil {
		return false
	}
	for _, obj := range items(l) {
		if !older(of(obj).GetResourceVersion(), c.list.ResourceVersion) {
			return false
		}
	}
	return true
}

func refuseLate(c *call) { refuse(late(c.list.ResourceVersion))(c) }

// late waits, and returns 504, as a cache does that has not reached a version.
func late(version string) error {
	time.Sleep(3 * time.Second)
	err := apierrors.NewTimeoutError("Too large resource version: "+version, 1)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version"}}
	return err
}

// lagRows are faults of what is asked of a cache that lags, or is not ready.
var lagRows = []row{
	{name: "lag-start-stale-with-timeout", rule: "cache/lag", about: "a watch with timeoutSeconds and resourceVersion unset starts at what the cache has",
		on: "watch", when: all(timed, unset, plain), ask: atZero},
	{name: "lag-stream-stale-to-informers", rule: "cache/lag", about: "a streaming list with bookmarks, timeoutSeconds and resourceVersion unset starts at what the cache has",
		on: "watch", when: all(informers, unset, streams), ask: atZero},
	{name: "lag-not-older-limit-stale", rule: "cache/lag", about: "a list with a limit that must not be older than N is answered from a cache that is older",
		on: "list", when: notOlderPages, ask: fromCache},
	{name: "always-behind-not-older-limit-stale", rule: "list/not-older-than", about: "the cache is always a second behind, and a list with a limit that must not be older than N is answered from it",
		options: lagging, on: "list", when: notOlderPages, ask: fromCache},
	{name: "lag-exact-limit-stale", rule: "cache/lag", about: "a list with a limit at exactly N, which the cache does not have yet, is what it has, and says N",
		on: "list", when: all(exact, limited, stored), instead: func(c *call) {
			asked := c.list
			c.list = metav1.ListOptions{ResourceVersion: "0", LabelSelector: asked.LabelSelector, FieldSelector: asked.FieldSelector}
			if c.next(); c.err == nil && below(listOf(c.got).GetResourceVersion(), asked.ResourceVersion) {
				listOf(c.got).SetResourceVersion(asked.ResourceVersion)
				return
			}
			c.list = asked
			c.next()
		}},
	{name: "lag-update-no-op-by-cache", rule: "cache/lag", about: "an update to what the cache has is answered with that, and not made, whatever the storage has",
		on: "update", instead: func(c *call) {
			old, now := overtaken(c)
			if m, ok := c.sent.(*corev1.ConfigMap); ok && old != nil && (m.ResourceVersion == "" || m.ResourceVersion == now) && sameContent(m, old) {
				c.got = old
				return
			}
			c.next()
		}},
	{name: "lag-patch-no-op-by-cache", rule: "cache/lag", about: "a merge patch to what the cache has is answered with that, and not made, whatever the storage has",
		on: "patch", instead: func(c *call) {
			var m corev1.ConfigMap
			if old, _ := overtaken(c); json.Unmarshal(c.data, &m) == nil && m.ResourceVersion == "" && old != nil && sameContent(&m, old) {
				c.got = old
				return
			}
			c.next()
		}},
	{name: "lag-delete-finalizers-by-cache", rule: "write/finalizers", about: "a delete of what has no finalizers in the cache removes it at once, whatever it has in the storage",
		on: "delete", when: not(dry), answer: func(c *call) {
			if old := c.cached(); old != nil && len(old.GetFinalizers()) == 0 {
				_ = c.store.DeleteTogether(c.Request) // where it is still there
			}
		}},
	{name: "starting-watch-waits-begins-now", rule: "cache/starting", about: "a watch from N that finds the cache not ready waits up to three seconds, and begins at the present then",
		on: "watch", when: at, refused: apierrors.IsTooManyRequests, answer: func(c *call) {
			skipToNow(c)
			for n := 0; n < 30 && apierrors.IsTooManyRequests(c.err); n++ {
				time.Sleep(100 * time.Millisecond)
				c.next()
			}
		}},
	{name: "starting-watch-survives", rule: "watch/reliable", about: "a watch that is open when the cache starts anew goes on then, without what came meanwhile (kubernetes#116122)",
		on: "watch", answer: survives},
}

// notOlderPages are lists with a limit that must not be older than a resourceVersion which the storage has come to.
func notOlderPages(c *call) bool { return all(limited, notOlder, not(continued), stored)(c) }

// stored reports whether the storage has come to the resourceVersion that is asked for.
func stored(c *call) bool {
	return below("0", c.list.ResourceVersion) && !below(c.store.Revision(), c.list.ResourceVersion)
}

// overtaken returns an object as the cache has it, where the storage has something else by now, and the resourceVersion of that.
func overtaken(c *call) (old *corev1.ConfigMap, now string) {
	old, _ = c.cached().(*corev1.ConfigMap)
	m := c.now()
	if m == nil || old == nil || of(m).GetResourceVersion() == old.ResourceVersion {
		return nil, ""
	}
	return old, of(m).GetResourceVersion()
}

func sameContent(a, b *corev1.ConfigMap) bool {
	return maps.Equal(a.Data, b.Data) && maps.Equal(a.Labels, b.Labels)
}

// survives goes on with a watch from the present, where one ended because its cache is not ready.
func survives(c *call) {
	in, again := c.watched, *c
	skipToNow(&again)
	c.watched = apiserver.NewRelay(c.ctx, in, func(w *apiserver.Relay) {
		for waited := true; waited && sendAll(w, in); in = again.watched {
			waited = false
			for again.next(); apierrors.IsTooManyRequests(again.err) && !w.Left(); again.next() {
				waited = true
				time.Sleep(100 * time.Millisecond)
			}
			if again.err != nil {
				return
			}
		}
		in.Stop()
	})
}
