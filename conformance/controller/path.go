package controller

import (
	"slices"
	"strings"
)

// keyOf names an object by the path of a request, as "deployments.apps/default/web".
func keyOf(path string) string {
	x, ok := parsePath(path)
	if !ok {
		return path
	}
	return x.key()
}

// object returns the path of the object that a path names, without a subresource.
func (x target) object(path string) string { return strings.TrimSuffix(path, "/"+x.subresource) }

// target is what a path names.
type target struct {
	resource                     string // plural, and group
	namespace, name, subresource string
}

func (x target) key() string {
	parts := []string{x.resource, x.namespace, x.name}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "/")
}

// parsePath reads a path of the API; false: it is none of a resource.
func parsePath(path string) (x target, ok bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	group := ""
	switch {
	case len(parts) > 2 && parts[0] == "api":
		parts = parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		group, parts = "."+parts[1], parts[3:]
	default:
		return x, false
	}
	if len(parts) > 2 && parts[0] == "namespaces" && !slices.Contains([]string{"status", "finalize"}, parts[2]) {
		x.namespace, parts = parts[1], parts[2:]
	}
	x.resource = parts[0] + group
	if len(parts) > 1 {
		x.name = parts[1]
	}
	if len(parts) > 2 {
		x.subresource = strings.Join(parts[2:], "/")
	}
	return x, true
}
