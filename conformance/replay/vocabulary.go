// Package replay derives from a history what its writes make true: the state
// at each resourceVersion, and the events that a watch must give.
//
// Each successful write answers with its resourceVersion, and these can be
// compared (KEP-5504), so the order of writes is known and nothing has to be
// searched. The replay is built once per history, in linear time; rules only
// ask it. It copes with many writers, with answers that were lost, with events
// seen before the write's answer, and with several deletions of one revision.
// Of keys that the history never wrote it knows nothing: they are foreign.
package replay

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/harness/history"
)

// The kinds of calls and notices of a list-watch history.
const (
	Create = "CREATE"
	Update = "UPDATE"
	Patch  = "PATCH"
	Delete = "DELETE"
	Get    = "GET"
	List   = "LIST"
	Watch  = "WATCH"

	// What is done to a server, by an actor of its own.
	Compact    = "COMPACT"     // the states before the answer's resourceVersion are gone; empty: before about now
	MoveWindow = "MOVE-WINDOW" // watches cannot start before about now any more
	Restart    = "RESTART"
	Over       = "-OVER" // ends the name of what ends a time of trouble
	// What a reader does to its watch.
	Paused  = "PAUSED"  // it stops reading
	Resumed = "RESUMED" // it reads on

	Added    = "ADDED"
	Modified = "MODIFIED"
	Deleted  = "DELETED"
	Bookmark = "BOOKMARK"
	Errored  = "ERROR"
)

// InitialEventsEnd is the mark (a field of the bookmark's object) that ends
// the initial events of a watch.
const InitialEventsEnd = metav1.InitialEventsAnnotationKey

// Args are the arguments of LIST, WATCH, GET and DELETECOLLECTION calls; Name
// is of GET alone, DryRun of DELETECOLLECTION.
type Args struct {
	Namespace string             `json:"namespace,omitempty"` // empty: all
	Name      string             `json:"name,omitempty"`
	Options   metav1.ListOptions `json:"options"`
	DryRun    bool               `json:"dryRun,omitempty"`
}

func (a Args) flat() map[string]any {
	b, err := json.Marshal(a.Options)
	if err != nil {
		panic(err) // options are plain data
	}
	out := map[string]any{}
	_ = json.Unmarshal(b, &out) // of what was just marshalled
	if a.Namespace != "" {
		out["namespace"] = a.Namespace
	}
	if a.Name != "" {
		out["name"] = a.Name
	}
	if a.DryRun {
		out["dryRun"] = true
	}
	return out
}

// Flat is Args as one JSON object, as a history keeps it.
func (a Args) Flat() any { return a.flat() }

// ParseArgs reads what Flat made. Unreadable arguments are those of no call
// that this package made: they give an error.
func ParseArgs(raw json.RawMessage) (Args, error) {
	var a Args
	if raw == nil {
		return a, nil
	}
	var own struct {
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
		DryRun    bool   `json:"dryRun"`
	}
	if err := json.Unmarshal(raw, &own); err != nil {
		return a, err
	}
	if err := json.Unmarshal(raw, &a.Options); err != nil {
		return a, err
	}
	a.Namespace, a.Name, a.DryRun = own.Namespace, own.Name, own.DryRun
	return a, nil
}

// WriteArgs are the arguments of a write beside its object; they are absent where all are empty.
type WriteArgs struct {
	DryRun bool `json:"dryRun,omitempty"`
}

// ListBody is what a list answers beside items and resourceVersion.
type ListBody struct {
	Continue  string `json:"continue,omitempty"`
	Remaining *int64 `json:"remainingItemCount,omitempty"`

	ShardInfo *metav1.ShardInfo `json:"shardInfo,omitempty"` // nil: it does not say that it is a shard
}

// IsMark says whether a bookmark ends the initial events.
func IsMark(e *history.Event) bool {
	return e.Kind == Bookmark && e.Obj.Fields.Get(InitialEventsEnd) == "true"
}
