package exec

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

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
		{"hello", "", "the first request to a process, once: who speaks, and what it can test", Hello{}, HelloReply{}},
		{"case.begin", "", "a case begins; nothing is open", CaseBegin{}, Nothing{}},
		{"case.end", "", "the case is over: close everything that it opened, then answer. Send no event of it after that; answer requests for its handles with err", Nothing{}, Nothing{}},
		{"barrier", "", "answer when all events of what has happened before are written", Nothing{}, Nothing{}},
		{"cancel", "", "cancels the context of a request under way, as an impatient caller does; answer that request all the same", Cancel{}, Nothing{}},
		{"crash", "", "exit at once with status 7, without an answer; lwtest smoke sends it to see that lwtest notices", Nothing{}, Nothing{}},
		{"shutdown", "", "answer, then exit with status 0. Also exit with status 0 at the end of stdin", Nothing{}, Nothing{}},
	}
	return slices.Concat(ops, listWatchOps(), storeOps(), informerOps(), watchCacheOps(), runtimeOps(), nodeOps())
}

// Evs are all events.
func Evs() []Ev {
	return []Ev{
		{"push", "store", "a store with the feature undelta pushed its whole content", StorePush{}},
		{"notice", "informer", "a handler was called. If it was added with hold, the call returns only after inf.release", InformerNotice{}},
		{"pushed", "informer", "an informer with the feature pushes pushed its whole content", InformerPush{}},
		{"failed", "informer", "an informer with the feature error-hook reported an error", InformerFailed{}},
	}
}

// Nothing has no fields.
type Nothing struct{}

// Hello is the first request.
type Hello struct {
	Protocol int `json:"protocol"` // the version that lwtest speaks: 1
}

// HelloReply says who speaks.
type HelloReply struct {
	Protocol       int     `json:"protocol"`          // the version that the adapter speaks
	Implementation string  `json:"implementation"`    // what is under test, by the name that its users know
	Version        string  `json:"version,omitempty"` // its version
	Offers         []Offer `json:"offers"`            // at least one, and at most one of each kind
}

// Offer is what can be put to the suite of a kind. Where an implementation has several ways of one kind, the adapter's
// command line says which.
type Offer struct {
	Kind     string   `json:"kind"`             // listerwatcher, store, informer, watchcache, runtime, node
	Features []string `json:"features"`         // of this kind, see lwtest list --features; none may exclude another
	Holds    bool     `json:"holds,omitempty"`  // informer only: handlers can be made to wait (inf.handle with hold)
	Serves   bool     `json:"serves,omitempty"` // watchcache only: it speaks the Kubernetes API over HTTP, and wc.start says where
	// node only: how the agent is configured, where it does not do as node.start says. The rules take their times from it
	Config *NodeConfig `json:"config,omitempty"`
}

// CaseBegin says which case begins.
type CaseBegin struct {
	Case string `json:"case"` // the run and the check, RUN-SECTION-CHECK, for the adapter's log; of lwtest smoke smoke/STEP
}

// Cancel names a request.
type Cancel struct {
	Of int64 `json:"of"` // its id
}

// Server is one that a client under test is given, or that is under test itself.
type Server struct {
	URL   string `json:"url"`             // http://HOST:PORT or https://HOST:PORT
	CA    string `json:"ca,omitempty"`    // PEM of the authority that signed its certificate; none: the system's, or no TLS
	Token string `json:"token,omitempty"` // bearer token; send it as any client of Kubernetes does
}

// Resource is what it is asked for.
type Resource struct {
	Group    string `json:"group"`
	Version  string `json:"version"`
	Resource string `json:"resource"`
}

// Failure is what stands under "err". With a status it is what the server said, as the implementation tells it.
type Failure struct {
	Code     string              `json:"code,omitempty" jsonschema:"enum=key,enum=closed"` // key: the key function failed; closed: the queue is closed; otherwise none
	Msg      string              `json:"msg"`                                              // the error message of the implementation
	Status   *metav1.Status      `json:"status,omitempty"`                                 // the Kubernetes Status that the server sent, if the implementation passes it on
	Definite bool                `json:"definite,omitempty"`                               // of a write: it certainly did not happen
	Options  *metav1.ListOptions `json:"options,omitempty"`                                // of lw.list, lw.watch and lw.until: the caller's options after the call
}
