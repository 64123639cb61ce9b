package apiserver

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	pathcontent "k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	openapierrors "k8s.io/kube-openapi/pkg/validation/errors"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
	kjson "sigs.k8s.io/json"
)

// structure is the structural schema of a version of a custom resource. A nil one knows nothing, and leaves objects as they
// are. What k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting, objectmeta and validation do is here, for those
// packages bring CEL and half of k8s.io/apiserver along.
type structure struct {
	*structural.Structural
	of       schema.GroupKind // objects of others keep fields that the schema has not got
	preserve bool             // spec.preserveUnknownFields
	nulls    bool             // nulls stay, as in what an apply makes, which kube-apiserver does not decode
	filled   bool             // no defaults are set, as in what an apply leaves as it was
	openAPI  *spec.Schema
}

// newStructure takes over a schema that has been checked.
func newStructure(of schema.GroupKind, in *apiextensionsv1.JSONSchemaProps, preserve bool) (*structure, error) {
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(in, &internal, nil); err != nil {
		return nil, err
	}
	s, err := structural.NewStructural(&internal)
	if err != nil {
		return nil, err
	}
	s = s.DeepCopy()
	return &structure{Structural: s, of: of, preserve: preserve, openAPI: validated(s)}, nil
}

// validated is a schema as objects are validated by it.
func validated(s *structural.Structural) *spec.Schema {
	out := s.ToKubeOpenAPI()
	intsOrStrings(out)
	return out
}

// intsOrStrings says in a schema what such values are.
func intsOrStrings(s *spec.Schema) {
	if s == nil {
		return
	}
	if is, _ := s.Extensions.GetBool("x-kubernetes-int-or-string"); is {
		s.Type = spec.StringOrArray{"integer", "string"}
	}
	for name, p := range s.Properties {
		intsOrStrings(&p)
		s.Properties[name] = p
	}
	if s.Items != nil {
		intsOrStrings(s.Items.Schema)
	}
	if s.AdditionalProperties != nil {
		intsOrStrings(s.AdditionalProperties.Schema)
	}
}

// coerce makes of an object what a kube-apiserver reads: without fields that the schema has not got, whose paths it returns,
// and with defaults. The error says what is wrong with embedded metadata.
func (s *structure) coerce(u *unstructured.Unstructured) (unknown []string, err error) {
	if s == nil {
		return nil, nil
	}
	s.setDefaults(u)
	if u.GroupVersionKind().GroupKind() != s.of {
		return nil, nil
	}
	unknown = s.prune(u)
	o := &structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	if err := coerceEmbedded(nil, u.Object, s.Structural, o); err != nil {
		return nil, err
	}
	slices.Sort(o.UnknownFieldPaths)
	s.setDefaults(u)
	return append(unknown, o.UnknownFieldPaths...), nil
}

// prune drops fields that the schema has not got, and nulls that it does not allow. It returns the paths of the fields.
func (s *structure) prune(u *unstructured.Unstructured) (unknown []string) {
	if s == nil || s.preserve {
		return nil
	}
	kind, version, metadata := u.Object["kind"], u.Object["apiVersion"], u.Object["metadata"]
	unknown = pruning.PruneWithOptions(u.Object, s.Structural, true, structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	if !s.nulls {
		pruneNulls(u.Object, s.Structural)
	}
	for name, v := range map[string]any{"kind": kind, "apiVersion": version, "metadata": metadata} {
		if v != nil {
			u.Object[name] = v
		}
	}
	return unknown
}

func (s *structure) setDefaults(u *unstructured.Unstructured) {
	if s != nil && !s.filled {
		defaultValue(u.Object, s.Structural)
	}
}

// fieldSchema is the schema of a field; nil: there is none.
func fieldSchema(s *structural.Structural, name string) *structural.Structural {
	if s == nil {
		return nil
	}
	if p, ok := s.Properties[name]; ok {
		return &p
	}
	if s.AdditionalProperties != nil {
		return s.AdditionalProperties.Structural
	}
	return nil
}

// pruneNulls drops nulls of fields that are not nullable and have no default.
func pruneNulls(v any, s *structural.Structural) {
	switch v := v.(type) {
	case map[string]any:
		for name, w := range v {
			p := fieldSchema(s, name)
			if w == nil && p != nil && !p.Nullable && p.Default.Object == nil {
				delete(v, name)
				continue
			}
			pruneNulls(w, p)
		}
	case []any:
		for i := range v {
			if s != nil {
				pruneNulls(v[i], s.Items)
			}
		}
	}
}

// defaultValue sets what is missing, or null where that is not allowed.
func defaultValue(v any, s *structural.Structural) {
	if s == nil {
		return
	}
	lacks := func(w any, p *structural.Structural) bool {
		return w == nil && p != nil && !p.Nullable && p.Default.Object != nil
	}
	switch v := v.(type) {
	case map[string]any:
		for name, p := range s.Properties {
			if w, ok := v[name]; p.Default.Object != nil && (!ok || lacks(w, &p)) {
				v[name] = runtime.DeepCopyJSONValue(p.Default.Object)
			}
		}
		for name := range v {
			p := fieldSchema(s, name)
			if lacks(v[name], p) {
				v[name] = runtime.DeepCopyJSONValue(p.Default.Object)
			}
			defaultValue(v[name], p)
		}
	case []any:
		for i := range v {
			if lacks(v[i], s.Items) {
				v[i] = runtime.DeepCopyJSONValue(s.Items.Default.Object)
			}
			defaultValue(v[i], s.Items)
		}
	}
}

// coerceEmbedded makes metadata of embedded resources what its type says.
func coerceEmbedded(path *field.Path, v any, s *structural.Structural, o *structural.UnknownFieldPathOptions) *field.Error {
	if s == nil {
		return nil
	}
	switch v := v.(type) {
	case map[string]any:
		for name, w := range v {
			if s.XEmbeddedResource {
				if err := coerceHead(path, v, name, o); err != nil {
					return err
				}
			}
			at := path.Child(name)
			if _, known := s.Properties[name]; !known {
				at = path.Key(name)
			}
			if err := coerceEmbedded(at, w, fieldSchema(s, name), o); err != nil {
				return err
			}
		}
	case []any:
		for i, w := range v {
			if err := coerceEmbedded(path.Index(i), w, s.Items, o); err != nil {
				return err
			}
		}
	}
	return nil
}

// coerceHead does so with one field of an embedded resource.
func coerceHead(path *field.Path, in map[string]any, name string, o *structural.UnknownFieldPathOptions) *field.Error {
	switch name {
	case "apiVersion", "kind":
		if _, ok := in[name].(string); !ok {
			return field.Invalid(path.Child(name), in[name], "must be a string")
		}
	case "metadata":
		var m metav1.ObjectMeta
		strict, err := strictly(in[name], &m)
		if err != nil {
			return field.Invalid(path.Child(name), in[name], err.Error())
		}
		for _, e := range strict {
			if at, ok := e.(kjson.FieldError); ok {
				o.UnknownFieldPaths = append(o.UnknownFieldPaths, path.Child(name).String()+"."+at.FieldPath())
			}
		}
		out, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&m)
		if err != nil {
			return field.Invalid(path.Child(name), in[name], err.Error())
		}
		if m.CreationTimestamp.IsZero() {
			delete(out, "creationTimestamp")
		}
		in[name] = out
	}
	return nil
}

