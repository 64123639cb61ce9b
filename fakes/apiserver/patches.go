package apiserver

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// applyFunc gives what a patch makes of an object, which it does not change.
type applyFunc func(res *Resource, old runtime.Object, patch []byte) (runtime.Object, error)

// patcher is how a type of patch is applied; 415 where the resource has none.
func patcher(res *Resource, pt types.PatchType) (applyFunc, error) {
	known := map[types.PatchType]applyFunc{
		types.JSONPatchType: applyJSON, types.MergePatchType: applyMerge, types.StrategicMergePatchType: applyStrategic,
	}
	if res.Custom {
		delete(known, types.StrategicMergePatchType)
	}
	apply, ok := known[pt]
	switch {
	case ok:
		return apply, nil
	case res.Custom:
		return nil, unsupportedMediaType("the body of the request was in an unknown format - accepted media types include: "+
			"application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml", nil)
	}
	return nil, unsupportedMediaType("415: Unsupported Media Type", &metav1.StatusDetails{})
}

func unsupportedMediaType(message string, details *metav1.StatusDetails) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusUnsupportedMediaType, Reason: metav1.StatusReasonUnsupportedMediaType,
		Message: message, Details: details,
	}}
}

func applyJSON(res *Resource, old runtime.Object, patch []byte) (runtime.Object, error) {
	type jsonPatchOp struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		From  string `json:"from"`
		Value any    `json:"value"`
	}
	var ops []jsonPatchOp
	if err := json.Unmarshal(patch, &ops); err != nil {
		return nil, apierrors.NewBadRequest("error decoding patch: " + strings.ReplaceAll(err.Error(), "apiserver.", "handlers."))
	}
	decoded, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return patched(res, old, func(doc []byte) ([]byte, error) {
		doc, err := decoded.Apply(doc)
		if err != nil {
			return nil, unprocessable(err)
		}
		return doc, nil
	})
}

func applyMerge(res *Resource, old runtime.Object, patch []byte) (runtime.Object, error) {
	if err := json.Unmarshal(patch, &map[string]any{}); err != nil {
		return nil, apierrors.NewBadRequest("error decoding patch: " + err.Error())
	}
	return patched(res, old, func(doc []byte) ([]byte, error) {
		doc, err := jsonpatch.MergePatch(doc, patch)
		if errors.Is(err, jsonpatch.ErrBadJSONPatch) {
			err = apierrors.NewBadRequest(err.Error())
		}
		return doc, err
	})
}

// patched is the object that a change of its JSON makes of the old one.
func patched(res *Resource, old runtime.Object, change func([]byte) ([]byte, error)) (runtime.Object, error) {
	typed := old.DeepCopyObject()
	typed.GetObjectKind().SetGroupVersionKind(res.GroupVersion().WithKind(res.Kind))
	doc, err := json.Marshal(typed)
	if err != nil {
		return nil, bare(err.Error())
	}
	if doc, err = change(doc); err != nil {
		return nil, known(err)
	}
	in, _, err := res.decode(doc)
	if err != nil {
		return nil, badPatch(string(doc), err)
	}
	return in, nil
}

func applyStrategic(res *Resource, old runtime.Object, patch []byte) (runtime.Object, error) {
	change := map[string]any{}
	if err := json.Unmarshal(patch, &change); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	said := fmt.Sprintf("%+v", change)
	doc, err := runtime.DefaultUnstructuredConverter.ToUnstructured(old)
	if err != nil {
		return nil, bare(err.Error())
	}
	doc, err = strategicpatch.StrategicMergeMapPatch(doc, change, res.New())
	switch {
	case errors.Is(err, mergepatch.ErrBadJSONDoc), errors.Is(err, mergepatch.ErrBadPatchFormatForPrimitiveList),
		errors.Is(err, mergepatch.ErrBadPatchFormatForRetainKeys), errors.Is(err, mergepatch.ErrBadPatchFormatForSetElementOrderList),
		errors.Is(err, mergepatch.ErrUnsupportedStrategicMergePatchFormat):
		return nil, apierrors.NewBadRequest(err.Error())
	case errors.Is(err, mergepatch.ErrNoListOfLists), errors.Is(err, mergepatch.ErrPatchContentNotMatchRetainKeys):
		return nil, unprocessable(err)
	case err != nil:
		return nil, bare(err.Error())
	}
	in := res.New()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(doc, in); err != nil {
		return nil, badPatch(said, err)
	}
	in.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return in, nil
}

// badPatch is 422 for what is no object of its kind any more.
func badPatch(what string, err error) error {
	return apierrors.NewInvalid(schema.GroupKind{}, "", field.ErrorList{field.Invalid(field.NewPath("patch"), what, err.Error())})
}

// unprocessable is 422 for a patch that does not fit.
func unprocessable(err error) error {
	return apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", err.Error(), 0, false)
}

// known is an error as it is answered: a status, or a bare 500.
func known(err error) error {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return err
	}
	return bare(err.Error())
}
