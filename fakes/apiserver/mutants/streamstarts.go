package mutants

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// streamStarts are faults of the state that a streaming list gives.
func streamStarts() []Mutant {
	return []Mutant{
		{
			Name: "stream-without-end", Rule: "watchcache/watchlist/initial",
			About: "the bookmark that ends the initial events of a streaming list never comes",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				asked := streaming(o)
				return keep(func(e watch.Event, c apiserver.Cause) bool { return !asked || !endsInitial(e, c) })
			}),
		},
		{
			Name: "stream-empty-without-end", Rule: "watchcache/watchlist/initial",
			About: "a streaming list of nothing has no end",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				something := !streaming(o)
				return keep(func(e watch.Event, c apiserver.Cause) bool {
					something = something || c == apiserver.Initial
					return something || !endsInitial(e, c)
				})
			}),
		},
		{
			Name: "stream-lacks-one", Rule: "watchcache/watchlist/initial",
			About: "the second object of the state is missing from a streaming list",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				n, asked := 0, streaming(o)
				return keep(func(_ watch.Event, c apiserver.Cause) bool {
					if c == apiserver.Initial {
						n++
					}
					return !asked || c != apiserver.Initial || n != 2
				})
			}),
		},
		{
			Name: "stream-plain-lacks-one", Rule: "watchcache/watchlist/initial",
			About: "the first object of the state is missing from a streaming list that allows no bookmarks",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				n, asked := 0, streaming(o) && !o.AllowWatchBookmarks
				return keep(func(_ watch.Event, c apiserver.Cause) bool {
					if c == apiserver.Initial {
						n++
					}
					return !asked || c != apiserver.Initial || n != 1
				})
			}),
		},
		{
			Name: "stream-modified", Rule: "watchcache/watchlist/only-added",
			About: "every second object of a streaming list comes as MODIFIED",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				second, asked := nth(2), streaming(o)
				return retype(func(e watch.Event, c apiserver.Cause) watch.EventType {
					if asked && c == apiserver.Initial && second() {
						return watch.Modified
					}
					return e.Type
				})
			}),
		},
		{
			Name: "stream-twice", Rule: "watchcache/watchlist/only-added",
			About: "each object of a streaming list comes twice",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				asked := streaming(o)
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if asked && c == apiserver.Initial {
						return []watch.Event{e, copyOf(e)}
					}
					return pass(e, c)
				}
			}),
		},
	}
}
