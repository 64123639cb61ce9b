// Package requestlog records what an API server was asked and what it answered, one entry for each thing
// that happened, in the order in which the server saw them: enough for a judge to say whether clients were
// told the truth, and for a person to say what a client did.
//
//	log := requestlog.New(func(e requestlog.Entry) { … })
//	cm, err := apiserver.ConfigMaps(log.API(server, "a"), "default").Get(ctx, "x", metav1.GetOptions{})
//
// Objects are in it whole, secrets too.
package requestlog

import (
	"encoding/json"
	"time"
)

// What an entry says has happened.
type What string

const (
	Asked    What = "request" // a request came; what it does is done after this
	Answered What = "answer"  // it was done, or refused; of a watch: it is open
	Sent     What = "event"   // of a watch, as the client is about to get it
	Spoiled  What = "spoiled" // of a watch, in place of an event: bytes that no client can read
	Struck   What = "fault"   // a fault struck the request
	Over     What = "end"     // of a watch; and of each request over HTTP, when its bytes were written
	Settled  What = "settled" // everything up to ResourceVersion has been sent; see Log.Settled
)

// How an end came about.
type How string

const (
	Clean   How = "clean"   // the server ended it as it should
	Broken  How = "broken"  // the stream or connection broke off: what was sent last may not have arrived
	Stopped How = "stopped" // the client did
)

// Entry is one thing that happened. Only What's own fields are set, beside the first four.
type Entry struct {
	N       int64     `json:"n"` // from 1 without a gap
	What    What      `json:"what"`
	Request int64     `json:"request,omitempty"` // the N of the request that it belongs to
	Time    time.Time `json:"time"`

	// Of a request.
	View        string          `json:"view,omitempty"`      // which server was asked
	UserAgent   string          `json:"userAgent,omitempty"` // of the caller
	Remote      string          `json:"remote,omitempty"`    // address of the caller
	Client      string          `json:"client,omitempty"`    // what the caller's token says of it
	Idle        []int           `json:"idle,omitempty"`      // seconds for which each other connection of the client has carried nothing, when it uses a new one
	Method      string          `json:"method,omitempty"`    // of HTTP
	URI         string          `json:"uri,omitempty"`       // of HTTP, path and query
	Accept      string          `json:"accept,omitempty"`    // of HTTP, the header
	HTTP2       bool            `json:"http2,omitempty"`     // it came over HTTP/2
	Verb        string          `json:"verb,omitempty"`      // create, get, list, watch, update, patch, delete, deletecollection; "" for what is none of a resource
	Group       string          `json:"group,omitempty"`
	Version     string          `json:"version,omitempty"`
	Resource    string          `json:"resource,omitempty"`
	Subresource string          `json:"subresource,omitempty"`
	Namespace   string          `json:"namespace,omitempty"` // "": all, or none
	Name        string          `json:"name,omitempty"`
	Options     json.RawMessage `json:"options,omitempty"` // those of the verb, as metav1 has them
	Which       json.RawMessage `json:"which,omitempty"`   // ListOptions of a deletecollection
	PatchType   string          `json:"patchType,omitempty"`
	Patch       string          `json:"patch,omitempty"`

	// Object is what was sent, what was answered, or what the event shows; of a lost answer, what it would
	// have been. It is as the wire has it, without kind and apiVersion where the resource says them.
	Object json.RawMessage `json:"object,omitempty"`
	// ResourceVersion is Object's; of an end, the last that was sent.
	ResourceVersion string `json:"resourceVersion,omitempty"`

	// Of an answer or an ERROR event. An error that is no Status has a message only.
	Code    int32  `json:"code,omitempty"` // of HTTP; of an end: what the wire said
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`

	// Of an event.
	Event string `json:"event,omitempty"` // ADDED, MODIFIED, DELETED, BOOKMARK, ERROR; of what is spoiled, what it would be

	// Of a fault.
	Fault string `json:"fault,omitempty"` // its name
	Does  string `json:"does,omitempty"`  // what it does; also of what it has spoiled
	Lost  bool   `json:"lost,omitempty"`  // the client gets no answer, or not all of it

	// Of an end.
	How    How   `json:"how,omitempty"`
	Events int   `json:"events,omitempty"` // how many were sent
	Bytes  int64 `json:"bytes,omitempty"`  // of the body
}
