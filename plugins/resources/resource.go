// Package resources says how objects of other resources are shown as the
// ConfigMaps that the watchcache suite reads, and back: for whoever serves them
// over a wire, and for the fake.
package resources

import (
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
}

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

// Patchable refuses what patch cannot translate.
func (r *Resource) Patchable(pt types.PatchType) error {
	if r.Name != ConfigMaps.Name && pt != types.MergePatchType {
		return fmt.Errorf("%s take only merge patches here, not %s", r.Name, pt)
	}
	return nil
}
