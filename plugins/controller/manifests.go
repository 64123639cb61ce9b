package controller

import (
	"fmt"
	"path/filepath"
	"regexp"
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
		some, err := filesOf(path)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, some...)
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

// forKustomize matches the names of files that tell kustomize what to do. Definitions of Flux have names that begin with kustomize, too.
var forKustomize = regexp.MustCompile(`^kustomiz(ation|econfig)\.`)

// filesOf returns a file itself, or the files of a folder in YAML and JSON, but those that tell kustomize what to do.
func filesOf(path string) ([]string, error) {
	all, err := serve.Files([]string{path})
	return slices.DeleteFunc(all, func(file string) bool { return file != path && forKustomize.MatchString(filepath.Base(file)) }), err
}

// servedGroups returns the groups of the API with some definitions.
func servedGroups(all []rest.Manifest, definitions [][]byte) map[string]bool {
	groups := map[string]bool{}
	for _, r := range apiserver.Resources() {
		groups[r.Group] = true
	}
	for _, u := range withDefinitions(all, definitions) {
		if group, _, _ := unstructured.NestedString(u.Object, "spec", "group"); group != "" && u.GetKind() == "CustomResourceDefinition" {
			groups[group] = true
		}
	}
	return groups
}
