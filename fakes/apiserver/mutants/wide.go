package mutants

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// watchingAs is a store of whose watches f changes what they ask for.
func watchingAs(f func(*metav1.ListOptions)) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
		f(o)
		return nil
	})
}

// silentWhere is a store of whose watches such get no changes.
func silentWhere(such func(*apiserver.Request, *metav1.ListOptions) bool) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return watching(func(r *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
		silent := such(r, o)
		return keep(func(_ watch.Event, c apiserver.Cause) bool { return !silent || !change(c) })
	})
}
