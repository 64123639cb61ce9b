package informer

import (
	"cmp"
	"encoding/json"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	conformance "github.com/lwtest/lwtest/conformance/informer"
)

// object is one as it is kept: what it is known by, and all of it in JSON.
type object struct {
	key, uid, version, app string
	raw                    json.RawMessage
}

// The paths on which objects come.
const (
	fromList   = "list"
	fromStream = "stream"
	fromAdd    = "ADDED"
	fromUpdate = "MODIFIED"
	fromDelete = "DELETED"
)

// object is what is kept of one that came on a path.
func (i *informer) object(path string, o runtime.Object) (object, error) {
	m, err := meta.Accessor(o)
	if err != nil {
		return object{}, err
	}
	if i.config.Transform == conformance.Mark && i.transforms(path) {
		mark(m)
	}
	i.shapes(o)
	raw, err := json.Marshal(o)
	key := m.GetName()
	if ns := m.GetNamespace(); ns != "" {
		key = ns + "/" + key
	}
	return object{key, string(m.GetUID()), m.GetResourceVersion(), m.GetLabels()["app"], raw}, err
}

// mark is the transform of that name. Objects that come are the informer's own.
func mark(m metav1.Object) {
	notes := m.GetAnnotations()
	if notes == nil {
		notes = map[string]string{}
	}
	notes[conformance.Marked] = "yes"
	m.SetAnnotations(notes)
}

// older says of two resourceVersions that a is the smaller one; "" is older than all.
func older(a, b string) bool {
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	return a < b
}

func sorted(all []object) []object {
	slices.SortFunc(all, func(a, b object) int { return cmp.Compare(a.key, b.key) })
	return all
}

func raws(all []object) []json.RawMessage {
	var out []json.RawMessage
	for _, o := range all {
		out = append(out, o.raw)
	}
	return out
}
