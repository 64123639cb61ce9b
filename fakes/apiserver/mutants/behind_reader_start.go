package mutants

import (
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

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
