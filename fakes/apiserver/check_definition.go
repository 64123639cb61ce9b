package apiserver

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
)

// What a kube-apiserver checks of a definition, but for CEL (k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation,
// which cannot be imported without it). As there, the internal type is checked: what all versions have is moved to the top.

// internalDefinition is a definition as a kube-apiserver checks it.
func internalDefinition(d *crd) (*apiextensions.CustomResourceDefinition, error) {
	out := &apiextensions.CustomResourceDefinition{}
	return out, apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(d.DeepCopy(), out, nil)
}

func checkDefinition(in, old *crd) (errs field.ErrorList) {
	d, err := internalDefinition(in)
	if err != nil {
		return field.ErrorList{field.InternalError(field.NewPath("spec"), err)}
	}
	path := field.NewPath("spec")
	errs = append(errs, checkDefinitionSpec(&d.Spec, path)...)
	if old != nil {
		if conditionTrue(old, apiextensionsv1.Established) {
			errs = append(errs, validation.ValidateImmutableField(in.Spec.Scope, old.Spec.Scope, path.Child("scope"))...)
			errs = append(errs, validation.ValidateImmutableField(in.Spec.Names.Kind, old.Spec.Names.Kind, path.Child("names", "kind"))...)
		}
		errs = append(errs, validation.ValidateImmutableField(in.Spec.Group, old.Spec.Group, path.Child("group"))...)
		errs = append(errs, validation.ValidateImmutableField(in.Spec.Names.Plural, old.Spec.Names.Plural, path.Child("names", "plural"))...)
	}
	errs = append(errs, checkDefinitionStatus(in, old)...)
	errs = append(errs, checkStoredVersions(d, field.NewPath("status", "storedVersions"))...)
	errs = append(errs, checkApproval(in, old)...)
	if in.Spec.PreserveUnknownFields && (old == nil || !old.Spec.PreserveUnknownFields) {
		errs = append(errs, field.Invalid(path.Child("preserveUnknownFields"), true,
			"cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"))
	}
	return errs
}

// definitionName returns what judges the name of a definition.
func definitionName(d *crd) func(name string, prefix bool) []string {
	return func(name string, prefix bool) []string {
		errs := validation.NameIsDNSSubdomain(name, prefix)
		if name != d.Spec.Names.Plural+"."+d.Spec.Group {
			errs = append(errs, `must be spec.names.plural+"."+spec.group`)
		}
		return errs
	}
}

func checkDefinitionStatus(in, _ *crd) field.ErrorList {
	var names apiextensions.CustomResourceDefinitionNames
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinitionNames_To_apiextensions_CustomResourceDefinitionNames(&in.Status.AcceptedNames, &names, nil); err != nil {
		return field.ErrorList{field.InternalError(field.NewPath("status"), err)}
	}
	return checkDefinitionNames(&names, field.NewPath("status", "acceptedNames"))
}

func checkApproval(in, old *crd) field.ErrorList {
	const key = apiextensionsv1.KubeAPIApprovedAnnotation
	_, valid, reason, message := approvalOf(in.Annotations)
	if !protected(in.Spec.Group) || valid {
		return nil
	}
	if old != nil {
		if _, _, before, _ := approvalOf(old.Annotations); before == reason {
			return nil
		}
	}
	path := field.NewPath("metadata", "annotations").Key(key)
	if in.Annotations[key] == "" {
		return field.ErrorList{field.Required(path, message)}
	}
	return field.ErrorList{field.Invalid(path, in.Annotations[key], message)}
}

func checkStoredVersions(d *apiextensions.CustomResourceDefinition, path *field.Path) (errs field.ErrorList) {
	stored := d.Status.StoredVersions
	if len(stored) == 0 {
		return field.ErrorList{field.Invalid(path, stored, "must have at least one stored version")}
	}
	for i, name := range stored {
		if !slices.ContainsFunc(d.Spec.Versions, func(v apiextensions.CustomResourceDefinitionVersion) bool { return v.Name == name }) {
			errs = append(errs, field.Invalid(path.Index(i), name, fmt.Sprintf("missing from spec.versions; %[1]s was previously a storage version, and must remain in spec.versions "+
				"until a storage migration ensures no data remains persisted in %[1]s and removes %[1]s from status.storedVersions", name)))
		}
	}
	return errs
}

