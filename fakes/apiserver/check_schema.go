package apiserver

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// checkDefinitionSchema says what is wrong with the schema of a version, or of all.
func checkDefinitionSchema(in *apiextensions.CustomResourceValidation, withStatus bool, path *field.Path) (errs field.ErrorList) {
	if in == nil || in.OpenAPIV3Schema == nil {
		return nil
	}
	s := in.OpenAPIV3Schema
	path = path.Child("openAPIV3Schema")
	if withStatus {
		errs = checkRootFields(s, path)
	}
	if s.Nullable {
		errs = append(errs, field.Forbidden(path.Child("nullable"), "nullable cannot be true at the root"))
	}
	parsed, err := structural.NewStructural(s)
	if err == nil {
		wrong := structural.ValidateStructural(path, parsed)
		if len(wrong) == 0 {
			wrong = checkDefaults(path, parsed)
		}
		errs = append(errs, wrong...)
	}
	errs = append(errs, (&schemaCheck{}).check(s, path, true)...)
	if err != nil && len(errs) == 0 {
		errs = append(errs, field.Invalid(path, "", err.Error()))
	}
	return errs
}

// checkDefaults says which defaults the schema itself would refuse.
func checkDefaults(path *field.Path, s *structural.Structural) (errs field.ErrorList) {
	if s == nil {
		return nil
	}
	if v := s.Default.Object; v != nil {
		at, pruned := path.Child("default"), runtime.DeepCopyJSONValue(v)
		if pruning.Prune(pruned, s, s.XEmbeddedResource); !sameJSON(pruned, v) {
			errs = append(errs, field.Invalid(at, v, "must not have unknown fields"))
		}
		errs = append(errs, checkBySchema(at, validated(s), v, nil)...)
	}
	errs = append(errs, checkDefaults(path.Child("items"), s.Items)...)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		errs = append(errs, checkDefaults(path.Child("properties").Key(name), &p)...)
	}
	return errs
}

// schemaCheck is where a schema stands.
type schemaCheck struct {
	inMeta   bool
	defaults string // why there must be none; "": there may
}

var schemaTypes = []string{"array", "boolean", "integer", "number", "object", "string"}

func (c *schemaCheck) check(s *apiextensions.JSONSchemaProps, path *field.Path, root bool) (errs field.ErrorList) {
	if s == nil {
		return nil
	}
	errs = c.checkNode(s, path)
	if s.UniqueItems {
		errs = append(errs, field.Forbidden(path.Child("uniqueItems"), "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"))
	}
	if p := s.AdditionalProperties; p != nil {
		if len(s.Properties) > 0 && (!p.Allows || p.Schema != nil) {
			errs = append(errs, field.Forbidden(path.Child("additionalProperties"), "additionalProperties and properties are mutual exclusive"))
		}
		sub := *c
		if c.inMeta {
			sub.defaults = " inside additionalProperties applying to object metadata"
		}
		errs = append(errs, sub.check(p.Schema, path.Child("additionalProperties"), false)...)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p, sub := s.Properties[name], *c
		if (root || s.XEmbeddedResource) && (name == "metadata" || name == "kind" || name == "apiVersion") {
			if sub.inMeta = true; root {
				sub.defaults = " in top-level " + name
			}
		}
		errs = append(errs, sub.check(&p, path.Child("properties").Key(name), false)...)
	}
	errs = append(errs, c.check(s.Not, path.Child("not"), false)...)
	for _, some := range []struct {
		name string
		all  []apiextensions.JSONSchemaProps
	}{{"allOf", s.AllOf}, {"oneOf", s.OneOf}, {"anyOf", s.AnyOf}} {
		for i := range some.all {
			errs = append(errs, c.check(&some.all[i], path.Child(some.name).Index(i), false)...)
		}
	}
	if s.Items != nil {
		errs = append(errs, c.check(s.Items.Schema, path.Child("items"), false)...)
	}
	errs = append(errs, checkExtensions(s, path)...)
	return append(errs, checkRules(s, path.Child("x-kubernetes-validations"))...)
}

// checkNode says what a schema must not have.
func (c *schemaCheck) checkNode(s *apiextensions.JSONSchemaProps, path *field.Path) (errs field.ErrorList) {
	if s.Type != "" && !slices.Contains(schemaTypes, s.Type) {
		errs = append(errs, field.NotSupported(path.Child("type"), s.Type, schemaTypes))
	}
	if s.Default != nil && c.defaults != "" {
		errs = append(errs, field.Forbidden(path.Child("default"), "must not be set"+c.defaults))
	}
	for _, f := range []struct {
		has           bool
		field, detail string
	}{
		{s.ID != "", "id", "id is not supported"},
		{s.AdditionalItems != nil, "additionalItems", "additionalItems is not supported"},
		{len(s.PatternProperties) > 0, "patternProperties", "patternProperties is not supported"},
		{len(s.Definitions) > 0, "definitions", "definitions is not supported"},
		{s.Dependencies != nil, "dependencies", "dependencies is not supported"},
		{s.Ref != nil, "$ref", "$ref is not supported"},
		{s.Type == "null", "type", "type cannot be set to null, use nullable as an alternative"},
		{s.Items != nil && len(s.Items.JSONSchemas) > 0, "items", "items must be a schema object and not an array"},
		{c.inMeta && s.XEmbeddedResource, "x-kubernetes-embedded-resource", "must not be used inside of resource meta"},
	} {
		if f.has {
			errs = append(errs, field.Forbidden(path.Child(f.field), f.detail))
		}
	}
	return errs
}

