package registry

import (
	"context"
	"errors"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	generics "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
)

// notFoundAt is the key of a context's *string: the revision at which the storage found no object. A registry drops it.
type notFoundAt struct{}

// noting is a storage that notes that revision.
type noting struct{ storage.Interface }

func noted(ctx context.Context, err error) error {
	var s *storage.StorageError
	if at, ok := ctx.Value(notFoundAt{}).(*string); ok && errors.As(err, &s) && s.Code == storage.ErrCodeKeyNotFound {
		*at = strconv.FormatInt(s.ResourceVersion, 10)
	}
	return err
}

func (n noting) Get(ctx context.Context, key string, o storage.GetOptions, out runtime.Object) error {
	return noted(ctx, n.Interface.Get(ctx, key, o, out))
}

func (n noting) GuaranteedUpdate(ctx context.Context, key string, out runtime.Object, ignoreNotFound bool, p *storage.Preconditions, f storage.UpdateFunc, cached runtime.Object) error {
	return noted(ctx, n.Interface.GuaranteedUpdate(ctx, key, out, ignoreNotFound, p, f, cached))
}

func (n noting) Delete(ctx context.Context, key string, out runtime.Object, p *storage.Preconditions, f storage.ValidateObjectFunc, cached runtime.Object, o storage.DeleteOptions) error {
	return noted(ctx, n.Interface.Delete(ctx, key, out, p, f, cached, o))
}

// telling is a registry whose 404s say that revision.
type telling struct{ *generics.Store }

func tell(at string, err error) error {
	var s *apierrors.StatusError
	if at == "" || !apierrors.IsNotFound(err) || !errors.As(err, &s) {
		return err
	}
	out := *s
	out.ErrStatus.ResourceVersion = at
	return &out
}

func (t telling) Get(ctx context.Context, name string, o *metav1.GetOptions) (runtime.Object, error) {
	at := ""
	out, err := t.Store.Get(context.WithValue(ctx, notFoundAt{}, &at), name, o)
	return out, tell(at, err)
}

func (t telling) Update(ctx context.Context, name string, info rest.UpdatedObjectInfo, create rest.ValidateObjectFunc, update rest.ValidateObjectUpdateFunc, force bool, o *metav1.UpdateOptions) (runtime.Object, bool, error) {
	at := ""
	out, created, err := t.Store.Update(context.WithValue(ctx, notFoundAt{}, &at), name, info, create, update, force, o)
	return out, created, tell(at, err)
}

func (t telling) Delete(ctx context.Context, name string, validate rest.ValidateObjectFunc, o *metav1.DeleteOptions) (runtime.Object, bool, error) {
	at := ""
	out, done, err := t.Store.Delete(context.WithValue(ctx, notFoundAt{}, &at), name, validate, o)
	return out, done, tell(at, err)
}
