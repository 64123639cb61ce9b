package mutants

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// creates are faults of what is created under a watch that begins with a state
// and does not say where that ends: it looks like more of the state.
func creates() []Mutant {
	return []Mutant{
		{
			Name: "created-swapped", Rule: "watchcache/watch/ordered",
			About: "on a watch without an end of its initial events every second creation, until something else comes, comes after the next",
			Open: unmarked(func() apiserver.Tap {
				second, held, changed := nth(2), []watch.Event(nil), false
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if changed = changed || e.Type != watch.Added; c == apiserver.Created && !changed && held == nil && second() {
						held = []watch.Event{e}
						return nil
					}
					late := held
					held = nil
					if c != apiserver.Created { // what follows is no more of the state
						return append(late, pass(e, c)...)
					}
					return append([]watch.Event{e}, late...)
				}
			}),
		},
		{
			Name: "created-repeated", Rule: "watchcache/watch/unique",
			About: "on a watch without an end of its initial events every second creation comes again after the one that follows it",
			Open: unmarked(func() apiserver.Tap {
				second, again := nth(2), []watch.Event(nil)
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if c != apiserver.Created {
						return pass(e, c)
					}
					out := append(pass(e, c), again...)
					if again = nil; second() {
						again = []watch.Event{copyOf(e)}
					}
					return out
				}
			}),
		},
		{
			Name: "created-modified", Rule: "watchcache/watch/types",
			About: "on a watch without an end of its initial events every second creation comes as MODIFIED",
			Open: unmarked(func() apiserver.Tap {
				second := nth(2)
				return retype(func(e watch.Event, c apiserver.Cause) watch.EventType {
					if c == apiserver.Created && second() {
						return watch.Modified
					}
					return e.Type
				})
			}),
		},
	}
}

// unmarked is a store of whose watches those are faulty that begin with a state
// and allow no bookmarks.
func unmarked(tap func() apiserver.Tap) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
		if o.AllowWatchBookmarks || o.ResourceVersion != "" && o.ResourceVersion != "0" {
			return pass
		}
		return tap()
	})
}
