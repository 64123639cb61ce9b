package mutants

import (
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// Which events, by their causes: those of the initial state, bookmarks, and changes.
var (
	initialEvents  = cause(apiserver.Initial)
	bookmarkEvents = cause(apiserver.Bookmark)
	creations      = cause(apiserver.Created)
	removals       = cause(apiserver.Deleted)
)

// entering picks updates by which an object comes to match the selector, leaving those by which it no longer does.
var (
	entering = event(func(e watch.Event, c apiserver.Cause) bool { return c == apiserver.Updated && e.Type == watch.Added })
	leaving  = event(func(e watch.Event, c apiserver.Cause) bool { return c == apiserver.Updated && e.Type == watch.Deleted })
)

// endOfInitial picks the bookmark that ends the initial events, plainBookmarks the others.
var (
	endOfInitial   = event(endsInitial)
	plainBookmarks = event(func(e watch.Event, c apiserver.Cause) bool { return c == apiserver.Bookmark && !endsInitial(e, c) })
)

func endsInitial(e watch.Event, c apiserver.Cause) bool {
	return c == apiserver.Bookmark && of(e.Object).GetAnnotations()[metav1.InitialEventsAnnotationKey] != ""
}

// ofObjects picks events of such objects, whatever they say of them.
func ofObjects(such func(metav1.Object) bool) which {
	return event(func(e watch.Event, c apiserver.Cause) bool { return c != apiserver.Bookmark && such(of(e.Object)) })
}

// says changes the resourceVersion of an object to this one, saysMore by so many revisions.
func says(rv string) func(metav1.Object) { return func(o metav1.Object) { o.SetResourceVersion(rv) } }
func saysMore(revisions int64) func(metav1.Object) {
	return func(o metav1.Object) { o.SetResourceVersion(plus(o.GetResourceVersion(), revisions)) }
}

// atLastVersion shows the objects of events at the resourceVersion of the change before, where the watch brought that.
func atLastVersion(w which) func(*call) apiserver.Tap {
	return tap(func() apiserver.Tap {
		such, last := w(), map[types.UID]string{}
		return func(e watch.Event, c apiserver.Cause) []watch.Event {
			if !change(c) {
				return pass(e, c)
			}
			before, rv := last[of(e.Object).GetUID()], of(e.Object).GetResourceVersion()
			if last[of(e.Object).GetUID()] = rv; before != "" && such(e, c) {
				of(e.Object).SetResourceVersion(before)
			}
			return []watch.Event{e}
		}
	})
}

// Which requests are for a resourceVersion that is not there yet, and which for the very next one.
func notThereYet(c *call) bool { return at(c) && below(c.store.Revision(), c.list.ResourceVersion) }
func nextVersion(c *call) bool { return c.list.ResourceVersion == plus(c.store.Revision(), 1) }

// withState watches begin with the state.
func withState(c *call) bool { return !at(c) }

// fieldsHave and labelsHave report whether a text is in the selector.
func fieldsHave(text string) func(*call) bool {
	return func(c *call) bool { return strings.Contains(c.list.FieldSelector, text) }
}

func labelsHave(text string) func(*call) bool {
	return func(c *call) bool { return strings.Contains(c.list.LabelSelector, text) }
}

// What is asked for is changed: to any namespace, to what the cache has, to the present revision.
func inAnyNamespace(c *call) { c.Namespace = "" }
func atZero(c *call)         { c.list.ResourceVersion = "0" }
func atPresentNow(c *call)   { c.list.ResourceVersion = c.store.Revision() }

// widened asks for more, and keeps those objects that f wants for what was asked.
func widened(change func(*call), f func(asked *call, o metav1.Object) bool) func(*call) {
	return func(c *call) {
		asked := *c
		if change(c); c.verb == "watch" {
			c.next()
			filtered(func(e watch.Event) bool {
				return e.Type == watch.Bookmark || e.Type == watch.Error || f(&asked, of(e.Object))
			})(c)
		} else if c.next(); c.err == nil {
			keeps(func(_ *call, o metav1.Object) bool { return f(&asked, o) })(c)
		}
	}
}

// filtered sends the client those events that f wants.
func filtered(f func(watch.Event) bool) func(*call) {
	return relayed(func(e watch.Event) ([]watch.Event, bool) {
		if f(e) {
			return []watch.Event{e}, true
		}
		return nil, true
	})
}

// relayed sends the client what f makes of each event, ERRORs too; false ends the watch after that.
func relayed(f func(watch.Event) ([]watch.Event, bool)) func(*call) {
	return func(c *call) {
		if c.err != nil {
			return
		}
		c.watched = apiserver.NewRelay(c.ctx, c.watched, func(w *apiserver.Relay) {
			for e := range w.In() {
				out, more := f(e)
				for _, e := range out {
					more = w.Send(e) && more
				}
				if !more {
					return
				}
			}
		})
	}
}

// changeErrors changes the Status of the ERRORs of a watch.
func changeErrors(f func(*metav1.Status)) func(*call) {
	return relayed(func(e watch.Event) ([]watch.Event, bool) {
		if s, ok := e.Object.(*metav1.Status); ok {
			f(s)
		}
		return []watch.Event{e}, true
	})
}

// sendAll sends the client what another watch brings until that ends; false: nobody reads any more.
func sendAll(w *apiserver.Relay, in watch.Interface) bool {
	defer in.Stop()
	for {
		select {
		case e, open := <-in.ResultChan():
			if !open {
				return !w.Left()
			} else if !w.Send(e) {
				return false
			}
		case <-w.Stopped():
			return false
		}
	}
}

// below compares resourceVersions as numbers; it is false for what is none.
func below(a, b string) bool {
	x, err := strconv.ParseUint(a, 10, 64)
	y, no := strconv.ParseUint(b, 10, 64)
	return err == nil && no == nil && x < y
}

// lagging has changes reach the caches a second late.
func lagging(o *apiserver.Options) { o.CacheLag = time.Second }
