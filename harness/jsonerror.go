package harness

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// JSONError returns an error that says in plain English what an error of encoding/json means. Call it before the error
// is wrapped. Any other error, and nil, is returned as it is.
func JSONError(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax) && syntax.Error() == "unexpected end of JSON input", errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the JSON ends in the middle")
	case errors.Is(err, io.EOF):
		return errors.New("there is no JSON")
	case errors.As(err, &syntax):
		return fmt.Errorf("the JSON is broken at byte %d: %w", syntax.Offset, syntax)
	case errors.As(err, &kind):
		field := ""
		if kind.Field != "" {
			field = kind.Field + ": "
		}
		return fmt.Errorf("%s%s stands where %s is wanted", field, aJSON(kind.Value), wantedJSON(kind.Type))
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok { // the package has no type for it
		return fmt.Errorf("there is no field %s", name)
	}
	return err
}

// aJSON returns a value as UnmarshalTypeError describes it, such as "number 1.5", with its article.
func aJSON(value string) string {
	switch name, what, _ := strings.Cut(value, " "); {
	case what != "":
		return "the " + value
	case name == "bool":
		return "true or false"
	case name == "array":
		return "a list"
	case name == "object":
		return "an object"
	}
	return "a " + value
}

// wantedJSON describes the JSON that a type is read from.
func wantedJSON(t reflect.Type) string {
	if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return "a string"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return wantedJSON(t.Elem())
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number of 0 or more"
	}
	return "something else"
}
