package adapter

import (
	"encoding/json"
	"errors"
)

var (
	// ErrKey is wrapped by the error of a store whose key function failed.
	ErrKey = errors.New("the object has no key")
	// ErrClosed is wrapped by the error of a Pop on a queue that is closed and empty.
	ErrClosed = errors.New("the queue is closed")
)

// Error is an error with more than a text. It may be wrapped.
type Error struct {
	Msg      string
	Status   json.RawMessage // the Status of the Kubernetes API behind it; nil: none
	Definite bool            // of a write: it certainly did not happen
}

func (e *Error) Error() string { return e.Msg }

// failure is what stands under err.
type failure struct {
	Code     string          `json:"code,omitempty"`
	Msg      string          `json:"msg"`
	Status   json.RawMessage `json:"status,omitempty"`
	Definite bool            `json:"definite,omitempty"`
	Options  json.RawMessage `json:"options,omitempty"`
}

// returned is an error of a call with options, which are the caller's when it has returned.
type returned struct {
	error
	options json.RawMessage
}

func (r returned) Unwrap() error { return r.error }

func failed(err error) *failure {
	f := &failure{Msg: err.Error()}
	var e *Error
	if errors.As(err, &e) {
		f.Status, f.Definite = e.Status, e.Definite
	}
	var r returned
	if errors.As(err, &r) {
		f.Options = r.options
	}
	switch {
	case errors.Is(err, ErrKey):
		f.Code = "key"
	case errors.Is(err, ErrClosed):
		f.Code = "closed"
	}
	return f
}

// absent is what the implementation does not have.
type absent string

func (a absent) Error() string { return string(a) }
