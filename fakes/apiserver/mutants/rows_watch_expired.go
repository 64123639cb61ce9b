package mutants

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// expiredRows are faults of watches from resourceVersions of which the changes are gone.
var expiredRows = []row{
	{name: "expired-as-500", rule: "watch/expired", about: "a watch from before the window is refused with code 500",
		on: "watch", answer: changeErrors(func(s *metav1.Status) {
			if s.Code == http.StatusGone {
				s.Code, s.Reason = http.StatusInternalServerError, metav1.StatusReasonInternalError
			}
		})},
	{name: "expired-uncoded-with-timeout", rule: "watch/expired", about: "a watch with timeoutSeconds from before the window is refused without code and reason",
		on: "watch", when: timed, answer: changeErrors(func(s *metav1.Status) {
			if s.Code == http.StatusGone {
				s.Code, s.Reason = 0, ""
			}
		})},
	{name: "expired-silent-with-timeout", rule: "watch/expired", about: "a watch with timeoutSeconds from before the window ends without a word",
		on: "watch", when: timed, answer: filtered(func(e watch.Event) bool { return !isGone(e) })},
	{name: "expired-with-gap", rule: "watch/expired", about: "a watch from before the window begins with the oldest change in it",
		on: "watch", when: at, ask: func(c *call) {
			if e := c.refusal(); isGone(e) {
				c.list.ResourceVersion = oldest(e)
			}
		}},
	{name: "expired-gap-by-field", rule: "watch/expired", about: "a watch by field, but not of one name, from before the window begins at the present",
		on: "watch", when: all(at, byField, not(fieldsBegin("metadata.name=")), expired), ask: skipToNow},
	{name: "expired-gap-by-name", rule: "watch/expired", about: "a watch of one name from before the window begins at the present",
		on: "watch", when: all(at, fieldsBegin("metadata.name="), not(byLabel), expired), ask: skipToNow},
	{name: "expired-gap-by-label", rule: "watch/expired", about: "a watch by label from before the window begins at the present",
		on: "watch", when: all(at, byLabel, not(byField), expired), ask: skipToNow},
	{name: "expired-gap-by-both", rule: "watch/expired", about: "a watch by label and name from before the window begins at the present",
		on: "watch", when: all(at, byLabel, byField, expired), ask: skipToNow},
	{name: "expired-gap-without-initial", rule: "watch/expired", about: "a watch with sendInitialEvents=false from before the window begins at the present",
		on: "watch", when: all(at, not(plain), expired), ask: skipToNow},
	{name: "expired-gap-to-informers", rule: "watch/expired", about: "a watch with bookmarks and timeoutSeconds from before the window begins at the present",
		on: "watch", when: all(at, informers, expired), ask: skipToNow},
	{name: "error-goes-on", rule: "watch/error-ends", about: "after an ERROR the watch goes on, with what comes from now on",
		on: "watch", answer: goesOnAfterError},
	{name: "error-bookmark-follows", rule: "watch/error-ends", about: "a watch with timeoutSeconds that was refused in its stream still gets a bookmark",
		on: "watch", when: timed, answer: relayed(func(e watch.Event) ([]watch.Event, bool) {
			if e.Type != watch.Error {
				return []watch.Event{e}, true
			}
			last := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{ResourceVersion: oldest(e)}}
			return []watch.Event{e, {Type: watch.Bookmark, Object: last}}, true
		})},

	{name: "expired-edge-as-500", rule: "watch/expired-edge", about: "a watch from just before a compaction is refused with code 500 (kube-apiserver does so for kinds without a watch cache: PrevKv=nil)",
		on: "watch", when: all(at, compacted(0), not(compacted(1))), instead: refuse(apierrors.NewInternalError(gone))},
	{name: "compacted-edge-refused", rule: "watch/compacted-edge", about: "a watch from the oldest resourceVersion that is kept is refused, with an internal error",
		on: "watch", when: all(at, compacted(-1)), instead: refuse(apierrors.NewInternalError(gone))},
	{name: "compacted-edge-lost", rule: "watch/compacted-edge", about: "a watch from just before a compaction lacks the change at it (etcd#18089: a delete there)",
		on: "watch", when: all(at, compacted(0)), ask: moveBy(1)},
	{name: "compacted-edge-lost-everywhere", rule: "watch/compacted-edge", about: "a watch of all namespaces from just before a compaction lacks the change at it",
		on: "watch", when: all(at, everywhere, compacted(0)), ask: moveBy(1)},
	{name: "compacted-edge-lost-to-informers", rule: "watch/compacted-edge", about: "a watch with bookmarks and timeoutSeconds from just before a compaction lacks the change at it",
		on: "watch", when: all(at, informers, compacted(0)), ask: moveBy(1)},
}

// futureRows are faults of watches from resourceVersions that are not there yet.
var futureRows = []row{
	{name: "future-from-now", rule: "watch/future", about: "a watch from a resourceVersion that is not there yet begins at the present",
		on: "watch", when: all(plain, notThereYet), ask: atPresentNow},
	{name: "future-from-now-by-field", rule: "watch/future", about: "a watch by field from a resourceVersion that is not there yet begins at the present",
		on: "watch", when: all(plain, byField, notThereYet), ask: atPresentNow},
	{name: "future-from-now-to-informers", rule: "watch/future", about: "a watch with bookmarks and timeoutSeconds from a resourceVersion that is not there yet begins at the present",
		on: "watch", when: all(plain, informers, notThereYet), ask: atPresentNow},
	{name: "future-refused", rule: "watch/future", about: "a watch from a resourceVersion that is not there yet is refused with 410, as if it were too old",
		on: "watch", when: all(plain, notThereYet), instead: refuse(gone)},
}

// refusal returns the ERROR that a watch would begin with, if any.
func (c *call) refusal() watch.Event {
	w, err := c.api.Watch(c.ctx, c.Request, c.list)
	if err != nil {
		return watch.Event{}
	}
	defer w.Stop()
	select {
	case e := <-w.ResultChan():
		return e
	case <-time.After(time.Millisecond):
		return watch.Event{}
	}
}

// goesOnAfterError sends what comes after an ERROR, too.
func goesOnAfterError(c *call) {
	again := *c
	skipToNow(&again)
	c.watched = apiserver.NewRelay(c.ctx, c.watched, func(w *apiserver.Relay) {
		for e := range w.In() {
			if !w.Send(e) {
				return
			}
			if e.Type != watch.Error {
				continue
			}
			if again.next(); again.err == nil {
				sendAll(w, again.watched)
			}
		}
	})
}

// expired watches are refused with 410: the changes after their resourceVersion are gone.
func expired(c *call) bool { return isGone(c.refusal()) }

func isGone(e watch.Event) bool {
	return e.Type == watch.Error && apierrors.IsResourceExpired(apierrors.FromObject(e.Object))
}

// oldest reads from an ERROR 410 the resourceVersion from which a watch is served.
func oldest(e watch.Event) string {
	var asked, kept string
	_, _ = fmt.Sscanf(e.Object.(*metav1.Status).Message, "too old resource version: %s (%s", &asked, &kept)
	return strings.TrimSuffix(kept, ")")
}

// compacted reports whether the state so many revisions after the start of a watch is gone.
func compacted(after int64) func(*call) bool {
	return func(c *call) bool {
		_, err := c.api.List(c.ctx, c.Request, metav1.ListOptions{
			ResourceVersion: plus(c.list.ResourceVersion, after), ResourceVersionMatch: metav1.ResourceVersionMatchExact,
		})
		return apierrors.IsResourceExpired(err)
	}
}
