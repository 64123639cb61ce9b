package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// encoding/json reads "Kind" as kind and replaces invalid Unicode by U+FFFD. A field that another tool added could
// then pass for one of ours, and two different contents could become equal. This file prevents both.

// shape holds the names of a JSON object's fields, each with the shape of its own fields.
type shape map[string]shape

// shapeOf returns the shape that a type is decoded from, or nil for a type without fields of ours.
func shapeOf(t reflect.Type) shape {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	s := shape{}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		s[name] = shapeOf(t.Field(i).Type)
	}
	return s
}

var (
	headerShape = shapeOf(reflect.TypeFor[Header]())
	lineShape   = shapeOf(reflect.TypeFor[line]())
	stepShape   = shapeOf(reflect.TypeFor[Step]())
	footerShape = shapeOf(reflect.TypeFor[footer]())
)

// decode does what json.Unmarshal does for one line, but matches field names exactly.
func decode(b []byte, s shape, v any) error {
	keep := b
	ambiguous, half := scan(b, s)
	if ambiguous {
		var err error
		if keep, err = keepFields(b, s); err != nil {
			return err
		}
	}
	switch err := json.Unmarshal(keep, v); {
	case err != nil:
		return explain(b, err)
	case !utf8.Valid(b):
		return errors.New("not UTF-8: different invalid texts would count as equal; write such content as a hash, or in base64")
	case half:
		return errors.New("an escape such as \\udc80 is half a character: different invalid texts would count as equal; write such content as a hash, or in base64")
	}
	return nil
}

// byteOrderMark is what some editors put before a text. JSON must not begin with it.
const byteOrderMark = "\ufeff"

// explain rewrites an error of encoding/json in the words of SCHEMA.md.
func explain(b []byte, err error) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case bytes.HasPrefix(b, []byte(byteOrderMark)):
		return errors.New("it begins with a byte order mark: save it as UTF-8 without one")
	case errors.As(err, &wrong) && wrong.Field == "":
		return fmt.Errorf("a JSON %s where an object is wanted", wrong.Value)
	case errors.As(err, &wrong):
		return fmt.Errorf("field %q holds a JSON %s: want %s", wrong.Field, wrong.Value, wanted(wrong.Type))
	}
	return err
}

// wanted describes the JSON that a Go type is decoded from.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "an array"
	case reflect.Int32:
		return "a whole number below 2147483648"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	}
	return "an object"
}

// keepFields removes from a JSON value the fields that its shape does not name.
func keepFields(b json.RawMessage, s shape) (json.RawMessage, error) {
	b = bytes.TrimSpace(b)
	switch {
	case s == nil || len(b) == 0:
		return b, nil
	case b[0] == '[':
		var all []json.RawMessage
		if err := json.Unmarshal(b, &all); err != nil {
			return nil, err
		}
		var err error
		for i := 0; i < len(all) && err == nil; i++ {
			all[i], err = keepFields(all[i], s)
		}
		return encode(all, err)
	case b[0] == '{':
		var all map[string]json.RawMessage
		if err := json.Unmarshal(b, &all); err != nil {
			return nil, err
		}
		for name, value := range all {
			of, ours := s[name]
			if !ours {
				delete(all, name)
				continue
			}
			var err error
			if all[name], err = keepFields(value, of); err != nil {
				return nil, err
			}
		}
		return encode(all, nil)
	}
	return b, nil
}

// encode returns v as JSON and leaves its raw parts as they are. It returns err if that is not nil.
func encode(v any, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err = e.Encode(v)
	return b.Bytes(), err
}

// scan reads the strings of a line once. ambiguous reports whether a field name could be mistaken for one of ours,
// half whether a string holds half a surrogate pair.
func scan(b []byte, s shape) (ambiguous, half bool) {
	for i := bytes.IndexByte(b, '"'); i >= 0 && i < len(b); {
		from := i + 1
		strange := false // it holds characters that no name of ours has
		for i = from; i < len(b) && b[i] != '"'; i++ {
			switch c := b[i]; {
			case c == '\\':
				strange = true
				n, lone := escape(b[i:])
				half = half || lone
				i += n - 1
			case c >= utf8.RuneSelf || 'A' <= c && c <= 'Z':
				strange = true
			}
		}
		if i >= len(b) {
			return ambiguous, half
		}
		rest := bytes.TrimLeft(b[i+1:], " \t\r\n")
		if strange && !ambiguous && len(rest) > 0 && rest[0] == ':' {
			ambiguous = s.similar(b[from:i])
		}
		next := bytes.IndexByte(rest, '"')
		if next < 0 {
			return ambiguous, half
		}
		i = len(b) - len(rest) + next
	}
	return ambiguous, half
}

// similar reports whether a name could be mistaken for one of the shape's, at any depth.
func (s shape) similar(name []byte) bool {
	if bytes.IndexByte(name, '\\') >= 0 {
		return true
	}
	for ours, of := range s {
		if ours != string(name) && strings.EqualFold(ours, string(name)) || of.similar(name) {
			return true
		}
	}
	return false
}

// escape returns the length in bytes of the escape at the beginning of b, with both half of a surrogate pair. half
// reports whether it is one half without the other.
func escape(b []byte) (n int, half bool) {
	first, ok := unit(b)
	switch {
	case !ok:
		return 2, false
	case !utf16.IsSurrogate(first):
		return 6, false
	}
	if second, ok := unit(b[6:]); ok && utf16.DecodeRune(first, second) != utf8.RuneError {
		return 12, false
	}
	return 6, true
}

// unit reads an escape of the form \uXXXX.
func unit(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return rune(n), err == nil
}
