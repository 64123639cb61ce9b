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
	"k8s.io/apimachinery/pkg/types"
	exact "k8s.io/apimachinery/pkg/util/json" // encoding/json takes "Limit" for limit
	"k8s.io/utils/lru"

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

	// A create of a subresource, such as an eviction, without any effect on the object.
	CreateSubresource = "CREATE-SUBRESOURCE"

	// What is done to a server, by an actor of its own.
	Compact      = "COMPACT"     // the states before the answer's resourceVersion are gone; empty: before about now
	MoveWindow   = "MOVE-WINDOW" // watches cannot start before about now any more
	Restart      = "RESTART"
	StorageFault = "STORAGE"     // the storage goes wrong until STORAGE-OVER
	WriteOther   = "WRITE-OTHER" // another resource was written to: its list has the answer's resourceVersion
	Over         = "-OVER"       // the suffix of the call that ends a disturbance: LAG-OVER
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
// is of GET alone, what follows Options of DELETECOLLECTION.
type Args struct {
	Namespace string             `json:"namespace,omitempty"` // empty: all
	Name      string             `json:"name,omitempty"`
	Options   metav1.ListOptions `json:"options"`
	DryRun    bool               `json:"dryRun,omitempty"`
	Form      string             `json:"form,omitempty"`   // the form to answer in: FormProtobuf or another of these; empty: JSON
	Served    string             `json:"served,omitempty"` // the API version to ask by, where a resource has two; empty: the first
	// GracePeriodSeconds and PropagationPolicy; nil and empty: what the kind has.
	GracePeriodSeconds *int64                     `json:"gracePeriodSeconds,omitempty"`
	PropagationPolicy  metav1.DeletionPropagation `json:"propagationPolicy,omitempty"`
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
	if a.Form != "" {
		out["form"] = a.Form
	}
	if a.Served != "" {
		out["served"] = a.Served
	}
	if a.GracePeriodSeconds != nil {
		out["gracePeriodSeconds"] = *a.GracePeriodSeconds
	}
	if a.PropagationPolicy != "" {
		out["propagationPolicy"] = a.PropagationPolicy
	}
	return out
}

// Flat is Args as one JSON object, as a history keeps it.
func (a Args) Flat() any { return a.flat() }

// ParseArgs reads what Flat made, by the exact names. Unreadable arguments are
// those of no call that this package made: they give an error.
// Rules ask for the same ones again and again, and must not change what an Args points to.
func ParseArgs(raw json.RawMessage) (Args, error) {
	if raw == nil {
		return Args{}, nil
	}
	if known, ok := parsed.Get(string(raw)); ok {
		return known.(Args), nil
	}
	a, err := parseArgs(raw)
	if err == nil {
		parsed.Add(string(raw), a)
	}
	return a, err
}

// parsed has the Args of the newest arguments.
var parsed = lru.New(2000)

func parseArgs(raw json.RawMessage) (a Args, err error) {
	var flat struct {
		metav1.ListOptions
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
		DryRun    bool   `json:"dryRun"`
		Form      string `json:"form"`
		Served    string `json:"served"`

		GracePeriodSeconds *int64                     `json:"gracePeriodSeconds"`
		PropagationPolicy  metav1.DeletionPropagation `json:"propagationPolicy"`
		// No arguments: a trace may have fields of its own with these names.
		Kind       any `json:"kind"`
		APIVersion any `json:"apiVersion"`
		Watch      any `json:"watch"`
	}
	if err := exact.Unmarshal(raw, &flat); err != nil {
		return a, err
	}
	return Args{
		Namespace: flat.Namespace, Name: flat.Name, Options: flat.ListOptions, DryRun: flat.DryRun, Form: flat.Form, Served: flat.Served,
		GracePeriodSeconds: flat.GracePeriodSeconds, PropagationPolicy: flat.PropagationPolicy,
	}, nil
}

// WriteArgs are the arguments of a write beside its object; they are absent where all are empty.
type WriteArgs struct {
	DryRun bool `json:"dryRun,omitempty"`
	// Removes is what a merge patch sets to null, and a JSON patch removes: words of a content
	// without their value, and labels as label:NAME.
	Removes []string `json:"removes,omitempty"`
	// Tests are what a JSON patch wants of the object as it is, or else is refused: words of a content,
	// and label:NAME=VALUE, resourceVersion=VALUE, uid=VALUE.
	Tests []string `json:"tests,omitempty"`
	// Type is the media type of a PATCH; empty: a merge patch. FieldManager and Force are of an apply.
	Type         types.PatchType `json:"type,omitempty"`
	FieldManager string          `json:"fieldManager,omitempty"`
	Force        bool            `json:"force,omitempty"`
	// GracePeriodSeconds and PropagationPolicy are of a DELETE; nil and empty: what the kind has.
	GracePeriodSeconds *int64                     `json:"gracePeriodSeconds,omitempty"`
	PropagationPolicy  metav1.DeletionPropagation `json:"propagationPolicy,omitempty"`
	// Subresource is what of the object an UPDATE or PATCH is put to: "status"; empty: the object itself.
	Subresource string `json:"subresource,omitempty"`
	// GenerateName is of a CREATE of which the server makes the name.
	GenerateName string `json:"generateName,omitempty"`
	// Served is as in Args.
	Served string `json:"served,omitempty"`
}

// GenerateName is what the name begins with that the server makes of what a call creates.
func GenerateName(call *history.Event) string {
	if call.Kind != Create || call.X == nil {
		return ""
	}
	a, _ := readWriteArgs(call.X.Args) // unreadable: NotRead says so
	return a.GenerateName
}

// Removes is what the call of a PATCH takes away.
func Removes(call *history.Event) []string {
	if call.Kind != Patch || call.X == nil {
		return nil
	}
	a, _ := readWriteArgs(call.X.Args) // unreadable: NotRead says so
	return a.Removes
}

func readWriteArgs(raw json.RawMessage) (a WriteArgs, err error) {
	if raw != nil {
		err = exact.Unmarshal(raw, &a)
	}
	return a, err
}

// ListBody is what a list answers beside items and resourceVersion.
type ListBody struct {
	Continue  string `json:"continue,omitempty"`
	Remaining *int64 `json:"remainingItemCount,omitempty"`

	ShardInfo *metav1.ShardInfo `json:"shardInfo,omitempty"` // nil: it does not say that it is a shard
}

// DeleteBody is what a delete answers, where that is an object.
type DeleteBody struct {
	Name            string `json:"name"`
	ResourceVersion string `json:"resourceVersion"`
}

// DeleteBodyOf returns what the answer to a delete says of the object; ok is false if it was no object, or nobody kept it.
func DeleteBodyOf(e *history.Event) (b DeleteBody, ok bool) {
	if e.Kind != Delete || e.Phase != history.Return || e.X == nil || e.X.Err != nil || e.X.Body == nil {
		return b, false
	}
	err := json.Unmarshal(e.X.Body, &b)
	return b, err == nil && b.ResourceVersion != ""
}

func readListBody(raw json.RawMessage) (l ListBody, err error) {
	if raw != nil {
		err = exact.Unmarshal(raw, &l)
	}
	return l, err
}

// IsMark says whether a bookmark ends the initial events.
func IsMark(e *history.Event) bool {
	return e.Kind == Bookmark && e.Obj.Fields.Get(InitialEventsEnd) == "true"
}
