package apiserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Patch implements API for merge patches (RFC 7386); others are refused with 415.
func (v *View) Patch(ctx context.Context, req Request, pt types.PatchType, data []byte, opts metav1.PatchOptions) (runtime.Object, error) {
	k, err := v.findObject(ctx, req)
	if err != nil {
		return nil, err
	}
	if pt != types.MergePatchType {
		return nil, unsupportedMediaType()
	}
	if err := invalidOptions("PatchOptions", metav1validation.ValidatePatchOptions(&opts, pt)); err != nil {
		return nil, err
	}
	var patch map[string]any
	if err := json.Unmarshal(data, &patch); err != nil {
		return nil, apierrors.NewBadRequest("error decoding patch: " + err.Error())
	}
	if patch == nil { // the JSON null
		return nil, apierrors.NewBadRequest("Invalid JSON Patch")
	}
	now, dryRun := time.Now(), len(opts.DryRun) > 0
	v.keepAge(now)
	v.mu.Lock()
	defer v.mu.Unlock()
	old := k.now().get(k.res.key(req.Namespace, req.Name))
	in, m, err := patched(k, req, old, patch)
	if err != nil {
		return nil, err
	}
	if old == nil {
		if err := sameUID(k, req, m.GetUID(), nil); err != nil {
			return nil, err
		}
		return v.createMissing(now, k, req, in, m, dryRun)
	}
	return v.update(now, k, req, old, in, m, dryRun)
}

// patched is the object that the patch makes of the old one, or of nothing.
func patched(k *kind, req Request, old *record, patch map[string]any) (runtime.Object, metav1.Object, error) {
	base := map[string]any{}
	if old != nil {
		b, err := json.Marshal(old.obj)
		if err == nil {
			err = json.Unmarshal(b, &base)
		}
		if err != nil {
			return nil, nil, bare(err.Error())
		}
	} else if !k.res.CreateOnUpdate {
		return nil, nil, apierrors.NewNotFound(k.res.GroupVersionResource.GroupResource(), req.Name)
	} else {
		base["metadata"] = map[string]any{"name": req.Name, "namespace": req.Namespace}
	}
	b, err := json.Marshal(merge(base, patch))
	if err != nil {
		return nil, nil, bare(err.Error())
	}
	made := k.res.New()
	if err := json.Unmarshal(b, made); err != nil {
		return nil, nil, apierrors.NewInvalid(k.res.groupKind(), "", field.ErrorList{
			field.Invalid(field.NewPath("patch"), fmt.Sprint(patch), err.Error()),
		})
	}
	in, m, err := k.res.accept(made)
	if err != nil {
		return nil, nil, err
	}
	return in, m, belongs(m, req)
}

// merge is RFC 7386: objects merge, null removes, anything else replaces.
func merge(into, patch map[string]any) map[string]any {
	for name, v := range patch {
		switch v := v.(type) {
		case nil:
			delete(into, name)
		case map[string]any:
			below, _ := into[name].(map[string]any)
			if below == nil {
				below = map[string]any{}
			}
			into[name] = merge(below, v)
		default:
			into[name] = v
		}
	}
	return into
}

func unsupportedMediaType() error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusUnsupportedMediaType, Reason: metav1.StatusReasonUnsupportedMediaType,
		Message: "415: Unsupported Media Type", Details: &metav1.StatusDetails{},
	}}
}
