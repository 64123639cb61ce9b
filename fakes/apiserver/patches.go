package apiserver

import (
	rawjson "encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"
)

// applyFunc gives what a patch makes of an object, which it does not change.
type applyFunc func(res *Resource, old runtime.Object, patch []byte) (*outcome, error)

// outcome is a patched object, and what strictness says to it.
type outcome struct {
	obj   runtime.Object
	errs  []error
	patch func() string // as an error shows it
}

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
		return nil, NoStrategicMerge()
	}
	return nil, unsupportedMediaType("415: Unsupported Media Type", &metav1.StatusDetails{})
}

// PatchesCustom reports whether custom resources have patches of that type.
func PatchesCustom(pt types.PatchType) bool {
	return pt == types.JSONPatchType || pt == types.MergePatchType || pt == types.ApplyYAMLPatchType
}

// NoStrategicMerge returns the error of a patch that custom resources do not have.
func NoStrategicMerge() error {
	return unsupportedMediaType("the body of the request was in an unknown format - accepted media types include: "+
		"application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml", nil)
}

func unsupportedMediaType(message string, details *metav1.StatusDetails) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusUnsupportedMediaType, Reason: metav1.StatusReasonUnsupportedMediaType,
		Message: message, Details: details,
	}}
}

func applyJSON(res *Resource, old runtime.Object, patch []byte) (*outcome, error) {
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
	if len(decoded) > mostOperations {
		return nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf(
			"The allowed maximum operations in a JSON patch is %d, got %d", mostOperations, len(decoded)))
	}
	return patched(res, old, nil, func(doc []byte) ([]byte, error) {
		return applyAll(decoded, doc)
	})
}

// mostOperations of a JSON patch, as kube-apiserver has it; mostCopied are bytes that all copies in it may make.
const (
	mostOperations = 10_000
	mostCopied     = 3 << 20
)

// applyAll does the operations of a patch. What is copied is counted before, for a copy may double the document.
func applyAll(patch jsonpatch.Patch, doc []byte) ([]byte, error) {
	for copied := 0; ; {
		n := slices.IndexFunc(patch, func(o jsonpatch.Operation) bool { return o.Kind() == "copy" })
		if n < 0 {
			n = len(patch)
		}
		var err error
		if doc, err = patch[:n].Apply(doc); err != nil {
			return nil, unprocessable(err)
		}
		if n == len(patch) {
			return doc, nil
		}
		if copied += sizeAt(doc, patch[n]); copied > mostCopied {
			return nil, unprocessable(fmt.Errorf("the copies of the patch come to more than %d bytes", mostCopied))
		}
		if doc, err = patch[n : n+1].Apply(doc); err != nil {
			return nil, unprocessable(err)
		}
		patch = patch[n+1:]
	}
}

// sizeAt is how many bytes a copy copies; 0 where there is nothing, which the copy itself finds.
func sizeAt(doc []byte, op jsonpatch.Operation) int {
	from, err := op.From()
	if err != nil {
		return 0
	}
	v := doc
	for _, part := range strings.Split(from, "/")[1:] {
		var fields map[string]rawjson.RawMessage
		var items []rawjson.RawMessage
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		switch at, err := strconv.Atoi(part); {
		case rawjson.Unmarshal(v, &fields) == nil:
			v = fields[part]
		case err == nil && rawjson.Unmarshal(v, &items) == nil && at >= 0 && at < len(items):
			v = items[at]
		default:
			return 0
		}
	}
	return len(v)
}

func applyMerge(res *Resource, old runtime.Object, patch []byte) (*outcome, error) {
	twice, err := kjson.UnmarshalStrict(patch, &map[string]any{}, kjson.DisallowDuplicateFields)
	if err != nil {
		return nil, apierrors.NewBadRequest("error decoding patch: " + err.Error())
	}
	return patched(res, old, twice, func(doc []byte) ([]byte, error) {
		return mergePatch(doc, patch)
	})
}

