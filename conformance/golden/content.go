package golden

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/lwtest/lwtest/harness/history"
)

// fieldOf begins the way in which a field of a content is changed.
const fieldOf = "content "

// Content changes what was told of an object's content: each field that a ConfigMap has, and one that it has not.
func (p *Perturber) Content(e *history.Event, item int, was string, at func(*history.Event) *history.Ref) bool {
	unknown := field{[]string{"unknown"}, reflect.TypeFor[string]()}
	for _, f := range append(fields(reflect.TypeFor[corev1.ConfigMap]()), unknown) {
		to := f.changed(was)
		if !p.WithItem(fieldOf+strings.Join(f.path, "."), e, item, func(c *history.Event) { at(c).Body = to }) {
			return false
		}
	}
	return true
}

// field is a field of an object.
type field struct {
	path []string // in JSON
	is   reflect.Type
}

// fields returns those of a struct, without those that no Content has.
func fields(t reflect.Type) (out []field) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch f.Type {
		case reflect.TypeFor[metav1.TypeMeta]():
		case reflect.TypeFor[metav1.ObjectMeta]():
			for _, in := range fields(f.Type) {
				out = append(out, field{append([]string{name}, in.path...), in.is})
			}
		default:
			out = append(out, field{[]string{name}, f.Type})
		}
	}
	return out
}

// changed returns a content with another value of the field, of the field's type.
func (f field) changed(content string) string {
	m := Fields(json.RawMessage(content))
	is, _, err := unstructured.NestedFieldNoCopy(m, f.path...)
	if err == nil {
		err = unstructured.SetNestedField(m, f.other(is), f.path...)
	}
	if err != nil {
		panic(fmt.Sprintf("golden: %v", err)) // a recording of ours
	}
	return string(Pack(m))
}

func (f field) other(is any) any {
	switch t := f.is; {
	case t == reflect.TypeFor[*metav1.Time](), t == reflect.TypeFor[metav1.Time]():
		return "2001-02-03T04:05:06Z"
	case t.Kind() == reflect.Map:
		m, _ := is.(map[string]any)
		m = maps.Clone(m)
		if m == nil {
			m = map[string]any{}
		}
		m["perturbed"] = "yes"
		return m
	case t == reflect.TypeFor[[]string]():
		list, _ := is.([]any)
		return append(slices.Clone(list), "perturbed")
	case t.Kind() == reflect.Slice:
		list, _ := is.([]any)
		return append(slices.Clone(list), map[string]any{"name": "perturbed"})
	case t.Kind() == reflect.Pointer, t.Kind() == reflect.Bool:
		return is != true
	case t.Kind() == reflect.Int64:
		return int64(77)
	}
	return fmt.Sprint(is, " perturbed")
}
