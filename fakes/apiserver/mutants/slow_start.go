package mutants

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// slowStarts are faults that only a reader meets who has not read yet what a watch begins with, or has missed.
func slowStarts() []Mutant {
	var all []Mutant
	for _, form := range []struct {
		name, rule, about string
		such              func(*metav1.ListOptions) bool
	}{
		{"unset", "unset", "the initial events of a watch without a resourceVersion", func(o *metav1.ListOptions) bool { return o.ResourceVersion == "" && o.SendInitialEvents == nil }},
		{"zero", "zero", "the initial events of a watch from \"0\"", func(o *metav1.ListOptions) bool { return o.ResourceVersion == "0" && o.SendInitialEvents == nil }},
		{"stream", "reliable", "the initial events of a streaming list", streaming},
		{"past", "reliable", "what a watch from N has missed", func(o *metav1.ListOptions) bool { return from(o) && !streaming(o) }},
	} {
		for _, keeps := range []int{0, 10} {
			all = append(all, Mutant{
				Name: fmt.Sprint("unsent-", form.name, "-keeps-", keeps), Rule: "watchcache/watch/" + form.rule,
				About: fmt.Sprintf("while %s wait for the reader, %d changes are kept, and the others lost", form.about, keeps),
				Open:  behindReader(form.such, losingMeanwhile(keeps)),
			})
		}
	}
	for _, form := range []struct {
		name, rule, about string
		such              func(*metav1.ListOptions) bool
	}{
		{"unset", "watch/unset", "a watch without a resourceVersion", func(o *metav1.ListOptions) bool { return o.ResourceVersion == "" && o.SendInitialEvents == nil }},
		{"zero", "watch/zero", "a watch from \"0\"", func(o *metav1.ListOptions) bool { return o.ResourceVersion == "0" && o.SendInitialEvents == nil }},
		{"stream", "watchlist/initial", "a streaming list", streaming},
	} {
		all = append(all, Mutant{
			Name: "unsent-" + form.name + "-renewed", Rule: "watchcache/" + form.rule,
			About: "the initial events of " + form.about + " show each object as it is when they are sent; its changes come nevertheless",
			Open:  behindReader(form.such, renewing(false)),
		}, Mutant{
			Name: "unsent-" + form.name + "-renewed-once", Rule: "watchcache/" + form.rule,
			About: "the initial events of " + form.about + " show each object as it is when they are sent; of its changes only later ones come",
			Open:  behindReader(form.such, renewing(true)),
		})
	}
	return append(all, Mutant{
		Name: "unsent-initial-forgotten", Rule: "watchcache/watch/unset",
		About: "an initial ADDED of a watch without a resourceVersion that waits for its reader longer than five seconds is thrown away",
		Open:  behindReader(func(o *metav1.ListOptions) bool { return o.ResourceVersion == "" && o.SendInitialEvents == nil }, forgetting),
	}, Mutant{
		Name: "unsent-zero-forgotten", Rule: "watchcache/watch/zero",
		About: "an initial ADDED of a watch from \"0\" that waits for its reader longer than five seconds is thrown away",
		Open:  behindReader(func(o *metav1.ListOptions) bool { return o.ResourceVersion == "0" && o.SendInitialEvents == nil }, forgetting),
	}, Mutant{
		Name: "unsent-stream-forgotten", Rule: "watchcache/watchlist/initial",
		About: "an initial ADDED of a streaming list that waits for its reader longer than five seconds is thrown away",
		Open:  behindReader(streaming, forgetting),
	}, Mutant{
		Name: "unsent-initial-marked", Rule: "watchcache/bookmark/complete/none-follows",
		About: "where initial events wait for the reader longer than a second, a bookmark comes amid them",
		Open:  behindReader(func(o *metav1.ListOptions) bool { return o.AllowWatchBookmarks && !from(o) && !streaming(o) }, markingAmid),
	}, Mutant{
		Name: "unsent-stream-marked", Rule: "watchcache/watchlist/only-added",
		About: "where the initial events of a streaming list wait for the reader longer than a second, a bookmark comes amid them",
		Open:  behindReader(func(o *metav1.ListOptions) bool { return o.AllowWatchBookmarks && streaming(o) }, markingAmid),
	})
}

// ofState says that an event is of the state that a watch began with, or before.
func ofState(e watch.Event, state string) bool {
	return e.Type != watch.Error && !older(state, of(e.Object).GetResourceVersion())
}

// losingMeanwhile keeps all that a watch begins with, and so many of the changes that come before it is sent.
func losingMeanwhile(keeps int) func(w *apiserver.Relay, state string) {
	return func(w *apiserver.Relay, state string) {
		var unsent atomic.Int64
		kept := make(chan watch.Event, behindMost)
		go func() {
			defer close(kept)
			n := 0
			for e := range w.In() {
				if ofState(e, state) {
					unsent.Add(1)
				} else if e.Type != watch.Error && e.Type != watch.Bookmark && unsent.Load() > 0 {
					if n++; n > keeps {
						continue
					}
				}
				kept <- e
			}
		}()
		for e := range kept {
			if !w.Send(e) {
				return
			}
			if ofState(e, state) {
				unsent.Add(-1)
			}
		}
	}
}

// renewing sends initial events with what their objects are by then, as where these are written to in place; once: and
// leaves out what they have shown already.
func renewing(once bool) func(w *apiserver.Relay, state string) {
	return func(w *apiserver.Relay, state string) {
		var newest sync.Map // by uid
		unsent, shown := make(chan watch.Event, behindMost), map[types.UID]string{}
		go func() {
			defer close(unsent)
			for e := range w.In() {
				if e.Type == watch.Added || e.Type == watch.Modified {
					newest.Store(of(e.Object).GetUID(), e.Object)
				}
				unsent <- e
			}
		}()
		for e := range unsent {
			switch {
			case e.Type == watch.Added && ofState(e, state):
				now, _ := newest.Load(of(e.Object).GetUID())
				e.Object = now.(runtime.Object)
				shown[of(e.Object).GetUID()] = of(e.Object).GetResourceVersion()
			case e.Type == watch.Modified && once && !older(shown[of(e.Object).GetUID()], of(e.Object).GetResourceVersion()):
				continue
			}
			if !w.Send(e) {
				return
			}
		}
	}
}

// forgetting throws away the initial events whose turn comes late.
func forgetting(w *apiserver.Relay, state string) {
	opened := time.Now()
	for e := range w.In() {
		if e.Type == watch.Added && ofState(e, state) && time.Since(opened) > 5*time.Second {
			continue
		}
		if !w.Send(e) {
			return
		}
	}
}

// markingAmid sends a bookmark before the first initial event whose turn comes late.
func markingAmid(w *apiserver.Relay, state string) {
	opened, marked := time.Now(), false
	for e := range w.In() {
		if e.Type == watch.Added && ofState(e, state) && time.Since(opened) > time.Second && !marked {
			marked = true
			at := watch.Event{Type: watch.Bookmark, Object: moved(e.Object, state)}
			if !w.Send(mark(at)) {
				return
			}
		}
		if !w.Send(e) {
			return
		}
	}
}