func checkDefinitionSpec(s *apiextensions.CustomResourceDefinitionSpec, path *field.Path) (errs field.ErrorList) {
	switch wrong := utilvalidation.IsDNS1123Subdomain(s.Group); {
	case s.Group == "":
		errs = append(errs, field.Required(path.Child("group"), ""))
	case len(wrong) > 0:
		errs = append(errs, field.Invalid(path.Child("group"), s.Group, strings.Join(wrong, ",")))
	case !strings.Contains(s.Group, "."):
		errs = append(errs, field.Invalid(path.Child("group"), s.Group, "should be a domain with at least one dot"))
	}
	errs = append(errs, requiredOneOf(path.Child("scope"), string(s.Scope), string(apiextensions.ClusterScoped), string(apiextensions.NamespaceScoped))...)
	errs = append(errs, checkDefinitionVersions(s, path)...)
	for _, name := range []struct{ field, value string }{
		{"plural", s.Names.Plural}, {"singular", s.Names.Singular}, {"kind", s.Names.Kind}, {"listKind", s.Names.ListKind},
	} {
		if name.value == "" {
			errs = append(errs, field.Required(path.Child("names", name.field), ""))
		}
	}
	errs = append(errs, checkDefinitionNames(&s.Names, path.Child("names"))...)
	anyStatus := hasStatus(s.Subresources) || slices.ContainsFunc(s.Versions, func(v apiextensions.CustomResourceDefinitionVersion) bool { return hasStatus(v.Subresources) })
	errs = append(errs, checkDefinitionSchema(s.Validation, anyStatus, path.Child("validation"))...)
	errs = append(errs, checkSubresources(s.Subresources, path.Child("subresources"))...)
	errs = append(errs, checkColumns(s.AdditionalPrinterColumns, path.Child("additionalPrinterColumns"))...)
	errs = append(errs, checkSelectable(s.SelectableFields, s.Validation, path.Child("selectableFields"))...)
	if c := s.Conversion; c != nil && c.Strategy != apiextensions.NoneConverter && (s.PreserveUnknownFields == nil || *s.PreserveUnknownFields) {
		errs = append(errs, field.Invalid(path.Child("conversion", "strategy"), c.Strategy, "must be None if spec.preserveUnknownFields is true"))
	}
	return append(errs, checkConversion(s.Conversion, path.Child("conversion"))...)
}

func checkDefinitionVersions(s *apiextensions.CustomResourceDefinitionSpec, in *field.Path) (errs field.ErrorList) {
	path := in.Child("versions")
	none := s.Validation == nil || s.Validation.OpenAPIV3Schema == nil
	for i, v := range s.Versions {
		if none && (v.Schema == nil || v.Schema.OpenAPIV3Schema == nil) {
			errs = append(errs, field.Required(path.Index(i).Child("schema").Child("openAPIV3Schema"), ""))
		}
	}
	stored, seen, twice := 0, map[string]bool{}, false
	for i, v := range s.Versions {
		if v.Storage {
			stored++
		}
		twice, seen[v.Name] = twice || seen[v.Name], true
		if wrong := utilvalidation.IsDNS1035Label(v.Name); len(wrong) > 0 {
			errs = append(errs, field.Invalid(path.Index(i).Child("name"), v.Name, strings.Join(wrong, ",")))
		}
		at := path.Index(i)
		errs = append(errs, checkDeprecation(&v, at.Child("deprecationWarning"))...)
		errs = append(errs, checkDefinitionSchema(v.Schema, hasStatus(v.Subresources) || hasStatus(s.Subresources), at.Child("schema"))...)
		errs = append(errs, checkSubresources(v.Subresources, at.Child("subresources"))...)
		errs = append(errs, checkColumns(v.AdditionalPrinterColumns, at.Child("additionalPrinterColumns"))...)
		errs = append(errs, checkSelectable(v.SelectableFields, v.Schema, at.Child("selectableFields"))...)
	}
	if twice {
		errs = append(errs, field.Invalid(path, s.Versions, "must contain unique version names"))
	}
	if stored != 1 {
		errs = append(errs, field.Invalid(path, s.Versions, "must have exactly one version marked as storage version"))
	}
	if wrong := utilvalidation.IsDNS1035Label(s.Version); s.Version != "" && len(wrong) > 0 {
		errs = append(errs, field.Invalid(in.Child("version"), s.Version, strings.Join(wrong, ",")))
	}
	return errs
}

