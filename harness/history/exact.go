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

// encoding/json takes "Kind" for kind, and what is no Unicode for U+FFFD: a
// trace's own field would count as one of ours, and two contents for one.

// shape has the fields of a JSON object; of those that are objects, or lists of
// them, theirs, too.
type shape map[string]shape

// shapeOf is the shape that a type is decoded from; nil of what has no fields of ours.
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

// decode is json.Unmarshal for one line, by the exact names of its fields.
func decode(b []byte, s shape, v any) error {
	keep := b
	odd, halves := look(b, s)
	if odd {
		var err error
		if keep, err = only(b, s); err != nil {
			return err
		}
	}
	switch err := json.Unmarshal(keep, v); {
	case err != nil:
		return inWords(b, err)
	case !utf8.Valid(b):
		return errors.New("not UTF-8: what is not is not told apart; write such content as a hash, or in base64")
	case halves:
		return errors.New("an escape such as \\udc80 is half a character: what is none is not told apart; write such content as a hash, or in base64")
	}
	return nil
}

// byteOrderMark is what some editors put before a text: no JSON begins with it.
const byteOrderMark = "\ufeff"

// inWords says what is wrong in the words of SCHEMA.md, where encoding/json has those of Go.
func inWords(b []byte, err error) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case bytes.HasPrefix(b, []byte(byteOrderMark)):
		return errors.New("it begins with a byte order mark: save it as UTF-8 without one")
	case errors.As(err, &wrong) && wrong.Field == "":
		return fmt.Errorf("a JSON %s stands where an object belongs", wrong.Value)
	case errors.As(err, &wrong):
		return fmt.Errorf("field %q holds a JSON %s: want %s", wrong.Field, wrong.Value, wanted(wrong.Type))
	}
	return err
}

// wanted is the JSON that a Go type is read from.
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

// only leaves out of a JSON value the fields that its shape does not name.
func only(b json.RawMessage, s shape) (json.RawMessage, error) {
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
			all[i], err = only(all[i], s)
		}
		return again(all, err)
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
			if all[name], err = only(value, of); err != nil {
				return nil, err
			}
		}
		return again(all, nil)
	}
	return b, nil
}

// again is the text of a value, each part of it as it was.
func again(v any, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err = e.Encode(v)
	return b.Bytes(), err
}

// look goes through the strings of a line once: odd says that the name of some
// field could be taken for one of ours, halves that one has half a character.
func look(b []byte, s shape) (odd, halves bool) {
	for i := bytes.IndexByte(b, '"'); i >= 0 && i < len(b); {
		from := i + 1
		strange := false // it has what a name of ours has not
		for i = from; i < len(b) && b[i] != '"'; i++ {
			switch c := b[i]; {
			case c == '\\':
				strange = true
				n, half := escape(b[i:])
				halves = halves || half
				i += n - 1
			case c >= utf8.RuneSelf || 'A' <= c && c <= 'Z':
				strange = true
			}
		}
		if i >= len(b) {
			return odd, halves
		}
		rest := bytes.TrimLeft(b[i+1:], " \t\r\n")
		if strange && !odd && len(rest) > 0 && rest[0] == ':' {
			odd = s.alike(b[from:i])
		}
		next := bytes.IndexByte(rest, '"')
		if next < 0 {
			return odd, halves
		}
		i = len(b) - len(rest) + next
	}
	return odd, halves
}

// alike says that a name could be taken for one of a shape's, at any depth.
func (s shape) alike(name []byte) bool {
	if bytes.IndexByte(name, '\\') >= 0 {
		return true
	}
	for ours, of := range s {
		if ours != string(name) && strings.EqualFold(ours, string(name)) || of.alike(name) {
			return true
		}
	}
	return false
}

// escape is how many bytes the escape at the beginning of b has, both halves of
// a pair together, and whether it is a half without the other.
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

// unit reads \uXXXX.
func unit(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return rune(n), err == nil
}
