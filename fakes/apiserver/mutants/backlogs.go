package mutants

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// existing is a store that refuses creates for something that is not there.
func existing(such func(context.Context, apiserver.API, apiserver.Request, metav1.Object) bool) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return calling(calls{create: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
		if such(ctx, api, r, of(obj)) {
			return nil, apierrors.NewAlreadyExists(r.Resource.GroupResource(), of(obj).GetName())
		}
		return api.Create(ctx, r, obj, o)
	}})
}
