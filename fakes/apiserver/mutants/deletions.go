package mutants

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// deletions are faults of what a DELETED shows.
func deletions() []Mutant {
	return []Mutant{
		{
			Name: "deleted-at-last-version", Rule: "watchcache/watch/delete-version",
			About: "DELETED carries the resourceVersion of the last stored state",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				last := map[types.UID]string{}
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if c == apiserver.Deleted && last[of(e.Object).GetUID()] != "" {
						of(e.Object).SetResourceVersion(last[of(e.Object).GetUID()])
					} else if change(c) {
						last[of(e.Object).GetUID()] = of(e.Object).GetResourceVersion()
					}
					return pass(e, c)
				}
			}),
		},
		{
			Name: "deleted-version-behind", Rule: "watchcache/watch/delete-version",
			About: "DELETED carries the resourceVersion of the change before the deletion, whatever that was of",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if c == apiserver.Deleted {
						of(e.Object).SetResourceVersion(plus(of(e.Object).GetResourceVersion(), -1))
					}
					return pass(e, c)
				}
			}),
		},
		{
			Name: "deleted-shows-older-state", Rule: "watchcache/watch/delete-version",
			About: "DELETED shows the object as it was after its first update, not as it was last",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				first := map[types.UID]watch.Event{}
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if c == apiserver.Updated && first[of(e.Object).GetUID()].Object == nil {
						first[of(e.Object).GetUID()] = copyOf(e)
					} else if c == apiserver.Deleted && first[of(e.Object).GetUID()].Object != nil {
						e.Object = moved(first[of(e.Object).GetUID()].Object, of(e.Object).GetResourceVersion())
					}
					return pass(e, c)
				}
			}),
		},
		{
			Name: "left-shows-no-labels", Rule: "watchcache/watch/delete-version",
			About: "what leaves a selector is not shown as it was before: its labels are gone",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if c == apiserver.Updated && e.Type == watch.Deleted {
						of(e.Object).SetLabels(nil)
					}
					return pass(e, c)
				}
			}),
		},
	}
}
