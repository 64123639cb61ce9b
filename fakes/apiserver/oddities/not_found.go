package oddities

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// notFoundAt says in a 404 at which resourceVersion the object was not there.
type notFoundAt struct{ *apiserver.Server }

// at returns err, or a copy of it with the resourceVersion.
func (s notFoundAt) at(ctx context.Context, r apiserver.Request, err error) error {
	var status *apierrors.StatusError
	if !errors.As(err, &status) || !apierrors.IsNotFound(err) {
		return err
	}
	r.Name, r.Subresource = "", ""
	l, listErr := s.List(ctx, r, metav1.ListOptions{Limit: 1})
	if listErr != nil {
		return err // it is the resource or the namespace that is not there
	}
	now, listErr := meta.ListAccessor(l)
	if listErr != nil {
		return listErr
	}
	out := *status
	out.ErrStatus.ResourceVersion = now.GetResourceVersion()
	return &out
}

func (s notFoundAt) Get(ctx context.Context, r apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
	out, err := s.Server.Get(ctx, r, o)
	return out, s.at(ctx, r, err)
}

func (s notFoundAt) Update(ctx context.Context, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
	out, err := s.Server.Update(ctx, r, obj, o)
	return out, s.at(ctx, r, err)
}

func (s notFoundAt) Patch(ctx context.Context, r apiserver.Request, t types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
	out, err := s.Server.Patch(ctx, r, t, data, o)
	return out, s.at(ctx, r, err)
}

func (s notFoundAt) Delete(ctx context.Context, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
	out, err := s.Server.Delete(ctx, r, o)
	return out, s.at(ctx, r, err)
}
