package apiserver

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Get implements API. Every resourceVersion that has been reached is answered with the present state.
func (s *Server) Get(ctx context.Context, req Request, opts metav1.GetOptions) (runtime.Object, error) {
	k, err := s.findObject(ctx, req)
	if err != nil {
		return nil, err
	}
	rev, err := parse(opts.ResourceVersion)
	if err != nil {
		return nil, bare(unreadable(opts.ResourceVersion, err))
	}
	if err := s.reach(ctx, k, rev); err != nil {
		return nil, err
	}
	s.mu.RLock()
	rec := k.now().get(k.res.key(req.Namespace, req.Name))
	s.mu.RUnlock()
	if rec == nil {
		return nil, apierrors.NewNotFound(k.res.GroupVersionResource.GroupResource(), req.Name)
	}
	return rec.obj.DeepCopyObject(), nil
}
