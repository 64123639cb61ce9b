package apiserver

import (
	"context"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Get implements API. With resourceVersion unset the store answers, else the cache as soon as it is as
// far as that, with the state it is at then.
func (v *View) Get(ctx context.Context, req Request, opts metav1.GetOptions) (runtime.Object, error) {
	k, err := v.findObject(ctx, req, "get")
	if err != nil {
		return nil, err
	}
	rev, err := parse(opts.ResourceVersion)
	switch {
	case err != nil && k.direct != nil:
		return nil, apierrors.NewBadRequest("invalid resource version: " + unreadable(opts.ResourceVersion, err))
	case err != nil:
		return nil, bare(unreadable(opts.ResourceVersion, err))
	}
	c, err := v.ready(time.Now(), k)
	if opts.ResourceVersion == "" || k.direct != nil || err != nil { // most recent, or there is no cache
		return v.getFromStore(ctx, k, req, rev)
	}
	state, _, err := v.reach(ctx, c, rev)
	if err != nil {
		return nil, err
	}
	return found(ctx, k, req, state)
}

func (v *View) getFromStore(ctx context.Context, k *kind, req Request, rev uint64) (runtime.Object, error) {
	v.mu.RLock()
	at, state := v.st.rev, k.Now()
	v.mu.RUnlock()
	if rev > at {
		return nil, tooLarge(rev, at, 0)
	}
	return found(ctx, k, req, state)
}

func found(ctx context.Context, k *kind, req Request, state tree) (runtime.Object, error) {
	rec := state.Get(k.res.key(req.Namespace, req.Name))
	if rec == nil {
		return nil, apierrors.NewNotFound(k.res.GroupVersionResource.GroupResource(), req.Name)
	}
	rec, err := k.readInVersion(ctx, rec)
	if err != nil {
		return nil, err
	}
	if req.Subresource == scale && k.res.replicas != nil && k.res.Scale(rec.obj).Replicas == nil {
		return nil, apierrors.NewInternalError(fmt.Errorf("the spec replicas field %q does not exist", "."+strings.Join(k.res.replicas, ".")))
	}
	return k.res.shown(req.Subresource, rec.stored()), nil
}
