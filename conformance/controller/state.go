package controller

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// object is an object as rules see it.
type object struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Meta       meta   `json:"metadata"`
	raw        json.RawMessage
}

// meta is the part of an object's metadata that rules read.
type meta struct {
	Name              string            `json:"name"`
	GenerateName      string            `json:"generateName"`
	Namespace         string            `json:"namespace"`
	UID               string            `json:"uid"`
	ResourceVersion   string            `json:"resourceVersion"`
	Generation        int64             `json:"generation"`
	CreationTimestamp string            `json:"creationTimestamp"`
	DeletionTimestamp string            `json:"deletionTimestamp"`
	Finalizers        []string          `json:"finalizers"`
	Annotations       map[string]string `json:"annotations"`
	OwnerReferences   []ownerReference  `json:"ownerReferences"`
}

// ownerReference is the part of an owner reference that rules read.
type ownerReference struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	UID        string `json:"uid"`
	Controller bool   `json:"controller"`
}

// controller returns the reference to the owner that is the object's controller; nil: it has none.
func (o *object) controller() *ownerReference {
	for i := range o.Meta.OwnerReferences {
		if o.Meta.OwnerReferences[i].Controller {
			return &o.Meta.OwnerReferences[i]
		}
	}
	return nil
}

// readObject reads an object from JSON.
func readObject(b []byte) (*object, error) {
	o := &object{raw: b}
	if len(b) == 0 || b[0] != '{' {
		return nil, errors.New("it is no object")
	}
	if err := json.Unmarshal(b, o); err != nil {
		return nil, err
	}
	if o.Kind == "" || o.APIVersion == "" {
		return nil, errors.New("it has no kind and apiVersion")
	}
	return o, nil
}

// readObjects reads objects, but what is none.
func readObjects(raw []json.RawMessage) (all []*object) {
	for _, b := range raw {
		if o, err := readObject(b); err == nil {
			all = append(all, o)
		}
	}
	return all
}

func (o *object) namespace() string {
	if o.Meta.Namespace != "" {
		return o.Meta.Namespace
	}
	return defaultNamespace
}

// typeName returns the kind and the group, as "StatefulSet.apps".
func (o *object) typeName() string {
	if group, _, ok := strings.Cut(o.APIVersion, "/"); ok {
		return o.Kind + "." + group
	}
	return o.Kind
}

// state is what a run ends with, without what each run draws anew: uids, resourceVersions, times and generated names. It has the fields of
// each object, by the name of the object. Several objects of one generated name have several entries.
type state map[string][]fields

// fields are the values of an object by their paths.
type fields map[string]string

// drawn finds the random end of a name that a client drew, as k8s.io/apimachinery/pkg/util/rand does.
var drawn = regexp.MustCompile(`\b([a-z][a-z0-9-]*-)[bcdfghjklmnpqrstvwxz2456789]{5}\b`)

// uid finds one, also in a name.
var uid = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// address finds the address of a pod, which kubelets draw.
var address = regexp.MustCompile(`\b10\.244\.\d+\.\d+\b`)

// moment finds a time.
var moment = regexp.MustCompile(`\b20\d\d-\d\d-\d\dT[\d:.]+Z`)

// stateOf returns the state of objects.
func stateOf(objects []*object) state {
	names := map[string]string{} // stable names for uids and generated names
	for _, o := range objects {
		names[o.Meta.UID] = "uid of " + o.typeName() + " " + uid.ReplaceAllString(o.name(), "uid")
		if o.Meta.GenerateName != "" {
			names[o.Meta.Name] = o.Meta.GenerateName + "*"
		}
	}
	plain := func(s string) string {
		if v, ok := names[s]; ok {
			return v
		}
		s = uid.ReplaceAllStringFunc(s, func(u string) string {
			if v, ok := names[u]; ok {
				return v
			}
			return "uid"
		})
		return drawn.ReplaceAllString(address.ReplaceAllString(moment.ReplaceAllString(s, "TIME"), "ADDRESS"), "$1*")
	}
	out := state{}
	for _, o := range objects {
		var all map[string]any
		d := json.NewDecoder(bytes.NewReader(o.raw))
		d.UseNumber()
		if d.Decode(&all) != nil {
			continue
		}
		if o.typeName() == "PersistentVolumeClaim" {
			forgetUse(all)
		}
		if m, ok := all["metadata"].(map[string]any); ok {
			for _, f := range []string{"uid", "resourceVersion", "creationTimestamp", "managedFields", "generation", "generateName", "name", "selfLink"} {
				delete(m, f)
			}
			if a, ok := m["annotations"].(map[string]any); ok {
				delete(a, OtherAnnotation) // its rule is overwrite/fields
			}
		}
		f := fields{}
		f.add("", all, plain, fmt.Sprint(o.Meta.Generation))
		id := o.typeName() + " " + plain(o.name())
		out[id] = append(out[id], f)
	}
	for _, all := range out {
		slices.SortFunc(all, func(a, b fields) int { return strings.Compare(a.text(), b.text()) })
	}
	return out
}

// forgetUse takes the condition Unused from a claim that is used. The condition only says that no pod had the claim at some moment before, for
// example because the claim was bound before its pod was created.
func forgetUse(claim map[string]any) {
	status, _ := claim["status"].(map[string]any)
	conditions, ok := status["conditions"].([]any)
	if !ok {
		return
	}
	conditions = slices.DeleteFunc(conditions, func(c any) bool {
		m, _ := c.(map[string]any)
		return m["type"] == "Unused" && m["status"] == "False"
	})
	if status["conditions"] = conditions; len(conditions) == 0 {
		delete(status, "conditions")
	}
}

