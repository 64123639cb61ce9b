package exec

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/lwtest/lwtest/conformance/store"
)

// lacks says what a message does not have of what its type must have; "": nothing. What must be there schema.json says: each
// field that is not omitted when it is empty. Fields that the type does not know are let pass, and whatever is inside of
// what the implementation gave: that is for the suites to judge.
func lacks(message []byte, t reflect.Type) string {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(message, &fields); err != nil || fields == nil {
		return fmt.Sprintf("%.60s is not an object", message)
	}
	has := map[string]json.RawMessage{}
	for name, value := range fields {
		has[strings.ToLower(name)] = value // as encoding/json finds them
	}
	for name, of := range required(t) {
		value, there := has[strings.ToLower(name)]
		switch {
		case !there:
			return fmt.Sprintf("the field %q is missing, %s", name, called(of))
		case of == reflect.TypeFor[json.RawMessage](): // it is the implementation's
		case string(value) == "null":
			return fmt.Sprintf("%q is null instead of %s", name, called(of))
		case of.Kind() == reflect.Struct:
			if lack := lacks(value, of); lack != "" {
				return fmt.Sprintf("in %q %s", name, lack)
			}
		case of == reflect.TypeFor[[]store.Delta]():
			if lack := lackOf(value, of.Elem()); lack != "" {
				return fmt.Sprintf("in one of %q %s", name, lack)
			}
		}
	}
	if lack := noneOf(has, t); lack != "" {
		return lack
	}
	if lack := ofEvent(has, t); lack != "" {
		return lack
	}
	return misspelt(has, t)
}

// ofEvent is what the event lacks that an answer has, if it has one.
func ofEvent(fields map[string]json.RawMessage, t reflect.Type) string {
	value := fields["event"]
	if f, ok := t.FieldByName("Event"); !ok || f.Type != reflect.TypeFor[*Event]() || value == nil || string(value) == "null" {
		return ""
	}
	if lack := lacks(value, reflect.TypeFor[Event]()); lack != "" {
		return `in "event" ` + lack
	}
	return ""
}

// noneOf says that of fields of which one must be there none is: what is null, or false, is not there.
func noneOf(fields map[string]json.RawMessage, t reflect.Type) string {
	var names []string
	for _, f := range reflect.VisibleFields(t) {
		if !strings.Contains(f.Tag.Get("jsonschema"), "anyof_required=") {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if v, there := fields[strings.ToLower(name)]; there && string(v) != "null" && string(v) != "false" {
			return ""
		}
		names = append(names, strconv.Quote(name))
	}
	if names == nil {
		return ""
	}
	return "it needs one of " + strings.Join(names, ", ")
}

// lackOf is what the first of several lacks that lacks something.
func lackOf(messages []byte, t reflect.Type) string {
	var all []json.RawMessage
	if json.Unmarshal(messages, &all) != nil {
		return "" // what is no array is told where it is read
	}
	for _, m := range all {
		if lack := lacks(m, t); lack != "" {
			return lack
		}
	}
	return ""
}

// misspelt says which field is none of the words that its type lets it be; "": none. A field may be empty where it may be
// left out.
func misspelt(fields map[string]json.RawMessage, t reflect.Type) string {
	for _, f := range reflect.VisibleFields(t) {
		words := wordsOf(f)
		name, more, _ := strings.Cut(f.Tag.Get("json"), ",")
		var is string
		if len(words) == 0 || json.Unmarshal(fields[name], &is) != nil || is == "" && more != "" {
			continue // what is no string is told where it is read
		}
		if !slices.Contains(words, is) {
			return fmt.Sprintf("%q is %q instead of one of %s", name, is, strings.Join(words, ", "))
		}
	}
	return ""
}

// wordsOf are those that a field may be; none: any.
func wordsOf(f reflect.StructField) (words []string) {
	for _, tag := range strings.Split(f.Tag.Get("jsonschema"), ",") {
		if word, ok := strings.CutPrefix(tag, "enum="); ok {
			words = append(words, word)
		}
	}
	return words
}

// leaveOut has null mean of each field that may be left out that it is: message points to a struct, as it was decoded.
func leaveOut(message any) {
	v := reflect.ValueOf(message).Elem()
	if v.Kind() != reflect.Struct {
		return
	}
	for i := range v.NumField() {
		f := v.Field(i)
		if b, ok := f.Interface().(json.RawMessage); ok && string(b) == "null" && strings.Contains(v.Type().Field(i).Tag.Get("json"), "omitempty") {
			f.SetBytes(nil)
		}
	}
}

// required are the fields that a message must have, in their order.
func required(t reflect.Type) func(yield func(string, reflect.Type) bool) {
	return func(yield func(string, reflect.Type) bool) {
		for _, f := range reflect.VisibleFields(t) {
			name, more, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name != "" && !strings.Contains(more, "omitempty") && !yield(name, f.Type) {
				return
			}
		}
	}
}

// called is a type as an author of an adapter would call it.
func called(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[json.RawMessage]() || t.Kind() == reflect.Struct:
		return "an object"
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String:
		return "an array of strings"
	case t.Kind() == reflect.Slice:
		return "an array of objects"
	case t.Kind() == reflect.String:
		return "a string"
	case t.Kind() == reflect.Bool:
		return "a boolean"
	}
	return "an integer"
}

// replies are what stands under ok, by op.
var replies = func() map[string]reflect.Type {
	out := map[string]reflect.Type{}
	for _, o := range Ops() {
		out[o.Name] = reflect.TypeOf(o.Reply)
	}
	return out
}()

// unlike says how the answer to an op is not what docs/protocol.md wants; "": it is.
func unlike(op string, a answer) string {
	if a.Skip != nil {
		return ""
	}
	if a.Err != nil {
		if lack := lacks(a.Err, reflect.TypeFor[Failure]()); lack != "" {
			return "under err " + lack
		}
		return ""
	}
	t, known := replies[op]
	if !known { // smoke asks for what there is not
		t = reflect.TypeFor[Nothing]()
	}
	lack := lacks(a.OK, t)
	if lack == "" || op == "hello" && foreign(a.OK) {
		return ""
	}
	return "under ok " + lack
}

// foreign says that an adapter speaks another version of the protocol, which may have other fields: it is told that.
func foreign(hello []byte) bool {
	var v struct {
		Protocol *int `json:"protocol"`
	}
	return json.Unmarshal(hello, &v) == nil && v.Protocol != nil && *v.Protocol != Version
}
