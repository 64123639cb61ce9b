package exec

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func listWatchOps() []Op {
	const kind = "listerwatcher"
	return []Op{
		{"lw.open", kind, "a client of a server", LWOpen{}, Nothing{}},
		{"lw.list", kind, "one list", LWCall{}, LWList{}},
		{"lw.watch", kind, "opens a watch; the context of this request is the watch's, so that cancel of it ends the watch at any time", LWWatch{}, LWCalled{}},
		{"lw.read", kind, "reads a watch: answered when one event is there, or the watch has ended", Read{}, ReadReply{}},
		{"lw.stop", kind, "stops a watch; it may be asked at any time, also twice, also while lw.read waits", Stop{}, Nothing{}},
		{"lw.until", kind, "waits for a condition (feature waits)", LWUntil{}, LWUntilReply{}},
	}
}

// LWOpen makes a client.
type LWOpen struct {
	H         string   `json:"h"` // its handle from now on
	Server    Server   `json:"server"`
	Resource  Resource `json:"resource"`
	Namespace string   `json:"namespace,omitempty"` // none: all
}

// LWCall is a call with options.
type LWCall struct {
	H       string             `json:"h"`
	Options metav1.ListOptions `json:"options"`
}

// LWCalled are the caller's options when the call has returned: what the caller gave must not change.
type LWCalled struct {
	Options metav1.ListOptions `json:"options"`
}

// LWList is what a list gave.
type LWList struct {
	LWCalled
	Metadata metav1.ListMeta   `json:"metadata"`
	Items    []json.RawMessage `json:"items"` // as the client's own type has them
}

// LWWatch opens a watch.
type LWWatch struct {
	LWCall
	W string `json:"w"` // its handle from now on
}

// Read asks for an event of a watch.
type Read struct {
	W string `json:"w"`
}

// ReadReply is the next event, or the end: one of them is there.
type ReadReply struct {
	Event *Event `json:"event,omitempty" jsonschema:"anyof_required=event"` // the next
	Ended bool   `json:"ended,omitempty" jsonschema:"anyof_required=ended"` // true: there is no event, and none comes any more
}

// Stop stops a watch.
type Stop struct {
	W string `json:"w"`
}

// Event is one of a watch.
type Event struct {
	Type   string          `json:"type"`   // ADDED, MODIFIED, DELETED, BOOKMARK, ERROR; empty: the client gave none
	Object json.RawMessage `json:"object"` // as the client's own type has it; of ERROR a Status, where it is one; null: it gave none
}

// LWUntil waits until an event of this type comes, of an object of this name.
type LWUntil struct {
	LWCall
	Type   string  `json:"type"`
	Name   string  `json:"name"`
	Unless *Unless `json:"unless,omitempty"` // feature preconditions
}

// Unless is a precondition, that is looked at when a list is there.
type Unless struct {
	Name  string `json:"name"`
	There bool   `json:"there"`
}

// LWUntilReply is the event that met the condition, or says that the precondition held.
type LWUntilReply struct {
	LWCalled
	Event *Event `json:"event,omitempty"`
}

func informerOps() []Op {
	const kind = "informer"
	return []Op{
		{"inf.open", kind, "makes an informer, which is not started yet", InformerOpen{}, Nothing{}},
		{"inf.run", kind, "starts it; answered when it has stopped, which cancel asks it to", Informer{}, Nothing{}},
		{"inf.get", kind, "what its store has under a key", InformerKey{}, InformerObject{}},
		{"inf.list", kind, "all that its store has, in any order", Informer{}, InformerObjects{}},
		{"inf.synced", kind, "whether it has synced (feature has-synced)", Informer{}, InformerSynced{}},
		{"inf.handle", kind, "adds a handler (feature handlers)", InformerHandle{}, Nothing{}},
		{"inf.release", kind, "lets the call of a handler return that was added with hold", InformerRelease{}, Nothing{}},
		{"inf.handled", kind, "whether a handler has been told of its first objects (feature handler-synced)", InformerHandler{}, InformerSynced{}},
		{"inf.unhandle", kind, "takes a handler away (feature removal), and does nothing where it has", InformerUnhandle{}, Nothing{}},
		{"inf.index", kind, "the objects under a value of the index app (feature indexes)", InformerIndex{}, InformerObjects{}},
		{"inf.version", kind, "the resourceVersion that its store tells (feature version)", Informer{}, InformerVersion{}},
		{"inf.write", kind, "changes the annotation note of an object, or creates it; answered when the server has acknowledged that (feature read-your-writes)", InformerWrite{}, InformerObject{}},
		{"inf.read", kind, "is inf.get, but may wait for the own writes (feature read-your-writes)", InformerKey{}, InformerObject{}},
	}
}