// name returns the namespace and the name, without what was generated of it.
func (o *object) name() string {
	name := o.Meta.Name
	if o.Meta.GenerateName != "" {
		name = o.Meta.GenerateName + "*"
	}
	return strings.TrimPrefix(o.Meta.Namespace+"/"+name, "/")
}

// add adds the fields of a value.
func (f fields) add(path string, v any, plain func(string) string, generation string) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if k == "resourceVersion" {
				continue
			}
			f.add(path+"."+k, x, plain, generation)
		}
	case []any:
		for i, x := range v {
			f.add(fmt.Sprintf("%s[%s]", path, place(v, i)), x, plain, generation)
		}
	case string:
		f[path] = plain(v)
	case json.Number:
		f[path] = v.String()
		if strings.HasSuffix(path, ".observedGeneration") && v.String() == generation {
			f[path] = "the generation"
		}
	default:
		f[path] = fmt.Sprint(v)
	}
}

// place names an element of a list: by its type if it is one of conditions, whose order means nothing, else by its number.
func place(list []any, i int) string {
	if m, ok := list[i].(map[string]any); ok {
		if t, ok := m["type"].(string); ok {
			return t
		}
	}
	return fmt.Sprint(i)
}

func (f fields) text() string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(f)) {
		b.WriteString(k + "=" + f[k] + "\n")
	}
	return b.String()
}

// difference is one between a run and the undisturbed ones.
type difference struct {
	id       string // of the object
	have     int    // how many there are
	want     int    // and of the undisturbed run that is nearest
	path     string // of a field; empty: the number differs
	got, was string
}

// String says what differs.
func (d difference) String() string {
	if d.path == "" {
		return fmt.Sprintf("%d of %s, where undisturbed there are %d", d.have, d.id, d.want)
	}
	return fmt.Sprintf("%s has %s: %q, where undisturbed it has %q", d.id, strings.TrimPrefix(d.path, "."), d.got, d.was)
}

// differences returns what is in a state otherwise than in each undisturbed one. Fields that differ among these do not count.
func differences(got state, undisturbed []state) (all []difference) {
	if len(undisturbed) == 0 {
		return nil
	}
	same := renamed(append([]state{got}, undisturbed...))
	got, undisturbed = same[0], same[1:]
	ids := map[string]bool{}
	for _, s := range same {
		for id := range s {
			ids[id] = true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		counts := map[int]bool{}
		for _, s := range undisturbed {
			counts[len(s[id])] = true
		}
		if have := len(got[id]); !counts[have] {
			want := len(undisturbed[0][id])
			for n := range counts {
				if abs(n-have) < abs(want-have) {
					want = n
				}
			}
			all = append(all, difference{id: id, have: have, want: want})
			continue
		}
		all = append(all, fieldsDiffer(id, got[id], undisturbed)...)
	}
	return all
}

// renamed gives the same name to objects whose names end differently in each run, for example with a hash of their owner's uid. Such objects
// have a controller, their names are alike up to the last hyphen, each undisturbed run has some of them, and no two runs share a name.
func renamed(all []state) []state {
	runs := map[string]map[string]int{} // by the name without the last word: in how many runs each whole name is
	for _, s := range all {
		for id := range s {
			if first := firstWords(id); first != "" && s.controlled(id) {
				if runs[first] == nil {
					runs[first] = map[string]int{}
				}
				runs[first][id]++
			}
		}
	}
	maps.DeleteFunc(runs, func(first string, ids map[string]int) bool {
		for _, n := range ids {
			if n > 1 {
				return true
			}
		}
		for _, s := range all[1:] { // the undisturbed ones
			if !slices.ContainsFunc(slices.Collect(maps.Keys(s)), func(id string) bool { return ids[id] > 0 }) {
				return true
			}
		}
		return len(all) < 3 // of one undisturbed run nobody knows
	})
	out := make([]state, len(all))
	for i, s := range all {
		out[i] = state{}
		for id, objects := range s {
			if first := firstWords(id); runs[first][id] > 0 {
				id = first + "*"
			}
			out[i][id] = append(out[i][id], objects...)
		}
		for _, objects := range out[i] {
			slices.SortFunc(objects, func(a, b fields) int { return strings.Compare(a.text(), b.text()) })
		}
	}
	return out
}

// firstWords returns the type, the namespace and the name of an object up to the last hyphen of the name; empty: the name has none.
func firstWords(id string) string {
	last := strings.LastIndexByte(id, '-')
	if last < strings.LastIndexAny(id, "/ ") {
		return ""
	}
	return id[:last+1]
}

// controlled reports whether all objects of a name have a controller.
func (s state) controlled(id string) bool {
	return !slices.ContainsFunc(s[id], func(f fields) bool {
		for path, v := range f {
			if strings.HasPrefix(path, ".metadata.ownerReferences[") && strings.HasSuffix(path, ".controller") && v == "true" {
				return false
			}
		}
		return true
	})
}

func abs(n int) int { return max(n, -n) }

// fieldsDiffer compares the fields of objects of one name.
func fieldsDiffer(id string, got []fields, undisturbed []state) (all []difference) {
	for i, f := range got {
		paths := map[string]bool{}
		var others []fields
		for _, s := range undisturbed {
			if i < len(s[id]) {
				others = append(others, s[id][i])
			}
		}
		for _, o := range append([]fields{f}, others...) {
			for p := range o {
				paths[p] = true
			}
		}
		for _, p := range slices.Sorted(maps.Keys(paths)) {
			values := map[string]bool{}
			for _, o := range others {
				values[o[p]] = true
			}
			if len(others) > 0 && len(values) == 1 && !values[f[p]] {
				all = append(all, difference{id: id, have: len(got), want: len(got), path: p, got: f[p], was: others[0][p]})
			}
		}
	}
	return all
}
