package rig

import "encoding/json"

// What an Entry says has happened.
const (
	Asked    = "request" // a request came; what it does is done after this
	Answered = "answer"  // it was done, or refused; of a watch: it is open
	Sent     = "event"   // of a watch, as the client is about to get it
	Spoiled  = "spoiled" // of a watch, in place of an event: bytes that no client can read
	Struck   = "fault"   // a fault struck it
	Over     = "end"     // of a watch; and of each request over HTTP, when its bytes were written
)

// Entry is one thing that happened between the server and its client. Only what belongs to What is set.
type Entry struct {
	What    string `json:"what"`
	Request int64  `json:"request"` // the same for all that comes of one request

	// Of a request.
	View      string          `json:"view,omitempty"`
	URI       string          `json:"uri,omitempty"`    // path and query; "": it came by no wire
	Accept    string          `json:"accept,omitempty"` // the header
	Verb      string          `json:"verb,omitempty"`   // list, watch, get …; "": none of a resource
	Group     string          `json:"group,omitempty"`
	Version   string          `json:"version,omitempty"`
	Resource  string          `json:"resource,omitempty"`
	Namespace string          `json:"namespace,omitempty"` // "": all
	Options   json.RawMessage `json:"options,omitempty"`   // as metav1.ListOptions has them

	Object          json.RawMessage `json:"object,omitempty"` // what was answered or sent
	ResourceVersion string          `json:"resourceVersion,omitempty"`

	// Of an answer, or an ERROR event.
	Code    int32  `json:"code,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`

	Event string `json:"event,omitempty"` // ADDED, MODIFIED, DELETED, BOOKMARK, ERROR; of what is spoiled, what it would be

	// Of a fault.
	Fault string `json:"fault,omitempty"`
	Does  string `json:"does,omitempty"` // what it does: "status 429", "garble"
	Lost  bool   `json:"lost,omitempty"` // the client gets no answer, or not all of it

	How string `json:"how,omitempty"` // of an end: clean, broken, stopped (by the client)
}