// strictly reads a JSON value into a type, and says which fields the type has not got.
func strictly(v any, into any) (unknown []error, err error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return kjson.UnmarshalStrict(b, into)
}

// check says what the schema has against an object, in place of old, which may be nil.
func (s *structure) check(in, old *unstructured.Unstructured) field.ErrorList {
	if s == nil {
		return nil
	}
	var was any
	if old != nil {
		was = old.Object
	}
	return checkBySchema(nil, s.openAPI, in.Object, was)
}

// checkMore says what the rules that are no OpenAPI have against it.
func (s *structure) checkMore(in, old *unstructured.Unstructured) (errs field.ErrorList) {
	if s == nil {
		return nil
	}
	errs = checkEmbedded(nil, in.Object, s.Structural)
	if old == nil || len(listtype.ValidateListSetsAndMaps(nil, s.Structural, old.Object)) == 0 {
		errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s.Structural, in.Object)...)
	}
	return errs
}

// checkStatus is check for a write to /status.
func (s *structure) checkStatus(in, old *unstructured.Unstructured) (errs field.ErrorList) {
	if s == nil {
		return nil
	}
	p, known := s.openAPI.Properties[status]
	if is, has := in.Object[status]; known && has {
		errs = checkBySchema(field.NewPath(status), &p, is, old.Object[status])
	}
	if len(listtype.ValidateListSetsAndMaps(nil, s.Structural, old.Object)) == 0 {
		errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s.Structural, in.Object)...)
	}
	return errs
}

// ratchet validates a value, and forgives what was wrong with it before; see
// k8s.io/apiextensions-apiserver/pkg/apiserver/validation/ratcheting.go. Items of lists are not compared one by one.
type ratchet struct {
	*validate.SchemaValidator
	schema *spec.Schema
	root   any
	path   string
	old    any
}

func newRatchet(s *spec.Schema, root any, path string, old any) *ratchet {
	r := &ratchet{schema: s, root: root, path: path, old: old}
	r.SchemaValidator = validate.NewSchemaValidator(s, root, path, strfmt.Default, func(o *validate.SchemaValidatorOptions) {
		o.NewValidatorForField = func(name string, s *spec.Schema, root any, path string, formats strfmt.Registry, options ...validate.Option) validate.ValueValidator {
			m, _ := r.old.(map[string]any)
			if was, ok := m[name]; ok && (r.path != "" || name != "apiVersion" && name != "kind") {
				return newRatchet(s, root, path, was)
			}
			return validate.NewSchemaValidator(s, root, path, formats)
		}
	})
	return r
}

// Validate implements validate.ValueValidator.
func (r *ratchet) Validate(v any) *validate.Result {
	res := r.SchemaValidator.Validate(v)
	if res.IsValid() || !reflect.DeepEqual(v, r.old) {
		return res
	}
	forgiven := &validate.Result{}
	forgiven.MergeAsWarnings(res)
	return forgiven
}

