package rig

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/harness/story"
)

// Fault is one thing that goes wrong, and for which requests of the client's. Exactly one of the fields under
// "what" is set. Its JSON is what docs/faults.md describes.
type Fault struct {
	Name string `json:"name,omitempty"`

	// Which: all that have what is said here, and of these the Nth and on (0: the first), Times of them (0: one
	// where Nth is set, else all).
	Verbs []string `json:"verbs,omitempty"` // list, watch; of a client that writes itself create, update, patch
	View  string   `json:"view,omitempty"`
	// Streaming chooses watches that ask for what is there first (streaming lists), or those that do not; nil: all.
	Streaming *bool `json:"streaming,omitempty"`
	// Continued chooses lists that go on by a continue token (further pages), or those that do not; nil: all.
	Continued *bool `json:"continued,omitempty"`
	// Versioned chooses lists and watches that say from which resourceVersion, or those that leave it unset or say 0; nil: all.
	Versioned *bool `json:"versioned,omitempty"`
	Nth       int   `json:"nth,omitempty"`
	Times     int   `json:"times,omitempty"`

	// What.
	Latency Duration `json:"latency,omitempty"` // it waits before it is looked at
	Status  *Status  `json:"status,omitempty"`  // it is refused, and nothing is done
	Hang    string   `json:"hang,omitempty"`    // "headers" or "body": nothing comes (more) until the client goes, or for For
	Reset   string   `json:"reset,omitempty"`   // "headers" or "body": the connection breaks
	Empty   bool     `json:"empty,omitempty"`   // a further page (Continued) has no items, and the token that it was asked with
	Limit   int64    `json:"limit,omitempty"`   // of a list that is asked for in larger pages, each has at most so many items
	Answer  *Answer  `json:"answer,omitempty"`  // these bytes are answered
	Events  *Events  `json:"events,omitempty"`  // what a watch sends is disturbed
	Wire    *Bytes   `json:"wire,omitempty"`    // the same bytes go out in another way

	For Duration `json:"for,omitempty"`
}

// Validate returns an error for a verb that no fault can strike. The server that is given the fault checks the rest.
func (f Fault) Validate() error {
	for _, v := range f.Verbs {
		if all := []string{"list", "watch", "create", "update", "patch"}; !slices.Contains(all, v) {
			return fmt.Errorf("verbs has %q: say %s", v, strings.Join(all, ", "))
		}
	}
	return nil
}

// Status is the error that refuses a request, or that a watch ends with. What is empty is as a kube-apiserver
// has it with that code.
type Status struct {
	Code       int32  `json:"code"`
	Reason     string `json:"reason,omitempty"`
	Message    string `json:"message,omitempty"`
	RetryAfter int32  `json:"retryAfter,omitempty"` // seconds
	Cause      string `json:"cause,omitempty"`      // the type of the first cause in its details; NoReason: a cause without a type

	Causes []metav1.StatusCause `json:"causes,omitempty"` // that follow it
}

// NoReason is the reason of a Status, or the type of a cause, that has none.
const NoReason = "none"

// Answer is one of HTTP, as a proxy may give it.
type Answer struct {
	Code       int    `json:"code"`
	Type       string `json:"type,omitempty"` // "": application/json
	RetryAfter string `json:"retryAfter,omitempty"`
	Body       string `json:"body,omitempty"`
}

// Bytes says how the bytes of an answer, or of a watch, go out.
type Bytes struct {
	Frame  int      `json:"frame,omitempty"`  // a chunk of HTTP/1.1, or a frame of HTTP/2, has at most so many
	Inside bool     `json:"inside,omitempty"` // a frame ends within each character of several bytes
	Gather Duration `json:"gather,omitempty"` // the events of so long a time are sent in one frame
	Gzip   string   `json:"gzip,omitempty"`   // always, never; empty: from 128 KiB on
	Close  bool     `json:"close,omitempty"`  // the connection is closed after the answer, politely
}

// Events chooses among the events of each watch, or a moment after its opening, and says what becomes of it.
type Events struct {
	Types  []string  `json:"types,omitempty"` // ADDED, MODIFIED, DELETED, BOOKMARK; none: all
	Object string    `json:"object,omitempty"`
	Nth    int       `json:"nth,omitempty"`
	Times  int       `json:"times,omitempty"`
	After  *Duration `json:"after,omitempty"`

	Do     string   `json:"do"` // drop, double, swap, delay, early, lie, error, close, break, stall, truncate, garble, replace
	Status *Status  `json:"status,omitempty"`
	By     int64    `json:"by,omitempty"`
	For    Duration `json:"for,omitempty"`
	Frame  string   `json:"frame,omitempty"`
}

// Duration is a time.Duration whose JSON is text, such as "1.5s"; 0 is left out.
type Duration = story.Duration