func checkDeprecation(v *apiextensions.CustomResourceDefinitionVersion, path *field.Path) (errs field.ErrorList) {
	if v.DeprecationWarning == nil {
		return nil
	}
	text := *v.DeprecationWarning
	wrong := func(detail string) { errs = append(errs, field.Invalid(path, v.DeprecationWarning, detail)) }
	if !v.Deprecated {
		wrong("can only be set for deprecated versions")
		return errs
	}
	if len(text) > 256 {
		wrong("must be <= 256 characters long")
	}
	if text == "" {
		wrong("must not be an empty string")
	}
	if i := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 {
		wrong(fmt.Sprintf("must only contain printable UTF-8 characters; non-printable character found at index %d", i))
	}
	return errs
}

func requiredOneOf(path *field.Path, value string, accepted ...string) field.ErrorList {
	if value == "" {
		return field.ErrorList{field.Required(path, "")}
	}
	return oneOf(path, value, accepted...)
}

func checkDefinitionNames(names *apiextensions.CustomResourceDefinitionNames, path *field.Path) (errs field.ErrorList) {
	label := func(path *field.Path, name, prefix string) {
		value := name
		if prefix != "" {
			value = strings.ToLower(name)
		}
		if wrong := utilvalidation.IsDNS1035Label(value); name != "" && len(wrong) > 0 {
			errs = append(errs, field.Invalid(path, name, prefix+strings.Join(wrong, ",")))
		}
	}
	const mixed = "may have mixed case, but should otherwise match: "
	label(path.Child("plural"), names.Plural, "")
	label(path.Child("singular"), names.Singular, "")
	label(path.Child("kind"), names.Kind, mixed)
	label(path.Child("listKind"), names.ListKind, mixed)
	for i, name := range names.ShortNames {
		label(path.Child("shortNames").Index(i), name, "")
	}
	if names.Kind != "" && names.Kind == names.ListKind {
		errs = append(errs, field.Invalid(path.Child("listKind"), names.ListKind, "kind and listKind may not be the same"))
	}
	for i, name := range names.Categories {
		label(path.Child("categories").Index(i), name, "")
	}
	return errs
}

func hasStatus(s *apiextensions.CustomResourceSubresources) bool { return s != nil && s.Status != nil }

func checkSubresources(s *apiextensions.CustomResourceSubresources, path *field.Path) (errs field.ErrorList) {
	if s == nil || s.Scale == nil {
		return nil
	}
	under := func(name, value, what string, required bool, prefixes ...string) {
		path := path.Child("scale." + name)
		wrong := simplePath(value, path)
		switch {
		case value == "" && required:
			errs = append(errs, field.Required(path, ""))
		case value == "":
		case len(wrong) > 0:
			errs = append(errs, wrong...)
		case !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(value, p) }):
			errs = append(errs, field.Invalid(path, value, "should be a json path under "+what))
		}
	}
	under("specReplicasPath", s.Scale.SpecReplicasPath, ".spec", true, ".spec.")
	under("statusReplicasPath", s.Scale.StatusReplicasPath, ".status", true, ".status.")
	if p := s.Scale.LabelSelectorPath; p != nil {
		under("labelSelectorPath", *p, "either .spec or .status", false, ".spec.", ".status.")
	}
	return errs
}

func simplePath(s string, path *field.Path) field.ErrorList {
	if s != "" && s[0] != '.' {
		return field.ErrorList{field.Invalid(path, s, "must be a simple json path starting with .")}
	}
	return nil
}