// InformerOpen makes an informer. What belongs to a feature is set only where that is declared.
type InformerOpen struct {
	H         string   `json:"h"`
	Server    Server   `json:"server"`
	Resource  Resource `json:"resource"`
	Namespace string   `json:"namespace,omitempty"` // none: all

	ResyncMS  int64  `json:"resyncMs,omitempty"`  // how often handlers without a period of their own are told of everything again (feature resync)
	PageSize  int64  `json:"pageSize,omitempty"`  // of its lists (feature page-size)
	Transform string `json:"transform,omitempty"` // mark: the annotation lwtest/marked is set to yes before an object is kept (feature transforms)
	Index     string `json:"index,omitempty"`     // app: an index by the label app (feature indexes)
	Failures  bool   `json:"failures,omitempty"`  // errors are to be told as events failed (feature error-hook)
	Pushes    bool   `json:"pushes,omitempty"`    // the whole content, as events pushed (feature pushes)
}

// Informer names one.
type Informer struct {
	H string `json:"h"`
}

// InformerKey names an object of one.
type InformerKey struct {
	H   string `json:"h"`
	Key string `json:"key"` // namespace/name, or name
}

// InformerObject is one object as its own type has it; none: nothing is there.
type InformerObject struct {
	Object json.RawMessage `json:"object,omitempty"`
}

// InformerObjects are some.
type InformerObjects struct {
	Objects []json.RawMessage `json:"objects"`
}

// InformerSynced says whether.
type InformerSynced struct {
	Synced bool `json:"synced"`
}

// InformerHandle adds a handler.
type InformerHandle struct {
	H        string `json:"h"`
	As       string `json:"as"`                 // the handler's own handle from now on
	PeriodMS int64  `json:"periodMs,omitempty"` // how often it is told of everything again (feature handler-periods)
	Hold     bool   `json:"hold,omitempty"`     // each call of it waits for inf.release (feature holds)
}

// InformerHandler names a handler.
type InformerHandler struct {
	H  string `json:"h"`
	As string `json:"as"`
}

// InformerRelease lets one call of a handler return.
type InformerRelease struct {
	H   string `json:"h"`
	As  string `json:"as"`
	Seq int64  `json:"seq"` // of the notice
}

// InformerUnhandle takes a handler away.
type InformerUnhandle struct {
	H    string `json:"h"`
	As   string `json:"as"`
	Wait bool   `json:"wait,omitempty"` // answered only when no call of it is under way (feature removal-waits)
}

// InformerIndex asks an index.
type InformerIndex struct {
	H     string `json:"h"`
	Value string `json:"value"`
}

// InformerVersion is a resourceVersion; none: the store tells none yet.
type InformerVersion struct {
	ResourceVersion string `json:"resourceVersion,omitempty"`
}

// InformerWrite is a write of a client that reads its own.
type InformerWrite struct {
	H    string `json:"h"`
	Key  string `json:"key"`
	Note string `json:"note"`
}

// InformerNotice is one notification of a handler.
type InformerNotice struct {
	H       string          `json:"h"`
	As      string          `json:"as"`
	Seq     int64           `json:"seq"`                                                // 1, 2, 3 … for each handler
	Type    string          `json:"type" jsonschema:"enum=ADD,enum=UPDATE,enum=DELETE"` // ADD, UPDATE, DELETE: which of the handler's functions was called
	Object  json.RawMessage `json:"object,omitempty"`                                   // of DELETE the last state known
	Key     string          `json:"key,omitempty"`                                      // of DELETE without an object
	Old     json.RawMessage `json:"old,omitempty"`                                      // of UPDATE
	Initial bool            `json:"initial,omitempty"`                                  // of ADD: of the handler's first objects (feature initial-flag)
	Unknown bool            `json:"unknown,omitempty"`                                  // of DELETE: nobody saw it (feature delete-state)
	Held    json.RawMessage `json:"held,omitempty"`                                     // what the store had under that key when the handler was called
	Indexed []string        `json:"indexed,omitempty"`                                  // keys that the index gave then for the app of object (feature indexes)
}

// InformerPush is the whole content of an informer's store.
type InformerPush struct {
	H       string            `json:"h"`
	Objects []json.RawMessage `json:"objects"`
}

// InformerFailed is an error that an informer tells of.
type InformerFailed struct {
	H   string  `json:"h"`
	Err Failure `json:"err"`
}
