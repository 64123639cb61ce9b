package apiserver

import (
	"context"
	jsonutil "encoding/json"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// Patch implements API for JSON patches (RFC 6902), merge patches (RFC 7386) and, but for custom
// resources, strategic merge patches; others are refused with 415. What cannot be read is worded as
// kube-apiserver v1.37.1 does.
func (v *View) Patch(ctx context.Context, req Request, pt types.PatchType, data []byte, opts metav1.PatchOptions) (runtime.Object, error) {
	k, err := v.findObject(ctx, req)
	if err != nil {
		return nil, err
	}
	apply, err := patcher(k.res, pt)
	if err != nil {
		return nil, err
	}
	if err := invalidOptions("PatchOptions", metav1validation.ValidatePatchOptions(&opts, pt)); err != nil {
		return nil, err
	}
	if !jsonutil.Valid(data) {
		return nil, apierrors.NewBadRequest("invalid JSON patch")
	}
	now, dryRun := time.Now(), len(opts.DryRun) > 0
	v.keepAge(now)
	v.mu.Lock()
	defer v.mu.Unlock()
	old := k.now().get(k.res.key(req.Namespace, req.Name))
	if old == nil {
		return nil, apierrors.NewNotFound(k.res.GroupVersionResource.GroupResource(), req.Name)
	}
	in, err := apply(k.res, old.obj, data)
	if err != nil {
		return nil, err
	}
	m := in.(metav1.Object)
	if err := belongs(m, req); err != nil {
		return nil, err
	}
	return v.update(now, k, req, old, in, m, dryRun)
}
