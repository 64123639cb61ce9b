package rig

import "encoding/json"

// The values of Entry.What.
const (
	Asked    = "request" // a request came; its effects follow
	Answered = "answer"  // the request was answered, or refused; a watch is open
	Sent     = "event"   // an event of a watch is about to be sent
	Spoiled  = "spoiled" // bytes that no client can read are sent in place of an event of a watch
	Struck   = "fault"   // a fault affects the request
	Over     = "end"     // a watch ended, or the bytes of an answer over HTTP were written
)

// Entry is something that happened between the server and its client. Only the fields of What are set.
type Entry struct {
	What    string `json:"what"`
	Request int64  `json:"request"` // the same for everything that follows from one request

	// Of a request.
	View      string          `json:"view,omitempty"`
	Client    string          `json:"client,omitempty"` // whose Endpoint it came by
	Idle      []int           `json:"idle,omitempty"`   // when the client uses a new connection: for how many seconds each other one has carried nothing
	URI       string          `json:"uri,omitempty"`    // path and query; "": it was not made over HTTP
	Accept    string          `json:"accept,omitempty"` // the header
	HTTP2     bool            `json:"http2,omitempty"`  // it came over HTTP/2
	Verb      string          `json:"verb,omitempty"`   // list, watch, get …; "": it is for no resource
	Group     string          `json:"group,omitempty"`
	Version   string          `json:"version,omitempty"`
	Resource  string          `json:"resource,omitempty"`
	Namespace string          `json:"namespace,omitempty"` // "": all
	Options   json.RawMessage `json:"options,omitempty"`   // as metav1.ListOptions has them

	Object          json.RawMessage `json:"object,omitempty"` // the answer or the event's object
	ResourceVersion string          `json:"resourceVersion,omitempty"`

	// Of an answer, or an ERROR event.
	Code    int32  `json:"code,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`

	Event string `json:"event,omitempty"` // ADDED, MODIFIED, DELETED, BOOKMARK, ERROR; of Spoiled, the event that it replaces

	// Of a fault.
	Fault string `json:"fault,omitempty"`
	Does  string `json:"does,omitempty"` // such as "status 429" or "garble"
	Lost  bool   `json:"lost,omitempty"` // the client gets no answer, or only a part of it

	How string `json:"how,omitempty"` // of an end: clean, broken, stopped (by the client)
}
