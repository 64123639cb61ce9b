package exec

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Version is the protocol's. An adapter that speaks another is refused before the first case.
const Version = 1

// Op is one row of the protocol: a request that lwtest makes, and what answers it.
type Op struct {
	Name    string
	Kind    string // what it belongs to; "": every adapter has it
	About   string
	Request any // its fields beside id and op
	Reply   any // what stands under "ok"
}

// Ev is one row of what an adapter tells without having been asked.
type Ev struct {
	Name   string
	Kind   string
	About  string
	Fields any // its fields beside ev
}

// Ops are all requests, in the order of the docs.
func Ops() []Op {
	ops := []Op{
		{"hello", "", "the first request, once in the life of a process: who speaks, and what it can be put to", Hello{}, HelloReply{}},
		{"case.begin", "", "a case begins: nothing is open", CaseBegin{}, Nothing{}},
		{"case.end", "", "it is over: whatever is still open ends, and the answer comes when it has ended; no event of it comes after that, and what is asked of an h of it is answered with err", Nothing{}, Nothing{}},
		{"barrier", "", "answered when all events of what has happened before are out", Nothing{}, Nothing{}},
		{"cancel", "", "ends the context of a request that is under way, as a caller does who will not wait; that request is answered all the same", Cancel{}, Nothing{}},
		{"crash", "", "the process ends at once with status 7, unanswered: lwtest smoke asks for it to see that its end is noticed", Nothing{}, Nothing{}},
		{"shutdown", "", "answered, then the process ends with status 0; so it does, unasked, at the end of its input", Nothing{}, Nothing{}},
	}
	return append(append(append(append(ops, listWatchOps()...), storeOps()...), informerOps()...), watchCacheOps()...)
}

// Evs are all events.
func Evs() []Ev {
	return []Ev{
		{"push", "store", "a store with the feature undelta gives its whole content", StorePush{}},
		{"notice", "informer", "a handler is told; where it was added with hold, the call returns when it is released", InformerNotice{}},
		{"pushed", "informer", "an informer with the feature pushes gives its whole content", InformerPush{}},
		{"failed", "informer", "an informer with the feature error-hook tells of an error", InformerFailed{}},
	}
}

// Nothing has no fields.
type Nothing struct{}

// Hello is the first request.
type Hello struct {
	Protocol int `json:"protocol"` // Version
}

// HelloReply says who speaks.
type HelloReply struct {
	Protocol       int     `json:"protocol"`          // the version that the adapter speaks
	Implementation string  `json:"implementation"`    // what is under test, as its users call it
	Version        string  `json:"version,omitempty"` // of that
	Offers         []Offer `json:"offers"`            // at least one, of each kind at most one
}

// Offer is what can be put to the suite of a kind. Where an implementation has several ways of one kind, the adapter's
// command line says which.
type Offer struct {
	Kind     string   `json:"kind"`             // listerwatcher, store, informer, watchcache
	Features []string `json:"features"`         // of the table of that kind: lwtest list --features; none that rules out another
	Holds    bool     `json:"holds,omitempty"`  // of an informer: its handlers can be made to wait (inf.handle with hold)
	Serves   bool     `json:"serves,omitempty"` // of a watchcache: it speaks the Kubernetes API over HTTP, and wc.start says where
}

// CaseBegin says which case begins.
type CaseBegin struct {
	Case string `json:"case"` // kind/check, for the adapter's log
}

// Cancel names a request.
type Cancel struct {
	Of int64 `json:"of"` // its id
}

// Server is one that a client under test is given, or that is under test itself.
type Server struct {
	URL   string `json:"url"`             // http://HOST:PORT or https://HOST:PORT
	CA    string `json:"ca,omitempty"`    // PEM of the authority of its certificate
	Token string `json:"token,omitempty"` // bearer token
}

// Resource is what it is asked for.
type Resource struct {
	Group    string `json:"group"`
	Version  string `json:"version"`
	Resource string `json:"resource"`
}

// Failure is what stands under "err". With a status it is what the server said, as the implementation tells it.
type Failure struct {
	Code     string              `json:"code,omitempty" jsonschema:"enum=key,enum=closed"` // key (the key function failed), closed (a queue is); else nothing
	Msg      string              `json:"msg"`                                              // what the implementation says
	Status   *metav1.Status      `json:"status,omitempty"`                                 // the Status of the Kubernetes API that it is made of
	Definite bool                `json:"definite,omitempty"`                               // of a write: it certainly did not happen
	Options  *metav1.ListOptions `json:"options,omitempty"`                                // of lw.list, lw.watch and lw.until: the caller's, when the call has returned
}
