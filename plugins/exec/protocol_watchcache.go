package exec

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func watchCacheOps() []Op {
	const kind = "watchcache"
	return []Op{
		{"wc.open", kind, "make a fresh server", WCServer{}, Nothing{}},
		{"wc.start", kind, "instead of wc.open, if the offer says serves: start a fresh server that speaks the Kubernetes API over HTTP. It is empty, but has the namespaces a, ab, ba, abb and bab (unless it needs none), and ends with the case. Of the other requests it gets only those that no API has: wc.compact, wc.window, wc.lag, wc.ready, wc.storage, wc.restart, wc.writeother, wc.deletetogether", WCServer{}, WCStarted{}},
		{"wc.create", kind, "create an object", WCWrite{}, WCObject{}},
		{"wc.update", kind, "update an object, or its status", WCWrite{}, WCObject{}},
		{"wc.patch", kind, "patch an object, or its status", WCPatch{}, WCObject{}},
		{"wc.delete", kind, "delete an object", WCDelete{}, Nothing{}},
		{"wc.deletecollection", kind, "delete what a list with these options returns", WCDelete{}, Nothing{}},
		{"wc.get", kind, "get an object", WCGet{}, WCObject{}},
		{"wc.list", kind, "list once", WCList{}, WCListed{}},
		{"wc.watch", kind, "open a watch. The watch lives as long as this request's context: cancel ends it, also after the answer", WCWatch{}, Nothing{}},
		{"wc.read", kind, "read a watch: answer when there is one event, or when the watch has ended, also because it was stopped", Read{}, ReadReply{}},
		{"wc.stop", kind, "stop a watch. It may come at any time, also twice, also while wc.read waits: answer that read too", Stop{}, Nothing{}},
		{"wc.compact", kind, "drop the states before now. Answer when the effect is visible (feature compaction)", WCServer{}, WCCompacted{}},
		{"wc.window", kind, "drop the watch events before now. Answer when the effect is visible (feature window)", WCServer{}, Nothing{}},
		{"wc.lag", kind, "make its cache lag (feature lag)", WCLag{}, Nothing{}},
		{"wc.ready", kind, "make its cache not ready, as after a start, or ready again (feature starting)", WCReady{}, Nothing{}},
		{"wc.storage", kind, "have its storage go wrong in this way from now on, in place of an earlier one; without a fault it is well again (feature storage-faults). The fault is as in a file of faults between an API server and its etcd, see docs/faults.md", WCStorage{}, Nothing{}},
		{"wc.restart", kind, "crash it, and start it again on what it had stored. Answer when it serves again (feature restart)", WCServer{}, Nothing{}},
		{"wc.writeother", kind, "change an object of another resource, whose resourceVersions come from the same sequence (feature other-resource)", WCServer{}, WCOther{}},
		{"wc.deletetogether", kind, "delete several objects in one revision (feature together)", WCTogether{}, Nothing{}},
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
	Patch       string              `json:"patch"` // the patch itself
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
	Namespace string             `json:"namespace,omitempty"` // none: all namespaces
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
	Kept string `json:"kept,omitempty"` // the oldest resourceVersion that is kept, if known
}

// WCLag is how far a cache is to be behind.
type WCLag struct {
	H  string `json:"h"`
	MS int64  `json:"ms"` // 0: no lag
}

// WCReady says whether a cache is to be ready.
type WCReady struct {
	H     string `json:"h"`
	Ready bool   `json:"ready"`
}

// WCStorage says what goes wrong with a storage.
type WCStorage struct {
	H     string          `json:"h"`
	Fault json.RawMessage `json:"fault,omitempty"`
}

// WCOther has the resourceVersion that a list of the other resource has now.
type WCOther struct {
	ResourceVersion string `json:"resourceVersion"`
}

// WCTogether names objects.
type WCTogether struct {
	H         string   `json:"h"`
	Namespace string   `json:"namespace"`
	Names     []string `json:"names"`
}
