package exec

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func listWatchOps() []Op {
	const kind = "listerwatcher"
	return []Op{
		{"lw.open", kind, "make a client for a server", LWOpen{}, Nothing{}},
		{"lw.list", kind, "list once", LWCall{}, LWList{}},
		{"lw.watch", kind, "open a watch. The watch lives as long as this request's context: cancel ends it, also after the answer", LWWatch{}, LWCalled{}},
		{"lw.read", kind, "read a watch: answer when there is one event, or when the watch has ended, also because it was stopped", Read{}, ReadReply{}},
		{"lw.stop", kind, "stop a watch. It may come at any time, also twice, also while lw.read waits: answer that read too", Stop{}, Nothing{}},
		{"lw.until", kind, "wait for a condition (feature waits)", LWUntil{}, LWUntilReply{}},
	}
}

// LWOpen makes a client.
type LWOpen struct {
	H         string   `json:"h"` // its handle from now on
	Server    Server   `json:"server"`
	Resource  Resource `json:"resource"`
	Namespace string   `json:"namespace,omitempty"` // none: all namespaces
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
	Items    []json.RawMessage `json:"items"` // as the client's own type has them, in JSON
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
	Event *Event `json:"event,omitempty" jsonschema:"anyof_required=event"` // the next event
	Ended bool   `json:"ended,omitempty" jsonschema:"anyof_required=ended"` // true: the watch has ended, and no event follows
}

// Stop stops a watch.
type Stop struct {
	W string `json:"w"`
}

// Event is one of a watch.
type Event struct {
	Type   string          `json:"type"`   // ADDED, MODIFIED, DELETED, BOOKMARK, ERROR; empty if the client gave none
	Object json.RawMessage `json:"object"` // as the client's own type has it; of ERROR the Status; null if the client gave none
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
		{"inf.open", kind, "make an informer, but do not start it", InformerOpen{}, Nothing{}},
		{"inf.run", kind, "start it. Answer when it has stopped; cancel asks it to stop", Informer{}, Nothing{}},
		{"inf.get", kind, "get what its store has under a key", InformerKey{}, InformerObject{}},
		{"inf.list", kind, "list all that its store has, in any order", Informer{}, InformerObjects{}},
		{"inf.synced", kind, "say whether it has synced (feature has-synced)", Informer{}, InformerSynced{}},
		{"inf.handle", kind, "add a handler (feature handlers)", InformerHandle{}, Nothing{}},
		{"inf.release", kind, "let a held call of a handler return", InformerRelease{}, Nothing{}},
		{"inf.handled", kind, "say whether a handler has got its first objects (feature handler-synced)", InformerHandler{}, InformerSynced{}},
		{"inf.unhandle", kind, "remove a handler (feature removal); do nothing if it is removed already", InformerUnhandle{}, Nothing{}},
		{"inf.index", kind, "list the objects under a value of the index app (feature indexes)", InformerIndex{}, InformerObjects{}},
		{"inf.version", kind, "get the resourceVersion that its store reports (feature version)", Informer{}, InformerVersion{}},
		{"inf.write", kind, "set the annotation note of an object, or create the object. Answer when the server has acknowledged it (feature writes)", InformerWrite{}, InformerObject{}},
		{"inf.read", kind, "like inf.get, but it may wait for its own writes (feature read-your-writes)", InformerKey{}, InformerObject{}},
	}
}

// InformerOpen makes an informer. What belongs to a feature is set only where that is declared.
type InformerOpen struct {
	H         string   `json:"h"`
	Server    Server   `json:"server"`
	Resource  Resource `json:"resource"`
	Namespace string   `json:"namespace,omitempty"` // none: all namespaces

	LabelSelector string `json:"labelSelector,omitempty"` // only objects that it chooses (feature selectors)
	FieldSelector string `json:"fieldSelector,omitempty"` // as well (feature selectors)

	ResyncMS  int64  `json:"resyncMs,omitempty"`  // resync period of handlers without their own (feature resync)
	PageSize  int64  `json:"pageSize,omitempty"`  // page size of its lists (feature page-size)
	Transform string `json:"transform,omitempty"` // mark: the annotation lwtest/marked is set to yes before an object is kept (feature transforms)
	Index     string `json:"index,omitempty"`     // app: an index by the label app (feature indexes)
	Failures  bool   `json:"failures,omitempty"`  // report errors as events failed (feature error-hook)
	Pushes    bool   `json:"pushes,omitempty"`    // report the whole content as events pushed (feature pushes)
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
	PeriodMS int64  `json:"periodMs,omitempty"` // its resync period (feature handler-periods)
	Hold     bool   `json:"hold,omitempty"`     // each call waits for inf.release (only if the offer says holds)
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
	Wait bool   `json:"wait,omitempty"` // answer only when no call of it is under way (feature removal-waits)
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
	Seq     int64           `json:"seq"`                                                // counts 1, 2, 3 … for each handler
	Type    string          `json:"type" jsonschema:"enum=ADD,enum=UPDATE,enum=DELETE"` // ADD, UPDATE, DELETE: which of the handler's functions was called
	Object  json.RawMessage `json:"object,omitempty"`                                   // of DELETE the last known state
	Key     string          `json:"key,omitempty"`                                      // of DELETE, if there is no object
	Old     json.RawMessage `json:"old,omitempty"`                                      // of UPDATE, the old state
	Initial bool            `json:"initial,omitempty"`                                  // of ADD: one of the handler's first objects (feature initial-flag)
	Unknown bool            `json:"unknown,omitempty"`                                  // of DELETE: the deletion itself was missed (feature delete-state)
	Held    json.RawMessage `json:"held,omitempty"`                                     // what the store had under that key during the call
	Indexed []string        `json:"indexed,omitempty"`                                  // keys that the index had then for the label app of object (feature indexes)
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
