package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Items returns the items of an event; nil: it has no such field, or is none.
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

// Args returns the arguments of a call as a type, which must have every field of them; zero if there are none.
func Args[A any](e *Event) (a A, err error) {
	if e.X == nil {
		return a, nil
	}
	return a, Exactly("args", e.X.Args, &a)
}

// Body returns the body of an event as a type, which must have every field of it; zero if there is none.
func Body[B any](e *Event) (b B, err error) {
	if e.X == nil {
		return b, nil
	}
	return b, Exactly("body", e.X.Body, &b)
}

// ArgsOf returns the arguments of a call as a type, as rules read them; zero if they are none.
func ArgsOf[A any](e *Event) (a A) {
	if e.X != nil {
		_ = json.Unmarshal(e.X.Args, &a)
	}
	return a
}

// BodyOf returns the body of an event as a type, as rules read it; zero if it is none. e may be nil.
func BodyOf[B any](e *Event) (b B) {
	if e != nil && e.X != nil {
		_ = json.Unmarshal(e.X.Body, &b)
	}
	return b
}

// Exactly decodes JSON of which every field must be known; nil says nothing.
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
