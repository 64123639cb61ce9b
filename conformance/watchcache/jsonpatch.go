package watchcache

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/conformance/replay"
)

// operation is one of a JSON patch (RFC 6902).
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	From  string `json:"from,omitempty"`
	Value any    `json:"value,omitempty"` // a text, or an owner
}

// The paths of a ConfigMap that JSON patches name here. Where the resource has data["spec"], the plugin knows.
const (
	labelsAt  = "/metadata/labels/"
	notesAt   = "/metadata/annotations/"
	versionAt = "/metadata/resourceVersion"
	uidAt     = "/metadata/uid"
	ownersAt  = "/metadata/ownerReferences"
	holdersAt = "/metadata/finalizers"
	specAt    = "/data/" + Spec
)

// pointer writes a name as a part of a path, and back.
var (
	pointer   = strings.NewReplacer("~", "~0", "/", "~1")
	unpointed = strings.NewReplacer("~1", "/", "~0", "~")
)

func replace(path, value string) operation { return operation{Op: "replace", Path: path, Value: value} }
func test(path, value string) operation    { return operation{Op: "test", Path: path, Value: value} }

// patchJSON sends a JSON patch. In a history it names what its operations set, removes what they remove or
// move away, and tests what they test but of what they have set. What is copied or moved must be tested before:
// so its value is known.
func (d *driver) patchJSON(actor, ns, name string, args replay.WriteArgs, ops ...operation) *corev1.ConfigMap {
	p, ok := d.in(ns).(Patcher)
	if !ok {
		d.t.GiveUp("the feature %s is declared, but the client has no Patch", JSONPatch)
		return nil
	}
	b, err := json.Marshal(ops)
	if err != nil {
		d.t.GiveUp("%v", err)
		return nil
	}
	sets := onlyName(ns, name)
	args.Type = types.JSONPatchType
	is := map[string]any{} // by path, at that point
	for _, o := range ops {
		switch o.Op {
		case "test":
			if is[o.Path] == nil {
				args.Tests = append(args.Tests, testOf(o.Path, o.Value)...)
				is[o.Path] = o.Value
			}
			continue
		case "remove":
			args.Removes = append(args.Removes, wordAt(o.Path))
			continue
		case "move":
			args.Removes = append(args.Removes, wordAt(o.From))
		}
		if o.From != "" {
			o.Value = is[o.From]
		}
		is[o.Path] = o.Value
		setAt(sets, o.Path, o.Value)
	}
	return d.writeWith(writeCall(actor, replay.Patch, d.ref(sets), args), func(ctx context.Context) (*corev1.ConfigMap, error) {
		return p.Patch(ctx, name, types.JSONPatchType, b, patchOptions(args))
	})
}

// setAt sets what a path names.
func setAt(m *corev1.ConfigMap, path string, value any) {
	text, _ := value.(string)
	if name, ok := strings.CutPrefix(path, labelsAt); ok {
		metav1.SetMetaDataLabel(&m.ObjectMeta, unpointed.Replace(name), text)
	} else if name, ok := strings.CutPrefix(path, notesAt); ok {
		metav1.SetMetaDataAnnotation(&m.ObjectMeta, unpointed.Replace(name), text)
	}
	switch o, _ := value.(metav1.OwnerReference); path {
	case versionAt:
		m.ResourceVersion = text
	case uidAt:
		m.UID = types.UID(text)
	case ownersAt + "/-":
		m.OwnerReferences = append(m.OwnerReferences, o)
	case specAt:
		m.Data = map[string]string{Spec: text}
	}
}

// testOf are the words of a history for a value at a path.
func testOf(path string, value any) []string {
	m := &corev1.ConfigMap{}
	setAt(m, path, value)
	words := strings.Fields(body(m))
	for name, v := range m.Labels {
		words = append(words, replay.LabelTest+name+"="+v)
	}
	if m.ResourceVersion != "" {
		words = append(words, replay.VersionTest+m.ResourceVersion)
	}
	if m.UID != "" {
		words = append(words, replay.UIDTest+string(m.UID))
	}
	return words
}

// wordAt is the word of a history for what is at a path.
func wordAt(path string) string {
	if name, ok := strings.CutPrefix(path, labelsAt); ok {
		return label + unpointed.Replace(name)
	}
	if name, ok := strings.CutPrefix(path, notesAt); ok {
		return annotation + brief(unpointed.Replace(name))
	}
	return map[string]string{specAt: Spec, holdersAt: finalizersWord}[path]
}

// patchAsJSON sends the labels and the data of an object as a JSON patch that replaces each; so it does the
// resourceVersion where there is one, which makes it a precondition.
func (d *driver) patchAsJSON(actor string, m *corev1.ConfigMap) *corev1.ConfigMap {
	var ops []operation
	for _, name := range slices.Sorted(maps.Keys(m.Labels)) {
		value := m.Labels[name]
		ops = append(ops, replace(labelsAt+pointer.Replace(name), value))
	}
	if m.ResourceVersion != "" {
		ops = append(ops, replace(versionAt, m.ResourceVersion))
	}
	ops = append(ops, replace(specAt, m.Data[Spec]))
	return d.patchJSON(actor, m.Namespace, m.Name, replay.WriteArgs{}, ops...)
}

// patchStrategically is patch by a strategic merge patch.
func (d *driver) patchStrategically(actor string, m *corev1.ConfigMap) *corev1.ConfigMap {
	return d.patchWith(actor, m, strategic)
}

var strategic = replay.WriteArgs{Type: types.StrategicMergePatchType}