// checkExtensions says what is wrong with what Kubernetes adds to OpenAPI.
func checkExtensions(s *apiextensions.JSONSchemaProps, path *field.Path) (errs field.ErrorList) {
	if p := s.XPreserveUnknownFields; p != nil && !*p {
		errs = append(errs, field.Invalid(path.Child("x-kubernetes-preserve-unknown-fields"), *p, "must be true or undefined"))
	}
	typed := func(extension, want string) {
		detail := fmt.Sprintf("must be %s if %s is specified", want, extension)
		switch s.Type {
		case want:
		case "":
			errs = append(errs, field.Required(path.Child("type"), detail))
		default:
			errs = append(errs, field.Invalid(path.Child("type"), s.Type, detail))
		}
	}
	if s.XMapType != nil {
		typed("x-kubernetes-map-type", "object")
		errs = append(errs, oneOf(path.Child("x-kubernetes-map-type"), *s.XMapType, "atomic", "granular")...)
	}
	if s.XListType == nil {
		if len(s.XListMapKeys) > 0 {
			errs = append(errs, field.Required(path.Child("x-kubernetes-list-type"), "must be map if x-kubernetes-list-map-keys is non-empty"))
		}
		return errs
	}
	if typed("x-kubernetes-list-type", "array"); s.Type == "array" && *s.XListType == "set" {
		errs = append(errs, checkSet(s, path.Child("items"))...)
	}
	errs = append(errs, oneOf(path.Child("x-kubernetes-list-type"), *s.XListType, "atomic", "set", "map")...)
	if len(s.XListMapKeys) > 0 && *s.XListType != "map" {
		errs = append(errs, field.Invalid(path.Child("x-kubernetes-list-type"), *s.XListType, "must be map if x-kubernetes-list-map-keys is non-empty"))
	}
	if *s.XListType == "map" {
		errs = append(errs, checkListMap(s, path)...)
	}
	if *s.XListType != "atomic" && s.Items != nil && s.Items.Schema != nil && s.Items.Schema.Nullable {
		errs = append(errs, field.Forbidden(path.Child("items").Child("nullable"), "cannot be nullable when x-kubernetes-list-type is "+*s.XListType))
	}
	if *s.XListType == "map" {
		errs = append(errs, checkMapKeys(s, path.Child("items"))...)
	}
	return errs
}

func checkSet(s *apiextensions.JSONSchemaProps, path *field.Path) field.ErrorList {
	const detail = "must be atomic as item of a list with x-kubernetes-list-type=set"
	if s.Items == nil || s.Items.Schema == nil {
		return nil
	}
	switch is := s.Items.Schema; {
	case is.Type == "array" && is.XListType != nil && *is.XListType != "atomic":
		return field.ErrorList{field.Invalid(path.Child("x-kubernetes-list-type"), is.XListType, detail)}
	case is.Type == "object" && (is.XMapType == nil || *is.XMapType != "atomic"):
		return field.ErrorList{field.Invalid(path.Child("x-kubernetes-map-type"), is.XListType, detail)}
	}
	return nil
}

func checkListMap(s *apiextensions.JSONSchemaProps, path *field.Path) (errs field.ErrorList) {
	keys := path.Child("x-kubernetes-list-map-keys")
	if len(s.XListMapKeys) == 0 {
		errs = append(errs, field.Required(keys, "must not be empty if x-kubernetes-list-type is map"))
	}
	switch {
	case s.Items == nil:
		return append(errs, field.Required(path.Child("items"), "must have a schema if x-kubernetes-list-type is map"))
	case s.Items.Schema == nil:
		return append(errs, field.Invalid(path.Child("items"), s.Items, "must only have a single schema if x-kubernetes-list-type is map"))
	case s.Items.Schema.Type != "object":
		return append(errs, field.Invalid(path.Child("items").Child("type"), s.Items.Schema.Type, "must be object if parent array's x-kubernetes-list-type is map"))
	}
	seen := map[string]bool{}
	for _, key := range s.XListMapKeys {
		p, ok := s.Items.Schema.Properties[key]
		switch {
		case !ok:
			errs = append(errs, field.Invalid(keys, s.XListMapKeys, "entries must all be names of item properties"))
		case p.Type == "array" || p.Type == "object":
			errs = append(errs, field.Invalid(path.Child("items").Child("properties").Key(key).Child("type"), s.Items.Schema.Type,
				"must be a scalar type if parent array's x-kubernetes-list-type is map"))
		}
		if seen[key] {
			errs = append(errs, field.Invalid(keys, s.XListMapKeys, "must not contain duplicate entries"))
		}
		seen[key] = true
	}
	return errs
}

// checkMapKeys says which keys of a list's items may be missing.
func checkMapKeys(s *apiextensions.JSONSchemaProps, path *field.Path) (errs field.ErrorList) {
	if s.Items == nil || s.Items.Schema == nil {
		return nil
	}
	for _, key := range s.XListMapKeys {
		p, ok := s.Items.Schema.Properties[key]
		if !ok {
			continue
		}
		at := path.Child("properties").Key(key)
		if !slices.Contains(s.Items.Schema.Required, key) && p.Default == nil {
			errs = append(errs, field.Required(at.Child("default"), "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property"))
		}
		if p.Nullable {
			errs = append(errs, field.Forbidden(at.Child("nullable"), "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"))
		}
	}
	return errs
}

// checkRules says what is missing in CEL rules, which are not compiled.
func checkRules(s *apiextensions.JSONSchemaProps, path *field.Path) (errs field.ErrorList) {
	for i, r := range s.XValidations {
		if r.Rule == "" {
			errs = append(errs, field.Required(path.Index(i).Child("rule"), "rule is not specified"))
		}
	}
	return errs
}
