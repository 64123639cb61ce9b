// Package resources says how objects of other resources are shown as the
// ConfigMaps that the watchcache suite reads, and back: for whoever serves them
// over a wire, and for the fake.
package resources

import (
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
)

// Resource says how objects of one resource are shown as ConfigMaps.
type Resource struct {
	Name         string // plural
	Kind         string
	GroupVersion schema.GroupVersion
	Lacks        []harness.Feature // what no server offers of it
	Definition   string            // of a custom resource, as YAML; empty: it is built in
	Controlled   bool              // the controllers of an ordinary cluster write to each such object
	Versions     []Resource        // by which stories with two versions ask: the first, and the other; empty: there are none
	// Fresh is an empty object to decode into, List an empty list.
	Fresh, List func() runtime.Object
	// Hide makes an object of the resource of a ConfigMap.
	Hide func(*corev1.ConfigMap) runtime.Object
	// Show makes a ConfigMap of an object; what is none of the resource's stays.
	Show func(runtime.Object) runtime.Object
	// ShowList makes a list of ConfigMaps of a list.
	ShowList func(runtime.Object) *corev1.ConfigMapList
	// Patch translates a merge patch of the ConfigMap, strategic or not.
	Patch func([]byte) ([]byte, error)
	// Step translates an operation of a JSON patch at a part of data.
	Step func(part string, operation map[string]any) error
	// Applied adds to an apply what every object of the resource must have; nil: nothing.
	Applied func(map[string]any)
}

// GVR is the resource as requests name it.
func (r Resource) GVR() schema.GroupVersionResource { return r.GroupVersion.WithResource(r.Name) }

// Find gives a resource by its name; ConfigMaps where that is empty.
func Find(name string) (Resource, error) {
	if name == "" {
		return All[0], nil
	}
	var names []string
	for _, r := range All {
		if r.Name == name {
			return r, nil
		}
		names = append(names, r.Name)
	}
	return Resource{}, fmt.Errorf("unknown resource %q: there are %s", name, strings.Join(names, ", "))
}

// Prefix is where etcd has the resource's objects, below /registry.
func (r *Resource) Prefix() string {
	if r.Definition != "" {
		return r.GroupVersion.Group + "/" + r.Name
	}
	return r.Name
}

// PatchOf translates a patch of the ConfigMap; it refuses what it cannot.
func (r *Resource) PatchOf(pt types.PatchType, data []byte) ([]byte, error) {
	switch {
	case r.Name == ConfigMaps.Name:
		return data, nil
	case pt == types.MergePatchType, pt == types.StrategicMergePatchType:
		return r.Patch(data)
	case pt == types.JSONPatchType:
		return r.steps(data)
	case pt != types.ApplyYAMLPatchType:
		return nil, fmt.Errorf("there is no patch of type %s", pt)
	}
	var p map[string]any
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, fmt.Errorf("this must be an apply of a ConfigMap in JSON: %w", err)
	}
	p["apiVersion"], p["kind"] = r.GroupVersion.String(), r.Kind
	if r.Applied != nil {
		r.Applied(p)
	}
	b, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	return r.Patch(b)
}

// steps translates a JSON patch of the ConfigMap.
func (r *Resource) steps(data []byte) ([]byte, error) {
	var all []map[string]any
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("this must be a JSON patch: %w", err)
	}
	for _, o := range all {
		path, _ := o["path"].(string)
		if part, ok := strings.CutPrefix(path, "/data/"); ok {
			if err := r.Step(part, o); err != nil {
				return nil, err
			}
		}
	}
	return json.Marshal(all)
}

// stepAt moves data["spec"] to a path of the resource; nothing else of data has a place in JSON patches.
func stepAt(path string) func(string, map[string]any) error {
	return func(part string, o map[string]any) error {
		if part != watchcache.Spec {
			return fmt.Errorf("no JSON patch of data[%q] is translated", part)
		}
		o["path"] = path
		return nil
	}
}
