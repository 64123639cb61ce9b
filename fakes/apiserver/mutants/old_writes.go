package mutants

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// oldWrites are those that are no rows yet.
func oldWrites() [][]Mutant {
	return [][]Mutant{
		everywhereMutants(),
	}
}

// force updates at whatever resourceVersion is stored, again where another write comes between.
func force(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
	for range 3 {
		now, err := api.Get(ctx, r, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		in := obj.DeepCopyObject()
		of(in).SetResourceVersion(of(now).GetResourceVersion())
		if answer, err := api.Update(ctx, r, in, o); !apierrors.IsConflict(err) {
			return answer, err
		}
	}
	return api.Update(ctx, r, obj, o)
}