// checkBySchema words what validation finds as a kube-apiserver does.
func checkBySchema(path *field.Path, s *spec.Schema, v, old any) (errs field.ErrorList) {
	var res *validate.Result
	if old == nil {
		res = validate.NewSchemaValidator(s, nil, "", strfmt.Default).Validate(v)
	} else {
		res = newRatchet(s, nil, "", old).Validate(v)
	}
	for _, err := range res.Errors {
		errs = append(errs, schemaError(path, err))
	}
	return errs
}

func schemaError(path *field.Path, err error) *field.Error {
	bad, ok := err.(*openapierrors.Validation)
	if !ok {
		return field.Invalid(path, "", err.Error())
	}
	if bad.Name != "" && bad.Name != "." {
		path = path.Child(strings.TrimPrefix(bad.Name, "."))
	}
	number := func(v any) int {
		if n, ok := v.(int64); ok {
			return int(n)
		}
		return -1
	}
	value := bad.Value
	if value == nil {
		value = ""
	}
	switch bad.Code() {
	case openapierrors.RequiredFailCode:
		return field.Required(path, "")
	case openapierrors.EnumFailCode:
		var allowed []string
		for _, v := range bad.Values {
			s, ok := v.(string)
			if !ok {
				b, _ := json.Marshal(v)
				s = string(b)
			}
			allowed = append(allowed, s)
		}
		return field.NotSupported(path, bad.Value, allowed)
	case openapierrors.TooLongFailCode:
		return field.TooLong(path, "", number(bad.Valid))
	case openapierrors.MaxItemsFailCode, openapierrors.TooManyPropertiesCode:
		return field.TooMany(path, number(bad.Value), number(bad.Valid))
	case openapierrors.InvalidTypeCode:
		return field.TypeInvalid(path, value, err.Error())
	}
	return field.Invalid(path, value, err.Error())
}

// checkEmbedded says what is wrong with embedded resources.
func checkEmbedded(path *field.Path, v any, s *structural.Structural) (errs field.ErrorList) {
	if s == nil {
		return nil
	}
	switch v := v.(type) {
	case map[string]any:
		if s.XEmbeddedResource {
			errs = checkHead(path, v)
		}
		for name, w := range v {
			at := path.Child(name)
			if _, known := s.Properties[name]; !known {
				at = path.Key(name)
			}
			errs = append(errs, checkEmbedded(at, w, fieldSchema(s, name))...)
		}
	case []any:
		for i, w := range v {
			errs = append(errs, checkEmbedded(path.Index(i), w, s.Items)...)
		}
	}
	return errs
}

func checkHead(path *field.Path, in map[string]any) (errs field.ErrorList) {
	for _, name := range []string{"apiVersion", "kind"} {
		if said, ok := in[name]; !ok {
			errs = append(errs, field.Required(path.Child(name), ""))
		} else if said == "" {
			errs = append(errs, field.Invalid(path.Child(name), "", "must not be empty"))
		}
	}
	if version, _ := in["apiVersion"].(string); version != "" {
		if _, err := schema.ParseGroupVersion(version); err != nil {
			errs = append(errs, field.Invalid(path.Child("apiVersion"), version, err.Error()))
		}
	}
	if kind, _ := in["kind"].(string); kind != "" {
		if wrong := utilvalidation.IsDNS1035Label(strings.ToLower(kind)); len(wrong) > 0 {
			errs = append(errs, field.Invalid(path.Child("kind"), kind, "may have mixed case, but should otherwise match: "+strings.Join(wrong, ",")))
		}
	}
	if in["metadata"] == nil {
		return errs
	}
	var m metav1.ObjectMeta
	if _, err := strictly(in["metadata"], &m); err != nil {
		return append(errs, field.Invalid(path.Child("metadata"), in["metadata"], err.Error()))
	}
	if m.Name == "" {
		m.Name = "fakename" // none is asked for
	}
	return append(errs, validation.ValidateObjectMeta(&m, m.Namespace != "", embeddedName, path.Child("metadata"))...)
}

func embeddedName(name string, prefix bool) []string {
	if prefix {
		return pathcontent.IsPathSegmentPrefix(name)
	}
	return pathcontent.IsPathSegmentName(name)
}

// checkReplicas says what is wrong with a number that a scale subresource shows.
func checkReplicas(u *unstructured.Unstructured, path string) field.ErrorList {
	n, _, err := unstructured.NestedInt64(u.Object, steps(path)...)
	switch {
	case err != nil:
		return field.ErrorList{field.Invalid(field.NewPath(path), n, err.Error())}
	case n < 0:
		return field.ErrorList{field.Invalid(field.NewPath(path), n, "should be a non-negative integer")}
	case n > math.MaxInt32:
		return field.ErrorList{field.Invalid(field.NewPath(path), n, fmt.Sprintf("should be less than or equal to %v", math.MaxInt32))}
	}
	return nil
}

// steps are the fields that a simple path names: .spec.replicas.
func steps(path string) []string { return strings.Split(strings.TrimPrefix(path, "."), ".") }
