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

	"github.com/lwtest/lwtest/harness"
)

// Resource says how objects of one resource are shown as ConfigMaps.
type Resource struct {
	Name         string // plural
	Kind         string
	GroupVersion schema.GroupVersion
	Lacks        []harness.Feature // what no server offers of it
	Definition   string            // of a custom resource, as YAML; empty: it is built in
	// Fresh is an empty object to decode into, List an empty list.
	Fresh, List func() runtime.Object
	// Hide makes an object of the resource of a ConfigMap.
	Hide func(*corev1.ConfigMap) runtime.Object
	// Show makes a ConfigMap of an object; what is none of the resource's stays.
	Show func(runtime.Object) runtime.Object
	// ShowList makes a list of ConfigMaps of a list.
	ShowList func(runtime.Object) *corev1.ConfigMapList
	// Patch translates a merge patch of the ConfigMap.
	Patch func([]byte) ([]byte, error)
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
	case pt == types.MergePatchType:
		return r.Patch(data)
	case pt != types.ApplyYAMLPatchType:
		return nil, fmt.Errorf("%s take only merge patches and applies here, not %s", r.Name, pt)
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
