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

// leavingOut are oddities of what an answer leaves out.
func leavingOut() []Oddity {
	return []Oddity{
		{
			Name: "remaining-untold", Clause: "watchcache/list/remaining",
			About: "no page says how many items remain: servers may leave that out (ListMeta.RemainingItemCount)",
			Open:  refuser(func(s *apiserver.Server) apiserver.API { return untelling{s} }),
		},
		{
			Name: "apply-conflict-uncaused", Clause: "watchcache/write/no-false-conflict",
			About: "the 409 for an apply of what another manager has applied names no field",
			Open:  refuser(func(s *apiserver.Server) apiserver.API { return uncaused{s} }),
		},
	}
}

// refuser is an API over a store.
func refuser(f func(*apiserver.Server) apiserver.API) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
		s := apiserver.New(o)
		return f(s), s
	}
}

// untelling is an API whose pages have no count.
type untelling struct{ *apiserver.Server }

// List implements apiserver.API.
func (u untelling) List(ctx context.Context, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
	l, err := u.Server.List(ctx, r, o)
	if err != nil {
		return l, err
	}
	m, err := meta.ListAccessor(l)
	if err == nil {
		m.SetRemainingItemCount(nil)
	}
	return l, err
}

// uncaused is an API whose conflicts of applies have no details.
type uncaused struct{ *apiserver.Server }

// Patch implements apiserver.API.
func (u uncaused) Patch(ctx context.Context, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
	answer, err := u.Server.Patch(ctx, r, pt, data, o)
	var s *apierrors.StatusError
	if pt == types.ApplyYAMLPatchType && apierrors.IsConflict(err) && errors.As(err, &s) {
		s.ErrStatus.Details = nil
	}
	return answer, err
}
