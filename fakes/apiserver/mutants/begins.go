package mutants

import (
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// begins are faults of the state that a watch begins with.
func begins() []Mutant {
	return []Mutant{
		{
			Name: "unset-lacks-one", Rule: "watchcache/watch/unset",
			About: "the second object of the state is missing where a watch begins without a resourceVersion",
			Open:  beginsWithout("", 2),
		},
		{
			Name: "unset-twice", Rule: "watchcache/watch/unset",
			About: "each object of the state comes twice where a watch begins without a resourceVersion",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				unset := o.ResourceVersion == "" && o.SendInitialEvents == nil
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if c == apiserver.Initial && unset {
						return []watch.Event{e, copyOf(e)}
					}
					return pass(e, c)
				}
			}),
		},
		{
			Name: "unset-then-gap", Rule: "watchcache/watch/unset",
			About: "the first change after the state is lost where a watch begins without a resourceVersion and allows no bookmarks",
			Open:  beginsWithGap(""),
		},
		{
			Name: "unset-stale", Rule: "watchcache/watch/unset-fresh",
			About: "a watch without a resourceVersion begins with whatever a cache has that is a second behind (kube-apiserver with its gate WatchList off: allowed there, so that this needs a feature)",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				o.CacheLag = stale
				return watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
					if o.ResourceVersion == "" && o.SendInitialEvents == nil {
						o.ResourceVersion = "0"
					}
					return nil
				})(o)
			},
		},
		{
			Name: "zero-lacks-one", Rule: "watchcache/watch/zero",
			About: "the first object of the state is missing where a watch begins at \"0\"",
			Open:  beginsWithout("0", 1),
		},
		{
			Name: "zero-then-gap", Rule: "watchcache/watch/zero",
			About: "the first change after the state is lost where a watch begins at \"0\" and allows no bookmarks",
			Open:  beginsWithGap("0"),
		},
		{
			Name: "zero-of-two-states", Rule: "watchcache/watch/zero",
			About: "where a watch begins at \"0\" each object comes as the first watch of it showed it, old or new",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				var first sync.Map // by uid
				return watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
					zero := o.ResourceVersion == "0" && o.SendInitialEvents == nil
					return func(e watch.Event, c apiserver.Cause) []watch.Event {
						if zero && c == apiserver.Initial {
							old, _ := first.LoadOrStore(of(e.Object).GetUID(), copyOf(e))
							return []watch.Event{copyOf(old.(watch.Event))}
						}
						return pass(e, c)
					}
				})(o)
			},
		},
	}
}

// beginsWithout is the fault that a watch from this resourceVersion lacks the
// nth object of the state it begins with.
func beginsWithout(version string, nth int) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
		n, faulty := 0, o.ResourceVersion == version && o.SendInitialEvents == nil
		return keep(func(_ watch.Event, c apiserver.Cause) bool {
			if c == apiserver.Initial {
				n++
			}
			return !faulty || c != apiserver.Initial || n != nth
		})
	})
}

// beginsWithGap is the fault that a watch from this resourceVersion that allows
// no bookmarks loses the first change after the state it begins with.
func beginsWithGap(version string) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
		lost := o.ResourceVersion != version || o.SendInitialEvents != nil || o.AllowWatchBookmarks
		return keep(func(_ watch.Event, c apiserver.Cause) bool {
			before := lost
			lost = lost || change(c)
			return before || !change(c)
		})
	})
}
