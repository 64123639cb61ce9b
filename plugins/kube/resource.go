package kube

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/harness"
)

// resource says how objects of one resource are shown as ConfigMaps.
type resource struct {
	name  string
	gv    schema.GroupVersion
	lacks []harness.Feature // what no server offers of it
	crd   string            // the definition that it needs; empty: it is built in
	// fresh is an empty object to decode into, list an empty list.
	fresh, list func() runtime.Object
	// hide makes an object of the resource of a ConfigMap.
	hide func(*corev1.ConfigMap) runtime.Object
	// show makes a ConfigMap of an object; what is none of the resource's stays.
	show func(runtime.Object) runtime.Object
	// showList makes a list of ConfigMaps of a list.
	showList func(runtime.Object) *corev1.ConfigMapList
	// patch translates a merge patch of the ConfigMap.
	patch func([]byte) ([]byte, error)
}

func findResource(name string) (resource, error) {
	if name == "" {
		return resources[0], nil
	}
	var names []string
	for _, r := range resources {
		if r.name == name {
			return r, nil
		}
		names = append(names, r.name)
	}
	return resource{}, fmt.Errorf("unknown resource %q: there are %s", name, strings.Join(names, ", "))
}

// prefix is where etcd has the resource's objects, below /registry.
func (r *resource) prefix() string {
	if r.crd != "" {
		return r.gv.Group + "/" + r.name
	}
	return r.name
}

// patchable refuses what patch cannot translate.
func (r *resource) patchable(pt types.PatchType) error {
	if r.name != configMaps.name && pt != types.MergePatchType {
		return fmt.Errorf("%s take only merge patches here, not %s", r.name, pt)
	}
	return nil
}
