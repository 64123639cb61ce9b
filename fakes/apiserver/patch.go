package apiserver

import (
	"context"
	jsonutil "encoding/json"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"
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
	patch, err := readPatch(data)
	if err != nil {
		return nil, err
	}
	now, dryRun := time.Now(), len(opts.DryRun) > 0
	v.keepAge(now)
	v.mu.Lock()
	defer v.mu.Unlock()
	old := k.now().get(k.res.key(req.Namespace, req.Name))
	if old == nil {
		return nil, apierrors.NewNotFound(k.res.GroupVersionResource.GroupResource(), req.Name)
	}
	in, m, err := patched(k.res, old, patch)
	if err != nil {
		return nil, err
	}
	if err := belongs(m, req); err != nil {
		return nil, err
	}
	return v.update(now, k, req, old, in, m, dryRun)
}

// readPatch words what cannot be read as kube-apiserver v1.37.1 does.
func readPatch(data []byte) (patch map[string]any, err error) {
	if !jsonutil.Valid(data) {
		return nil, apierrors.NewBadRequest("invalid JSON patch")
	}
	if err := json.Unmarshal(data, &patch); err != nil {
		return nil, apierrors.NewBadRequest("error decoding patch: " + err.Error())
	}
	if patch == nil { // the JSON null
		return nil, apierrors.NewBadRequest("Invalid JSON Patch")
	}
	return patch, nil
}

// patched is the object that the patch makes of the old one.
func patched(res *Resource, old *record, patch map[string]any) (runtime.Object, metav1.Object, error) {
	base := map[string]any{}
	b, err := json.Marshal(old.obj)
	if err == nil {
		err = json.Unmarshal(b, &base)
	}
	if err == nil {
		base["kind"], base["apiVersion"] = res.Kind, res.GroupVersion().String()
		b, err = json.Marshal(merge(base, patch))
	}
	if err != nil {
		return nil, nil, bare(err.Error())
	}
	in, m, err := res.decode(b)
	if err != nil {
		return nil, nil, apierrors.NewInvalid(schema.GroupKind{}, "", field.ErrorList{
			field.Invalid(field.NewPath("patch"), string(b), err.Error()),
		})
	}
	return in, m, nil
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