func checkColumns(all []apiextensions.CustomResourceColumnDefinition, path *field.Path) (errs field.ErrorList) {
	const types, formats = "boolean,date,integer,number,string", "byte,date,date-time,double,float,int32,int64,password"
	for i, c := range all {
		at := path.Index(i)
		if c.Name == "" {
			errs = append(errs, field.Required(at.Child("name"), ""))
		}
		if c.Type == "" {
			errs = append(errs, field.Required(at.Child("type"), "must be one of "+types))
		} else if !slices.Contains(strings.Split(types, ","), c.Type) {
			errs = append(errs, field.Invalid(at.Child("type"), c.Type, "must be one of "+types))
		}
		if c.Format != "" && !slices.Contains(strings.Split(formats, ","), c.Format) {
			errs = append(errs, field.Invalid(at.Child("format"), c.Format, "must be one of "+formats))
		}
		if c.JSONPath == "" {
			errs = append(errs, field.Required(at.Child("JSONPath"), ""))
		}
		errs = append(errs, simplePath(c.JSONPath, at.Child("JSONPath"))...)
	}
	return errs
}

// mostSelectable is how many fields of a version can be selected.
const mostSelectable = 8

func checkSelectable(all []apiextensions.SelectableField, in *apiextensions.CustomResourceValidation, path *field.Path) (errs field.ErrorList) {
	if len(all) == 0 || in == nil || in.OpenAPIV3Schema == nil {
		return nil
	}
	seen := map[string]bool{}
	for i, f := range all {
		at := path.Index(i).Child("jsonPath")
		if f.JSONPath == "" {
			errs = append(errs, field.Required(at, ""))
			continue
		}
		s, known := in.OpenAPIV3Schema, strings.HasPrefix(f.JSONPath, ".")
		for _, name := range steps(f.JSONPath) {
			p, ok := s.Properties[name]
			if known = known && ok; !known {
				break
			}
			s = &p
		}
		switch {
		case strings.HasPrefix(f.JSONPath, ".metadata"):
			errs = append(errs, field.Invalid(at, f.JSONPath, "must not point to fields in metadata"))
			continue
		case !known:
			errs = append(errs, field.Invalid(at, f.JSONPath, "is an invalid path: does not refer to a valid field"))
			continue
		case s.Type != "string" && s.Type != "boolean" && s.Type != "integer":
			errs = append(errs, field.Invalid(at, f.JSONPath,
				"must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed."))
		case seen[f.JSONPath]:
			errs = append(errs, field.Duplicate(at, f.JSONPath))
		}
		seen[f.JSONPath] = true
	}
	if len(seen) > mostSelectable {
		errs = append(errs, field.TooMany(path, len(seen), mostSelectable))
	}
	return errs
}

func checkConversion(c *apiextensions.CustomResourceConversion, path *field.Path) (errs field.ErrorList) {
	if c == nil {
		return nil
	}
	errs = requiredOneOf(path.Child("strategy"), string(c.Strategy), string(apiextensions.NoneConverter), string(apiextensions.WebhookConverter))
	if c.Strategy != apiextensions.WebhookConverter {
		if c.WebhookClientConfig != nil {
			errs = append(errs, field.Forbidden(path.Child("webhookClientConfig"), "should not be set when strategy is not set to Webhook"))
		}
		if len(c.ConversionReviewVersions) > 0 {
			errs = append(errs, field.Forbidden(path.Child("conversionReviewVersions"), "should not be set when strategy is not set to Webhook"))
		}
		return errs
	}
	switch client := c.WebhookClientConfig; {
	case client == nil:
		errs = append(errs, field.Required(path.Child("webhookClientConfig"), "required when strategy is set to Webhook"))
	case (client.URL == nil) == (client.Service == nil):
		errs = append(errs, field.Required(path.Child("webhookClientConfig"), "exactly one of url or service is required"))
	}
	at := path.Child("conversionReviewVersions")
	switch versions := c.ConversionReviewVersions; {
	case len(versions) == 0:
		errs = append(errs, field.Required(at, ""))
	case !slices.Contains(versions, "v1") && !slices.Contains(versions, "v1beta1"):
		errs = append(errs, field.Invalid(at, versions, "must include at least one of v1, v1beta1"))
	}
	return errs
}

