package controller

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
)

// schema is the part of the structural schema of a custom resource from which changes are drawn. Whether a value is valid is for the API
// server to say. But lwtest's evaluates no rules in CEL, so what a rule is about is not changed.
type schema struct {
	Type                 string             `json:"type"`
	Properties           map[string]*schema `json:"properties"`
	AdditionalProperties json.RawMessage    `json:"additionalProperties"` // a schema, true or false
	Items                *schema            `json:"items"`
	Enum                 []any              `json:"enum"`
	Minimum              *float64           `json:"minimum"`
	Default              any                `json:"default"`
	Rules                []struct {
		Rule string
	} `json:"x-kubernetes-validations"`
}

// wholeOld finds a rule that compares all of an object with what it was.
var wholeOld = regexp.MustCompile(`\boldSelf\b[^.]|\boldSelf$`)

// ruled reports whether a rule is about a field; empty: about the value as a whole.
func (s *schema) ruled(field string) bool {
	for _, r := range s.Rules {
		if field == "" || wholeOld.MatchString(r.Rule) || regexp.MustCompile(`\b`+regexp.QuoteMeta(field)+`\b`).MatchString(r.Rule) {
			return true
		}
	}
	return false
}

// schemaIn returns the schema of a version in a CustomResourceDefinition; nil: it has none.
func schemaIn(definition []byte, version string) *schema {
	var d struct {
		Spec struct {
			Versions []struct {
				Name   string
				Schema struct {
					OpenAPIV3Schema *schema `json:"openAPIV3Schema"`
				}
			}
		}
	}
	if unmarshalNumbers(definition, &d) != nil {
		return nil
	}
	for _, v := range d.Spec.Versions {
		if v.Name == version {
			return v.Schema.OpenAPIV3Schema
		}
	}
	return nil
}

// unmarshalNumbers reads JSON, and keeps numbers in values of any type as they are written.
func unmarshalNumbers(b []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return d.Decode(to)
}

// What a variation changes. The first of these are most likely to make a controller do something.
const (
	varyNumber = iota
	varyLength
	varyBool
	varyEnum
	varyString
	varyAbsent // what the object does not have
)

// variation is a value that differs from the present one in one place.
type variation struct {
	value any
	sort  int
	depth int
}

// variations returns the variations of the spec of an object. Each is a spec. The order is always the same: numbers, lists, booleans,
// enumerations and strings, then what the object lacks. Among these, what is less deep comes first.
func (s *schema) variations(spec any) []variation {
	if s.ruled("spec") {
		return nil
	}
	if spec == nil {
		spec = map[string]any{}
	}
	all := s.Properties["spec"].near(spec)
	slices.SortStableFunc(all, func(a, b variation) int {
		if a.sort != b.sort {
			return a.sort - b.sort
		}
		return a.depth - b.depth
	})
	return all
}

// near returns variations of a value; nil: it is absent.
func (s *schema) near(v any) (all []variation) {
	if s == nil {
		return nil
	}
	if o, ok := v.(map[string]any); ok {
		return s.nearObject(o)
	}
	if s.ruled("") {
		return nil
	}
	add := func(sort int, v any) { all = append(all, variation{v, sort, 0}) }
	switch v := v.(type) {
	case nil:
		if x := s.first(); x != nil {
			add(varyAbsent, x)
		}
	case bool:
		add(varyBool, !v)
	case json.Number:
		if n, err := v.Int64(); err == nil {
			add(varyNumber, json.Number(strconv.FormatInt(n+1, 10)))
			add(varyNumber, json.Number(strconv.FormatInt(n-1, 10)))
		}
	case string:
		for _, other := range s.Enum {
			if other != v {
				add(varyEnum, other)
			}
		}
		if len(s.Enum) == 0 {
			for _, other := range nearText(v) {
				add(varyString, other)
			}
		}
	case []any:
		all = s.nearList(v)
	}
	return all
}

// first returns a value for a field that is absent; nil: there is none that is simple.
func (s *schema) first() any {
	for _, v := range s.Enum {
		if !reflect.DeepEqual(v, s.Default) {
			return v
		}
	}
	switch {
	case len(s.Enum) > 0:
		return nil
	case s.Type == "boolean":
		return s.Default != true
	case s.Type == "integer" && s.Minimum != nil:
		return int64(*s.Minimum) + 1 // the default may be the least
	case s.Type == "integer":
		return 1
	case s.Type == "string":
		return "a"
	}
	return nil
}

var firstNumber = regexp.MustCompile(`^\d{1,9}`)

// nearText returns other texts: with a larger number, as of "1Gi" or "10s", longer, and shorter.
func nearText(s string) (all []string) {
	if n, err := strconv.Atoi(firstNumber.FindString(s)); err == nil {
		all = append(all, firstNumber.ReplaceAllLiteralString(s, strconv.Itoa(n+1)))
	}
	if all = append(all, s+"x"); len(s) > 1 {
		all = append(all, s[:len(s)-1])
	}
	return all
}

// nearList returns variations of a list: without its last item, with its first twice, and with one that differs.
func (s *schema) nearList(list []any) (all []variation) {
	if len(list) > 0 {
		all = append(all, variation{list[:len(list)-1], varyLength, 0}, variation{append(slices.Clone(list), list[0]), varyLength, 0})
	}
	for i, item := range list {
		for _, x := range s.Items.near(item) {
			other := slices.Clone(list)
			other[i] = x.value
			all = append(all, variation{other, x.sort, x.depth + 1})
		}
	}
	return all
}

// nearObject returns variations of an object: with one field that differs, or one that it does not have. Of a map no key is added.
func (s *schema) nearObject(o map[string]any) (all []variation) {
	fields := maps.Clone(s.Properties)
	var each *schema
	if unmarshalNumbers(s.AdditionalProperties, &each) == nil && len(fields) == 0 {
		fields = map[string]*schema{}
		for name := range o {
			fields[name] = each
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if s.ruled(name) {
			continue
		}
		for _, x := range fields[name].near(o[name]) {
			other := maps.Clone(o)
			other[name] = x.value
			all = append(all, variation{other, x.sort, x.depth + 1})
		}
	}
	return all
}

// mergePatch returns the merge patch that makes an object another one.
func mergePatch(from, to map[string]any) map[string]any {
	patch := map[string]any{}
	for name := range from {
		if _, stays := to[name]; !stays {
			patch[name] = nil
		}
	}
	for name, want := range to {
		was, there := from[name]
		a, isObject := was.(map[string]any)
		b, staysObject := want.(map[string]any)
		switch {
		case isObject && staysObject:
			if sub := mergePatch(a, b); len(sub) > 0 {
				patch[name] = sub
			}
		case !there || !reflect.DeepEqual(was, want):
			patch[name] = want
		}
	}
	return patch
}
