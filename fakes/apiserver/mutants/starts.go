package mutants

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// starts are faults of where a watch from a resourceVersion begins.
func starts() []Mutant {
	return []Mutant{
		{
			Name: "from-now", Rule: "watchcache/watch/from-list",
			About: "a watch from N starts at now (controller-runtime's fake client drops the options of a watch)",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				if from(o) && o.SendInitialEvents == nil {
					fromNow(o)
				}
				return nil
			}),
		},
		{
			Name: "from-before", Rule: "watchcache/watch/from-list",
			About: "a watch from N repeats the change at N",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				if from(o) && o.SendInitialEvents == nil {
					o.ResourceVersion = plus(o.ResourceVersion, -1)
				}
				return nil
			}),
		},
		{
			Name: "from-after", Rule: "watchcache/watch/from-list",
			About: "a watch from N lacks the first change after N (kubernetes#49992: off by one where the cache had no events yet)",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				if from(o) && o.SendInitialEvents == nil {
					o.ResourceVersion = plus(o.ResourceVersion, 1)
				}
				return nil
			}),
		},
		{
			Name: "from-list-lost-delete", Rule: "watchcache/watch/from-list",
			About: "what was deleted between a list and the watch from it is not told (kubernetes#141528: client-go's fake clientset)",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				var s *apiserver.Server
				o.OnWatch = func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
					opened := s.Revision()
					return keep(func(e watch.Event, c apiserver.Cause) bool {
						return c != apiserver.Deleted || older(opened, of(e.Object).GetResourceVersion())
					})
				}
				s = apiserver.New(o)
				return s, s
			},
		},
	}
}
