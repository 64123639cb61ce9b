package apiserver

import (
	"bytes"
	"context"
	jsonutil "encoding/json"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// Patch implements API for JSON patches (RFC 6902), merge patches (RFC 7386), server-side apply and, but for
// custom resources, strategic merge patches; others are refused with 415. What cannot be read is worded as
// kube-apiserver v1.37.1 does.
func (v *View) Patch(ctx context.Context, req Request, pt types.PatchType, data []byte, opts metav1.PatchOptions) (runtime.Object, error) {
	k, err := v.findObject(ctx, req, "patch")
	if err != nil {
		return nil, err
	}
	if pt == types.ApplyYAMLPatchType {
		return v.apply(ctx, k, req, data, opts)
	}
	like := k.res.like(req.Subresource)
	apply, err := patcher(like, pt)
	if err != nil {
		return nil, err
	}
	if err := invalidOptions("PatchOptions", metav1validation.ValidatePatchOptions(&opts, pt)); err != nil {
		return nil, err
	}
	if !jsonutil.Valid(data) {
		return nil, apierrors.NewBadRequest("invalid JSON patch")
	}
	return v.revise(ctx, k, req, intent{options{DryRun: opts.DryRun, FieldManager: opts.FieldManager, FieldValidation: opts.FieldValidation}, &opts.FieldManager, func(old *record) (runtime.Object, error) {
		if old == nil {
			return nil, apierrors.NewNotFound(k.res.GroupVersionResource.GroupResource(), req.Name)
		}
		if pt == types.MergePatchType && opts.FieldValidation == metav1.FieldValidationIgnore { // nobody has looked into it
			switch bytes.TrimSpace(data)[0] {
			case '{':
			case '[':
				_, err := sameType(like, data)
				return nil, badPatch(string(data), err)
			default:
				return nil, apierrors.NewBadRequest("Invalid JSON Patch")
			}
		}
		before := old.obj.DeepCopyObject()
		if req.Subresource == scale {
			before = k.res.shown(scale, old.obj)
		}
		if s, ok := before.(*autoscalingv1.Scale); ok && k.res.Scale(old.obj).Replicas == nil {
			s.Spec.Replicas = noReplicas
		}
		out, err := apply(like, before, data)
		if err == nil {
			err = out.strict(opts.FieldValidation, notesOf(ctx))
		}
		if err != nil {
			return nil, err
		}
		m := out.obj.(metav1.Object)
		if req.Subresource == scale && k.res.Custom {
			m.SetUID("") // which a PUT alone has to know
		}
		uniqueOwners(notesOf(ctx), m, " after mutating admission happens")
		return out.obj, belongs(m, req)
	}})
}
