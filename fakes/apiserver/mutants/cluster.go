package mutants

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// clusterScoped has faults of watches of a resource without namespaces.
func clusterScoped() []Mutant {
	return []Mutant{
		{
			Name: "cluster-path-deaf", Rule: "watchcache/watch/cluster-scoped",
			About: "a watch of a namespace by the old path /watch/ brings its initial state, and no change: its name is taken for the namespace of what is watched (kubernetes#125133)",
			Open: watching(func(r *apiserver.Request, _ *metav1.ListOptions) apiserver.Tap {
				return deafTo(r, r.Name != "")
			}),
		},
		{
			Name: "cluster-name-deaf", Rule: "watchcache/watch/cluster-scoped",
			About: "a watch of a namespace by field selector brings its initial state, and no change",
			Open: watching(func(r *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				return deafTo(r, r.Name == "" && strings.Contains(o.FieldSelector, "metadata.name="))
			}),
		},
	}
}

// deafTo drops the changes of a watch of namespaces if it is such.
func deafTo(r *apiserver.Request, such bool) apiserver.Tap {
	if !such || r.Resource != corev1.SchemeGroupVersion.WithResource("namespaces") {
		return nil
	}
	return func(e watch.Event, c apiserver.Cause) []watch.Event {
		if c == apiserver.Created || c == apiserver.Updated || c == apiserver.Deleted || c == apiserver.End {
			return nil
		}
		return []watch.Event{e}
	}
}