// atRoot are the fields of a root schema that are allowed where there is a status subresource.
var atRoot = []string{"Description", "Type", "Format", "Title", "Maximum", "ExclusiveMaximum", "Minimum", "ExclusiveMinimum", "MaxLength", "MinLength",
	"Pattern", "MaxItems", "MinItems", "UniqueItems", "MultipleOf", "Required", "Items", "Properties", "ExternalDocs", "Example", "XPreserveUnknownFields", "XValidations"}

func checkRootFields(s *apiextensions.JSONSchemaProps, path *field.Path) field.ErrorList {
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		switch {
		case v.Field(i).IsZero():
		case name == "Type" && s.Type != "object":
			return field.ErrorList{field.Invalid(path.Child("type"), s.Type, `only "object" is allowed as the type at the root of the schema if the status subresource is enabled`)}
		case !slices.Contains(atRoot, name):
			return field.ErrorList{field.Invalid(path, *s, fmt.Sprintf(`only %v fields are allowed at the root of the schema if the status subresource is enabled`, atRoot))}
		}
	}
	return nil
}

// warnDefinition tells what is accepted in a definition and means nothing here, or not what one may think.
func warnDefinition(d *crd) []string {
	rules := false
	eachVersion(d, func(s *apiextensionsv1.JSONSchemaProps) { rules = rules || len(s.XValidations) > 0 })
	all := warnFormats(d)
	if rules {
		all = append(all, "x-kubernetes-validations: this server does not evaluate CEL rules, and accepts what they would refuse")
	}
	return all
}

// warnFormats tells what a kube-apiserver warns of in a definition.
func warnFormats(d *crd) (all []string) {
	eachVersion(d, func(s *apiextensionsv1.JSONSchemaProps) {
		if s.Format != "" && !knownFormat(s.Type, s.Format) {
			all = append(all, fmt.Sprintf("unrecognized format %q", s.Format))
		}
		if s.XListType != nil && *s.XListType == "set" && s.Items != nil && s.Items.Schema != nil && (s.Items.Schema.Type == "object" || s.Items.Schema.Type == "array") {
			all = append(all, fmt.Sprintf("x-kubernetes-list-type: set for items of type %q is not supported by server-side apply or CEL validation rules", s.Items.Schema.Type))
		}
	})
	return slices.Compact(slices.Sorted(slices.Values(all)))
}

// eachVersion visits the schemas of all versions.
func eachVersion(d *crd, visit func(*apiextensionsv1.JSONSchemaProps)) {
	for _, v := range d.Spec.Versions {
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			continue
		}
		eachSchema(v.Schema.OpenAPIV3Schema, visit)
	}
}

func knownFormat(kind, format string) bool {
	switch kind {
	case "integer":
		return format == "int32" || format == "int64"
	case "number":
		return format == "float" || format == "double"
	case "", "string":
		return strfmt.Default.ContainsName(format)
	}
	return false
}

// eachSchema visits a schema and those in it.
func eachSchema(s *apiextensionsv1.JSONSchemaProps, visit func(*apiextensionsv1.JSONSchemaProps)) {
	if s == nil {
		return
	}
	visit(s)
	for _, p := range s.Properties {
		eachSchema(&p, visit)
	}
	if s.Items != nil {
		eachSchema(s.Items.Schema, visit)
	}
	if s.AdditionalProperties != nil {
		eachSchema(s.AdditionalProperties.Schema, visit)
	}
	for _, some := range [][]apiextensionsv1.JSONSchemaProps{s.AllOf, s.AnyOf, s.OneOf} {
		for i := range some {
			eachSchema(&some[i], visit)
		}
	}
	eachSchema(s.Not, visit)
}

// sameJSON reports whether two values are the same as JSON.
func sameJSON(a, b any) bool {
	if equality.Semantic.DeepEqual(a, b) {
		return true
	}
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}
