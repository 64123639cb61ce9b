package controller

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/fakes/apiserver/serve"
)

// readManifests reads the objects that exist before the controller starts, in the order in which they are created, and says what it leaves
// out. definitions are CustomResourceDefinitions beside those in the files, as JSON.
func readManifests(paths []string, definitions [][]byte) (all []rest.Manifest, notes []string, err error) {
	var files []string
	for _, path := range paths {
		some, err := serve.Files([]string{path})
		if err != nil {
			return nil, nil, err
		}
		files = append(files, slices.DeleteFunc(some, func(file string) bool {
			return file != path && strings.HasPrefix(filepath.Base(file), "kustomiz") // it tells kustomize what to do
		})...)
	}
	if all, err = rest.Read(files...); err != nil {
		return nil, nil, err
	}
	if len(paths) > 0 && len(all) == 0 {
		return nil, nil, fmt.Errorf("%s has no object", strings.Join(paths, ", "))
	}
	groups := servedGroups(all, definitions)
	all = slices.DeleteFunc(all, func(m rest.Manifest) bool {
		why := ""
		switch kind := m.GroupVersionKind(); {
		case kind.Group == "apps" && kind.Kind == "Deployment":
			why = "lwtest starts the controller itself"
		case !groups[kind.Group]:
			why = "nothing here serves the group " + kind.Group
		default:
			m.SetResourceVersion("")
			return false
		}
		notes = append(notes, fmt.Sprintf("%s: %s is left out: %s", m.File, nameOf(m.Unstructured), why))
		return true
	})
	return all, notes, nil
}

// servedGroups returns the groups of the API with some definitions.
func servedGroups(all []rest.Manifest, definitions [][]byte) map[string]bool {
	groups := map[string]bool{}
	for _, r := range apiserver.Resources() {
		groups[r.Group] = true
	}
	add := func(u *unstructured.Unstructured) {
		if group, _, _ := unstructured.NestedString(u.Object, "spec", "group"); group != "" && u.GetKind() == "CustomResourceDefinition" {
			groups[group] = true
		}
	}
	for _, m := range all {
		add(m.Unstructured)
	}
	for _, d := range definitions {
		u := &unstructured.Unstructured{}
		if u.UnmarshalJSON(d) == nil { // else the API server refuses it
			add(u)
		}
	}
	return groups
}
