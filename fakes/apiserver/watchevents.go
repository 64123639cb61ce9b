package apiserver

import (
	"context"
	"maps"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// sendState sends the synthetic ADDED, and the bookmark that ends them to those who allow bookmarks.
func (w *watcher) sendState(ctx context.Context) bool {
	if !w.whole {
		return true
	}
	records := w.state.Within(w.sel.prefix, "")
	if w.view.o.Quirks.ReverseInitial {
		records = w.state.Down()
	}
	for r := range records {
		if !w.sel.match(r) {
			continue
		}
		if e := w.shown(ctx, watch.Added, r); !w.pass(ctx, e, Initial) || e.Type == watch.Error {
			return false
		}
	}
	w.state = tree{} // let go of it
	if !w.bookmarks {
		return true
	}
	end := w.bookmark(w.start)
	notes := maps.Clone(end.GetAnnotations())
	if notes == nil {
		notes = map[string]string{}
	}
	notes[metav1.InitialEventsAnnotationKey] = "true"
	end.SetAnnotations(notes)
	return w.pass(ctx, watch.Event{Type: watch.Bookmark, Object: end.(runtime.Object)}, Bookmark)
}

func (w *watcher) sendChanges(ctx context.Context, changes []*change) bool {
	for _, c := range changes {
		if most := w.view.o.Quirks.EndAfter; most > 0 && w.sent >= most && c.rev != w.last {
			return w.finish(ctx)
		}
		if e, cause := w.event(ctx, c); e.Type != "" {
			if !w.pass(ctx, e, cause) || e.Type == watch.Error {
				return false
			}
			w.sent++
		}
		w.place++
		w.last = c.rev
	}
	clear(changes) // a watch that sleeps holds on to nothing
	return true
}

// event is what a change is to this watch: a transition into, within or out of what it selects. The
// type is empty where it is nothing, or not after the start (which may be in the future).
func (w *watcher) event(ctx context.Context, c *change) (watch.Event, Cause) {
	if c.rev <= w.start {
		return watch.Event{}, Updated
	}
	had, has := w.sel.match(c.old), !c.deleted && w.sel.match(c.new)
	switch {
	case had && c.deleted:
		return w.shown(ctx, watch.Deleted, c.new), Deleted
	case had && has:
		return w.shown(ctx, watch.Modified, c.new), Updated
	case has && c.old == nil:
		return w.shown(ctx, watch.Added, c.new), Created
	case has:
		return w.shown(ctx, watch.Added, c.new), Updated
	case had: // it leaves as it was before, at the resourceVersion of the change
		e := w.shown(ctx, watch.Deleted, c.old)
		if e.Type != watch.Error {
			e.Object = e.Object.DeepCopyObject()
			e.Object.(metav1.Object).SetResourceVersion(format(c.rev))
		}
		return e, Updated
	}
	return watch.Event{}, Updated
}

// sendMark sends the bookmark that is due, unless it would say no more than the start did.
func (w *watcher) sendMark(ctx context.Context, rev uint64) bool {
	w.markDue = false
	w.mark.Reset(w.untilMark())
	if w.marked = max(w.marked, rev); w.marked <= w.start {
		return true
	}
	rev = w.marked // no bookmark goes back behind the one before
	return w.pass(ctx, watch.Event{Type: watch.Bookmark, Object: w.bookmark(rev).(runtime.Object)}, Bookmark)
}

// bookmark is an object of the kind that says nothing but a resourceVersion, and numbers that are no pointers in kube-apiserver.
func (w *watcher) bookmark(rev uint64) metav1.Object {
	m := w.kind.res.New().(metav1.Object)
	switch o := m.(type) {
	case *appsv1.Deployment:
		o.Spec.Replicas = new(int32)
	case *appsv1.ReplicaSet:
		o.Spec.Replicas = new(int32)
	case *appsv1.StatefulSet:
		o.Spec.Replicas = new(int32)
	case *appsv1.DaemonSet:
		readDaemonSet(o)
	}
	m.SetResourceVersion(format(rev))
	return m
}

// untilMark is the time to the next bookmark: the beat, or shortly before the end if that is sooner.
func (w *watcher) untilMark() time.Duration {
	if w.ends.IsZero() || w.before < 0 {
		return w.beat
	}
	if shortly := time.Until(w.ends) - w.before; shortly > 0 && shortly < w.beat {
		return shortly
	}
	return w.beat
}
