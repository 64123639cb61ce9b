package mutants

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// itemAt is an object as it was so many revisions ago, nil for none.
func itemAt(ctx context.Context, api apiserver.API, r apiserver.Request, ago int64) runtime.Object {
	o := metav1.ListOptions{FieldSelector: "metadata.name=" + r.Name}
	r.Name = ""
	if l := listAt(ctx, api, r, o, ago); l != nil && len(items(l)) > 0 {
		return items(l)[0]
	}
	return nil
}

// listAt is a most-recent list as it would have been so many revisions ago, nil where that is gone.
func listAt(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions, ago int64) runtime.Object {
	now, err := api.List(ctx, r, metav1.ListOptions{Limit: 1})
	if err != nil {
		return nil
	}
	o.ResourceVersion, o.ResourceVersionMatch = plus(listOf(now).GetResourceVersion(), ago), metav1.ResourceVersionMatchExact
	l, err := api.List(ctx, r, o)
	if err != nil {
		return nil
	}
	return l
}
