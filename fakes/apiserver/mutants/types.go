package mutants

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// eventTypes are faults of what an event is called.
func eventTypes() []Mutant {
	return []Mutant{
		{
			Name: "added-for-known", Rule: "watchcache/watch/types",
			About: "every second MODIFIED comes as ADDED",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				second := nth(2)
				return retype(func(e watch.Event, _ apiserver.Cause) watch.EventType {
					if e.Type == watch.Modified && second() {
						return watch.Added
					}
					return e.Type
				})
			}),
		},
		{
			Name: "modified-for-created", Rule: "watchcache/watch/types",
			About: "the creation of an object comes as MODIFIED",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				return retype(func(e watch.Event, c apiserver.Cause) watch.EventType {
					if c == apiserver.Created {
						return watch.Modified
					}
					return e.Type
				})
			}),
		},
		{
			Name: "deleted-for-modified", Rule: "watchcache/watch/types",
			About: "every third MODIFIED comes as DELETED",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				third := nth(3)
				return retype(func(e watch.Event, _ apiserver.Cause) watch.EventType {
					if e.Type == watch.Modified && third() {
						return watch.Deleted
					}
					return e.Type
				})
			}),
		},
		{
			Name: "modified-for-deleted", Rule: "watchcache/watch/types",
			About: "a deletion comes as MODIFIED, with its resourceVersion and the last state",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				return retype(func(e watch.Event, c apiserver.Cause) watch.EventType {
					if e.Type == watch.Deleted && c == apiserver.Deleted {
						return watch.Modified
					}
					return e.Type
				})
			}),
		},
		{
			Name: "modified-for-left", Rule: "watchcache/watch/types",
			About: "an object that leaves the selector comes as MODIFIED",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				return retype(func(e watch.Event, c apiserver.Cause) watch.EventType {
					if e.Type == watch.Deleted && c == apiserver.Updated {
						return watch.Modified
					}
					return e.Type
				})
			}),
		},
		{
			Name: "modified-for-entered", Rule: "watchcache/watch/types",
			About: "an object that enters the selector comes as MODIFIED",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				return retype(func(e watch.Event, c apiserver.Cause) watch.EventType {
					if e.Type == watch.Added && c == apiserver.Updated {
						return watch.Modified
					}
					return e.Type
				})
			}),
		},
	}
}