// patched is the object that a change of its JSON makes of the old one.
func patched(res *Resource, old runtime.Object, twice []error, change func([]byte) ([]byte, error)) (*outcome, error) {
	typed := old.DeepCopyObject()
	typed.GetObjectKind().SetGroupVersionKind(res.GroupVersion().WithKind(res.Kind))
	doc, err := json.Marshal(typed)
	if err != nil {
		return nil, bare(err.Error())
	}
	if doc, err = change(doc); err != nil {
		return nil, known(err)
	}
	gvk, err := sameType(res, doc)
	switch {
	case err != nil:
		return nil, badPatch(string(doc), err)
	case !res.Custom && gvk.Version == "":
		return versionless(res, doc)
	}
	in, errs, err := res.decodeStrict(doc)
	if err != nil {
		return nil, badPatch(string(doc), err)
	}
	return &outcome{obj: in, errs: append(twice, errs...), patch: func() string { return string(doc) }}, nil
}

// versionless is a document that says no apiVersion. A kube-apiserver (v1.37.1) reads it as its own internal type,
// which knows none of the fields.
func versionless(res *Resource, doc []byte) (*outcome, error) {
	var fields map[string]any
	if err := json.Unmarshal(doc, &fields); err != nil {
		return nil, badPatch(string(doc), err)
	}
	delete(fields, "kind")
	out := &outcome{obj: res.New(), patch: func() string { return string(doc) }}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		out.errs = append(out.errs, fmt.Errorf("unknown field %q", name))
	}
	return out, nil
}

// sameType refuses a document that is of another kind or version. That of a custom resource is looked at later.
func sameType(res *Resource, doc []byte) (*schema.GroupVersionKind, error) {
	gvk, err := jsonserializer.DefaultMetaFactory.Interpret(doc)
	if err != nil || res.Custom {
		return gvk, err
	}
	if (gvk.Kind == "" || gvk.Kind == res.Kind) && (gvk.Version == "" || gvk.GroupVersion() == res.GroupVersion()) {
		return gvk, nil
	}
	return gvk, runtime.NewNotRegisteredErrForKind("pkg/runtime/scheme.go:111", *gvk) // the name that kube-apiserver's has
}

// mergeStrategic is a merge that does not panic. apimachinery's does where lists are merged by a key, and an
// object or a list stands where the key's value should; a kube-apiserver (v1.37.1) then breaks the connection.
func mergeStrategic(doc, change map[string]any, like runtime.Object) (out map[string]any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = apierrors.NewBadRequest(fmt.Sprintf("the patch cannot be merged: %v", p))
		}
	}()
	return strategicpatch.StrategicMergeMapPatch(doc, change, like)
}

func applyStrategic(res *Resource, old runtime.Object, patch []byte) (*outcome, error) {
	change := map[string]any{}
	twice, err := kjson.UnmarshalStrict(patch, &change, kjson.DisallowDuplicateFields)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	doc, err := runtime.DefaultUnstructuredConverter.ToUnstructured(old)
	if err != nil {
		return nil, bare(err.Error())
	}
	doc, err = mergeStrategic(doc, change, res.New())
	said := func() string { return fmt.Sprintf("%+v", change) } // as the merge has left it
	switch {
	case errors.Is(err, mergepatch.ErrBadJSONDoc), errors.Is(err, mergepatch.ErrBadPatchFormatForPrimitiveList),
		errors.Is(err, mergepatch.ErrBadPatchFormatForRetainKeys), errors.Is(err, mergepatch.ErrBadPatchFormatForSetElementOrderList),
		errors.Is(err, mergepatch.ErrUnsupportedStrategicMergePatchFormat):
		return nil, apierrors.NewBadRequest(err.Error())
	case errors.Is(err, mergepatch.ErrNoListOfLists), errors.Is(err, mergepatch.ErrPatchContentNotMatchRetainKeys):
		return nil, unprocessable(err)
	case err != nil:
		return nil, known(err)
	}
	in := res.New()
	err = runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(doc, in, true)
	strict, ok := runtime.AsStrictDecodingError(err)
	switch {
	case ok:
		twice = append(twice, strict.Errors()...)
	case err != nil:
		return nil, badPatch(said(), err)
	}
	in.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return &outcome{obj: in, errs: twice, patch: said}, nil
}

// strict does with what strictness says as the option wants it: an error, warnings or nothing.
func (o *outcome) strict(directive string, notes *Notes) error {
	if len(o.errs) == 0 || directive == metav1.FieldValidationIgnore {
		return nil
	}
	if directive == metav1.FieldValidationStrict {
		return badPatch(o.patch(), runtime.NewStrictDecodingError(o.errs))
	}
	for _, e := range o.errs {
		notes.Warnings = append(notes.Warnings, e.Error())
	}
	return nil
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
