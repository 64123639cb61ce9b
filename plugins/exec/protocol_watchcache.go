package exec

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func watchCacheOps() []Op {
	const kind = "watchcache"
	return []Op{
		{"wc.open", kind, "a fresh server; answered with where it serves, or with nothing: then the requests below are how it is asked", WCOpen{}, WCOpened{}},
		{"wc.create", kind, "creates an object", WCWrite{}, WCObject{}},
		{"wc.update", kind, "updates one, or its status", WCWrite{}, WCObject{}},
		{"wc.patch", kind, "patches one, or its status", WCPatch{}, WCObject{}},
		{"wc.delete", kind, "deletes one", WCDelete{}, Nothing{}},
		{"wc.deletecollection", kind, "deletes what a list with these options gives", WCDelete{}, Nothing{}},
		{"wc.get", kind, "gets one", WCGet{}, WCObject{}},
		{"wc.list", kind, "one list", WCList{}, WCListed{}},
		{"wc.watch", kind, "opens a watch", WCWatch{}, Nothing{}},
		{"wc.read", kind, "reads a watch: answered when one event is there, or the watch has ended", Read{}, ReadReply{}},
		{"wc.stop", kind, "stops a watch", Stop{}, Nothing{}},
		{"wc.compact", kind, "lets go of old states and events (features compaction and window)", WCCompact{}, Nothing{}},
		{"wc.lag", kind, "has its cache get nothing new, or all that it lacks again (feature lag)", WCOnOff{}, Nothing{}},
		{"wc.restart", kind, "ends and begins anew, with what it has stored (feature restart)", WCServer{}, Nothing{}},
	}
}

// WCOpen makes a server.
type WCOpen struct {
	H string `json:"h"`
}

// WCOpened is where it serves the Kubernetes API; nothing: it does not.
type WCOpened struct {
	Server   *Server   `json:"server,omitempty"`
	Resource *Resource `json:"resource,omitempty"` // what it is to be asked for; none: configmaps
}

// WCServer names one.
type WCServer struct {
	H string `json:"h"`
}

// WCWrite is an object to be written. Every object is shown as a ConfigMap: metadata, and in data the strings spec and status.
type WCWrite struct {
	H           string          `json:"h"`
	Namespace   string          `json:"namespace"`
	Object      json.RawMessage `json:"object"`
	Subresource string          `json:"subresource,omitempty"` // status
	DryRun      bool            `json:"dryRun,omitempty"`
}

// WCPatch is a patch.
type WCPatch struct {
	H           string              `json:"h"`
	Namespace   string              `json:"namespace"`
	Name        string              `json:"name"`
	Type        string              `json:"type"`  // its media type
	Patch       string              `json:"patch"` // its text
	Options     metav1.PatchOptions `json:"options"`
	Subresource string              `json:"subresource,omitempty"` // status
}

// WCDelete is a deletion.
type WCDelete struct {
	H         string               `json:"h"`
	Namespace string               `json:"namespace"`
	Name      string               `json:"name,omitempty"` // of wc.delete
	Options   metav1.DeleteOptions `json:"options"`
	List      *metav1.ListOptions  `json:"list,omitempty"` // of wc.deletecollection
}

// WCGet asks for one object.
type WCGet struct {
	H         string            `json:"h"`
	Namespace string            `json:"namespace"`
	Name      string            `json:"name"`
	Options   metav1.GetOptions `json:"options"`
}

// WCList asks for a list.
type WCList struct {
	H         string             `json:"h"`
	Namespace string             `json:"namespace,omitempty"` // none: all
	Options   metav1.ListOptions `json:"options"`
}

// WCWatch opens a watch.
type WCWatch struct {
	WCList
	W string `json:"w"` // its handle from now on
}

// WCObject is one object.
type WCObject struct {
	Object json.RawMessage `json:"object"`
}

// WCListed is what a list gave.
type WCListed struct {
	Metadata metav1.ListMeta   `json:"metadata"`
	Items    []json.RawMessage `json:"items"`
}

// WCCompact says what is to go.
type WCCompact struct {
	H      string `json:"h"`
	Events bool   `json:"events,omitempty"` // old events alone
}

// WCOnOff begins something, or ends it.
type WCOnOff struct {
	H  string `json:"h"`
	On bool   `json:"on"`
}
