package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Items returns the items of a list event, or nil if e is nil or has none.
func Items(e *Event) []Ref {
	if e == nil || e.X == nil {
		return nil
	}
	return e.X.Items
}

// Spelt returns an error if a kind differs from one of these only in the case of its letters.
func Spelt(kind string, kinds []string) error {
	for _, k := range kinds {
		if kind != k && strings.EqualFold(kind, k) {
			return fmt.Errorf("there is no such kind: say %s", k)
		}
	}
	return nil
}

// Args decodes the arguments of a call strictly: a field that A lacks is an error. Without arguments it returns the zero A.
func Args[A any](e *Event) (a A, err error) {
	if e.X == nil {
		return a, nil
	}
	return a, Exactly("args", e.X.Args, &a)
}

// Body decodes the body of an event strictly: a field that B lacks is an error. Without a body it returns the zero B.
func Body[B any](e *Event) (b B, err error) {
	if e.X == nil {
		return b, nil
	}
	return b, Exactly("body", e.X.Body, &b)
}

// ArgsOf decodes the arguments of a call leniently, for rules. It returns the zero A if that fails.
func ArgsOf[A any](e *Event) (a A) {
	if e.X != nil {
		_ = json.Unmarshal(e.X.Args, &a)
	}
	return a
}

// BodyOf decodes the body of an event leniently, for rules. It returns the zero B if that fails, or if e is nil.
func BodyOf[B any](e *Event) (b B) {
	if e != nil && e.X != nil {
		_ = json.Unmarshal(e.X.Body, &b)
	}
	return b
}

// Exactly decodes JSON and returns an error for an unknown field. It leaves into as it is if b is nil.
func Exactly(what string, b []byte, into any) error {
	if b == nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
