package exec

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func watchCacheOps() []Op {
	const kind = "watchcache"
	return []Op{
		{"wc.open", kind, "a fresh server", WCServer{}, Nothing{}},
		{"wc.start", kind, "in the place of wc.open where the offer says serves: a fresh server that speaks the API over HTTP itself. It has nothing in it but the namespaces a, ab, ba, abb and bab, or asks for none, and is gone with the case. Of the other requests only those follow that no API has: wc.compact, wc.window, wc.lag, wc.ready, wc.restart, wc.deletetogether", WCServer{}, WCStarted{}},
		{"wc.create", kind, "creates an object", WCWrite{}, WCObject{}},
		{"wc.update", kind, "updates one, or its status", WCWrite{}, WCObject{}},
		{"wc.patch", kind, "patches one, or its status", WCPatch{}, WCObject{}},
		{"wc.delete", kind, "deletes one", WCDelete{}, Nothing{}},
		{"wc.deletecollection", kind, "deletes what a list with these options gives", WCDelete{}, Nothing{}},
		{"wc.get", kind, "gets one", WCGet{}, WCObject{}},
		{"wc.list", kind, "one list", WCList{}, WCListed{}},
		{"wc.watch", kind, "opens a watch; the context of this request is the watch's, as that of lw.watch", WCWatch{}, Nothing{}},
		{"wc.read", kind, "reads a watch: answered when one event is there, or the watch has ended", Read{}, ReadReply{}},
		{"wc.stop", kind, "stops a watch; it may be asked at any time, also twice, also while wc.read waits", Stop{}, Nothing{}},
		{"wc.compact", kind, "lets go of the states before the present; answered when that can be seen (feature compaction)", WCServer{}, WCCompacted{}},
		{"wc.window", kind, "lets go of the events before the present; answered when that can be seen (feature window)", WCServer{}, Nothing{}},
		{"wc.lag", kind, "has its cache fall behind by so long (feature lag)", WCLag{}, Nothing{}},
		{"wc.ready", kind, "has its cache be not ready, as after a start, or ready again (feature starting)", WCReady{}, Nothing{}},
		{"wc.restart", kind, "ends it as a crash does, and starts it over what it had stored; answered when it serves again (feature restart)", WCServer{}, Nothing{}},
		{"wc.deletetogether", kind, "deletes several objects in one revision (feature together)", WCTogether{}, Nothing{}},
	}
}

// WCServer names one.
type WCServer struct {
	H string `json:"h"`
}

// WCStarted says where a server is. ConfigMaps of core/v1 are asked for there, in JSON.
type WCStarted struct {
	Server Server `json:"server"`
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

// WCCompacted says what is left.
type WCCompacted struct {
	Kept string `json:"kept,omitempty"` // the oldest resourceVersion that is kept, where that is known
}

// WCLag is how far a cache is to be behind.
type WCLag struct {
	H  string `json:"h"`
	MS int64  `json:"ms"` // 0: it catches up
}

// WCReady says whether a cache is to be ready.
type WCReady struct {
	H     string `json:"h"`
	Ready bool   `json:"ready"`
}

// WCTogether names objects.
type WCTogether struct {
	H         string   `json:"h"`
	Namespace string   `json:"namespace"`
	Names     []string `json:"names"`
}
